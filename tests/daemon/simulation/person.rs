//! People of a simulated run: each has a number, the same cells in every message, and a different
//! diagnosis. Some come from a ward that the taxonomy of wards contains only once it has grown:
//! their messages are set aside until then.

use super::place::{PLANTED, person};
use crate::common::measures::cost;

/// Their identifier.
pub fn id(number: u64) -> String {
    format!("{}{number}", PLANTED[0])
}

/// Whether they come from the new ward, if there is one.
pub fn is_of_new_ward(number: u64) -> bool {
    number % 9 == 4
}

/// Their message; `measured`: with their number; `wards`: some come from the new one.
pub fn message(number: u64, measured: bool, wards: bool) -> String {
    let row = person(number);
    let cells: Vec<&str> = row.trim_end().split(',').collect();
    let [patient, age, ward, diagnosis] = cells[..] else {
        panic!("four cells")
    };
    let ward = if wards && is_of_new_ward(number) {
        "A3"
    } else {
        ward
    };
    let cost = cost(number).filter(|_| measured);
    let cost = cost.map_or_else(String::new, |millionths| {
        format!(r#", "cost": {millionths}e-6"#)
    });
    format!(
        r#"{{"patient": "{patient}", "age": {age}, "ward": "{ward}", "diagnosis": "{diagnosis}"{cost}}}"#
    )
}

/// The person with this diagnosis.
pub fn of(diagnosis: &str) -> u64 {
    diagnosis
        .strip_prefix(PLANTED[1])
        .and_then(|number| number.parse().ok())
        .expect("a planted diagnosis")
}
