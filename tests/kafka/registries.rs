//! Requests to a registry: for a schema in a header, over TLS, slowly, and again for messages that
//! were set aside.

use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseRecord, Producer as _};
use serde_json::json;

use super::avro::{FIRST, all_once, bare, both, feed, first, put};
use super::avro_write::record;
use super::broker::Broker;
use super::place::{NEVER, OFTEN};
use super::registry::Registry;
use crate::common::wait::LIMIT;

/// Puts records with these headers into the topic.
fn put_with(
    broker: &Broker,
    messages: impl IntoIterator<Item = (Vec<(&'static str, Option<Vec<u8>>)>, Vec<u8>)>,
) {
    let producer = broker.producer(&[]);
    for (headers, content) in messages {
        let add = |all: OwnedHeaders, (key, value): &(&str, Option<Vec<u8>>)| {
            all.insert(Header {
                key,
                value: value.as_ref(),
            })
        };
        let headers = headers.iter().fold(OwnedHeaders::new(), add);
        let record = BaseRecord::<str, [u8]>::to("wards")
            .partition(0)
            .payload(&content)
            .headers(headers);
        producer
            .send(record)
            .map_err(|(error, _)| error)
            .expect("there is room");
    }
    producer.flush(LIMIT).expect("all are there");
}

#[test]
fn schemas_are_named_in_headers() {
    let Some((broker, mut registry)) = both() else {
        return;
    };
    let one = registry.put("wards-value", &record("P", FIRST), json!([]));
    let key = "__value_schema_id";
    let guid = [&[1][..], &registry.guid("wards-value")].concat();
    let id = [&[0][..], &one.to_be_bytes()].concat();
    let other = [&[0][..], &4711u32.to_be_bytes()].concat();
    let unknown = [&[1][..], b"0123456789abcdef"].concat();
    put_with(
        &broker,
        (0..40).map(|number| match number % 4 {
            0 => (vec![(key, Some(guid.clone()))], bare(number)),
            1 => (vec![(key, Some(id.clone()))], bare(number)),
            // The last one counts; that of a key and one without a value do not.
            2 => (
                vec![
                    (key, Some(other.clone())),
                    (key, Some(guid.clone())),
                    ("__key_schema_id", Some(other.clone())),
                ],
                bare(number),
            ),
            _ => (
                vec![("trace", Some(b"x".to_vec())), (key, None)],
                first(one, number),
            ),
        }),
    );
    put_with(
        &broker,
        [
            // The header has priority over the number in the message.
            (vec![(key, Some(guid.clone()))], first(one, 50)),
            // Headers that name nothing, and unknown schemas.
            (vec![(key, Some(guid[..16].to_vec()))], first(one, 51)),
            (vec![(key, Some(Vec::new()))], first(one, 52)),
            (vec![(key, Some([&guid[..], &[0]].concat()))], bare(53)),
            (vec![(key, Some(unknown))], bare(54)),
            (vec![(key, Some(other))], first(one, 55)),
        ],
    );
    let place = feed(&broker, &registry, NEVER, "");
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &40.into()),
        "{tick}"
    );
    all_once(&place, 40);
    let groups = place.done(&["quarantine", "feed.toml"])["groups"].clone();
    let group = |what: &str| {
        let found = groups
            .as_array()
            .expect("groups")
            .iter()
            .find(|group| group["text"].as_str().expect("a text").contains(what));
        found.map(|group| (group["messages"].as_u64(), group["first"].as_u64()))
    };
    assert_eq!(
        group("not a single Avro record"),
        Some((Some(4), Some(40))),
        "{groups}"
    );
    assert_eq!(
        group("lacks the schema with the number"),
        Some((Some(2), Some(44))),
        "{groups}"
    );
    // Set-aside messages are decoded again without the registry, wherever their schema was named.
    put_with(
        &broker,
        [(vec![(key, Some(guid))], {
            let ward = bare(60);
            let at = ward
                .windows(2)
                .position(|two| two == b"A1" || two == b"A2" || two == b"B1" || two == b"B2")
                .expect("a ward");
            [&ward[..at], b"C1", &ward[at + 2..]].concat()
        })],
    );
    place.once();
    registry.kill();
    place.put("ward.csv", "A1;A;*\nA2;A;*\nB1;B;*\nB2;B;*\nC1;B;*\n");
    assert_eq!(
        place.done(&["quarantine", "feed.toml", "--retry"])["changed"],
        1
    );
    place.verified();
}

#[test]
fn a_registry_is_asked_over_tls() {
    let folder = tempfile::tempdir().expect("a folder");
    let ca = folder.path().join("ca.pem");
    let ca = ca.to_str().expect("text");
    let Some(registry) = Registry::behaving(&["-tls", ca]) else {
        return;
    };
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    let one = registry.put("wards-value", &record("P", FIRST), json!([]));
    put(&broker, (0..40).map(|number| first(one, number)));
    // No authority has signed its certificate.
    let place = feed(&broker, &registry, OFTEN, "");
    place.edit(&registry.url(), &registry.encrypted());
    let daemon = place.start();
    daemon.says("an encrypted connection to it failed", 1);
    assert_eq!(daemon.end(), Some(0));
    place.edit(
        &format!("\"{}\"", registry.encrypted()),
        &format!("\"{}\", ca = \"{ca}\"", registry.encrypted()),
    );
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &40.into()),
        "{tick}"
    );
    all_once(&place, 40);
}

#[test]
fn a_registry_that_is_slow_and_busy_is_waited_for() {
    let Some(registry) = Registry::behaving(&["-slow", "12s", "-busy", "4"]) else {
        return;
    };
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    let one = registry.put("wards-value", &record("P", FIRST), json!([]));
    put(&broker, (0..40).map(|number| first(one, number)));
    let place = feed(&broker, &registry, OFTEN, "");
    let daemon = place.start();
    daemon.says("no answer in time", 1);
    daemon.says("registry_back", 1);
    daemon.says("published feed=t", 1);
    assert_eq!(daemon.end(), Some(0));
    all_once(&place, 40);
}

#[test]
fn a_registry_that_sends_us_elsewhere_is_none() {
    let Some(registry) = Registry::behaving(&["-moved"]) else {
        return;
    };
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    let one = registry.put("wards-value", &record("P", FIRST), json!([]));
    put(&broker, (0..40).map(|number| first(one, number)));
    let place = feed(&broker, &registry, NEVER, "");
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    assert!(
        code == 2
            && answer
                .to_string()
                .contains("is not a schema registry (it answers 302"),
        "{answer}"
    );
}

#[test]
fn schemas_that_were_unknown_are_asked_for_again() {
    let Some((broker, mut registry)) = both() else {
        return;
    };
    let one = registry.put("wards-value", &record("P", FIRST), json!([]));
    put(
        &broker,
        (0..40)
            .map(|number| first(one, number))
            .chain((40..60).map(|number| first(one + 1, number))),
    );
    let place = feed(&broker, &registry, NEVER, "");
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &40.into()),
        "{tick}"
    );
    let retry = || place.done(&["quarantine", "feed.toml", "--retry"]);
    let aside = || place.done(&["quarantine", "feed.toml"])["messages"].as_u64();
    // The schema still does not exist.
    let answer = retry();
    assert_eq!(
        (&answer["count"], &answer["changed"]),
        (&20.into(), &0.into()),
        "{answer}"
    );
    assert!(!answer.to_string().contains("registry"), "{answer}");
    // It is not known: that is reported, and nothing is lost.
    registry.kill();
    let answer = retry();
    assert_eq!(
        (&answer["count"], &answer["changed"]),
        (&20.into(), &0.into()),
        "{answer}"
    );
    assert!(
        answer["text"]
            .as_str()
            .expect("a text")
            .contains("may be decoded later: the schema registry does not answer"),
        "{answer}"
    );
    assert_eq!(aside(), Some(20));
    registry.begin();
    registry.put("wards-value", &record("P", FIRST), json!([]));
    registry.put("others", &record("Q", FIRST), json!([]));
    // By the running process.
    let daemon = place.start();
    daemon.says("started", 1);
    let answer = retry();
    assert_eq!(
        (&answer["count"], &answer["changed"]),
        (&20.into(), &20.into()),
        "{answer}"
    );
    assert_eq!((aside(), daemon.end()), (Some(0), Some(0)));
    let tick = place.once();
    let rows = tick["rows"].as_u64().expect("rows");
    assert_eq!(
        Some(60 - rows),
        tick["waiting"].as_u64(),
        "who has no class yet waits: {tick}"
    );
    all_once(&place, rows);
}
