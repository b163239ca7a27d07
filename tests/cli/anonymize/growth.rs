//! A taxonomy that gets new leaves while its chain runs (CONTRACTS 1): no person's label changes,
//! the new leaf is published once enough people have it, and every other change of a taxonomy is
//! refused.

use std::process::Command;

use serde_json::Value as Json;

use super::place::{HEADER, Place, counts};
use crate::common::strings;

const WARDS: &str = "A1;A;*\nA2;A;*\nB1;B;*\nB2;B;*\n";
/// New ones at the beginning, in the middle and at the end.
const MORE: &str = "A0;A;*\nA1;A;*\nA2;A;*\nB1;B;*\nB15;B;*\nB2;B;*\nC;*\n";

/// `kind` and `more` are lines of `[feed]` and `[policy]`.
fn feed(kind: &str, more: &str) -> String {
    format!(
        "[feed]\nname = \"t\"\n{kind}[policy]\nk = 3\n{more}\
         [[column]]\nname = \"patient\"\nrole = \"identifier\"\n\
         [[column]]\nname = \"ward\"\nrole = \"quasi\"\ntaxonomy = {{ file = \"ward.csv\" }}\n\
         [[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = {{ flat = [\"F\", \"M\"] }}\n\
         [[column]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n"
    )
}

/// Three people of each of these wards.
fn people(from: u64, wards: &[&str]) -> String {
    let rows = wards.iter().flat_map(|ward| [ward; 3]).zip(from..);
    let row = |(ward, n): (&&str, u64)| format!("p{n},{ward},F,d{}\n", n % 5);
    HEADER.replace("age", "ward") + &rows.map(row).collect::<String>()
}

fn audited(place: &Place) {
    let mut audit = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    audit
        .args(["audit", "--json", "--dir"])
        .arg(place.out())
        .arg("--key")
        .arg(place.path("a.key"));
    let output = audit.output().expect("the program starts");
    let verdict: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(verdict["safe"], true, "{verdict}");
}

#[test]
fn new_wards_open_while_the_chain_runs() {
    for (kind, policy) in [
        ("", ""),
        ("", "search = \"levels\"\n"),
        ("", "guarantee = \"bcf\"\n"),
        ("chain = \"disjoint\"\n", ""),
    ] {
        let place = Place::new(&feed(kind, policy));
        place.put("ward.csv", WARDS);
        place.put("1.csv", people(0, &["A1", "A2", "B1", "B2"]));
        place.put("2.csv", people(100, &["A1", "B2"]));
        for entry in place.entries(&["1.csv", "2.csv"]) {
            assert_eq!(entry["outcome"], "published", "{policy}");
        }
        place.put("ward.csv", MORE);
        place.put("3.csv", people(200, &["A0", "A2", "B15"]));
        place.put(
            "4.csv",
            people(300, &["C", "C", "A0", "B1"]) + "p400,B15,M,d1\n",
        );
        place.put("5.csv", people(500, &["A1"]));
        let entries = place.entries(&["1.csv", "3.csv", "4.csv", "5.csv"]);
        assert_eq!(entries[0]["outcome"], "known");
        let newest = &entries[3];
        assert_eq!(newest["outcome"], "published", "{policy}: {newest}");
        if kind.is_empty() {
            let [rows, waiting, withheld] = counts(newest, ["rows", "waiting", "withheld"]);
            assert_eq!(rows + waiting + withheld, 12 + 6 + 9 + 13 + 3, "{policy}");
            audited(&place);
        }
        if kind.is_empty() && policy.is_empty() {
            let manifest = place.json("5/manifest.json");
            assert_eq!(
                strings(&manifest["recoding"]["ward"]),
                ["A0", "A1", "A2", "B1", "B15", "B2", "C"]
            );
        }
    }
}

#[test]
fn everything_else_about_a_taxonomy_is_frozen() {
    let place = Place::new(&feed("", ""));
    place.put("ward.csv", WARDS);
    place.put("1.csv", people(0, &["A1", "A2", "B1", "B2"]));
    place.put("2.csv", people(100, &["A1"]));
    place.entries(&["1.csv"]);
    for (what, wards) in [
        ("a leaf that is gone", "A1;A;*\nA2;A;*\nB1;B;*\n"),
        ("a leaf elsewhere", "A1;A;*\nA2;B;*\nB1;B;*\nB2;B;*\n"),
        ("another order", "A2;A;*\nA1;A;*\nB1;B;*\nB2;B;*\n"),
        (
            "a new inner node",
            "A1;A;*\nA2;A;*\nB1;B;*\nB2;B;*\nC1;C;*\n",
        ),
        (
            "a leaf that is an inner node",
            "A1x;A1;A;*\nA2;A;*\nB1;B;*\nB2;B;*\n",
        ),
    ] {
        place.put("ward.csv", wards);
        let error = place.unchanged(&mut place.command(&["2.csv"]));
        assert_eq!(
            (&error["kind"], &error["field"]),
            (&"feed".into(), &"column.ward.taxonomy".into()),
            "{what}: {error}"
        );
    }
    place.put("ward.csv", WARDS);
    place.entries(&["2.csv"]);
}
