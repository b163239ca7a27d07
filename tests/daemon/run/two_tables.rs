//! A running feed whose releases are in two tables: published, reported, verified and checked like
//! any other.

use std::fs;

use serde_json::{Value as Json, json};

use super::place::{NEVER, Place, people};
use super::public::releases;

const POLICY: &str = "k = 3\noutput = \"two-table\"\n";
const DISJOINT: &str = "chain = \"disjoint\"\n";

fn manifest(place: &Place, release: u32) -> Json {
    let bytes =
        fs::read(place.public().join(format!("manifest/{release:010}.json"))).expect("a manifest");
    serde_json::from_slice(&bytes).expect("JSON")
}

#[test]
fn two_tables_are_published_verified_and_audited() {
    let place = Place::with(NEVER, POLICY, DISJOINT);
    for (at, numbers) in [0..40, 40..90].into_iter().enumerate() {
        place.offer(&format!("{at}.csv"), people(numbers));
        let tick = place.once();
        assert_eq!(
            (&tick["outcome"], &tick["release"]),
            (&json!("published"), &json!(at + 1))
        );
    }
    let rows: Vec<u64> = releases(&place.public())
        .iter()
        .map(|release| release.rows)
        .collect();
    assert_eq!(rows, [40, 50]);
    for release in [1, 2] {
        let manifest = manifest(&place, release);
        let kinds: Vec<&str> = manifest["files"]
            .as_array()
            .expect("files")
            .iter()
            .filter_map(|file| file["path"].as_str()?.split('/').next())
            .collect();
        assert_eq!(kinds, ["data", "sensitive", "taxonomy", "report"]);
        assert_eq!(manifest["files"][0]["rows"], manifest["files"][1]["rows"]);
    }
    assert_eq!(place.verified()["releases"], 2);
    let judged = place.done(&["audit", "--feed", "feed.toml"]);
    assert_eq!(
        (&judged["safe"], &judged["releases"][1]["rows"]),
        (&json!(true), &json!(50))
    );
    assert_eq!(
        judged["releases"][0]["recoding"],
        manifest(&place, 1)["recoding"]
    );
    assert_eq!(judged, place.done(&["audit", "--dir", "."]));
    assert_eq!(
        place.done(&["show", "feed.toml", "2"])["manifest"],
        manifest(&place, 2)
    );

    // The other table is checked like the first one.
    let path = place.public().join(
        manifest(&place, 1)["files"][1]["path"]
            .as_str()
            .expect("a path"),
    );
    let bytes = fs::read(&path).expect("a table");
    fs::write(&path, [&bytes[..], b" "].concat()).expect("a file");
    let (code, answer) = place.json(&["verify", "feed.toml"]);
    assert_eq!(
        (code, &answer["findings"][0]["text"]),
        (1, &json!("this published file was changed")),
        "{answer}"
    );
    assert_eq!(place.json(&["audit", "--feed", "feed.toml"]).0, 2);
    fs::write(&path, bytes).expect("a file");
    place.verified();
}

#[test]
fn two_tables_may_wait_for_a_person() {
    let place = Place::with(&format!("{NEVER}approval = \"manual\"\n"), POLICY, DISJOINT);
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "approval");
    assert!(releases(&place.public()).is_empty() && !place.public().join("sensitive").exists());
    place.done(&["approve", "feed.toml"]);
    assert_eq!(releases(&place.public()).len(), 1);
    place.verified();
}
