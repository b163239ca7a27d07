//! Releases of halving: whatever is drawn, the people in them, those who wait, and that the gate
//! rejects nothing in them. No result depends on probabilities.

use std::process::Command;

use serde_json::{Value as Json, json};

use super::carving::{ages, classes, crowd, feed as carved, rows};
use super::place::{HEADER, Place, people};
use super::show_and_verify::asked;

/// The sample feed with halving, and more in its policy.
fn feed(more: &str) -> String {
    carved(more).replace("arx-lr", "halves")
}

/// The result of a check, in the verdict of a tick and in the manifest of a release.
fn check(place: &Place, (tick, release): (u32, u32), name: &str) -> [Json; 2] {
    let files = [
        format!(".private/verdicts/{tick:06}.json"),
        format!("{release}/manifest.json"),
    ];
    files.map(|file| {
        let file = place.json(&file);
        let lists = [
            &file["checks"],
            &file["verdict"]["checks"],
            &file["judged"]["checks"],
        ];
        let checks = lists
            .iter()
            .find_map(|list| list.as_array())
            .unwrap_or_else(|| panic!("{file}"));
        checks
            .iter()
            .find(|check| check["check"] == name)
            .cloned()
            .unwrap_or_else(|| panic!("{checks:?}"))
    })
}

/// An audit: its exit code and its answer.
fn audit(place: &Place, args: &[&str]) -> (Option<i32>, Json) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command
        .current_dir(place.path(""))
        .args(["audit", "--feed", "feed.toml", "--json"])
        .args(args);
    let output = command.output().expect("the program starts");
    (
        output.status.code(),
        serde_json::from_slice(&output.stdout).expect("JSON"),
    )
}

#[test]
fn each_person_is_published_once_in_a_crowd_or_waits() {
    let place = Place::new(&feed(""));
    let (mut came, entries) = crowd(&place);
    for (tick, entry) in (0u32..).zip(&entries) {
        assert_eq!(entry["outcome"], "published", "{entry}");
        let rows = rows(&place, u64::from(tick) + 1);
        let classes = classes(&rows, &mut came);
        assert!(classes.values().all(|&rows| rows >= 3), "{classes:?}");
        let checks = check(&place, (tick, tick + 1), "refinement");
        assert!(
            checks.iter().all(|check| check["made"] == json!(true)),
            "{checks:?}"
        );
        let bound = checks[1]["value"].as_f64().expect("a bound");
        assert!(
            [1.0, 4.0, 16.0, 64.0].contains(&bound),
            "a factor of four for each coin: {bound}"
        );
    }
    assert_eq!(
        came.len() as u64,
        entries[3]["waiting"].as_u64().expect("a number"),
        "the rest waits"
    );
    let (code, judged) = audit(&place, &["--dir", "out", "--key", "a.key"]);
    assert_eq!((code, &judged["safe"]), (Some(0), &json!(true)), "{judged}");
    // Tables alone are checked, too, also with a feed file that names no search.
    for unnamed in [false, true] {
        let tables = (1..=4).flat_map(|release| {
            [
                "--release".to_owned(),
                format!("out/{release}/manifest.json"),
            ]
        });
        let tables: Vec<String> = tables.collect();
        let (code, judged) = audit(
            &place,
            &tables.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        assert_eq!(
            (code, &judged["safe"], &judged["crowds"]),
            (Some(0), &json!(true), &json!(false)),
            "{judged}"
        );
        if !unnamed {
            let text = std::fs::read_to_string(place.path("feed.toml")).expect("a feed file");
            place.put("feed.toml", text.replace("search = \"halves\"\n", ""));
        }
    }
}

#[test]
fn people_of_one_region_come_out_as_soon_as_they_are_a_crowd() {
    let place = Place::new(&feed(""));
    place.put("a.csv", ages(0, &[(21, "F"), (24, "F")]));
    place.put("b.csv", ages(10, &[(28, "F")]));
    assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "held");
    let entries = place.entries(&["b.csv"]);
    assert_eq!(
        [&entries[0]["outcome"], &entries[0]["rows"]],
        [&json!("published"), &json!(3)]
    );
    // A class of ten values each is not divided any more: three of one value would be one set of
    // rows.
    let labels = rows(&place, 1)
        .into_iter()
        .map(|(age, ..)| age)
        .collect::<Vec<_>>();
    assert!(
        ["20-29", "20-39", "*"]
            .iter()
            .any(|label| labels.iter().all(|age| age == label)),
        "{labels:?}"
    );
}

#[test]
fn guarded_values_are_masked_class_by_class() {
    let guarded = "role = \"sensitive\"\nguarded = [[\"Sq7secret1\"]]\n";
    let place = Place::new(&feed("m = 2\n").replace("role = \"sensitive\"\n", guarded));
    place.put("a.csv", HEADER.to_owned() + &people(0..90));
    assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
    for name in ["minimality", "refinement"] {
        assert_eq!(check(&place, (0, 1), name)[1]["made"], true, "{name}");
    }
    // Classes of max(k, 2l') people.
    assert!(place.json("1/manifest.json")["smallest_class"].as_u64() >= Some(8));
}

#[test]
fn what_is_drawn_later_is_not_foretold() {
    let place = Place::new(&feed("publish_every = 3\n"));
    place.put("a.csv", ages(0, &[(1, "F"), (2, "F")]));
    assert_eq!(place.entries(&["a.csv"])[0]["waiting"], 2);
    let output = asked(&place, "show", &["--json"]);
    let shown: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert_eq!(
        [&shown["waiting"]["rows"], &shown["waiting"]["next"]],
        [&json!(2), &Json::Null]
    );
    assert_eq!(shown["waiting"]["halving"]["ticks"], json!(1), "{shown}");
    assert_eq!(asked(&place, "show", &[]).status.code(), Some(0));
}

#[test]
fn what_does_not_go_with_a_coin_is_refused_by_name() {
    let refused = [
        ("on_unsafe = \"stop\"\n", "on_unsafe"),
        ("suppression = 0.1\n", "suppression"),
        ("max_repairs = 1\n", "max_repairs"),
    ];
    for (more, key) in refused {
        let place = Place::new(&feed(more));
        place.put("a.csv", ages(0, &[(5, "F"); 4]));
        let output = place
            .plain(&["a.csv"])
            .arg("--json")
            .output()
            .expect("the program starts");
        let answer: Json = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(
            (output.status.code(), &answer["error"]["field"]),
            (Some(2), &json!(format!("policy.{key}"))),
            "{answer}"
        );
        assert!(!place.out().exists(), "nothing is made");
    }
}

#[test]
fn an_attack_that_is_switched_off_is_said_to_be_not_made() {
    let place = Place::new(&feed("max_ratio = \"off\"\n"));
    place.put("a.csv", ages(0, &[(5, "F"); 4]));
    assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
    // A check that is not asked for has no line.
    let checks = place.json("1/manifest.json")["checks"].clone();
    assert!(
        checks
            .as_array()
            .expect("checks")
            .iter()
            .all(|check| check["check"] != "refinement"),
        "{checks}"
    );
}

#[test]
fn an_audit_reports_labels_that_halving_does_not_make() {
    let place = Place::new(&feed(""));
    let made = |name: &str, classes: &[(&str, u32)]| {
        let row = |(labels, rows): &(&str, u32)| {
            (0..*rows)
                .map(|at| format!("{labels},d{at}\n"))
                .collect::<String>()
        };
        place.put(
            name,
            "age,sex,diagnosis\n".to_owned() + &classes.iter().map(row).collect::<String>(),
        );
        audit(&place, &["--release", name])
    };
    let (code, judged) = made("good.csv", &[("0-19,F", 3), ("20-29,M", 4), ("20-39,F", 3)]);
    assert_eq!((code, &judged["safe"]), (Some(0), &json!(true)), "{judged}");
    // Random thresholds lead to some labels, a random draw to more: a column may be rejected. Three
    // people of one age and sex would leave one set of rows.
    let (code, judged) = made("coin.csv", &[("*,F", 3), ("20-39,*", 4), ("20-39,F", 3)]);
    assert_eq!((code, &judged["safe"]), (Some(0), &json!(true)), "{judged}");
    let (code, judged) = made("bad.csv", &[("5,F", 3)]);
    assert_eq!(
        (code, &judged["reasons"][0]["check"]),
        (Some(1), &json!("refinement")),
        "{judged}"
    );
    let text = judged["reasons"][0]["text"].as_str().expect("text");
    assert!(
        text.contains("halving under this policy cannot produce"),
        "{text}"
    );
}
