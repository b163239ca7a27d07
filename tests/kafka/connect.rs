//! `check --connect` against a real broker and a registry: what exists, and how the topic is kept.

use serde_json::{Value, json};

use super::avro::{FIRST, feed as avro_feed};
use super::avro_write::record;
use super::broker::Broker;
use super::feed::{feed, messages};
use super::place::{NEVER, Place};
use super::registry::Registry;

/// The text about a key of the feed file, and its warnings.
fn said(place: &Place, code: i32, what: &str) -> (String, Vec<String>) {
    let (found, report) = place.json(&["check", "--connect", "feed.toml"]);
    assert_eq!(found, code, "{report}");
    let all = report["feeds"][0]["connect"]
        .as_array()
        .expect("what is there");
    let one = all
        .iter()
        .find(|one| one["what"] == what)
        .unwrap_or_else(|| panic!("{report}"));
    let words = |text: &Value| text.as_str().expect("text").to_owned();
    (
        words(&one["text"]),
        one["warnings"]
            .as_array()
            .expect("a list")
            .iter()
            .map(words)
            .collect(),
    )
}

#[test]
fn a_topic_is_reported_with_its_retention() {
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 2, &[]);
    let all = messages(0..10);
    broker.put("wards", 0, all.iter().map(String::as_str));
    broker.forget("wards", 0, 4);
    let place = feed(&broker, "wards", NEVER, "");
    let (text, warnings) = said(&place, 0, "source");
    assert!(
        text.contains("2 partitions, with the offsets 0: 4 to 9, 1: none"),
        "{text}"
    );
    assert!(warnings.is_empty(), "{warnings:?}");
    // Nothing was created and nothing was read.
    assert!(!place.path("private").exists());
    place.notify(&[("operator_webhook", "https://hooks.example/Sq7secret")]);
    place.edit("[notify]\n", "[notify]\ntopic = \"short\"\n");
    assert!(
        said(&place, 2, "notify.topic")
            .0
            .contains("there is no topic short")
    );
    broker.topic(
        "short",
        1,
        &[
            ("cleanup.policy", "compact,delete"),
            ("retention.ms", "3600000"),
            ("retention.bytes", "4096"),
        ],
    );
    assert!(
        said(&place, 0, "notify.topic")
            .0
            .contains("exists, partitions: 1")
    );
    let (text, _) = said(&place, 0, "notify.operator_webhook");
    assert!(
        text.contains("hooks.example") && !text.contains("Sq7secret"),
        "{text}"
    );
    let (_, warnings) = said(&feed(&broker, "short", NEVER, ""), 0, "source");
    let [compacted, short, small] = &warnings[..] else {
        panic!("{warnings:?}")
    };
    assert!(
        compacted.contains("compacted")
            && short.contains("60 minutes")
            && small.contains("4096 bytes"),
        "{warnings:?}"
    );
    let (text, _) = said(&feed(&broker, "nowhere", NEVER, ""), 2, "source");
    assert!(
        text.contains("these brokers have no topic nowhere"),
        "{text}"
    );
}

#[test]
fn a_registry_is_reached_or_not() {
    let Some(mut registry) = Registry::start(Some("Basic Y2xlcms6U3E3c2VjcmV0")) else {
        return;
    };
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    let place = avro_feed(
        &broker,
        &registry,
        NEVER,
        ", user = \"clerk\", password = \"file:password\"",
    );
    place.put("password", "Sq7secret");
    for _ in 0..2 {
        assert!(
            said(&place, 0, "source.schema_registry")
                .0
                .contains("answers")
        );
        registry.put("wards-value", &record("P", FIRST), json!([]));
    }
    place.put("password", "wrong");
    assert!(
        said(&place, 2, "source.schema_registry")
            .0
            .contains("rejects these credentials")
    );
    registry.kill();
    assert!(
        said(&place, 2, "source.schema_registry")
            .0
            .contains("does not answer")
    );
}
