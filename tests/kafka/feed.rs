//! A feed over a topic, and messages for it.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::broker::Broker;
use super::place::{PLANTED, Place, person};

/// A folder whose feed reads a topic.
pub fn feed(broker: &Broker, topic: &str, schedule: &str, more: &str) -> Place {
    let place = Place::new(schedule);
    let source = format!(
        "kind = \"kafka\"\nbrokers = \"{}\"\ntopic = \"{topic}\"\nformat = \"json\"\n{more}",
        broker.address()
    );
    place.edit(
        "kind = \"directory\"\npath = \"in\"\nsettle = \"0s\"\n",
        &source,
    );
    place
}

/// The message of a person.
pub fn message(number: u64) -> String {
    let row = person(number);
    let cells: Vec<&str> = row.trim_end().split(',').collect();
    let [patient, age, ward, diagnosis] = cells[..] else {
        panic!("four cells")
    };
    format!(
        r#"{{"patient": "{patient}", "age": {age}, "ward": "{ward}", "diagnosis": "{diagnosis}"}}"#
    )
}

/// Messages of people.
pub fn messages(numbers: impl IntoIterator<Item = u64>) -> Vec<String> {
    numbers.into_iter().map(message).collect()
}

/// How often each person is in a list of diagnoses.
pub fn times(diagnoses: &[String]) -> BTreeMap<u64, u64> {
    let mut times = BTreeMap::new();
    for diagnosis in diagnoses {
        let number = diagnosis
            .strip_prefix(PLANTED[1])
            .expect("a person")
            .parse()
            .expect("a number");
        *times.entry(number).or_insert(0) += 1;
    }
    times
}

/// The entries of the log.
pub fn entries(place: &Place) -> Vec<Json> {
    place.log()
}
