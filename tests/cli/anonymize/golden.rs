//! Chains with known answers through the command line: the standing recoding tick by tick, one call
//! each, and two releases under the paper's validity, small and of Adult.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::place::{Place, counts};
use crate::common::{adult, golden, paths, strings};

/// A feed file with these trees as `q0`, `q1`, … and the sensitive column `s`.
fn feed(place: &Place, trees: &[&Json], policy: &str) {
    let mut feed = format!(
        "[feed]\nname = \"golden\"\n[policy]\nsearch = \"top-down\"\non_repeat = \"none\"\n{policy}"
    );
    for (at, tree) in trees.iter().enumerate() {
        let mut lines = Vec::new();
        paths(tree, &mut Vec::new(), &mut lines);
        place.put(&format!("q{at}.csv"), lines.join("\n"));
        feed += &format!(
            "[[column]]\nname = \"q{at}\"\nrole = \"quasi\"\ntaxonomy = {{ file = \"q{at}.csv\" }}\n"
        );
    }
    place.put(
        "feed.toml",
        feed + "[[column]]\nname = \"s\"\nrole = \"sensitive\"\n",
    );
}

fn table(
    place: &Place,
    name: &str,
    width: usize,
    rows: impl Iterator<Item = (Vec<String>, String)>,
) {
    let mut text: String = (0..width).map(|at| format!("q{at};")).collect::<String>() + "s\n";
    rows.for_each(|(labels, s)| text += &format!("{};{s}\n", labels.join(";")));
    place.put(name, text);
}

/// The recoding of a release is this one, column by column.
fn recoded(manifest: &Json, cut: &Json, context: &str) {
    for (at, labels) in cut.as_array().expect("a recoding").iter().enumerate() {
        let mine: BTreeSet<String> = strings(&manifest["recoding"][format!("q{at}")])
            .into_iter()
            .collect();
        assert_eq!(
            mine,
            strings(labels).into_iter().collect(),
            "{context}: q{at}"
        );
    }
}

fn standing(at: usize, case: &Json) {
    let place = Place::new("");
    let trees: Vec<&Json> = case["taxonomies"]
        .as_array()
        .expect("trees")
        .iter()
        .collect();
    feed(&place, &trees, &format!("k = {}\n", case["a"]));
    let mut arrived = 0;
    let ticks = case["ticks"]
        .as_array()
        .expect("ticks")
        .iter()
        .zip(case["expect"].as_array().expect("ticks"));
    // In the cases a recoding changes, or rows are withheld, as soon as some are overdue.
    let overdue = ["withhold", "bottom-up", "top-down"];
    let ticks =
        ticks.take_while(|(_, expected)| !overdue.iter().any(|step| expected["step"] == *step));
    for (now, (rows, expected)) in ticks.enumerate() {
        let context = format!("case {at}, tick {now}");
        let name = format!("t{now}.csv");
        let rows = rows.as_array().expect("rows");
        arrived += rows.len() as u64;
        table(
            &place,
            &name,
            trees.len(),
            rows.iter()
                .map(strings)
                .zip((0..).map(|n| format!("s{now}-{n}"))),
        );
        let entry = &place.entries(&[&name])[0];
        let atoms = expected["atoms"].as_array().expect("atoms");
        let added: u64 = atoms
            .iter()
            .map(|atom| atom[1].as_u64().expect("people"))
            .sum();
        assert_eq!(entry["added"], added, "{context}");
        for key in ["waiting", "withheld"] {
            assert_eq!(entry[key], expected[key], "{context}: {key}");
        }
        let [rows, waiting, withheld, pending] =
            counts(entry, ["rows", "waiting", "withheld", "pending"]);
        assert_eq!(
            (rows, pending),
            (expected["rows"].as_u64().unwrap_or(0), 0),
            "{context}"
        );
        assert_eq!(
            rows + waiting + withheld,
            arrived,
            "{context}: no person is lost"
        );
        let outcome = if expected["step"] == "hold" {
            "held"
        } else if added == 0 {
            "waiting"
        } else {
            "published"
        };
        assert_eq!(entry["outcome"], outcome, "{context}");
        if let Some(release) = entry["release"].as_u64() {
            let manifest = place.json(&format!("{release}/manifest.json"));
            recoded(&manifest, &expected["cut"], &context);
            assert_eq!(manifest["withheld"], Json::Null, "{context}");
        }
    }
}

#[test]
fn standing_recodings_tick_by_tick() {
    let cases = golden("standing_small.json");
    // One case in six is enough for each day; the engine's own test runs all.
    let every = if crate::common::is_long() { 1 } else { 6 };
    let cases = cases
        .as_array()
        .expect("cases")
        .iter()
        .enumerate()
        .step_by(every);
    cases.for_each(|(at, case)| standing(at, case));
}

/// The paper's algorithm on small tables: both releases' recodings.
#[test]
fn two_small_releases_under_bcf() {
    for (at, case) in golden("anonymizer_small.json")
        .as_array()
        .expect("cases")
        .iter()
        .enumerate()
    {
        let place = Place::new("");
        let trees: Vec<&Json> = case["taxonomies"]
            .as_array()
            .expect("trees")
            .iter()
            .collect();
        feed(
            &place,
            &trees,
            &format!("guarantee = \"bcf\"\nk = {}\n", case["k"]),
        );
        for (name, part) in [("d1.csv", "D1"), ("d2.csv", "D2")] {
            let rows = case[part].as_array().expect("rows").iter();
            let rows = rows.map(|row| {
                (
                    strings(&row[0]),
                    row[1].as_str().expect("a value").to_owned(),
                )
            });
            table(&place, name, trees.len(), rows);
        }
        let entries = place.entries(&["d1.csv", "d2.csv"]);
        for (entry, cut) in entries.iter().zip(["R1_cut", "R2_cut"]) {
            assert_eq!(entry["outcome"], "published", "case {at}, {cut}");
            recoded(
                &place.json(&format!("{}/manifest.json", entry["release"])),
                &case[cut],
                &format!("case {at}, {cut}"),
            );
        }
    }
}

#[test]
fn two_releases_of_adult() {
    let Some([first, second]) = adult::data() else {
        return;
    };
    let golden = golden("adult_two_release.json");
    for case in golden["cases"].as_array().expect("cases") {
        let context = format!("{} {} k={}", case["sen"], case["D2"], case["k"]);
        let (quasi, sensitive) = (strings(&case["qid"]), strings(&case["sensitive"]));
        let place = Place::new("");
        let trees: Vec<&Json> = quasi
            .iter()
            .map(|name| &golden["taxonomies"][name])
            .collect();
        feed(
            &place,
            &trees,
            &format!("guarantee = \"bcf\"\nk = {}\n", case["k"]),
        );
        let second = adult::second(case["D2"].as_str().expect("a part"), &second);
        for (name, raw) in [("d1.csv", &first[..]), ("d2.csv", second)] {
            table(
                &place,
                name,
                quasi.len(),
                adult::rows(raw, &quasi, &sensitive).into_iter(),
            );
        }
        let entries = place.entries(&["d1.csv", "d2.csv"]);
        let rows = entries.iter().map(|entry| counts(entry, ["rows", "added"]));
        let [one, two] = [first.len() as u64, second.len() as u64];
        assert!(rows.eq([[one, one], [one + two, two]]), "{context}");
        let [one, two] = [1, 2].map(|release| place.json(&format!("{release}/manifest.json")));
        recoded(&one, &case["R1_cut"], &context);
        recoded(&two, &case["bcf_R2_cut"], &context);
        assert_eq!(two["classes"], case["bcf"]["classes"], "{context}");
        let [mine, paper] =
            [&two["discernibility"], &case["bcf"]["disc"]].map(|figure| figure.as_f64());
        assert!(
            (mine.expect("a figure") - paper.expect("a figure")).abs() < 1e-12,
            "{context}"
        );
        assert_eq!(two["guarantee"], "bcf");
    }
}
