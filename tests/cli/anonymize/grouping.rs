//! Releases whose classes are groups of neighbours (SCIENCE 7): the people in them, those who wait,
//! rejected classes, and the results of attacks.

use std::process::Command;

use serde_json::Value as Json;

use super::carving::{LAX, ages, classes, crowd, feed as carved, rows, under};
use super::place::{HEADER, Place, people};

/// The sample feed with groups by median cuts, and more in its policy.
fn feed(more: &str) -> String {
    carved(more).replace("arx-lr", "mondrian")
}

/// Runs a command in a place, with its answer as JSON; whether it found something unsafe.
fn reported(place: &Place, words: &[&str]) -> (bool, Json) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    let answer = command
        .current_dir(place.path(""))
        .args(words)
        .arg("--json")
        .output()
        .expect("the program");
    let said = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert!(
        matches!(answer.status.code(), Some(0 | 1)),
        "{words:?}: {answer:?} {said}"
    );
    (
        answer.status.success(),
        serde_json::from_slice(&answer.stdout).expect("JSON"),
    )
}

#[test]
fn each_person_is_published_once_in_a_group_of_neighbours() {
    let place = Place::new(&feed(LAX));
    let (mut came, entries) = crowd(&place);
    let mut labels = 0;
    for entry in &entries {
        assert_eq!(
            (&entry["outcome"], &entry["waiting"]),
            (&"published".into(), &0.into()),
            "{entry}"
        );
        let rows = rows(&place, entry["release"].as_u64().expect("a number"));
        let classes = classes(&rows, &mut came);
        assert!(classes.values().all(|&people| people >= 3), "{classes:?}");
        labels += classes.len();
    }
    assert!(came.is_empty() && labels > 20, "{labels} classes");
    // What readers can compute from labels is checked; whether the method of grouping reveals more
    // is reported as unknown.
    let (safe, judged) = reported(
        &place,
        &[
            "audit",
            "--feed",
            "feed.toml",
            "--dir",
            "out",
            "--key",
            "a.key",
        ],
    );
    assert!(
        safe && judged["refinement"]["targets"]
            .as_array()
            .is_some_and(|all| all.len() == labels),
        "{judged}"
    );
    let manifest = place.json("1/manifest.json");
    let checks = manifest["checks"].as_array().expect("checks");
    let made = |name: &str| {
        checks
            .iter()
            .find(|check| check["check"] == name)
            .map(|check| check["made"] == true)
    };
    assert_eq!(
        (made("refinement"), made("grouping")),
        (Some(true), Some(false))
    );
}

/// The file and the line of a person's row change nothing.
#[test]
fn the_order_of_rows_changes_no_byte() {
    let (header, all) = (HEADER.to_owned(), people(0..60));
    let lines: Vec<&str> = all.lines().collect();
    let backwards: Vec<&str> = lines.iter().rev().copied().collect();
    let tables = [lines, backwards].map(|lines| {
        let place = Place::new(&feed(LAX));
        place.put("a.csv", header.clone() + &lines.join("\n") + "\n");
        assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
        place.bytes("1/data.parquet")
    });
    assert!(tables[0] == tables[1]);
}

/// Equal people can be no other people: they wait until others are added, and are published with
/// them.
#[test]
fn people_who_are_alike_wait_for_neighbours() {
    let place = Place::new(&feed("max_ratio = 1000\nmin_solutions = 50\n"));
    place.put("a.csv", ages(0, &[(5, "F"); 2]));
    place.put("b.csv", ages(10, &[(5, "F"); 2]));
    place.put("c.csv", ages(20, &[(11, "M"), (13, "M"), (15, "M")]));
    let entries = place.entries(&["a.csv", "b.csv", "c.csv"]);
    let number = |entry: &Json, key: &str| entry[key].as_u64().expect("a number");
    let came: Vec<(&str, u64, u64)> = entries
        .iter()
        .map(|entry| {
            (
                entry["outcome"].as_str().expect("text"),
                number(entry, "added"),
                number(entry, "waiting"),
            )
        })
        .collect();
    assert_eq!(
        came,
        [("held", 0, 2), ("rejected", 0, 4), ("published", 7, 0)]
    );
    let text = entries[1]["reasons"][0]["text"].as_str().expect("text");
    assert_eq!(
        text,
        "class (age = 5, sex = F): only 1 possible set of rows remains, at least 50 are required"
    );
    // Four of seven could be a group of their own, if that left any doubt.
    assert_eq!(
        place.json("1/manifest.json")["recoding"],
        serde_json::json!({"age": ["0-19"], "sex": ["*"]})
    );
}

/// A check that reads sensitive values stops the chain as with other searches, and masked values
/// are masked by class.
#[test]
fn values_are_checked_and_masked_class_by_class() {
    let same = (0..8)
        .map(|at| format!("p{at},{},F,x\n", at * 4))
        .collect::<String>();
    for search in ["arx-lr", "mondrian"] {
        let more = format!("{LAX}diversity = {{ distinct_l = 2 }}\n");
        let place = Place::new(&carved(&more).replace("arx-lr", search));
        place.put("a.csv", HEADER.to_owned() + &same);
        place.put("b.csv", HEADER.to_owned() + &people(0..30));
        let entries = place.entries(&["a.csv", "b.csv"]);
        let outcomes: Vec<&Json> = entries.iter().map(|entry| &entry["outcome"]).collect();
        assert_eq!(outcomes, ["stopped", "stopped"], "{search}");
    }
    let guarded = "role = \"sensitive\"\nguarded = [[\"Sq7secret1\"]]\n";
    let place =
        Place::new(&feed(&format!("m = 2\n{LAX}")).replace("role = \"sensitive\"\n", guarded));
    place.put("a.csv", HEADER.to_owned() + &people(0..90));
    assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
    let manifest = place.json("1/manifest.json");
    assert!(
        manifest["smallest_class"].as_u64() >= Some(8),
        "classes of 4m people: {manifest}"
    );
    let guarded = rows(&place, 1)
        .into_iter()
        .filter(|(.., diagnosis)| diagnosis == "Sq7secret1")
        .count();
    assert!(
        guarded <= 22,
        "one in four of each class at most: {guarded}"
    );
}

/// MDAV uses distances, which numbers have.
#[test]
fn mdav_groups_numbers_and_its_releases_are_attacked() {
    let stay =
        "name = \"sex\"\nrole = \"quasi\"\ntaxonomy = { bands = [7, 28], min = 0, max = 111 }\n";
    let text = carved(LAX).replace("arx-lr", "mdav");
    let text = text.replace(
        "name = \"sex\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"F\", \"M\"] }\n",
        stay,
    );
    let place = Place::new(&text);
    let human = |at: u32| (at * at * 7 % 40, at * at * at * 5 % 112);
    let line = |at: u32| format!("p{at},{},{},d{at}\n", human(at).0, human(at).1);
    place.put(
        "a.csv",
        HEADER.to_owned() + &(0..50).map(line).collect::<String>(),
    );
    assert_eq!(place.entries(&["a.csv"])[0]["rows"], 50);
    for (age, stay, diagnosis) in rows(&place, 1) {
        let (number, days) = human(diagnosis[1..].parse().expect("a number"));
        assert!(
            under(number, &age) && under(days, &stay),
            "{number}, {days} is not {age}, {stay}"
        );
    }
    let attack = [
        "attack",
        "refinement",
        "--feed",
        "feed.toml",
        "--release",
        "out/1/data.parquet",
        "--html",
        "a.html",
    ];
    let (safe, found) = reported(&place, &attack);
    assert!(
        safe && found["targets"].as_array().is_some_and(|all| all.len() > 5),
        "{found}"
    );
    let page = std::fs::read_to_string(place.path("a.html")).expect("a page");
    assert!(page.contains("the finest labels that cover its rows"));
}
