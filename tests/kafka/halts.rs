//! Faults after which a broker cannot be trusted: the feed halts, says what happened and what to
//! do, and continues once that is done.

use super::broker::Broker;
use super::feed::{entries, feed, messages, times};
use super::place::{Daemon, NEVER, OFTEN, PLANTED, Place};
use super::public::releases;
use crate::common::wait;

fn put(broker: &Broker, partition: i32, people: std::ops::Range<u64>) {
    broker.put(
        "wards",
        partition,
        messages(people).iter().map(String::as_str),
    );
}

/// It halts with an error that contains all of these texts.
#[track_caller]
fn halts(place: &Place, says: &[&str]) -> String {
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    let parts = || {
        entries(place)
            .iter()
            .map(|entry| entry["body"]["parts"].to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(code, 2, "{answer}, {:?}", parts());
    let text = answer["error"]["text"].as_str().expect("a text").to_owned();
    says.iter()
        .for_each(|word| assert!(text.contains(word), "`{word}` is missing: {text}"));
    text
}

/// A running daemon halts.
#[track_caller]
fn ends(mut daemon: Daemon, says: &[&str]) {
    assert_eq!(daemon.ended(), Some(2), "{}", daemon.said());
    let said = daemon.said();
    says.iter()
        .for_each(|word| assert!(said.contains(word), "`{word}` is missing: {said}"));
}

/// A text in backticks with this beginning.
fn quoted(text: &str, begins: &str) -> String {
    let found = text.split('`').find(|part| part.starts_with(begins));
    found
        .unwrap_or_else(|| panic!("{begins} is not named: {text}"))
        .to_owned()
}

#[test]
fn a_topic_that_is_not_there_is_named() {
    let Some(broker) = Broker::start() else {
        return;
    };
    let place = feed(&broker, "wards", NEVER, "");
    halts(
        &place,
        &[
            "these brokers have no topic wards",
            "source.topic",
            "source.brokers",
        ],
    );
}

#[test]
fn a_topic_that_was_made_again_is_another_one() {
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 2, &[]);
    put(&broker, 0, 0..40);
    let place = feed(&broker, "wards", OFTEN, "");
    let daemon = place.start_until_halt();
    daemon.says("published feed=t", 1);
    broker.delete("wards");
    // Fewer partitions than before.
    broker.topic("wards", 1, &[]);
    // More than there was before: the next offset of the old one is an offset of the new one.
    put(&broker, 0, 100..200);
    ends(daemon, &["was deleted and created again", "topic_id"]);
    let text = halts(
        &place,
        &["was deleted and created again", "are lost", "duplicate"],
    );
    let line = quoted(&text, "topic_id = ");
    place.edit("format = \"json\"", &format!("format = \"json\"\n{line}"));
    let tick = place.once();
    let count = |what: &str| tick[what].as_u64().expect("a number");
    assert!(
        tick["outcome"] == "published" && count("rows") + count("waiting") == 140,
        "{tick}"
    );
    assert_eq!(place.once()["new"], 0);
    // Messages of the new one that were read are not read again.
    let partitions = entries(&place)
        .iter()
        .filter(|entry| entry["body"]["parts"][0]["partition"] == 0)
        .count();
    place.once();
    assert_eq!(
        entries(&place)
            .iter()
            .filter(|entry| entry["body"]["parts"][0]["partition"] == 0)
            .count(),
        partitions
    );
    place.verified();
}

#[test]
fn a_topic_that_was_deleted_is_missed() {
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    put(&broker, 0, 0..40);
    let place = feed(&broker, "wards", NEVER, "");
    assert_eq!(place.once()["outcome"], "published");
    broker.delete("wards");
    halts(
        &place,
        &[
            "was deleted, with all messages that were not read yet",
            "Messages that were accepted are safe",
        ],
    );
}

#[test]
fn retention_that_overtook_the_reader_is_reported_with_its_loss() {
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 2, &[]);
    put(&broker, 0, 0..40);
    put(&broker, 1, 40..80);
    let place = feed(&broker, "wards", NEVER, "");
    assert_eq!(place.once()["rows"], 80);
    put(&broker, 1, 80..140);
    broker.forget("wards", 1, 60);
    let text = halts(
        &place,
        &[
            "messages 40 to 59 of partition 1",
            "20 messages are lost",
            "retention",
        ],
    );
    let line = quoted(&text, "resume = ");
    place.edit("format = \"json\"", &format!("format = \"json\"\n{line}"));
    let tick = place.once();
    let count = |what: &str| tick[what].as_u64().expect("a number");
    assert!(
        tick["outcome"] == "published" && count("rows") + count("waiting") == 120,
        "{tick}"
    );
    let people = times(&releases(&place.public())[1].diagnoses);
    assert!(
        (80..100).all(|lost| !people.contains_key(&lost))
            && people.values().all(|times| *times == 1)
    );
    place.verified();
}

#[test]
fn brokers_that_are_away_are_waited_for() {
    let Some(mut broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    put(&broker, 0, 0..40);
    let place = feed(&broker, "wards", OFTEN, "");
    let daemon = place.start();
    daemon.says("published feed=t", 1);
    broker.kill();
    daemon.says("brokers_away feed=t why=", 1);
    assert!(daemon.page("/health/ready").contains("200 OK"));
    broker.begin();
    daemon.says("brokers_back", 1);
    put(&broker, 0, 40..80);
    daemon.says("published feed=t", 2);
    // It ends in order, whichever broker is missing: a daemon that waits for the brokers ends
    // without an error.
    broker.kill();
    daemon.says("brokers_away", 2);
    assert_eq!(daemon.end(), Some(0));
    let ends_in_order = || {
        let mut daemon = place.start();
        daemon.says("brokers_away", 1);
        daemon.term();
        assert_eq!(daemon.ended(), Some(0));
        daemon.said().contains("shutting_down").then_some(())
    };
    wait::until(|| "an end in order", ends_in_order);
    assert_eq!(times(&releases(&place.public())[1].diagnoses).len(), 80);
    place.verified();
}

/// Messages that fail their checksum are left out by the library, which continues after them.
#[test]
fn messages_that_are_damaged_are_never_passed_over() {
    let Some(mut broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    for from in [0, 40, 80] {
        broker.put(
            "wards",
            0,
            messages(from..from + 40).iter().map(String::as_str),
        );
    }
    broker.stop();
    broker.damage("wards", &format!("{}55\"", PLANTED[0]));
    broker.begin();
    let place = feed(&broker, "wards", NEVER, "");
    let mut daemon = place.start_until_halt();
    assert_eq!(daemon.ended(), Some(2));
    for word in [
        "source.topic",
        "cannot be read",
        "0 at 40",
        "Nothing was skipped",
    ] {
        assert!(daemon.said().contains(word), "{}", daemon.said());
    }
    assert!(
        PLANTED.iter().all(|word| !daemon.said().contains(word)),
        "{}",
        daemon.said()
    );
    let taken: u64 = entries(&place)
        .iter()
        .filter_map(|entry| entry["body"]["parts"][0]["kept"].as_u64())
        .sum();
    assert_eq!(taken, 40);
    // An operator who gives them up says so, twice.
    broker.forget("wards", 0, 80);
    let mut daemon = place.start_until_halt();
    assert_eq!(daemon.ended(), Some(2));
    assert!(
        daemon.said().contains("resume = { \"0\" = [40, 80] }"),
        "{}",
        daemon.said()
    );
    place.edit(
        "format = \"json\"\n",
        "format = \"json\"\nresume = { \"0\" = [40, 80] }\n",
    );
    assert_eq!(place.once()["rows"], 80);
    place.verified();
}

/// Brokers that have lost messages give their offsets to others, and soon the offsets no longer
/// show it.
#[test]
fn messages_that_took_the_place_of_others_are_found_out() {
    let Some(mut broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    put(&broker, 0, 0..40);
    put(&broker, 0, 40..80);
    let place = feed(&broker, "wards", NEVER, "");
    assert_eq!(place.once()["rows"], 80);
    let reported = |entry: &serde_json::Value| entry["body"]["parts"][0]["epoch"] == 0;
    assert!(
        entries(&place).iter().any(reported),
        "what tells the last message from another one is not known"
    );
    let mut daemon = place.start_until_halt();
    broker.stop();
    broker.lose("wards", 40);
    broker.begin();
    // The source sends unacknowledged messages again, and continues.
    put(&broker, 0, 60..160);
    let words = [
        "confirmed",
        "[80, OFFSET]",
        "or with 0",
        "Messages that were accepted are safe",
    ];
    assert_eq!(daemon.ended(), Some(2));
    // It may have looked before the partition had grown again.
    assert!(
        daemon.said().contains(words[0]) && daemon.said().contains(words[3]),
        "{}",
        daemon.said()
    );
    // A feed that was not running when it happened notices it too.
    halts(&place, &words);
    // A setting that was written for another halt has no effect.
    place.edit(
        "format = \"json\"\n",
        "format = \"json\"\nresume = { \"0\" = [40, 0] }\n",
    );
    halts(&place, &words);
    place.edit("[40, 0]", "[80, 40]");
    let all_people = |people: u64| {
        let tick = place.once();
        let count = |what: &str| tick[what].as_u64().expect("a number");
        assert!(
            tick["outcome"] == "published" && count("rows") + count("waiting") == people,
            "{tick}"
        );
    };
    all_people(160);
    let people = times(&releases(&place.public())[1].diagnoses);
    assert!(people.values().all(|times| *times == 1));
    // It continues from there once.
    put(&broker, 0, 160..200);
    all_people(200);
    place.verified();
}

/// A daemon that continues at an offset that was given to another message sees no gap: the last
/// message is compared again.
#[test]
fn messages_that_took_the_place_of_others_are_found_by_a_reader_that_continues_behind_them() {
    let Some(mut broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    put(&broker, 0, 0..40);
    put(&broker, 0, 40..80);
    let place = feed(&broker, "wards", OFTEN, "");
    let daemon = place.start_until_halt();
    daemon.says("published feed=t", 1);
    // It is stopped until the partition is longer than it was.
    daemon.stops();
    broker.stop();
    broker.lose("wards", 40);
    broker.begin();
    put(&broker, 0, 60..160);
    daemon.continues();
    ends(
        daemon,
        &["is not the one that was accepted", "[80, OFFSET]"],
    );
    halts(
        &place,
        &["is not the one that was accepted", "[80, OFFSET]"],
    );
    place.verified();
}
