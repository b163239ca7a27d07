//! The answers, outcome by outcome, and the content of the folder afterwards.

use serde_json::{Value as Json, json};

use super::place::{FEED, HEADER, Place, counts, fits, people};

/// Rows of the same age and sex.
fn alike(numbers: std::ops::Range<u64>, age: u64) -> String {
    numbers
        .map(|n| format!("Pq7person{n},{age},F,Sq7secret\n"))
        .collect()
}

fn with(rows: &str) -> String {
    HEADER.to_owned() + rows
}

/// Outcome, release, rows, added, waiting, withheld, pending, duplicate, quarantined.
type ExpectedEntry = (&'static str, Option<u64>, [u64; 7]);

fn reported(entries: &[Json], expected: &[ExpectedEntry]) {
    let names = [
        "rows",
        "added",
        "waiting",
        "withheld",
        "pending",
        "duplicate",
        "quarantined",
    ];
    for (entry, (outcome, release, figures)) in entries.iter().zip(expected) {
        assert_eq!(
            (&entry["outcome"], &entry["release"]),
            (&json!(outcome), &json!(release)),
            "{entry}"
        );
        assert_eq!(&counts(entry, names), figures, "{entry}");
        assert_eq!(entry.as_object().map(serde_json::Map::len), Some(12));
    }
    assert_eq!(entries.len(), expected.len());
}

#[test]
fn outcomes_of_a_chain_under_blind() {
    // The recoding of the first release has single years from 10 on, and younger people only as
    // `0-9`.
    let place = Place::new(FEED);
    place.put("0.csv", HEADER);
    place.put("1.csv", with(&alike(0..2, 3)));
    place.put("2.csv", with(&(alike(2..4, 5) + &alike(10..13, 25))));
    place.put("3.csv", with(&(alike(20..22, 30) + &alike(0..1, 3))));
    place.put("4.csv", HEADER);
    place.put(
        "5.csv",
        with(&(alike(21..23, 30) + &alike(30..33, 3) + &alike(30..31, 3))),
    );
    place.put("6.csv", with(&alike(40..41, 39)));
    place.put("7.csv", HEADER);
    let entries = place.entries(&[
        "0.csv", "1.csv", "2.csv", "3.csv", "4.csv", "5.csv", "6.csv", "7.csv", "1.csv",
    ]);
    reported(
        &entries,
        &[
            ("held", None, [0, 0, 0, 0, 0, 0, 0]),
            ("held", None, [0, 0, 2, 0, 0, 0, 0]),
            ("published", Some(1), [7, 7, 0, 0, 0, 0, 0]),
            ("waiting", None, [7, 0, 2, 0, 0, 1, 0]),
            ("waiting", None, [7, 0, 2, 0, 0, 0, 0]),
            ("published", Some(2), [13, 6, 0, 0, 0, 2, 0]),
            ("waiting", None, [13, 0, 1, 0, 0, 0, 0]),
            ("waiting", None, [13, 0, 1, 0, 0, 0, 0]),
            ("known", None, [13, 0, 1, 0, 0, 0, 0]),
        ],
    );
    for (tick, entry) in entries[..8].iter().enumerate() {
        let verdict = place.json(&format!(".private/verdicts/{tick:06}.json"));
        fits("verdict", &verdict);
        assert_eq!(
            (&verdict["tick"], &verdict["answer"]),
            (&json!(tick), entry)
        );
        assert_eq!(
            verdict["verdict"].is_null(),
            entry["outcome"] != "published"
        );
    }
    assert!(
        !place.out().join(".private/verdicts/000008.json").exists(),
        "a known input is no tick"
    );
    // Who waits, waits on, and a second row of the same person adds nothing.
    place.put("8.csv", with(&alike(40..41, 39)));
    reported(
        &place.entries(&["8.csv"]),
        &[("waiting", None, [13, 0, 1, 0, 0, 1, 0])],
    );
}

#[test]
fn the_last_one_held_is_not_done() {
    let place = Place::new(FEED);
    place.put("1.csv", with(&alike(0..2, 3)));
    reported(
        &place.entries(&["1.csv"]),
        &[("held", None, [0, 0, 2, 0, 0, 0, 0])],
    );
    assert!(!place.out().join("1").exists() && !place.out().join("taxonomy").exists());
    reported(
        &place.entries(&["1.csv"]),
        &[("known", None, [0, 0, 2, 0, 0, 0, 0])],
    );
}

/// A class that shares one diagnosis is not diverse: the chain ends, whatever is added.
#[test]
fn a_release_that_is_not_diverse_ends_the_chain() {
    let place = Place::new(&FEED.replace(
        "k = 3\n",
        "k = 3\ndiversity = { distinct_l = 2, alpha = 0.9 }\n",
    ));
    place.put("1.csv", with(&alike(0..4, 3)));
    place.put("2.csv", HEADER.to_owned() + &people(10..90));
    let entries = place.entries(&["1.csv", "2.csv"]);
    let checks: Vec<&Json> = entries[0]["reasons"]
        .as_array()
        .expect("reasons")
        .iter()
        .map(|reason| &reason["check"])
        .collect();
    assert_eq!(checks, ["distinct_l", "alpha"], "{}", entries[0]);
    assert!(
        entries.iter().all(|entry| entry["outcome"] == "stopped"),
        "{entries:?}"
    );
    assert!(!place.out().join("1").exists());
    let place = Place::new(&FEED.replace(
        "k = 3\n",
        "k = 3\ndiversity = { distinct_l = 2, alpha = 0.9 }\n",
    ));
    place.put("2.csv", HEADER.to_owned() + &people(10..90));
    assert_eq!(place.entries(&["2.csv"])[0]["outcome"], "published");
}

#[test]
fn a_release_above_max_loss_is_rejected_for_ever() {
    let place = Place::new(&FEED.replace("k = 3\n", "k = 3\nmax_loss = 0.3\n"));
    place.put("1.csv", with(&(alike(0..2, 3) + &alike(2..3, 39))));
    place.put("2.csv", with(&alike(10..14, 5)));
    place.put("3.csv", HEADER);
    let entries = place.entries(&["1.csv", "2.csv", "3.csv"]);
    reported(
        &entries,
        &[
            ("rejected", None, [0, 3, 0, 0, 3, 0, 0]),
            ("rejected", None, [0, 4, 0, 0, 7, 0, 0]),
            ("waiting", None, [0, 0, 0, 0, 7, 0, 0]),
        ],
    );
    let reason = &entries[0]["reasons"][0];
    assert_eq!(reason["check"], "utility");
    assert!(
        reason["text"]
            .as_str()
            .expect("a text")
            .contains("only a new chain"),
        "{reason}"
    );
    assert!(!place.out().join("1").exists(), "nothing of it is public");
    let verdict = place.json(".private/verdicts/000000.json");
    fits("verdict", &verdict);
    assert_eq!(verdict["answer"]["reasons"], entries[0]["reasons"]);
}

#[test]
fn bcf_holds_fewer_than_k_new_rows() {
    let place = Place::new(&FEED.replace("k = 3\n", "k = 3\nguarantee = \"bcf\"\n"));
    place.put("1.csv", with(&alike(0..4, 3)));
    place.put("2.csv", with(&alike(10..12, 3)));
    place.put("3.csv", with(&alike(20..21, 3)));
    let entries = place.entries(&["1.csv", "2.csv"]);
    reported(
        &entries,
        &[
            ("published", Some(1), [4, 4, 0, 0, 0, 0, 0]),
            ("held", None, [4, 0, 2, 0, 0, 0, 0]),
        ],
    );
    reported(
        &place.entries(&["3.csv"]),
        &[("published", Some(2), [7, 3, 0, 0, 0, 0, 0])],
    );
}

#[test]
fn disjoint_releases_are_independent() {
    let feed = FEED.replace("name = \"t\"", "name = \"t\"\nchain = \"disjoint\"");
    let place = Place::new(&feed);
    place.put("1.csv", with(&alike(0..4, 3)));
    place.put("2.csv", with(&alike(10..12, 3)));
    place.put("3.csv", with(&(alike(20..21, 3) + &alike(0..2, 3))));
    let entries = place.entries(&["1.csv", "2.csv", "3.csv"]);
    reported(
        &entries,
        &[
            ("published", Some(1), [4, 4, 0, 0, 0, 0, 0]),
            ("waiting", None, [4, 0, 2, 0, 0, 0, 0]),
            ("published", Some(2), [3, 3, 0, 0, 0, 2, 0]),
        ],
    );
    assert_eq!(place.json("2/manifest.json")["guarantee"], Json::Null);
}

#[test]
fn repeats_count_once_unless_the_policy_says_otherwise() {
    let rows = people(0..30);
    let twice = rows.clone() + &rows;
    for (policy, once) in [("ignore", true), ("dead-letter", true), ("none", false)] {
        let place =
            Place::new(&FEED.replace("k = 3\n", &format!("k = 3\non_repeat = \"{policy}\"\n")));
        place.put("1.csv", with(&twice));
        place.put("2.csv", with(&rows));
        let entries = place.entries(&["1.csv", "2.csv"]);
        let found: Vec<u64> = entries
            .iter()
            .map(|entry| {
                let [rows, waiting, duplicate] = counts(entry, ["rows", "waiting", "duplicate"]);
                assert_eq!(duplicate, if once { 30 } else { 0 }, "{policy}: {entry}");
                rows + waiting
            })
            .collect();
        assert_eq!(found, if once { [30, 30] } else { [60, 90] }, "{policy}");
    }
    let place = Place::new(&FEED.replace(
        "[[column]]\nname = \"patient\"\nrole = \"identifier\"\n",
        "",
    ));
    place.put("1.csv", with(&twice));
    let (entries, said) = place.answered(&mut place.command(&["1.csv"]), 1);
    assert_eq!(counts(&entries[0], ["rows", "duplicate"]), [60, 0]);
    assert!(said.contains("no identifier column"), "{said}");
}
