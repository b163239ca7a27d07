//! A running feed whose classes have labels of their own: a release that fails a refinement attack,
//! and the one after it, which publishes its people.

use serde_json::{Value as Json, json};

use super::place::{HEADER, NEVER, Place};
use super::public::releases;

const DISJOINT: &str = "chain = \"disjoint\"\n";
const POLICY: &str = "k = 3\nsearch = \"arx-lr\"\nmin_solutions = 100\nmax_repairs = 1\n";

/// People of these ages and wards, numbered.
fn people(from: u32, of: &[(u32, &str)]) -> String {
    let line = |(at, (age, ward)): (u32, &(u32, &str))| {
        format!("p{},{age},{ward},d{}\n", from + at, from + at)
    };
    HEADER.to_owned() + &(0..).zip(of).map(line).collect::<String>()
}

fn number(tick: &Json, what: &str) -> u64 {
    tick[what]
        .as_u64()
        .unwrap_or_else(|| panic!("{what}: {tick}"))
}

#[test]
fn who_is_refused_comes_out_with_the_next_release() {
    let place = Place::with(NEVER, POLICY, DISJOINT);
    // Of four people in two wards no more than two can be in either, so readers infer two in each.
    place.offer(
        "0.csv",
        people(0, &[(21, "B1"), (23, "B1"), (26, "B2"), (28, "B2")]),
    );
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    let tick = &answer["ticks"][0];
    assert_eq!(
        (code, &tick["outcome"], number(tick, "waiting")),
        (1, &json!("rejected"), 4),
        "{answer}"
    );
    assert_eq!(tick["reasons"][0]["check"], "refinement", "{answer}");
    assert_eq!(
        [number(tick, "added"), number(tick, "pending")],
        [0, 0],
        "no person stays in a class: {answer}"
    );
    assert!(releases(&place.public()).is_empty());
    // With two more in one of the wards they are a class; the others still wait.
    place.offer("1.csv", people(10, &[(24, "B1"), (25, "B1")]));
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], number(&tick, "waiting")),
        (&json!("published"), 2),
        "{tick}"
    );
    // Three people who are equal in everything can be no other people: they wait, and those added
    // with them are published.
    place.offer(
        "2.csv",
        people(
            20,
            &[
                (5, "A1"),
                (5, "A1"),
                (5, "A1"),
                (30, "A2"),
                (32, "A2"),
                (35, "A2"),
            ],
        ),
    );
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], number(&tick, "waiting")),
        (&json!("published"), 5),
        "{tick}"
    );
    let rows: Vec<u64> = releases(&place.public())
        .iter()
        .map(|release| release.rows)
        .collect();
    assert_eq!(rows, [4, 3]);
    let shown = place.done(&["show", "feed.toml", "2"]);
    assert_eq!(
        shown["verdict"]["repairs"][0]["place"], "(age = 5, ward = A1)",
        "{shown}"
    );
    place.verified();
    let judged = place.done(&["audit", "--feed", "feed.toml"]);
    assert_eq!(
        (&judged["safe"], &judged["releases"][0]["recoding"]["ward"]),
        (&json!(true), &json!(["B1"])),
        "{judged}"
    );
    let table = shown["manifest"]["files"][0]["path"]
        .as_str()
        .expect("a path");
    let table = format!("public/{table}");
    let attacked = place.done(&[
        "attack",
        "refinement",
        "--feed",
        "feed.toml",
        "--release",
        &table,
    ]);
    assert_eq!(
        (&attacked["safe"], &attacked["targets"][0]["cra"]),
        (&json!(true), &json!("990")),
        "{attacked}"
    );
}
