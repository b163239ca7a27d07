//! Decisions after values were read: finer releases that a random draw permits, and what happens to
//! a release that is not diverse if the policy then publishes the roots.

use serde_json::{Value as Json, json};

use super::place::{FEED, HEADER, Place};

fn feed(policy: &str) -> Place {
    Place::new(&FEED.replace("k = 3\n", &format!("k = 3\n{policy}")))
}

/// People of one sex and age, each with the next of these diagnoses.
fn people(numbers: std::ops::Range<u64>, (age, sex): (u64, &str), diagnoses: &[&str]) -> String {
    let diagnosis = |number: u64| diagnoses[number as usize % diagnoses.len()];
    numbers
        .map(|number| format!("p{number},{age},{sex},{}\n", diagnosis(number)))
        .collect()
}

fn put(place: &Place, name: &str, rows: &[String]) {
    place.put(name, HEADER.to_owned() + &rows.concat());
}

fn outcomes(entries: &[Json]) -> Vec<&str> {
    entries
        .iter()
        .map(|entry| entry["outcome"].as_str().expect("an outcome"))
        .collect()
}

/// The factor by which tests may have changed odds, by release.
fn odds(place: &Place, release: u64) -> Json {
    let manifest = place.json(&format!("{release}/manifest.json"));
    let checks = manifest["checks"].as_array().expect("checks").clone();
    checks
        .into_iter()
        .find(|check| check["check"] == "max_odds")
        .expect("it is told")
}

#[test]
fn everything_goes_to_the_root_and_stays_there() {
    let place = feed("on_unsafe = \"coarsest\"\ndiversity = { distinct_l = 2 }\n");
    put(
        &place,
        "0.csv",
        &[
            people(0..4, (5, "F"), &["x"]),
            people(4..8, (25, "M"), &["y"]),
        ],
    );
    put(&place, "1.csv", &[people(10..14, (5, "F"), &["x", "y"])]);
    put(&place, "2.csv", &[people(20..23, (5, "F"), &["x"])]);
    put(&place, "3.csv", &[people(30..36, (5, "F"), &["x", "y"])]);
    let entries = place.entries(&["0.csv", "1.csv"]);
    assert_eq!(outcomes(&entries), ["published", "published"]);
    for release in [1, 2] {
        let manifest = place.json(&format!("{release}/manifest.json"));
        assert_eq!(
            manifest["recoding"],
            json!({ "age": ["*"], "sex": ["*"] }),
            "release {release}"
        );
        assert_eq!(
            (&manifest["classes"], &manifest["policy"]["on_unsafe"]),
            (&json!(1), &json!("coarsest"))
        );
    }
    let verdict = place.json(".private/verdicts/000000.json");
    let step = verdict["step"].as_str().expect("a step");
    assert!(
        step.contains("is published as its root") && step.contains("distinct_l"),
        "{verdict}"
    );
    // Three people with one diagnosis were added: not even at the root are they diverse.
    let entries = place.entries(&["2.csv", "3.csv"]);
    assert_eq!(outcomes(&entries), ["stopped", "stopped"]);
}

/// A draw that nearly always permits a release that passes.
#[test]
fn finer_releases_are_published_with_their_leakage() {
    let place = feed("guarantee = \"chain\"\nrho = 0.001\nmax_odds = 1000000\n");
    // Under the standing recoding the people below 20 of a sex are one class: there are too few
    // aged 0 to 9 at first.
    put(
        &place,
        "0.csv",
        &[
            people(0..2, (5, "F"), &["a", "b"]),
            people(2..9, (15, "F"), &["a", "b", "c"]),
        ],
    );
    let mut names = vec!["0.csv".to_owned()];
    for at in 1..6u64 {
        let (from, name) = (at * 100, format!("{at}.csv"));
        let rows = [
            people(from..from + 6, (5, "F"), &["a", "b", "c"]),
            people(from + 10..from + 16, (15, "F"), &["b", "c", "a"]),
            people(from + 20..from + 26, (25, "M"), &["c", "a", "b"]),
        ];
        put(&place, &name, &rows);
        names.push(name);
    }
    let entries = place.entries(&names.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(
        outcomes(&entries)
            .iter()
            .all(|outcome| *outcome == "published"),
        "{entries:?}"
    );
    let reported: Vec<f64> = (1..=6)
        .map(|release| odds(&place, release)["value"].as_f64().expect("a figure"))
        .collect();
    assert!(
        reported.windows(2).all(|pair| pair[0] <= pair[1])
            && reported[5] <= 1e6
            && reported[5] > 1.0,
        "{reported:?}"
    );
    let classes: Vec<Json> = (1..=6)
        .map(|release| place.json(&format!("{release}/manifest.json"))["classes"].clone())
        .collect();
    assert!(
        classes
            .iter()
            .any(|count| count.as_u64() > classes[0].as_u64()),
        "{classes:?}"
    );
    // An audit with the true rows finds the same as the gate.
    let mut audit = std::process::Command::new(env!("CARGO_BIN_EXE_tidegate"));
    audit
        .args(["audit", "--json", "--dir"])
        .arg(place.out())
        .arg("--key")
        .arg(place.path("a.key"));
    let audit: Json =
        serde_json::from_slice(&audit.output().expect("it starts").stdout).expect("JSON");
    assert_eq!(
        (&audit["safe"], audit["releases"].as_array().map(Vec::len)),
        (&json!(true), Some(6)),
        "{audit}"
    );
}
