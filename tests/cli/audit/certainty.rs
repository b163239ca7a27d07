//! What releases under one recoding for all reveal to a person who knows the top-down search.

use std::fs;

use serde_json::{Value as Json, json};

use super::audit;

/// Leakage of the search is reported for tables that the search can have made, and for no others.
#[test]
fn small_crowds_that_are_certain_are_counted() {
    let tree = "taxonomy = { leaves = [0, 10, 20, 30, 40], layers = [2, 2] }";
    let feed = |more: &str| {
        format!(
            "[feed]\nname = \"t\"\n[policy]\nk = 3\n{more}[[column]]\nname = \"age\"\nrole = \"quasi\"\n{tree}\n\
             [[column]]\nname = \"s\"\nrole = \"sensitive\"\n"
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: String| -> String {
        fs::write(folder.path().join(name), text).expect("a file");
        folder.path().join(name).display().to_string()
    };
    let table = |classes: &[(&str, usize)]| {
        let rows = classes
            .iter()
            .flat_map(|&(label, rows)| (0..rows).map(move |row| format!("\"{label}\",{row}\n")));
        "age,s\n".to_owned() + &rows.collect::<String>()
    };
    let known = put(
        "known.csv",
        table(&[("[0, 20[", 3), ("[20, 30[", 9), ("[30, 40[", 9)]),
    );
    // No node rejects the split of `*` if both halves have many rows; another node did.
    let foreign = put(
        "foreign.csv",
        table(&[("[0, 10[", 9), ("[10, 20[", 2), ("[20, 40[", 9)]),
    );
    let ask = |feed: &str, release: &str| {
        audit(&["audit", "--json", "--feed", feed, "--release", release].map(String::from))
    };
    let plain = put("plain.toml", feed(""));
    let found = ask(&plain, &known);
    let reported = &found["releases"][0]["search"];
    assert_eq!(
        [&found["safe"], &reported["certain"]],
        [&json!(true), &json!(2)]
    );
    let log10 = reported["log10_ratio"].as_f64().expect("a figure");
    assert!(
        (log10 - (4f64 / 3.0).log10()).abs() < 1e-9,
        "all in one half: 2 of 8 ways; {log10}"
    );
    assert_eq!(ask(&plain, &foreign)["releases"][0]["search"], Json::Null);
    let strict = put("strict.toml", feed("max_global_ratio = 2\n"));
    let found = ask(&strict, &known);
    assert_eq!(
        [&found["safe"], &found["reasons"][0]["check"]],
        [&json!(false), &json!("certainty")]
    );
    // If no limit depends on it only JSON contains it.
    for (feed, says) in [(&plain, false), (&strict, true)] {
        let output =
            super::tidegate(&["audit", "--feed", feed, "--release", &known].map(String::from));
        let words = super::text(&output.stdout);
        assert_eq!(
            words.contains("small classes that are certain: 2; narrowed down by 10^0.12"),
            says,
            "{words}"
        );
    }
    let reported = found["reasons"][0]["text"].as_str().expect("a text");
    assert!(
        reported.contains("2 classes of fewer than 3 people")
            && reported.contains("(age = [0, 20[)"),
        "{reported}"
    );
    let checks: Vec<Json> = ask(&strict, &foreign)["reasons"]
        .as_array()
        .expect("a list")
        .clone();
    assert!(
        checks
            .iter()
            .any(|reason| reason["check"] == "max_global_ratio"),
        "{checks:?}"
    );
}
