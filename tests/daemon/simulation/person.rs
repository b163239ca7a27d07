//! People of a simulated run: each has a number, the same cells whenever they come, and a diagnosis that no other person has.

use super::place::{PLANTED, person};
use crate::common::measures::cost;

/// Their identifier.
pub fn id(number: u64) -> String {
    format!("{}{number}", PLANTED[0])
}

/// Their message; `measured`: with their number.
pub fn message(number: u64, measured: bool) -> String {
    let row = person(number);
    let cells: Vec<&str> = row.trim_end().split(',').collect();
    let [patient, age, ward, diagnosis] = cells[..] else { panic!("four cells") };
    let cost = cost(number).filter(|_| measured);
    let cost = cost.map_or_else(String::new, |millionths| format!(r#", "cost": {millionths}e-6"#));
    format!(r#"{{"patient": "{patient}", "age": {age}, "ward": "{ward}", "diagnosis": "{diagnosis}"{cost}}}"#)
}

/// Whose diagnosis it is.
pub fn of(diagnosis: &str) -> u64 {
    diagnosis.strip_prefix(PLANTED[1]).and_then(|number| number.parse().ok()).expect("a planted diagnosis")
}
