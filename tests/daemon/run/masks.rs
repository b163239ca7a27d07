//! Guarded values (SCIENCE 5): a feed that masks them, over restarts, erasures and forgetting.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;

use serde_json::{Value as Json, json};

use super::place::{HEADER, NEVER, PLANTED, Place, files};
use super::public::releases;

const ROLE: &str = "name = \"diagnosis\"\nrole = \"sensitive\"\n";

/// A feed that guards a diagnosis.
fn place() -> Place {
    let place = Place::with(NEVER, "k = 3\nm = 2\n", "");
    place.edit(ROLE, &format!("{ROLE}guarded = [[\"{}x\"]]\n", PLANTED[1]));
    place
}

/// People of two wards; every second one has the guarded diagnosis, more than the one in four that
/// may show it.
fn people(numbers: Range<u64>) -> String {
    let person = |number: u64| {
        let [id, said] = PLANTED;
        let diagnosis = if number.is_multiple_of(2) {
            "x".to_owned()
        } else {
            (number % 9).to_string()
        };
        format!(
            "{id}{number},{},{},{said}{diagnosis}\n",
            number % 40,
            ["A1", "B2"][(number / 2 % 2) as usize]
        )
    };
    HEADER.to_owned() + &numbers.map(person).collect::<String>()
}

/// The count of each diagnosis in each release. Checks that no row changes later, and that few
/// people show a guarded value.
fn reported(place: &Place) -> Vec<BTreeMap<String, usize>> {
    let count = |diagnoses: &Vec<String>| {
        let mut counts = BTreeMap::new();
        diagnoses
            .iter()
            .for_each(|diagnosis| *counts.entry(diagnosis.clone()).or_default() += 1);
        counts
    };
    let reported: Vec<BTreeMap<String, usize>> = releases(&place.public())
        .iter()
        .map(|release| count(&release.diagnoses))
        .collect();
    for pair in reported.windows(2) {
        assert!(
            pair[0]
                .iter()
                .all(|(diagnosis, times)| pair[1].get(diagnosis) >= Some(times)),
            "{pair:?}"
        );
    }
    for counts in &reported {
        let (all, guarded) = (
            counts.values().sum::<usize>(),
            counts.get(&format!("{}x", PLANTED[1])),
        );
        assert!(
            guarded.is_none_or(|guarded| guarded * 4 <= all),
            "{counts:?}"
        );
    }
    reported
}

/// Checks that no kept object shows a diagnosis.
fn sealed(place: &Place) {
    for (path, bytes) in files(&place.path("private")) {
        let found = PLANTED.iter().any(|word| {
            bytes
                .windows(word.len())
                .any(|window| window == word.as_bytes())
        });
        assert!(!found, "{} shows what it holds", path.display());
    }
}

fn minimality(place: &Place, release: u64) -> Json {
    let manifest =
        fs::read(place.public().join(format!("manifest/{release:010}.json"))).expect("a manifest");
    let manifest: Json = serde_json::from_slice(&manifest).expect("JSON");
    let checks = manifest["checks"].as_array().expect("checks").clone();
    checks
        .into_iter()
        .find(|check| check["check"] == "minimality")
        .expect("it is told")
}

#[test]
fn guarded_values_are_masked_once() {
    let place = place();
    for (at, numbers) in [0..120, 120..200, 200..201, 201..290]
        .into_iter()
        .enumerate()
    {
        place.offer(&format!("{at}.csv"), people(numbers));
        place.once();
        place.verified();
    }
    let reported = reported(&place);
    assert!(
        reported.len() >= 3 && reported.last().expect("a release").values().sum::<usize>() > 250,
        "{reported:?}"
    );
    let check = minimality(&place, 1);
    assert_eq!(
        check,
        json!({ "check": "minimality", "made": true, "value": null, "limit": 0.5 })
    );
    sealed(&place);
    let (code, verdict) = place.json(&["audit", "--feed", "feed.toml"]);
    assert_eq!((code, &verdict["safe"]), (0, &json!(true)), "{verdict}");
}

/// A guarded value in another spelling is published: the operator is notified of the column, and of
/// no value.
#[test]
fn guarded_values_in_another_spelling_are_reported() {
    let place = place();
    // All people with the guarded value but the last one.
    let [spelled, other] = ["x\n", "X \n"].map(|end| format!("{}{end}", PLANTED[1]));
    place.offer("0.csv", people(0..120).replacen(&spelled, &other, 59));
    let log = |place: &Place| {
        let output = place.output(&["run", "--once", "feed.toml"]);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let reported = log(&place);
    assert!(
        reported.contains("warn  misspelled_guarded feed=t tick=0 columns=diagnosis help="),
        "{reported}"
    );
    assert!(
        reported.contains("warn  spelled_apart feed=t columns=diagnosis values=1 help="),
        "{reported}"
    );
    assert!(!reported.contains(PLANTED[1]), "{reported}");
    place.offer("1.csv", people(200..320));
    let reported = log(&place);
    assert!(
        reported.contains("release=2") && !reported.contains("spelled"),
        "{reported}"
    );
}

/// A person of a waiting release is erased: their atom is dissolved, and the rows masked in it are
/// masked again when its people are added to another one.
#[test]
fn an_erasure_takes_its_part_of_the_ledger_along() {
    let place = place();
    place.offer("0.csv", people(0..120));
    place.once();
    place.edit(NEVER, "every = \"9999d\"\napproval = \"manual\"\n");
    place.offer("1.csv", people(120..260));
    assert_eq!(place.once()["outcome"], "approval");
    place.put("gone.csv", format!("{}130\n{}7\n", PLANTED[0], PLANTED[0]));
    let answer = place.done(&["erase", "feed.toml", "--from", "gone.csv"]);
    assert_eq!(
        (&answer["count"], &answer["changed"]),
        (&json!(2), &json!(1)),
        "{answer}"
    );
    place.verified();
    place.offer("2.csv", people(300..400));
    place.once();
    place.done(&["approve", "feed.toml"]);
    place.verified();
    let reported = reported(&place);
    assert_eq!(reported.len(), 2);
    assert!(reported[1].values().sum::<usize>() > 300, "{reported:?}");
    sealed(&place);
}

/// The record of masked rows is forgotten with the rows; published rows do not change.
#[test]
fn ledgers_are_forgotten_with_the_rows() {
    let place = place();
    place.edit("[store]\n", "[store]\nkeep_raw = \"0s\"\n");
    let kept = |place: &Place| files(&place.path("private/mask")).len();
    for (at, numbers) in [0..120, 120..240, 240..360, 360..480]
        .into_iter()
        .enumerate()
    {
        place.offer(&format!("{at}.csv"), people(numbers));
        assert_eq!(place.once()["outcome"], "published");
    }
    // The counts of every tick, and the ledger of the last one at most.
    assert!(kept(&place) <= 5, "{} objects", kept(&place));
    assert_eq!(reported(&place).len(), 4);
    place.verified();
    // A new chain masks only the waiting people again.
    place.edit("k = 3\n", "k = 4\n");
    place.done(&["new-chain", "feed.toml"]);
    place.offer("9.csv", people(480..600));
    place.once();
    place.verified();
}

/// Disjoint releases: held, a person erased, made again, across restarts.
#[test]
fn disjoint_releases_are_masked() {
    let place = Place::with(
        "every = \"9999d\"\napproval = \"manual\"\n",
        "k = 3\nm = 2\n",
        "chain = \"disjoint\"\n",
    );
    place.edit(ROLE, &format!("{ROLE}guarded = [[\"{}x\"]]\n", PLANTED[1]));
    place.edit("[store]\n", "[store]\nkeep_raw = \"0s\"\n");
    for (at, numbers) in [0..120, 120..240, 240..250, 250..400]
        .into_iter()
        .enumerate()
    {
        place.offer(&format!("{at}.csv"), people(numbers.clone()));
        let outcome = place.once()["outcome"].clone();
        if outcome != "approval" {
            continue;
        }
        if at == 1 {
            place.put("gone.csv", format!("{}130\n", PLANTED[0]));
            place.done(&["erase", "feed.toml", "--from", "gone.csv"]);
            place.verified();
            continue;
        }
        place.done(&["approve", "feed.toml"]);
        place.verified();
    }
    let shown: Vec<Vec<String>> = releases(&place.public())
        .into_iter()
        .map(|release| release.diagnoses)
        .collect();
    let guarded = format!("{}x", PLANTED[1]);
    for diagnoses in &shown {
        let shows = diagnoses
            .iter()
            .filter(|diagnosis| **diagnosis == guarded)
            .count();
        assert!(
            shows > 0 && shows * 4 <= diagnoses.len(),
            "{shows} of {}",
            diagnoses.len()
        );
    }
    assert_eq!(
        shown.iter().map(Vec::len).sum::<usize>(),
        399,
        "all but the erased person"
    );
    assert_eq!(
        minimality(&place, 1),
        json!({ "check": "minimality", "made": true, "value": null, "limit": 0.5 })
    );
    sealed(&place);
}

/// The masking of an unpublished increment is removed when a person of it is erased in another
/// chain.
#[test]
fn a_ledger_of_a_chain_that_is_over_goes_with_its_people() {
    let place = place();
    place.edit(NEVER, "every = \"9999d\"\napproval = \"manual\"\n");
    place.offer("0.csv", people(0..120));
    assert_eq!(place.once()["outcome"], "approval");
    let kept = |place: &Place| files(&place.path("private/mask")).len();
    assert_eq!(kept(&place), 2, "counts and a ledger");
    place.edit("k = 3\n", "k = 4\n");
    place.done(&["new-chain", "feed.toml"]);
    place.put("gone.csv", format!("{}7\n", PLANTED[0]));
    place.done(&["erase", "feed.toml", "--from", "gone.csv"]);
    assert_eq!(kept(&place), 1, "counts alone");
    place.verified();
    place.offer("1.csv", people(120..200));
    assert_eq!(place.once()["outcome"], "approval");
    place.done(&["approve", "feed.toml"]);
    place.verified();
    assert_eq!(
        reported(&place)
            .last()
            .map(|counts| counts.values().sum::<usize>()),
        Some(199)
    );
}
