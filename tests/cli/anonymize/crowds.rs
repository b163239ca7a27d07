//! Tests chains of crowds from outside: published rows keep their labels, new ones are added as
//! whole classes, every check is made, and only the operator learns who waits. No result depends on
//! probabilities.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::carving::rows;
use super::place::{FEED, HEADER, Place, fits, people, text};
use super::show_and_verify::asked;

/// The feed with crowds, and more in its policy.
fn feed(more: &str) -> String {
    FEED.replace(
        "k = 3\n",
        &format!("k = 3\nsearch = \"halves\"\nmin_solutions = 1\n{more}"),
    )
}

fn guarded() -> String {
    feed("m = 2\n").replace(
        "role = \"sensitive\"\n",
        "role = \"sensitive\"\nguarded = [[\"Sq7secret1\"]]\n",
    )
}

type Line = (String, String, String);

/// How often each line occurs in a release.
fn lines(place: &Place, release: u64) -> BTreeMap<Line, u64> {
    let mut lines = BTreeMap::new();
    rows(place, release)
        .into_iter()
        .for_each(|line| *lines.entry(line).or_default() += 1);
    lines
}

fn shown(place: &Place) -> Json {
    let output = asked(place, "show", &["--json"]);
    let shown: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    fits("show", &shown);
    shown["waiting"].clone()
}

#[test]
fn a_release_is_the_one_before_it_and_crowds_of_new_rows() {
    let place = Place::new(&feed(""));
    let (mut came, mut before) = (0, BTreeMap::new());
    for (at, size) in (1..).zip([60, 30, 0, 7, 90]) {
        let name = format!("{at}.csv");
        place.put(&name, HEADER.to_owned() + &people(came..came + size));
        came += size;
        let entry = &place.entries(&[&name])[0];
        let [rows, waiting] = ["rows", "waiting"].map(|key| entry[key].as_u64().expect("a count"));
        assert_eq!(rows + waiting, came, "{entry}");
        let Some(release) = entry["release"].as_u64() else {
            assert_eq!(entry["outcome"], "waiting", "{entry}");
            continue;
        };
        let now = lines(&place, release);
        let mut new: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for ((age, sex, diagnosis), rows) in &now {
            let earlier = before
                .get(&(age.clone(), sex.clone(), diagnosis.clone()))
                .copied()
                .unwrap_or(0);
            assert!(*rows >= earlier, "a row of release {} is gone", release - 1);
            *new.entry((age, sex)).or_default() += rows - earlier;
        }
        assert!(
            before.keys().all(|line| now.contains_key(line)),
            "a row is gone"
        );
        assert!(new.values().all(|&rows| rows == 0 || rows >= 3), "{new:?}");
        before = now;
    }
    assert_eq!(asked(&place, "verify", &[]).status.code(), Some(0));
}

#[test]
fn one_feed_with_guarded_values_makes_every_check() {
    let place = Place::new(&guarded());
    place.put("a.csv", HEADER.to_owned() + &people(0..200));
    place.put("b.csv", HEADER.to_owned() + &people(200..300));
    let entries = place.entries(&["a.csv", "b.csv"]);
    assert!(
        entries.iter().all(|entry| entry["outcome"] == "published"),
        "{entries:?}"
    );
    for release in 1..=2 {
        let manifest = place.json(&format!("{release}/manifest.json"));
        let checks = manifest["checks"].as_array().expect("checks");
        assert!(
            checks.iter().all(|check| check["made"] == true),
            "{checks:?}"
        );
        let names: Vec<&str> = checks
            .iter()
            .map(|check| check["check"].as_str().expect("a name"))
            .collect();
        for name in [
            "form",
            "crowd",
            "growth",
            "atoms",
            "correspondence",
            "chain",
            "minimality",
            "refinement",
            "pages",
        ] {
            assert!(names.contains(&name), "{name} is not among {names:?}");
        }
        let refinement = checks
            .iter()
            .find(|check| check["check"] == "refinement")
            .expect("it is made");
        assert_eq!(refinement["limit"], json!(100.0));
        assert!(
            refinement["value"]
                .as_f64()
                .is_some_and(|factor| factor == 1.0 || factor == 4.0 || factor == 16.0)
        );
    }
    // Classes of max(k, 2l') people.
    assert!(place.json("2/manifest.json")["smallest_class"].as_u64() >= Some(8));
}

#[test]
fn files_gather_until_it_is_their_turn() {
    let place = Place::new(&feed("publish_every = 2\n"));
    place.put("nobody.csv", HEADER);
    place.put("few.csv", HEADER.to_owned() + &people(0..2));
    for name in ["nobody.csv", "few.csv"] {
        let entry = &place.entries(&[name])[0];
        assert_eq!(
            [&entry["outcome"], &entry["rows"]],
            [&json!("held"), &json!(0)],
            "{name}"
        );
    }
    assert_eq!(shown(&place)["halving"], json!({"ticks": 1, "sweep": 9}));
    place.put("a.csv", HEADER.to_owned() + &people(2..62));
    assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
    let published = place.bytes("1/part.parquet");
    // The next tick that divides people is the second one after it, with files or without.
    assert_eq!(shown(&place)["halving"], json!({"ticks": 2, "sweep": 8}));
    place.put("b.csv", HEADER.to_owned() + &people(62..122));
    let entry = &place.entries(&["b.csv"])[0];
    assert_eq!(entry["outcome"], "waiting");
    assert!(entry["waiting"].as_u64() >= Some(60), "{entry}");
    assert_eq!(shown(&place)["halving"], json!({"ticks": 1, "sweep": 7}));
    place.put("again.csv", HEADER.to_owned() + &people(100..122));
    assert_eq!(place.entries(&["again.csv"])[0]["outcome"], "published");
    assert!(place.bytes("1/part.parquet") == published);
}

#[test]
fn the_operator_sees_what_readers_do_not() {
    let place = Place::new(&feed(""));
    // All people have one diagnosis.
    let line = |at: u32| format!("person{at},{},F,Sq7secret1\n", at % 40);
    place.put(
        "a.csv",
        HEADER.to_owned() + &(0..80).map(line).collect::<String>(),
    );
    place.entries(&["a.csv"]);
    let waiting = shown(&place);
    let rows = json!(80 - waiting["rows"].as_u64().expect("a count"));
    assert_eq!(
        waiting["uniform"],
        json!({"column": "diagnosis", "rows": rows, "share": 1.0, "k": null})
    );
    let said = text(&asked(&place, "show", &[]).stdout);
    for words in [
        "are divided into classes at the next tick",
        "in classes that show only one `diagnosis`",
    ] {
        assert!(
            said.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(words),
            "{said}"
        );
    }
    assert!(!said.contains("Sq7secret1"));
    // The public page shows the detail that is left in columns, and nothing about waiting people.
    let page = text(&place.bytes("1/report.html"));
    assert!(page.contains("How to read and count") && page.contains("Position within a label"));
    assert!(!page.contains("Withheld") && !page.contains("wait for"));
    assert_eq!(asked(&place, "show", &["1"]).status.code(), Some(0));
}

#[test]
fn a_check_of_the_feed_says_what_crowds_mean() {
    let place = Place::new(&feed("publish_every = 4\ndiversity = { distinct_l = 2 }\n"));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tidegate"));
    let output = command
        .arg("check")
        .arg(place.path("feed.toml"))
        .output()
        .expect("the program starts");
    let said = text(&output.stdout)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert_eq!(output.status.code(), Some(0), "{said}");
    for words in [
        "labels that they keep for ever",
        "One tick in 4 publishes",
        "by a factor of at most 64",
        "42.2 %",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}
