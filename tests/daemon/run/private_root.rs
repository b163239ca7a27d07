//! What the files of a private root say to a reader who has no key (CONTRACTS 4): no digest by
//! which a small source file can be found, no staged table, no request.

use std::collections::BTreeSet;

use tidegate::engine::release::Sha256;

use super::place::{HEADER, NEVER, PLANTED, Place, files, people};
use super::requests::erase;

/// The ages and wards that a person can have.
const AGES: u64 = 40;
const WARDS: [&str; 4] = ["A1", "A2", "B1", "B2"];

/// Every possible file of one patient whose number and diagnosis a reader guesses.
fn guesses() -> Vec<String> {
    let [person, diagnosis] = PLANTED;
    let ages = (0..AGES).flat_map(|age| WARDS.map(|ward| (age, ward)));
    ages.map(|(age, ward)| format!("{HEADER}{person}777,{age},{ward},{diagnosis}777\n"))
        .collect()
}

/// Of these texts, those whose SHA-256 a file of the private root contains.
fn found(place: &Place, texts: &[String]) -> Vec<String> {
    let all: Vec<Vec<u8>> = files(&place.path("private"))
        .into_iter()
        .map(|(_, bytes)| bytes)
        .collect();
    let is_there = |text: &&String| {
        let digest = Sha256::of(text.as_bytes());
        let hex = digest.to_string();
        let has =
            |bytes: &Vec<u8>, part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
        all.iter()
            .any(|bytes| has(bytes, hex.as_bytes()) || has(bytes, digest.bytes()))
    };
    texts.iter().filter(is_there).cloned().collect()
}

#[test]
fn a_file_of_one_patient_is_not_found_by_its_digest() {
    let place = Place::new(NEVER);
    let file = guesses()[57].clone();
    place.offer("0.csv", people(0..40));
    place.offer("1.csv", &file);
    place.once();
    assert!(
        place
            .log()
            .iter()
            .any(|entry| entry.to_string().contains("1.csv")),
        "it was accepted"
    );
    assert_eq!(found(&place, &guesses()), [""; 0], "before an erasure");
    let answer = erase(&place, &format!("{}777\n", PLANTED[0]));
    assert_eq!(
        (&answer["count"], &answer["done"]),
        (&1.into(), &true.into()),
        "{answer}"
    );
    assert_eq!(found(&place, &guesses()), [""; 0], "after an erasure");
    // The file is known nevertheless: not its name alone.
    let has_nothing_new =
        || ["idle", "skipped"].contains(&place.once()["outcome"].as_str().expect("text"));
    assert!(has_nothing_new());
    place.offer("1.csv", guesses()[58].clone());
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    assert!(
        code == 2 && answer.to_string().contains("has changed since"),
        "{answer}"
    );
    place.offer("1.csv", &file);
    // The operator's key is changed, and the file is still known.
    place.put("b.key", "fedcba9876543210".repeat(4));
    place.done(&["rekey", "feed.toml", "--to", "b.key"]);
    place.edit("key = \"file:a.key\"", "key = \"file:b.key\"");
    assert!(has_nothing_new());
    place.verified();
}

#[test]
fn a_release_that_waits_for_a_person_lies_sealed() {
    let place = Place::new("every = \"9999d\"\napproval = \"manual\"\n");
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "approval");
    let staged = files(&place.path("private/stage"));
    assert_eq!(staged.len(), 4, "table, taxonomy, report, manifest");
    for (path, bytes) in &staged {
        assert!(
            bytes.starts_with(b"tidegate sealed 1\n"),
            "{}",
            path.display()
        );
    }
    place.verified();
    let answer = place.done(&["approve", "feed.toml"]);
    assert_eq!(answer["done"], true, "{answer}");
    assert!(
        files(&place.path("private/stage")).is_empty(),
        "nothing is left"
    );
    place.verified();
}

/// The name of an object is in the log, and so is its key's: whoever has two feeds under one key of
/// the operator cannot swap them.
#[test]
fn the_keys_of_one_feed_open_nothing_in_another() {
    let place = Place::new(NEVER);
    place.neighbour("u", NEVER);
    place.offer("0.csv", people(0..40));
    place.once();
    let begun = place.done(&["run", "--once", "u.toml"]);
    assert!(begun["ticks"].is_array(), "{begun}");
    let [own, other] = ["private", "u-private"]
        .map(|root| place.path(&format!("{root}/keys/0000000000/feed.wrap")));
    std::fs::copy(&other, &own).expect("a file");
    let (code, answer) = place.json(&["verify", "feed.toml"]);
    assert!(
        code != 0 && answer.to_string().contains("belongs to another feed"),
        "{answer}"
    );
    // Not even if the root says that it is the other feed's.
    let formats: BTreeSet<Vec<u8>> = ["private", "u-private"]
        .map(|root| std::fs::read(place.path(&format!("{root}/FORMAT"))).expect("a file"))
        .into();
    assert_eq!(formats.len(), 2);
    std::fs::copy(place.path("u-private/FORMAT"), place.path("private/FORMAT")).expect("a file");
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    assert!(
        code == 2 && answer.to_string().contains("belongs to the feed"),
        "{answer}"
    );
}
