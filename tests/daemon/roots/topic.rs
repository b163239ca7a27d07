//! The root of a feed that read a Kafka topic: the stored broker starts again at another port, a
//! producer writes more messages, and the feed continues from its offsets.

use std::fs;
use std::process::Command;

use serde_json::{Value as Json, json};

use super::feeds::{count_unpublished, open_as_left, run_again, verify_and_audit};
use super::people::{read_people, read_texts};
use super::published_releases::{account_for_people, releases};
use super::root::Root;
use crate::common::broker::Broker;

const TOPIC: &str = "clinic.cases";

/// The rows of a CSV text as messages.
fn messages(text: &str) -> Vec<String> {
    let message = |row: &str| {
        let cells: Vec<&str> = row.split(',').collect();
        let [patient, age, ward, diagnosis] = cells[..] else {
            panic!("four cells")
        };
        let age: u32 = age.parse().expect("a number");
        json!({"patient": patient, "age": age, "ward": ward, "diagnosis": diagnosis}).to_string()
    };
    text.lines().skip(1).map(message).collect()
}

/// Starts the stored broker; None if Kafka is not installed.
fn broker(root: &Root) -> Option<Broker> {
    let archive = root.path("broker.tar.gz");
    Broker::start_with(2, "", |folder, _| {
        let unpacked = Command::new("tar")
            .arg("xzf")
            .arg(archive)
            .arg("-C")
            .arg(folder)
            .status()
            .expect("tar starts");
        assert!(unpacked.success());
        String::new()
    })
}

fn brokers(feed: &str) -> &str {
    let line = feed
        .lines()
        .find(|line| line.starts_with("brokers = "))
        .expect("brokers");
    line.split('"').nth(1).expect("an address")
}

/// Opens the root, writes more messages, and lets the feed continue.
pub fn read_on(root: &Root) {
    open_as_left(root);
    let Some(broker) = broker(root) else {
        assert!(
            std::env::var_os("CI").is_none(),
            "CI is set and TIDEGATE_KAFKA is not: the root of a topic must be tested there"
        );
        return;
    };
    let feed = root.read("feed.toml");
    root.edit("feed.toml", brokers(&feed), &broker.address());
    let before = releases(root);
    // The feed does not read the old messages again.
    run_again(root);
    let next = root.read("next.csv");
    broker.put(TOPIC, 1, messages(&next).iter().map(String::as_str));
    let tick = &root.run(&["run", "--once", "feed.toml"])["ticks"][0];
    assert_eq!(tick["outcome"], "published", "{}: {tick}", root.name);
    let after = releases(root);
    assert!(
        after.len() == before.len() + 1 && before.iter().eq(&after[..before.len()]),
        "{}",
        root.name
    );
    let sent = [read_texts(root, "sent"), vec![next]].concat();
    account_for_people(
        root,
        &after,
        count_unpublished(root),
        &read_people(root, &sent),
    );
    assert_eq!(
        count_messages_read(root),
        sent.iter()
            .map(|text| messages(text).len() as u64)
            .sum::<u64>(),
        "each message once"
    );
    verify_and_audit(root);
    run_again(root);
}

/// Counts the messages that the feed read, according to its log.
fn count_messages_read(root: &Root) -> u64 {
    let entries = root
        .files("private/log")
        .into_keys()
        .map(|path| fs::read(path).expect("an entry"));
    let entries = entries.map(|bytes| serde_json::from_slice::<Json>(&bytes).expect("JSON"));
    let number = |part: &Json, name: &str| part[name].as_u64().unwrap_or(0);
    let parts = entries.flat_map(|entry| {
        entry["body"]["parts"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    });
    parts
        .map(|part| number(&part, "kept") + number(&part, "duplicate"))
        .sum()
}
