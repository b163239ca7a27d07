//! A running feed whose classes keep their labels: the report of a tick that publishes nothing, a
//! release that waits for a person, and how a chain with one list of labels is followed by one of
//! crowds.

use serde_json::{Value as Json, json};

use super::place::{NEVER, PLANTED, Place, people};
use super::public::releases;

const CROWDS: &str = "k = 3\nsearch = \"halves\"\nmin_solutions = 1\n";

fn number(tick: &Json, what: &str) -> u64 {
    tick[what]
        .as_u64()
        .unwrap_or_else(|| panic!("{what}: {tick}"))
}

/// Diagnoses of the newest release; each person has a different one.
fn newest(place: &Place) -> Vec<String> {
    let mut diagnoses = releases(&place.public())
        .pop()
        .expect("a release")
        .diagnoses;
    diagnoses.sort_unstable();
    diagnoses
}

#[test]
fn people_gather_until_it_is_their_turn() {
    let place = Place::with(NEVER, &format!("{CROWDS}publish_every = 2\n"), "");
    place.offer("0.csv", people(0..60));
    assert_eq!(place.once()["outcome"], "published");
    let first = newest(&place);
    place.offer("1.csv", people(60..120));
    let tick = place.once();
    assert_eq!(
        [&tick["outcome"], &tick["new"]],
        [&json!("skipped"), &json!(60)],
        "{tick}"
    );
    let shown = place.done(&["show", "feed.toml"]);
    assert_eq!(shown["waiting"]["halving"], json!({"ticks": 1, "sweep": 7}));
    let ages = shown["waiting"]["ages"]
        .as_array()
        .expect("ages")
        .iter()
        .map(|age| number(age, "rows"))
        .sum::<u64>();
    assert_eq!(
        ages,
        number(&shown["waiting"], "rows") + number(&shown, "new")
    );
    // A tick without new rows still divides waiting people when it is its turn.
    let tick = place.once();
    assert_eq!(tick["outcome"], "published", "{tick}");
    let second = newest(&place);
    assert!(
        first.iter().all(|diagnosis| second.contains(diagnosis)),
        "a row is gone"
    );
    place.verified();
}

#[test]
fn crowds_of_a_release_that_a_person_rejected_come_with_the_next() {
    let place = Place::with("every = \"9999d\"\napproval = \"manual\"\n", CROWDS, "");
    place.offer("0.csv", people(0..60));
    assert_eq!(place.once()["outcome"], "approval");
    place.done(&["reject", "feed.toml", "--reason", "not today"]);
    place.offer("1.csv", people(60..120));
    assert_eq!(place.once()["outcome"], "approval");
    place.put("gone.csv", format!("{}7\n", PLANTED[0]));
    // Erasing a person dissolves their class, and the release that contains it is void.
    let erased = place.done(&["erase", "feed.toml", "--from", "gone.csv"]);
    assert_eq!(erased["changed"], 1, "{erased}");
    place.offer("2.csv", people(120..180));
    assert_eq!(place.once()["outcome"], "approval");
    let approved = place.output(&["approve", "feed.toml"]);
    assert!(
        approved.status.success()
            && String::from_utf8_lossy(&approved.stderr).contains("without --seen")
    );
    let shown = place.done(&["show", "feed.toml"]);
    let published = newest(&place);
    assert_eq!(
        published.len() as u64 + number(&shown["waiting"], "rows"),
        179
    );
    place.verified();
}

/// Halving derives labels from a whole taxonomy: a new leaf requires a new chain, even if it is the
/// only change.
#[test]
fn a_new_leaf_asks_for_a_new_chain() {
    let place = Place::with(NEVER, CROWDS, "");
    let ward = std::fs::read_to_string(place.path("ward.csv")).expect("a hierarchy");
    place.put("ward.csv", format!("{ward}D1;D;*\n"));
    place.offer("0.csv", people(0..60));
    assert_eq!(place.once()["outcome"], "published");
    place.put("ward.csv", format!("{ward}D1;D;*\nD2;D;*\n"));
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    assert_eq!(
        (code, &answer["error"]["field"]),
        (2, &json!("column.ward.taxonomy")),
        "{answer}"
    );
    place.done(&["new-chain", "feed.toml"]);
    place.offer("1.csv", people(60..120));
    assert_eq!(place.once()["outcome"], "published");
    place.verified();
}

#[test]
fn rows_of_a_crowd_are_erased() {
    let place = Place::with(NEVER, CROWDS, "");
    for (at, numbers) in [0..60, 60..120].into_iter().enumerate() {
        place.offer(&format!("{at}.csv"), people(numbers));
        assert_eq!(place.once()["outcome"], "published");
    }
    let before = newest(&place);
    place.put("gone.csv", format!("{}7\n", PLANTED[0]));
    let answer = place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    let rows = number(&answer, "rows");
    assert!(rows >= 3, "{answer}");
    place.verified();
    // The next tick makes a release without the whole class, though there are no new people.
    assert_eq!(place.once()["outcome"], "published");
    let after = newest(&place);
    let gone: Vec<&String> = before
        .iter()
        .filter(|diagnosis| !after.contains(diagnosis))
        .collect();
    assert_eq!(gone.len() as u64, rows);
    assert!(gone.contains(&&format!("{}7", PLANTED[1])), "{gone:?}");
    place.verified();
    let audit = place.done(&["audit", "--dir", "."]);
    assert_eq!(
        [&audit["safe"], &audit["chain"]["exact"]],
        [&json!(true), &json!(true)],
        "{audit}"
    );
    let erased: Vec<u64> = audit["releases"]
        .as_array()
        .expect("releases")
        .iter()
        .map(|release| number(release, "erased"))
        .collect();
    // Manifests of releases that contain the rows are removed, so no reader misses them.
    assert_eq!(erased, [0]);
    // No person of it is published again.
    place.offer("2.csv", people(0..60));
    place.once();
    assert!(
        newest(&place)
            .iter()
            .all(|diagnosis| !gone.contains(&diagnosis))
    );
}

#[test]
fn a_chain_goes_over_to_crowds() {
    let place = Place::with(NEVER, "k = 3\n", "");
    place.offer("0.csv", people(0..60));
    assert_eq!(place.once()["outcome"], "published");
    let labels = |place: &Place| {
        place.done(&["show", "feed.toml"])["releases"]
            .as_array()
            .expect("releases")
            .clone()
    };
    let coarse = labels(&place).pop().expect("a release");
    let one_list = "k = 3\nsearch = \"top-down\"\n";
    place.edit(one_list, CROWDS);
    // The error names the changed key, not one that follows from it.
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    assert_eq!(
        (code, &answer["error"]["field"]),
        (2, &json!("policy.search")),
        "{answer}"
    );
    let answer = place.done(&["new-chain", "feed.toml"]);
    assert_eq!(answer["chain"], 2, "{answer}");
    place.offer("1.csv", people(60..240));
    assert_eq!(place.once()["outcome"], "published");
    let fine = labels(&place).pop().expect("a release");
    assert_eq!([&fine["release"], &fine["chain"]], [&json!(2), &json!(2)]);
    assert!(
        fine["loss"].as_f64() < coarse["loss"].as_f64(),
        "{fine}, {coarse}"
    );
    // And back: the next chain has one list of labels again.
    place.edit(CROWDS, one_list);
    place.done(&["new-chain", "feed.toml"]);
    place.offer("2.csv", people(240..300));
    assert_eq!(place.once()["outcome"], "published");
    place.verified();
}

/// A feed file that names no search halves; a chain that was begun with another one has to be
/// named as such.
#[test]
fn an_unwritten_search_is_halving_in_a_running_chain_too() {
    let policy = "k = 3\nsearch = \"top-down\"\n";
    let place = Place::with(NEVER, policy, "");
    place.offer("0.csv", people(0..60));
    assert_eq!(place.once()["outcome"], "published");
    place.edit(policy, "k = 3\n");
    place.offer("1.csv", people(60..120));
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    assert_eq!(
        (code, &answer["error"]["field"]),
        (2, &json!("policy.search")),
        "{answer}"
    );
    place.done(&["new-chain", "feed.toml"]);
    assert_eq!(place.once()["outcome"], "published");
    assert_eq!(place.done(&["audit", "--dir", "."])["crowds"], true);
    place.edit("k = 3\n", "k = 3\nsearch = \"halves\"\n");
    place.offer("3.csv", people(240..300));
    assert_eq!(place.once()["outcome"], "published");
    place.verified();
}
