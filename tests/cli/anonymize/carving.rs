//! Releases whose classes have labels of their own: the people in them, those who wait, rejected
//! classes and what happens to them.

use std::collections::BTreeMap;

use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::Value as Json;

use super::place::{FEED, HEADER, Place, people};

/// The sample feed with classes of their own, and more in its policy.
pub fn feed(more: &str) -> String {
    let feed = FEED.replace("name = \"t\"", "name = \"t\"\nchain = \"disjoint\"");
    feed.replace("k = 3\n", &format!("k = 3\nsearch = \"arx-lr\"\n{more}"))
}

/// Only a class that is certainly too small fails this policy.
pub const LAX: &str = "max_ratio = 1000000\nmin_solutions = 1\n";

/// The rows of a release: age, sex, diagnosis.
pub fn rows(place: &Place, release: u64) -> Vec<(String, String, String)> {
    let manifest = place.json(&format!("{release}/manifest.json"));
    let files = manifest["files"]
        .as_array()
        .expect("files")
        .iter()
        .filter(|file| file["rows"].is_u64());
    let mut found = Vec::new();
    for file in files {
        let table = Bytes::from(place.bytes(file["path"].as_str().expect("a path")));
        let table = SerializedFileReader::new(table).expect("a table");
        let text =
            |row: &parquet::record::Row, at: usize| row.get_string(at).expect("text").clone();
        let rows = table
            .get_row_iter(None)
            .expect("rows")
            .map(|row| row.expect("a row"));
        found.extend(rows.map(|row| (text(&row, 0), text(&row, 1), text(&row, 2))));
    }
    found
}

/// Whether an age is under a label.
pub fn under(age: u32, label: &str) -> bool {
    match label.split_once('-') {
        Some((from, to)) => {
            (from.parse().expect("a number")..=to.parse().expect("a number")).contains(&age)
        }
        None => label == "*" || label == age.to_string(),
    }
}

/// People with different diagnoses.
pub fn ages(from: u32, ages: &[(u32, &str)]) -> String {
    let line = |(at, (age, sex)): (usize, &(u32, &str))| {
        let number = from + at as u32;
        format!("person{number},{age},{sex},d{number}\n")
    };
    HEADER.to_owned() + &ages.iter().enumerate().map(line).collect::<String>()
}

/// Ages and sexes of people by their diagnosis.
pub type Came = BTreeMap<String, (u32, &'static str)>;

/// Four files with forty people each, and their results.
pub fn crowd(place: &Place) -> (Came, Vec<Json>) {
    let mut came = Came::new();
    let files: Vec<String> = (0..4u32).map(|file| format!("{file}.csv")).collect();
    for (file, name) in (0u32..).zip(&files) {
        let some: Vec<(u32, &str)> = (0..40)
            .map(|n| {
                (
                    (n * n * 7 + n * 13 + file * 5) % 40,
                    if (n * 3 + file) % 5 < 2 { "F" } else { "M" },
                )
            })
            .collect();
        place.put(name, ages(file * 100, &some));
        came.extend(
            some.into_iter()
                .enumerate()
                .map(|(at, human)| (format!("d{}", file * 100 + at as u32), human)),
        );
    }
    let entries = place.entries(&files.iter().map(String::as_str).collect::<Vec<_>>());
    (came, entries)
}

/// The classes of published rows, each of a person who was added and not published before, under
/// labels that contain their values.
pub fn classes<'r>(
    rows: &'r [(String, String, String)],
    came: &mut Came,
) -> BTreeMap<(&'r str, &'r str), u32> {
    let mut classes: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for (age, sex, diagnosis) in rows {
        let human = came.remove(diagnosis).expect("a person who came, once");
        assert!(
            under(human.0, age) && (sex == "*" || sex == human.1),
            "{human:?} is not {age}, {sex}"
        );
        *classes.entry((age, sex)).or_default() += 1;
    }
    classes
}

#[test]
fn each_person_is_published_once_under_labels_of_their_class_or_waits() {
    let place = Place::new(&feed(LAX));
    let (mut came, entries) = crowd(&place);
    let (mut labels, mut published) = (0, 0);
    for entry in entries
        .iter()
        .filter(|entry| entry["outcome"] == "published")
    {
        let rows = rows(&place, entry["release"].as_u64().expect("a number"));
        let classes = classes(&rows, &mut came);
        assert!(classes.values().all(|&people| people >= 3), "{classes:?}");
        labels += classes.keys().filter(|(age, _)| age.contains('-')).count();
        published += rows.len();
    }
    assert!(
        published > 100 && labels > 4,
        "{published} rows, {labels} classes with bands"
    );
    assert_eq!(
        came.len() as u64,
        entries[3]["waiting"].as_u64().expect("a number"),
        "the rest waits"
    );
}

/// Eight people of one age each make classes of single values, in which no person could be another
/// one; with different ages they do not.
#[test]
fn what_is_refused_waits_and_comes_out_with_the_next_release() {
    let place = Place::new(&feed(
        "max_ratio = 1000\nmin_solutions = 50\nmax_repairs = 0\n",
    ));
    place.put("a.csv", ages(0, &[(5, "F"); 4]));
    place.put(
        "b.csv",
        ages(
            10,
            &[
                (1, "F"),
                (2, "F"),
                (3, "F"),
                (11, "F"),
                (12, "F"),
                (13, "F"),
                (14, "F"),
            ],
        ),
    );
    place.put(
        "c.csv",
        ages(
            20,
            &[
                (21, "M"),
                (23, "M"),
                (25, "M"),
                (27, "M"),
                (31, "M"),
                (33, "M"),
                (36, "M"),
            ],
        ),
    );
    let entries = place.entries(&["a.csv"]);
    assert_eq!(
        [&entries[0]["outcome"], &entries[0]["waiting"]],
        [&Json::from("rejected"), &Json::from(4)]
    );
    let text = entries[0]["reasons"][0]["text"].as_str().expect("text");
    assert_eq!(
        text,
        "class (age = 5, sex = F): only 1 possible set of rows remains, at least 50 are required"
    );
    // It still exists when other people are added, and is rejected again.
    let entries = place.entries(&["b.csv"]);
    assert_eq!(
        [&entries[0]["outcome"], &entries[0]["waiting"]],
        [&Json::from("rejected"), &Json::from(11)]
    );
    // An operator can let it wait: then the rest is published.
    let repaired = Place::new(&feed("max_ratio = 1000\nmin_solutions = 50\n"));
    for name in ["a.csv", "b.csv", "c.csv"] {
        repaired.put(name, std::fs::read(place.path(name)).expect("a file"));
    }
    let entries = repaired.entries(&["a.csv", "b.csv", "c.csv"]);
    let reported: Vec<(&str, u64, u64)> = entries
        .iter()
        .map(|entry| {
            let number = |key: &str| entry[key].as_u64().expect("a number");
            (
                entry["outcome"].as_str().expect("text"),
                number("added"),
                number("waiting"),
            )
        })
        .collect();
    assert_eq!(
        reported,
        [("rejected", 0, 4), ("published", 7, 4), ("published", 7, 4)]
    );
    let verdict = repaired.json(".private/verdicts/000001.json");
    let repairs = verdict["repairs"].as_array().expect("a list");
    assert_eq!(repairs[0]["classes"], 1);
    assert_eq!(repairs[0]["text"], text);
}

#[test]
fn who_is_left_over_may_be_published_at_the_root() {
    for (more, published, waiting) in [("", 4, 3), ("outliers = \"publish\"\n", 7, 0)] {
        let place = Place::new(&feed(&format!("{LAX}{more}")));
        let lone = [(1, "F"), (12, "M"), (38, "F")];
        place.put(
            "a.csv",
            ages(
                0,
                &[&[(21, "M"), (22, "M"), (25, "M"), (26, "M")][..], &lone].concat(),
            ),
        );
        let entries = place.entries(&["a.csv"]);
        assert_eq!(
            [&entries[0]["rows"], &entries[0]["waiting"]],
            [published, waiting],
            "{more}"
        );
    }
}

#[test]
fn guarded_values_are_masked_in_classes_of_their_own() {
    let guarded = "role = \"sensitive\"\nguarded = [[\"Sq7secret1\"]]\n";
    let text = feed(&format!("m = 2\n{LAX}")).replace("role = \"sensitive\"\n", guarded);
    let place = Place::new(&text);
    place.put("a.csv", HEADER.to_owned() + &people(0..90));
    let entries = place.entries(&["a.csv"]);
    assert_eq!(entries[0]["outcome"], "published", "{entries:?}");
    let manifest = place.json("1/manifest.json");
    let check = |name: &str| {
        let checks = manifest["checks"].as_array().expect("checks").iter();
        checks
            .clone()
            .find(|check| check["check"] == name)
            .cloned()
            .unwrap_or_else(|| panic!("{checks:?}"))
    };
    assert_eq!(check("minimality")["made"], true);
    assert_eq!(check("refinement")["made"], true);
    // Classes of max(k, 2l') people.
    assert!(manifest["smallest_class"].as_u64() >= Some(8));
}

#[test]
fn an_attack_that_is_switched_off_is_said_to_be_not_made() {
    let place = Place::new(&feed("max_ratio = \"off\"\n"));
    place.put("a.csv", ages(0, &[(5, "F"); 4]));
    assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
    let manifest = place.json("1/manifest.json");
    let checks = manifest["checks"].as_array().expect("checks");
    let check = checks
        .iter()
        .find(|check| check["check"] == "refinement")
        .expect("a line");
    assert_eq!(
        [&check["made"], &check["limit"]],
        [&Json::Bool(false), &Json::Null]
    );
    assert_eq!(manifest["recoding"]["age"], Json::from(vec!["5"]));
}

/// Each of two classes of three does not determine where its rows are; together they reveal one row
/// of each.
#[test]
fn a_crowd_of_one_that_no_class_shows_refuses_a_release() {
    let leaves = |name: &str, taxonomy: &str| {
        format!("[[column]]\nname = \"{name}\"\nrole = \"quasi\"\ntaxonomy = {{ {taxonomy} }}\n")
    };
    let columns = leaves("a", "leaves = [0, 10, 20], layers = [2]")
        + &leaves("b", "leaves = [0, 10, 20, 30, 40], layers = [2, 2]");
    let feed = format!(
        "[feed]\nname = \"t\"\nchain = \"disjoint\"\n[policy]\nk = 3\nsearch = \"arx-lr\"\n{LAX}REPAIRS\
         [[column]]\nname = \"id\"\nrole = \"identifier\"\n{columns}[[column]]\nname = \"s\"\nrole = \"sensitive\"\n"
    );
    let rows = "id,a,b,s\n1,1,31,x\n2,2,35,y\n3,12,33,x\n4,13,24,y\n5,14,3,x\n6,15,12,y\n";
    let place = Place::new(&feed.replace("REPAIRS", "max_repairs = 0\n"));
    place.put("a.csv", rows);
    let entry = place.entries(&["a.csv"]).remove(0);
    assert_eq!(entry["outcome"], "rejected", "{entry}");
    let reasons = entry["reasons"].to_string();
    assert!(
        reasons.contains("a class of fewer than k = 3 in a part of it is certain"),
        "{reasons}"
    );
    // With repairs the class waits, and the other one is safe without it.
    let place = Place::new(&feed.replace("REPAIRS", ""));
    place.put("a.csv", rows);
    let entry = place.entries(&["a.csv"]).remove(0);
    assert_eq!(
        (&entry["outcome"], &entry["rows"], &entry["waiting"]),
        (&"published".into(), &3.into(), &3.into()),
        "{entry}"
    );
}
