//! What one recoding for all reveals to a reader who knows the search: certain small classes and
//! the ratio, reported, checked if the policy says so, and repaired.

use serde_json::{Value as Json, json};

use super::place::{FEED, HEADER, Place};

/// A feed whose releases are all under one recoding for each column, and more in its policy.
fn feed(kind: &str, more: &str) -> String {
    let feed = FEED.replace("name = \"t\"", &format!("name = \"t\"\nchain = \"{kind}\""));
    let feed = feed.replace(
        "bands = [10, 20], min = 0, max = 39",
        "leaves = [0, 10, 20, 30, 40], layers = [2, 2]",
    );
    feed.replace("k = 3\n", &format!("k = 3\n{more}"))
}

/// People by age and sex, with different diagnoses.
fn people(from: u32, of: &[(u32, &str, u32)]) -> String {
    let all = of
        .iter()
        .flat_map(|&(age, sex, count)| (0..count).map(move |_| (age, sex)));
    let line = |(at, (age, sex)): (u32, (u32, &str))| format!("person{at},{age},{sex},d{at}\n");
    HEADER.to_owned() + &(from..).zip(all).map(line).collect::<String>()
}

/// Three men of 0 to 19, one of them below ten, and many from 20 on: a reader who knows the search
/// infers that the three are one and two, because no other class could have rejected a split.
const CERTAIN: &[(u32, &str, u32)] = &[(5, "M", 1), (15, "M", 2), (25, "M", 9), (35, "M", 9)];

pub fn check(manifest: &Json, name: &str) -> Json {
    let checks = manifest["checks"].as_array().expect("checks").iter();
    checks
        .clone()
        .find(|check| check["check"] == name)
        .cloned()
        .unwrap_or(Json::Null)
}

fn ages(manifest: &Json) -> Json {
    manifest["recoding"]["age"].clone()
}

#[test]
fn certain_values_are_in_the_manifest() {
    for kind in ["cumulative", "disjoint"] {
        let place = Place::new(&feed(kind, ""));
        place.put("a.csv", people(0, CERTAIN));
        assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
        let manifest = place.json("1/manifest.json");
        assert_eq!(ages(&manifest), json!(["[0, 20[", "[20, 30[", "[30, 40["]));
        let certain = json!({"check": "certainty", "made": true, "value": 2, "limit": null});
        assert_eq!(
            check(&manifest, "certainty"),
            certain,
            "both halves of 0-19"
        );
        let ratio = check(&manifest, "max_global_ratio")["value"]
            .as_f64()
            .expect("a figure");
        // Three people, and not all of them in one half; there was only one sex.
        let reported = check(&manifest, "maximality")["value"]
            .as_f64()
            .expect("a figure");
        assert!(
            reported <= ratio && ratio < 4.0 / 3.0 * 1.5,
            "{reported} {ratio}"
        );
        let report = String::from_utf8(place.bytes("1/report.html")).expect("text");
        assert!(
            report.contains("Known small classes") && report.contains("Leakage from coarseness")
        );
    }
}

#[test]
fn a_recoding_that_makes_a_crowd_certain_becomes_coarser() {
    for kind in ["cumulative", "disjoint"] {
        let place = Place::new(&feed(kind, "max_global_ratio = 1000000000\n"));
        place.put("a.csv", people(0, CERTAIN));
        assert_eq!(
            place.entries(&["a.csv"])[0]["outcome"],
            "published",
            "{kind}"
        );
        let manifest = place.json("1/manifest.json");
        assert_eq!(ages(&manifest), json!(["*"]), "{kind}");
        assert_eq!(check(&manifest, "certainty")["value"], 0);
        let verdict = place.json(".private/verdicts/000000.json");
        let repairs = verdict["repairs"].as_array().expect("a list");
        // First where classes grow least: there is no person of the other sex.
        assert_eq!(repairs.len(), 2, "{verdict}");
        assert_eq!(
            [&repairs[0]["classes"], &repairs[0]["column"]],
            [&json!(0), &json!("sex")]
        );
        assert_eq!(
            [&repairs[1]["classes"], &repairs[1]["column"]],
            [&json!(0), &json!("age")]
        );
        let text = repairs[0]["text"].as_str().expect("a text");
        assert!(text.contains("an attacker who knows the search"), "{text}");
        // The standing recoding stays that coarse; a release of its own is as fine as its own
        // people allow.
        place.put(
            "b.csv",
            people(
                100,
                &[(5, "M", 9), (15, "M", 9), (25, "M", 9), (35, "M", 9)],
            ),
        );
        assert_eq!(
            place.entries(&["b.csv"])[0]["outcome"],
            "published",
            "{kind}"
        );
        let finer = json!(["[0, 10[", "[10, 20[", "[20, 30[", "[30, 40["]);
        let expected = if kind == "cumulative" {
            json!(["*"])
        } else {
            finer
        };
        assert_eq!(ages(&place.json("2/manifest.json")), expected);
    }
}

#[test]
fn without_repairs_it_is_rejected() {
    let place = Place::new(&feed(
        "cumulative",
        "max_global_ratio = 1000\nmax_repairs = 0\n",
    ));
    place.put("a.csv", people(0, CERTAIN));
    let entry = &place.entries(&["a.csv"])[0];
    assert_eq!(
        [&entry["outcome"], &entry["pending"]],
        [&json!("rejected"), &json!(21)]
    );
    let reasons = entry["reasons"].as_array().expect("reasons");
    assert!(
        reasons.iter().all(|reason| reason["check"] == "certainty"),
        "{entry}"
    );
    // The labels of a chain never change, so more men below twenty do not help here.
    place.put("b.csv", people(100, &[(5, "M", 3)]));
    let entry = &place.entries(&["b.csv"])[0];
    assert_eq!(
        [&entry["outcome"], &entry["pending"]],
        [&json!("rejected"), &json!(24)]
    );
}

#[test]
fn a_ratio_above_its_limit_is_rejected_and_an_unknown_one_too() {
    let rows = [(5, "M", 1), (15, "M", 30), (25, "M", 9), (35, "M", 9)];
    let place = Place::new(&feed("cumulative", "max_global_ratio = 50\n"));
    place.put("a.csv", people(0, &rows));
    let entry = &place.entries(&["a.csv"])[0];
    assert_eq!(entry["outcome"], "rejected");
    let reason = &entry["reasons"][0];
    assert_eq!(
        [&reason["check"], &reason["limit"]],
        [&json!("max_global_ratio"), &json!(50.0)]
    );
    assert!(reason["value"].as_f64() > Some(50.0), "{reason}");
    // No split is rejected if all children have enough people.
    let place = Place::new(&feed("cumulative", "max_global_ratio = 50\n"));
    place.put(
        "a.csv",
        people(0, &[(5, "M", 9), (15, "M", 9), (25, "M", 9), (35, "M", 9)]),
    );
    assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
    // A woman who is added waits for others, and labels that stay tell nothing more.
    place.put("b.csv", people(100, &[(5, "F", 1), (5, "M", 4)]));
    let entry = &place.entries(&["b.csv"])[0];
    assert_eq!(
        [&entry["outcome"], &entry["waiting"]],
        [&json!("published"), &json!(1)],
        "{entry}"
    );
    let ratio = check(&place.json("2/manifest.json"), "max_global_ratio");
    assert_eq!(ratio["value"], 1.0);
}

#[test]
fn switched_off_it_is_said_to_be_not_made() {
    let place = Place::new(&feed("cumulative", "max_ratio = \"off\"\n"));
    place.put("a.csv", people(0, CERTAIN));
    assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
    let manifest = place.json("1/manifest.json");
    assert_eq!(check(&manifest, "certainty")["made"], false);
    assert_eq!(check(&manifest, "max_global_ratio"), Json::Null);
}
