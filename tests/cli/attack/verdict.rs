//! When a release is safe: each limit alone, switched off, and read from the feed file or the
//! command line.

use serde_json::{Value as Json, json};

use super::{Folder, feed, text};

/// One column with intervals of 20 values; classes as labels and rows.
fn table(folder: &Folder, policy: &str, classes: &[(&str, usize)]) {
    folder.put(
        "feed.toml",
        &feed(&[(0..=4).map(|edge| edge * 20).collect()], policy),
    );
    let rows = classes
        .iter()
        .map(|(label, rows)| format!("\"{label}\"\n").repeat(*rows));
    folder.put("r.csv", &("q0\n".to_owned() + &rows.collect::<String>()));
}

const RELEASE: &[(&str, &str)] = &[("release", "r.csv")];

fn reasons(found: &Json) -> Vec<(Json, Json, Json)> {
    let reason = |of: &Json| {
        (
            of["target"].clone(),
            of["value"].clone(),
            of["limit"].clone(),
        )
    };
    found["reasons"]
        .as_array()
        .expect("a list")
        .iter()
        .map(reason)
        .collect()
}

#[test]
fn a_release_from_which_nothing_is_learnt_is_safe() {
    let folder = Folder::new();
    table(&folder, "k = 3", &[("[0, 20[", 3), ("[40, 60[", 5)]);
    let found = folder.attack(RELEASE, &[]);
    assert_eq!(
        (&found["safe"], &found["attacker"], &found["values"]),
        (&json!(true), &json!("paper"), &json!("repeated"))
    );
    assert_eq!(found["max_log10_ratio"], json!(0.0));
    let target = json!({
        "class": ["[0, 20["], "rows": 3, "lr": "8000", "cra": "8000", "assignments": "1", "log10_ratio": 0.0,
        "certain_cells": 1, "fuzzy": null, "blocks": [{"children": [], "support": [3, 3]}],
    });
    assert_eq!(found["targets"][0], target);
    let said = text(&folder.call(RELEASE, &[]).stdout);
    assert!(
        said.contains("SAFE: every ratio is at most 100") && !said.contains("What to do"),
        "{said}"
    );
}

#[test]
fn keys_come_in_the_order_that_is_promised() {
    let folder = Folder::new();
    table(&folder, "k = 3", &[("[0, 20[", 3), ("*", 2)]);
    let said = text(&folder.call(RELEASE, &["--json"]).stdout);
    let at = |key: &str| {
        said.find(&format!("\"{key}\":"))
            .unwrap_or_else(|| panic!("{key} in {said}"))
    };
    let keys = [
        "safe",
        "attacker",
        "values",
        "targets",
        "class",
        "rows",
        "lr",
        "cra",
        "assignments",
        "log10_ratio",
    ];
    let keys = [
        &keys[..],
        &[
            "certain_cells",
            "fuzzy",
            "blocks",
            "children",
            "support",
            "max_log10_ratio",
            "joint",
        ],
    ]
    .concat();
    assert!(
        keys.windows(2).all(|pair| at(pair[0]) < at(pair[1])),
        "{said}"
    );
    assert!(said.contains("\"class\": null"));
}

#[test]
fn few_rows_at_the_root_are_said_to_be_few() {
    let folder = Folder::new();
    for (rows, few) in [(0, false), (1, true), (2, true), (3, false)] {
        table(
            &folder,
            "k = 3\nmin_solutions = 1\nmax_ratio = 1000000",
            &[("[0, 20[", 3), ("*", rows)],
        );
        let said = text(&folder.call(RELEASE, &[]).stdout);
        assert_eq!(
            said.contains("at the root, fewer than k = 3"),
            few,
            "{said}"
        );
    }
}

#[test]
fn a_small_crowd_that_is_certain_is_unsafe() {
    let folder = Folder::new();
    // Two of the four are in each half: three would have been a class of their own.
    table(&folder, "k = 3\nmin_solutions = 1", &[("[0, 40[", 4)]);
    let found = folder.attack(RELEASE, &[]);
    assert_eq!(
        found["targets"][0]["blocks"],
        json!([{"children": [0], "support": [2, 2]}, {"children": [1], "support": [2, 2]}])
    );
    assert_eq!(
        (&found["targets"][0]["lr"], &found["targets"][0]["cra"]),
        (&json!("2560000"), &json!("960000"))
    );
    assert_eq!(found["targets"][0]["certain_cells"], json!(2));
    assert_eq!(reasons(&found), [(json!(0), json!(2.0), json!(3.0))]);
    let said = text(&folder.call(RELEASE, &[]).stdout);
    let words = "class (q0 = [0, 40[): one cell in (q0 = [0, 20[) certainly contains 2 rows, fewer than k = 3";
    assert!(
        said.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains(words),
        "{said}"
    );
    table(
        &folder,
        "k = 3\nmin_solutions = 1\nmax_ratio = 2.5",
        &[("[0, 40[", 4)],
    );
    let ratio = (json!(0), json!(2.666666667), json!(2.5));
    assert_eq!(reasons(&folder.attack(RELEASE, &[]))[0], ratio);
    table(&folder, "k = 3\nmax_ratio = \"off\"", &[("[0, 40[", 4)]);
    assert_eq!(folder.attack(RELEASE, &[])["safe"], json!(true));
    assert!(
        text(&folder.call(RELEASE, &[]).stdout).contains("NOT CHECKED: policy.max_ratio is off")
    );
}

#[test]
fn few_solutions_are_unsafe() {
    let folder = Folder::new();
    table(&folder, "k = 2", &[("[0, 20[", 2)]);
    assert_eq!(
        reasons(&folder.attack(RELEASE, &[])),
        [(json!(0), json!(400.0), json!(1000.0))]
    );
    let distinct = folder.attack(RELEASE, &["--values", "distinct"]);
    assert_eq!(
        reasons(&distinct),
        [(json!(0), json!(190.0), json!(1000.0))]
    );
    assert_eq!(distinct["values"], json!("distinct"));
    table(
        &folder,
        "k = 2\nmin_solutions = 190\nvalues = \"distinct\"",
        &[("[0, 20[", 2)],
    );
    assert_eq!(folder.attack(RELEASE, &[])["safe"], json!(true));
}

#[test]
fn the_ratio_of_all_together_is_reported() {
    let folder = Folder::new();
    let classes = [("[0, 20[", 4), ("[40, 80[", 5)];
    table(&folder, "k = 4\nmin_solutions = 1", &classes);
    let found = folder.attack(RELEASE, &[]);
    assert_eq!(found["safe"], json!(true));
    // 32 ways to distribute five rows over two halves, 20 with at most three in each.
    let estimate = found["joint"]["estimate"].as_f64().expect("a number");
    assert!((estimate - 1.6f64.log10()).abs() < 1e-6, "{found}");
}

#[test]
fn sensitive_columns_may_be_there() {
    let folder = Folder::new();
    table(&folder, "k = 3", &[("[0, 20[", 3)]);
    let without = folder.attack(RELEASE, &[]);
    folder.put("r.csv", "q0;s\n[0, 20[;Flu\n[0, 20[;HIV\n[0, 20[;\n");
    assert_eq!(folder.attack(RELEASE, &[]), without);
    // The feed of a chain of ARX-LR can be written already.
    let feed = std::fs::read_to_string(folder.path("feed.toml")).expect("a feed file");
    folder.put(
        "feed.toml",
        &feed.replace("k = 3", "k = 3\nsearch = \"arx-lr\""),
    );
    assert_eq!(folder.attack(RELEASE, &[]), without);
    folder.put("feed.toml", &feed.replace("chain = \"disjoint\"", ""));
    assert_eq!(folder.attack(RELEASE, &[]), without);
}

#[test]
fn releases_are_parquet_too() {
    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use std::sync::Arc;
    let folder = Folder::new();
    table(&folder, "k = 3", &[("[0, 20[", 3), ("*", 2)]);
    let q0 = Arc::new(StringArray::from(vec![
        "[0, 20[", "*", "[0, 20[", "*", "[0, 20[",
    ])) as ArrayRef;
    // Columns that are not read may have any type.
    let s = Arc::new(Int64Array::from(vec![1, 2, 3, 4, 5])) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("q0", q0), ("s", s)]).expect("columns of one length");
    let file = std::fs::File::create(folder.path("r.parquet")).expect("a file");
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("rows");
    writer.close().expect("a file");
    assert_eq!(
        folder.attack(&[("release", "r.parquet")], &[]),
        folder.attack(RELEASE, &[])
    );
}

#[test]
fn only_rows_alone_in_their_cell_are_fuzzy() {
    let folder = Folder::new();
    table(&folder, "k = 3", &[("[0, 20[", 3), ("*", 3)]);
    folder.put("raw.csv", "q0;s\n1;a\n2;b\n3;c\n25;d\n45;e\n46;f\n");
    let found = folder.attack(&[RELEASE, &[("increment", "raw.csv")]].concat(), &[]);
    assert_eq!(
        (&found["targets"][0]["fuzzy"], &found["targets"][1]["fuzzy"]),
        (&json!(0), &json!(1))
    );
    folder.put(
        "raw.jsonl",
        &[1, 2, 3, 25, 45, 46]
            .map(|q0| format!("{{\"q0\": {q0}}}\n"))
            .concat(),
    );
    assert_eq!(
        folder.attack(&[RELEASE, &[("increment", "raw.jsonl")]].concat(), &[]),
        found
    );
}

#[test]
fn figures_that_are_not_exact_say_so() {
    let folder = Folder::new();
    folder.put(
        "feed.toml",
        &feed(&[vec![0, 1_000_000, 2_000_000]], "k = 4"),
    );
    folder.put(
        "r.csv",
        &("q0\n".to_owned() + &"\"[0, 1000000[\"\n".repeat(30_000)),
    );
    let found = folder.attack(RELEASE, &[]);
    let target = &found["targets"][0];
    assert_eq!(
        (&target["lr"], &target["cra"], &target["assignments"]),
        (&Json::Null, &Json::Null, &json!("1"))
    );
    let bounds = &target["bounds"];
    assert_eq!(
        (&bounds["assignments"], &bounds["ratio"], &bounds["drawn"]),
        (&Json::Null, &Json::Null, &json!(false))
    );
    for key in ["lr", "cra"] {
        let [log10, error] =
            ["log10", "error"].map(|part| bounds[key][part].as_f64().expect("a number"));
        assert!(
            (log10 - 180_000.0).abs() <= error && error < 1e-6,
            "{bounds}"
        );
    }
    assert_eq!(
        (&target["log10_ratio"], &found["safe"]),
        (&json!(0.0), &json!(true))
    );
}

#[test]
fn what_is_too_large_to_count_is_bounded_on_the_safe_side() {
    let folder = Folder::new();
    let column = |at: usize| {
        let values: Vec<String> = (0..12).map(|value| format!("v{value}")).collect();
        format!(
            "[[column]]\nname = \"q{at}\"\nrole = \"quasi\"\ntaxonomy = {{ flat = {values:?} }}\n"
        )
    };
    let head = "[feed]\nname = \"attacked\"\n[policy]\nk = 4\nmin_solutions = 1\n";
    folder.put("feed.toml", &(head.to_owned() + &column(0) + &column(1)));
    folder.put(
        "r.csv",
        &("q0,q1\n".to_owned() + &"*,*\n".repeat(20) + &"v1,v2\n".repeat(4)),
    );
    let found = folder.attack(RELEASE, &[]);
    let target = &found["targets"][1];
    // One cell of 144 is taken.
    assert_eq!(
        (&target["lr"], &target["cra"]),
        (
            &json!("14697715679690864505827555550150426126974976"),
            &Json::Null
        )
    );
    let bounds = &target["bounds"];
    assert_eq!(
        (&bounds["lr"], &bounds["drawn"], &bounds["cra"]["error"]),
        (&Json::Null, &json!(true), &Json::Null)
    );
    assert_eq!(
        bounds["ratio"],
        json!({"log10": target["log10_ratio"], "error": null})
    );
    let ratio = target["log10_ratio"].as_f64().expect("a bound");
    assert!(
        ratio > 20.0 * (144.0f64 / 143.0).log10() && ratio < 2.0,
        "{ratio}"
    );
    assert_eq!(
        (&target["certain_cells"], &found["safe"]),
        (&json!(0), &json!(true))
    );
    let said = text(&folder.call(RELEASE, &[]).stdout);
    assert!(said.contains('≥') && said.contains('≤'), "{said}");
}
