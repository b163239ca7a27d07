//! Whom a verdict is about (SCIENCE 3, *Who reads*): with the raw rows a reader who knows
//! everybody's quasi columns and when each person was added, without them one who knows these of
//! one person.

use super::{as_files, audit, text, tidegate};
use crate::common::golden;
use serde_json::{Value as Json, json};

/// A case with its raw rows in the form of golden chains.
fn with_rows(case: &Json) -> Json {
    let mut case = case.clone();
    for increment in case["D"].as_array_mut().expect("increments") {
        for row in increment.as_array_mut().expect("rows") {
            let cells = row.as_array_mut().expect("cells");
            let s = cells.pop().expect("a sensitive value");
            *row = json!([cells, s]);
        }
    }
    case
}

/// What a person reads first of the verdict.
fn verdict_line(args: &[String]) -> String {
    let words: Vec<String> = args
        .iter()
        .filter(|arg| *arg != "--json")
        .cloned()
        .collect();
    let reported = text(&tidegate(&words).stdout);
    let verdict = reported.lines().find(|line| {
        ["SAFE", "UNSAFE", "UNDECIDED"]
            .iter()
            .any(|word| line.starts_with(word))
    });
    verdict.unwrap_or_else(|| panic!("{reported}")).to_owned()
}

#[test]
fn known_answers_through_files() {
    let mut verdicts = [0; 2];
    for (at, case) in golden("headcounts.json")
        .as_array()
        .expect("cases")
        .iter()
        .enumerate()
    {
        let folder = tempfile::tempdir().expect("a folder");
        let args = as_files(&with_rows(case), folder.path(), 2, true);
        let found = audit(&args);
        assert_eq!(found["chain"]["known"], case["known"], "#{at}");
        assert_eq!(found["reader"], json!("everybody"), "#{at}");
        let classes = found["releases"]
            .as_array()
            .expect("releases")
            .iter()
            .all(|of| of["k"].as_u64() >= Some(2));
        let safe = classes && case["known"].as_u64() >= Some(2);
        assert_eq!(
            (&found["safe"], &found["decided"]),
            (&json!(safe), &json!(true)),
            "#{at}: {found}"
        );
        verdicts[usize::from(safe)] += 1;
    }
    assert!(
        verdicts.iter().all(|&count| count >= 5),
        "both verdicts occur: {verdicts:?}"
    );
}

/// Ten people of a1 and one of a2 under `*`, then nine new ones of a2 and all by district: who
/// knows everybody knows that nobody new came to a1, so the eleventh row of the first release is
/// the one person's of a2.
#[test]
fn a_chain_that_hides_a_person_from_one_reader_and_not_from_another() {
    let rows = |label: &str, values: [(&str, u64); 2]| -> Vec<Json> {
        values
            .into_iter()
            .filter(|of| of.1 > 0)
            .map(|(s, count)| json!([[label], s, count]))
            .collect()
    };
    let first = [rows("*", [("x", 6), ("y", 5)])].concat();
    let second = [
        rows("a1", [("x", 5), ("y", 5)]),
        rows("a2", [("x", 5), ("y", 4)]),
    ]
    .concat();
    let raw = |of: &[(&str, &str, u64)]| -> Vec<Json> {
        of.iter()
            .map(|&(leaf, s, count)| json!([[leaf], s, count]))
            .collect()
    };
    let case = json!({
        "taxonomies": [{"*": {"a1": {}, "a2": {}}}],
        "R": [first, second],
        "D": [
            raw(&[("a1", "x", 5), ("a1", "y", 5), ("a2", "x", 1)]),
            raw(&[("a2", "x", 4), ("a2", "y", 4)]),
        ],
    });
    let folder = tempfile::tempdir().expect("a folder");
    let args = as_files(&case, folder.path(), 5, true);
    let found = audit(&args);
    assert_eq!(
        (&found["safe"], &found["decided"], &found["chain"]["known"]),
        (&json!(false), &json!(true), &json!(1))
    );
    assert!(
        found["chain"]["realised"]["anonymity"].as_u64() >= Some(5),
        "to who knows one person it is hidden: {found}"
    );
    let reason = found["reasons"][0]["text"].as_str().expect("a text");
    for part in [
        "everybody's quasi columns",
        "1 person who was new in release 1",
        "only 1 candidate row left",
    ] {
        assert!(reason.contains(part), "{reason}");
    }
    assert_eq!(
        verdict_line(&args),
        "UNSAFE against a reader who knows everybody's quasi columns and when each person was added:"
    );

    let args = as_files(&case, folder.path(), 5, false);
    let found = audit(&args);
    assert_eq!(
        (&found["reader"], &found["chain"]["known"]),
        (&json!("one_person"), &Json::Null)
    );
    let line = verdict_line(&args);
    assert!(
        line.ends_with(
            "a reader who knows one person's quasi columns and when that person was added:"
        ),
        "{line}"
    );
}

/// Two people of one increment whose values a reader of everything else can tell: diversity is
/// judged over what this reader leaves.
#[test]
fn diversity_is_judged_over_the_same_worlds() {
    let raw = |of: &[(&str, &str, u64)]| -> Vec<Json> {
        of.iter()
            .map(|&(leaf, s, count)| json!([[leaf], s, count]))
            .collect()
    };
    // Both people of a2 who came first have x: nobody new came to a1, whose rows of the second
    // release are those of the first.
    let case = json!({
        "taxonomies": [{"*": {"a1": {}, "a2": {}}}],
        "R": [raw(&[("*", "x", 4), ("*", "y", 2)]), raw(&[("a1", "x", 2), ("a1", "y", 2), ("a2", "x", 4), ("a2", "y", 2)])],
        "D": [raw(&[("a1", "x", 2), ("a1", "y", 2), ("a2", "x", 2)]), raw(&[("a2", "x", 2), ("a2", "y", 2)])],
    });
    let folder = tempfile::tempdir().expect("a folder");
    let args = as_files(&case, folder.path(), 2, true);
    let found = audit(&args);
    assert_eq!(
        (&found["safe"], &found["chain"]["known"]),
        (&json!(true), &json!(2)),
        "{found}"
    );
    assert_eq!(
        found["releases"][0]["diversity"]["after"]["distinct_l"],
        json!(1),
        "{found}"
    );
    let feed = folder.path().join("feed.toml");
    let text = std::fs::read_to_string(&feed).expect("a feed file");
    std::fs::write(
        &feed,
        text.replace("k = 2", "k = 2\n[policy.diversity]\ndistinct_l = 2"),
    )
    .expect("a feed file");
    let found = audit(&args);
    assert_eq!(
        (&found["safe"], &found["reasons"][0]["check"]),
        (&json!(false), &json!("distinct_l")),
        "{found}"
    );
}

#[test]
fn golden_chains_through_files() {
    let cases = golden("chain_small.json");
    let cases = cases.as_array().expect("cases").iter().enumerate();
    for (at, case) in cases.filter(|(at, case)| at % 5 == 0 || case["A_pair"] != case["A_exact"]) {
        let folder = tempfile::tempdir().expect("a folder");
        let found = audit(&as_files(case, folder.path(), 2, true));
        let chain = &found["chain"];
        assert_eq!(chain["anonymity"], case["A_exact"], "#{at}");
        assert_eq!(chain["paper"], case["A_paper"], "#{at}");
        assert_eq!(chain["exact"], json!(true), "#{at}");
        let (mine, pair) = (&chain["per_increment"], &case["A_pair_per_timestamp"]);
        if case["laminar"] == json!(true) {
            assert_eq!(
                (mine, &chain["realised"]["anonymity"]),
                (pair, &case["A_pair_realised"]),
                "#{at}"
            );
        }
        let [mine, pair] = [mine, pair].map(|list| list.as_array().expect("figures"));
        assert!(
            mine.iter()
                .zip(pair)
                .all(|(mine, pair)| mine.as_u64() <= pair.as_u64()),
            "#{at}: never above the pairs"
        );
        assert_eq!(
            mine.iter().map(Json::as_u64).min(),
            Some(case["A_exact"].as_u64()),
            "#{at}"
        );
        assert_eq!(chain["realised"]["lower"], case["A_safe_realised"], "#{at}");
        assert!(
            chain["known"].as_u64() <= chain["realised"]["anonymity"].as_u64(),
            "#{at}: who knows more learns more"
        );
        let sound = chain["known"].as_u64() >= Some(2);
        let crowds = found["releases"]
            .as_array()
            .expect("releases")
            .iter()
            .all(|release| release["k"].as_u64() >= Some(2));
        assert_eq!(found["safe"], json!(sound && crowds), "#{at}");
    }
}
