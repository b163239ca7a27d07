//! The invented people of a root: the first row of each in the source files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::root::Root;

/// The first row of a person. `tests/roots/write` gives each person a different diagnosis.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Person {
    pub age: String,
    pub ward: String,
    pub diagnosis: String,
}

/// People by identifier.
pub type People = BTreeMap<String, Person>;

/// Reads the people of these CSV texts, oldest text first. Rows that the feed cannot decode are
/// left out, and people who will be in no release.
pub fn read_people(root: &Root, texts: &[String]) -> People {
    let wards: BTreeSet<String> = root
        .read("ward.csv")
        .lines()
        .map(|line| line.split(';').next().expect("a ward").to_owned())
        .collect();
    let mut people = People::new();
    for row in texts.iter().flat_map(|text| text.lines().skip(1)) {
        let cells: Vec<&str> = row.split(',').collect();
        let [patient, age, ward, diagnosis] = cells[..4] else {
            panic!("{}: {row}", root.name)
        };
        if age.parse::<u32>().is_ok() && wards.contains(ward) {
            let [age, ward, diagnosis] = [age, ward, diagnosis].map(str::to_owned);
            people.entry(patient.to_owned()).or_insert(Person {
                age,
                ward,
                diagnosis,
            });
        }
    }
    for gone in root.expected["never_published"].as_array().expect("a list") {
        people
            .remove(gone.as_str().expect("an identifier"))
            .expect("a row of theirs");
    }
    people
}

/// Reads the files in a folder of the root, in the order of their names.
pub fn read_texts(root: &Root, folder: &str) -> Vec<String> {
    let files = root.files(folder);
    files
        .keys()
        .map(|path| fs::read_to_string(path).expect("text"))
        .collect()
}
