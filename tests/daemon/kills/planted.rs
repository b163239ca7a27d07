//! Faults that the other checks must find: a write without a name, a name that is never reached, a
//! person who is lost or counted twice. A check that cannot fail shows nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value as Json, json};

use super::books::Books;
use super::feed_life::{Life, in_memory};
use super::place::{NEVER, PLANTED, Place, people};
use super::points::{Point, name};
use super::public::Release;
use super::scenes::{BEGINS, SCENES};
use super::shim::Shim;
use super::shimmed_program::Call::{self, Link, Rename, Unlink};
use super::shimmed_program::{Done, Side};

/// The message of a check that fails.
fn wrong(check: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(check)).expect_err("it is found");
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_default()
}

#[test]
fn what_has_no_name_is_found() {
    let done = |call: Call, path: &str, word: &str| {
        name(&Done {
            call,
            path: path.to_owned(),
            word: word.to_owned(),
        })
    };
    let entry = "private/log/0/00000000000000000003.json";
    assert_eq!(done(Link, entry, "Ingest"), Some("rows taken in"));
    assert_eq!(
        done(Link, "private/keys/0000000001/0123456789abcdef.wrap", "-"),
        Some("a key")
    );
    let strange = [
        (Link, entry, "Another"),
        (Rename, entry, "Ingest"),
        (Link, "private/another/0000000001/x", "-"),
        (Unlink, "public/data/1-x.parquet", "-"),
        (Rename, "public/manifest/0000000001.json", "-"),
    ];
    for (call, path, word) in strange {
        assert_eq!(done(call, path, word), None, "{path}");
    }
}

#[test]
fn a_name_that_never_comes_true_is_found() {
    let Some(shim) = Shim::build() else { return };
    in_memory();
    let life = Life::of(&shim, &SCENES[..1]);
    let never = Point {
        name: "never",
        call: Link,
        path: "private/never/*",
        word: "-",
        scene: BEGINS,
        nth: 1,
    };
    assert!(wrong(|| _ = life.killed(Side::Before, &never)).contains("it never comes by"));
    let seldom = Point {
        path: "private/FORMAT",
        nth: 2,
        ..never
    };
    assert!(wrong(|| _ = life.killed(Side::After, &seldom)).contains("it never comes by"));
}

/// Books of four people in one file, of whom three are published, and one waits or not.
fn balanced(kept: u64, published: &[&str], waiting: u64) {
    let entry = |seq: u64, kind: &str, body: Json| json!({"seq": seq, "kind": kind, "body": body});
    let part = json!({"file": "0.csv", "kept": kept});
    let decision =
        json!({"outcome": "publish", "files": [{"rows": published.len()}, {"rows": null}]});
    let entries = [
        entry(0, "Chain", json!({"chain": 1})),
        entry(1, "Ingest", json!({"parts": [part]})),
        entry(2, "Decision", decision),
        entry(3, "Published", json!({})),
    ];
    let place = Place::new(NEVER);
    place.offer("0.csv", people(0..4));
    let diagnoses = published
        .iter()
        .map(|number| format!("{}{number}", PLANTED[1]))
        .collect();
    let release = Release {
        chain: 1,
        rows: published.len() as u64,
        diagnoses,
    };
    let shown = json!({"new": 0, "waiting": {"rows": waiting, "withheld": 0, "pending": 0}});
    let books = Books::of(&entries);
    books.balance(&place, Some(&shown), std::slice::from_ref(&release));
    books.closed(&place, &[release]);
}

#[test]
fn a_person_who_is_lost_or_counted_twice_is_found() {
    balanced(4, &["0", "1", "3"], 1);
    assert!(
        wrong(|| balanced(4, &["0", "1", "3"], 0)).contains("elsewhere"),
        "a person is lost"
    );
    assert!(
        wrong(|| balanced(4, &["0", "1", "3"], 2)).contains("elsewhere"),
        "a person is in two places"
    );
    assert!(
        wrong(|| balanced(5, &["0", "1", "3"], 2)).contains("in its files"),
        "a person was taken in twice"
    );
    assert!(wrong(|| balanced(4, &["0", "1", "1"], 1)).contains("published twice"));
    assert!(wrong(|| balanced(4, &["0", "1", "7"], 1)).contains("who has not come"));
}
