//! Releases whose rows were generalised each on its own: people of one leaf tuple have rows in
//! several classes.

use serde_json::json;

use super::{Folder, ONE_SET, Rows, checks};

const TABLE_7: Rows<'_> = &[
    ("q1", "HIV", 3),
    ("q1", "Flu", 2),
    ("q2", "HIV", 1),
    ("q2", "Flu", 7),
];
const TABLE_8: Rows<'_> = &[
    ("q1", "HIV", 2),
    ("q1", "Flu", 2),
    ("*", "HIV", 1),
    ("*", "Flu", 1),
    ("q2", "HIV", 1),
    ("q2", "Flu", 6),
];

#[test]
fn tables_7_and_8() {
    let folder = Folder::new("m = 2", ONE_SET);
    let found = folder.audit(TABLE_8, TABLE_7);
    let tie = |class: &str, credibility: &str| json!({"class": [class], "set": 0, "credibility": credibility});
    assert_eq!(
        found["minimality"],
        json!({"m": 2, "classes": [tie("q1", "3/5"), tie("q2", "1/8")], "max": "3/5"})
    );
    assert_eq!(
        (&found["safe"], &found["decided"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(checks(&found), ["minimality"]);
}

/// Andre and Kim, none of whose values is shown unchanged.
#[test]
fn table_1_d() {
    let folder = Folder::new("m = 2", ONE_SET);
    let raw = [("q1", "HIV", 2), ("q2", "Flu", 5)];
    let found = folder.audit(&[("*", "HIV", 2), ("*", "Flu", 2), ("q2", "Flu", 3)], &raw);
    let reported: Vec<_> = found["minimality"]["classes"]
        .as_array()
        .expect("classes")
        .iter()
        .collect();
    assert_eq!(
        [&reported[0]["credibility"], &reported[1]["credibility"]],
        [&json!("1"), &json!("0")]
    );
    assert_eq!(found["minimality"]["max"], json!("1"));
}

/// People of q1 and q2 may be under `Q` or `*`. The two rows under `*` are a row of q3 and one of
/// theirs, of either kind.
#[test]
fn rows_that_may_be_in_two_classes() {
    let folder = Folder::nested("m = 2", ONE_SET);
    let raw = [("q1", "HIV", 2), ("q2", "Flu", 3), ("q3", "HIV", 1)];
    let release = [
        ("Q", "HIV", 2),
        ("Q", "Flu", 2),
        ("*", "HIV", 1),
        ("*", "Flu", 1),
    ];
    let found = folder.audit(&release, &raw);
    // With a row of q1 under `*` one of q1 and three of q2 are under `Q`: the row of q1 has HIV,
    // and so has one of the others, or two of q2 have, which is 2/3 of three people: 3 + 3
    // assignments, 3 and 0 of them with HIV at q1. Under `*` both rows are alone, so that one of
    // them always has too much: 2 assignments, HIV at q1 in one. There are 2 such ways, either
    // person of q1: 2·6·2 = 24 worlds with 2·(3·2 + 6·1) = 24 rows of q1. With a row of q2 under
    // `*` two of q1 and two of q2 are under `Q`: both of q1 have HIV or both of q2 do, 2
    // assignments with 2 and 0 rows of q1. Under `*` again 2. There are 3 such ways: 3·2·2 = 12
    // worlds with 3·2·2 = 12 rows of q1.
    let reported: Vec<_> = found["minimality"]["classes"]
        .as_array()
        .expect("classes")
        .iter()
        .collect();
    // 36 rows of two people over 36 worlds.
    assert_eq!(
        (&reported[0]["class"], &reported[0]["credibility"]),
        (&json!(["q1"]), &json!("1/2"))
    );
    // q3 has one person, half of whose rows have HIV.
    assert_eq!(
        (&reported[2]["class"], &reported[2]["credibility"]),
        (&json!(["q3"]), &json!("1/2"))
    );
}

#[test]
fn what_the_rows_cannot_be_is_refused() {
    let folder = Folder::new("m = 2", ONE_SET);
    let release = folder.put("r.csv", TABLE_8);
    let refused = |rows: Rows<'_>, words: &str| {
        let rows = folder.put("d.csv", rows);
        let args = ["--release", &release, "--increment", &rows, "--minimality"];
        folder.refused("audit", &args, None, words);
    };
    // Three people of q1 and four published rows of them.
    let few = [
        ("q1", "HIV", 2),
        ("q1", "Flu", 1),
        ("q2", "HIV", 2),
        ("q2", "Flu", 8),
    ];
    refused(&few, "cannot be in (q = q1) under its labels");
    // q1 shows two rows with a value that one of its people has.
    let other = [
        ("q1", "HIV", 1),
        ("q1", "Flu", 4),
        ("q2", "HIV", 3),
        ("q2", "Flu", 5),
    ];
    refused(&other, "cannot be in (q = q1) under its labels");
    // There is no person of q2, but the release shows rows of q2.
    let other = [("q1", "HIV", 4), ("q1", "Flu", 8), ("q3", "Flu", 1)];
    refused(&other, "cannot be in (q = q2) under its labels");
    let more = [
        ("q1", "HIV", 2),
        ("q1", "Flu", 3),
        ("q2", "HIV", 1),
        ("q2", "Flu", 7),
    ];
    refused(
        &more,
        "cannot be in (everything at its root) under its labels",
    );
}

/// Rows that name their release were not made at once.
#[test]
fn tables_of_several_releases_are_refused() {
    let folder = Folder::new("m = 2", ONE_SET);
    let release = folder.path("stated.csv");
    let rows =
        "tidegate_release,q,disease\n1,*,HIV\n1,*,HIV\n1,*,Flu\n2,q2,Flu\n2,q2,Flu\n2,*,Flu\n";
    std::fs::write(&release, rows).expect("a file");
    let raw = folder.put("d.csv", &[("q1", "HIV", 2), ("q2", "Flu", 4)]);
    let args = ["--release", &release, "--increment", &raw, "--minimality"];
    folder.refused(
        "audit",
        &args,
        Some("--minimality"),
        "name the release that added them",
    );
}
