//! The Adult data (BCF 6), which are not shipped: `TIDEGATE_DATA` names the folder that contains
//! `adult_uci`.

use std::path::Path;

use super::{Row, needs};

/// The position of each attribute in the files.
const ATTRIBUTES: [(&str, usize); 8] = [
    ("Work-class", 1),
    ("Education", 3),
    ("Marital-status", 5),
    ("Occupation", 6),
    ("Relationship", 7),
    ("Race", 8),
    ("Sex", 9),
    ("Native-country", 13),
];

/// The complete rows of a file, field by field.
fn complete(path: &Path) -> Vec<Vec<String>> {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let fields = |line: &str| -> Vec<String> { line.split(", ").map(str::to_owned).collect() };
    text.lines()
        .map(fields)
        .filter(|row| row.len() == 15 && !row.iter().any(|field| field == "?"))
        .collect()
}

pub fn rows(raw: &[Vec<String>], quasi: &[String], sensitive: &[String]) -> Vec<Row> {
    let at = |name: &String| {
        ATTRIBUTES
            .iter()
            .find(|(known, _)| known == name)
            .expect("an attribute")
            .1
    };
    let row = |row: &Vec<String>| {
        let pick = |names: &[String]| {
            names
                .iter()
                .map(|name| row[at(name)].clone())
                .collect::<Vec<String>>()
        };
        (pick(quasi), pick(sensitive).join("|"))
    };
    raw.iter().map(row).collect()
}

/// The complete rows of the test part and of the training part; None, with a message, without data.
pub fn data() -> Option<[Vec<Vec<String>>; 2]> {
    let folder = needs::data()?.join("adult_uci");
    let parts = ["adult.test", "adult.data"].map(|name| complete(&folder.join(name)));
    assert_eq!(parts.each_ref().map(Vec::len), [15_060, 30_162]);
    Some(parts)
}

/// The first rows of the training part that a case calls D2.
pub fn second<'a>(case: &str, training: &'a [Vec<String>]) -> &'a [Vec<String>] {
    match case {
        "200D2" => &training[..200],
        "2000D2" => &training[..2000],
        _ => training,
    }
}
