//! A topic in Avro, with a registry by other authors: schemas change, the registry stops and starts
//! again, messages name schemas that it does not have, and no person is lost.

use rdkafka::producer::{BaseRecord, Producer as _};
use serde_json::json;

use super::avro_write::{branch, long, record, text};
use super::broker::{Broker, Lent};
use super::feed::times;
use super::place::{NEVER, OFTEN, PLANTED, Place, person, until};
use super::public::releases;
use super::registry::Registry;
use crate::common::wait::LIMIT;

pub const FIRST: &[(&str, &str)] = &[
    ("patient", r#""string""#),
    ("age", r#""int""#),
    ("ward", r#""string""#),
    ("diagnosis", r#""string""#),
];
const SECOND: &[(&str, &str)] = &[
    (
        "admitted",
        r#"["null", {"type": "long", "logicalType": "timestamp-millis"}]"#,
    ),
    ("ward", r#"["null", "string"]"#),
    ("diagnosis", r#"["null", "string"]"#),
    ("patient", r#""string""#),
    ("age", r#""long""#),
];

pub fn feed(broker: &Broker, registry: &Registry, schedule: &str, more: &str) -> Place {
    let place = Place::new(schedule);
    let source = format!(
        "kind = \"kafka\"\nbrokers = \"{}\"\ntopic = \"wards\"\nformat = \"avro\"\nschema_registry = {{ url = \"{}\"{more} }}\n\
         max_quarantine_share = 0.5\n",
        broker.address(),
        registry.url()
    );
    place.edit(
        "kind = \"directory\"\npath = \"in\"\nsettle = \"0s\"\n",
        &source,
    );
    place
}

fn framed(id: u32, record: &[u8]) -> Vec<u8> {
    [&[0][..], &id.to_be_bytes(), record].concat()
}

/// The cells of a person.
pub fn cells(number: u64) -> [String; 4] {
    let row = person(number);
    let cells: Vec<String> = row.trim_end().split(',').map(str::to_owned).collect();
    cells.try_into().expect("four cells")
}

/// The record of a person under [`FIRST`].
pub fn bare(number: u64) -> Vec<u8> {
    let [patient, age, ward, diagnosis] = cells(number);
    let age = age.parse().expect("a number");
    [text(patient), long(age), text(ward), text(diagnosis)].concat()
}

pub fn first(id: u32, number: u64) -> Vec<u8> {
    framed(id, &bare(number))
}

fn second(id: u32, number: u64) -> Vec<u8> {
    let [patient, age, ward, diagnosis] = cells(number);
    let age = age.parse().expect("a number");
    let rest = [
        branch(1, &text(ward)),
        branch(1, &text(diagnosis)),
        text(patient),
        long(age),
    ]
    .concat();
    framed(id, &[branch(1, &long(1_700_000_000_000)), rest].concat())
}

pub fn put(broker: &Broker, messages: impl IntoIterator<Item = Vec<u8>>) {
    let producer = broker.producer(&[]);
    for message in messages {
        let record = BaseRecord::<str, [u8]>::to("wards")
            .partition(0)
            .key("key")
            .payload(&message);
        producer
            .send(record)
            .map_err(|(error, _)| error)
            .expect("there is room");
    }
    producer.flush(LIMIT).expect("all are there");
}

pub fn both() -> Option<(Lent, Registry)> {
    let registry = Registry::start(None)?;
    let broker = Broker::start()?;
    broker.topic("wards", 1, &[]);
    Some((broker, registry))
}

/// Checks that each person is published once.
#[track_caller]
pub fn all_once(place: &Place, people: u64) {
    let last = releases(&place.public()).pop().expect("a release");
    let times = times(&last.diagnoses);
    assert!(
        times.len() as u64 == people && times.values().all(|times| *times == 1),
        "{} people",
        times.len()
    );
    place.verified();
}

#[test]
fn avro_of_two_schemas_is_published() {
    let Some((broker, registry)) = both() else {
        return;
    };
    let one = registry.put("wards-value", &record("P", FIRST), json!([]));
    // The second one names a type of another schema.
    registry.put(
        "ward%20type",
        r#"{"type": "enum", "name": "Kind", "namespace": "x", "symbols": ["A"]}"#,
        json!([]),
    );
    let fields = [SECOND, &[("kind", r#"["null", "x.Kind"]"#)]].concat();
    let reference = json!([{ "name": "x.Kind", "subject": "ward type", "version": 1 }]);
    let two = registry.put("others", &record("P", &fields), reference);
    let with_kind = |number| [second(two, number), branch(1, &long(0))].concat();
    put(
        &broker,
        (0..60).map(|number| {
            if number % 2 == 0 {
                first(one, number)
            } else {
                with_kind(number)
            }
        }),
    );
    let place = feed(&broker, &registry, NEVER, "");
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &60.into()),
        "{tick}"
    );
    all_once(&place, 60);
}

#[test]
fn a_registry_that_goes_away_is_waited_for() {
    let Some((broker, mut registry)) = both() else {
        return;
    };
    let one = registry.put("wards-value", &record("P", FIRST), json!([]));
    let place = feed(&broker, &registry, OFTEN, "");
    let daemon = place.start();
    put(&broker, (0..60).map(|number| first(one, number)));
    daemon.says("published feed=t", 1);
    registry.kill();
    // Known schemas are not requested again; unknown ones are waited for, with the messages after
    // them.
    put(&broker, (60..120).map(|number| first(one, number)));
    daemon.says("published feed=t", 2);
    put(&broker, (120..180).map(|number| second(one + 1, number)));
    daemon.says("registry_away", 1);
    put(&broker, (180..240).map(|number| first(one, number)));
    assert!(
        daemon
            .page("/metrics")
            .contains("tidegate_registry_away{feed=\"t\"} 1")
    );
    registry.begin();
    // It is there before it has its schemas, for a moment that is shorter than the time before its
    // answer is trusted.
    assert_eq!(
        registry.put("wards-value", &record("P", FIRST), json!([])),
        one
    );
    assert_eq!(
        registry.put("others", &record("P", SECOND), json!([])),
        one + 1
    );
    daemon.says("registry_back", 1);
    let published = || {
        releases(&place.public())
            .pop()
            .map_or(0, |last| times(&last.diagnoses).len())
    };
    until(
        || published() == 240,
        || format!("{} people\n{}", published(), daemon.said()),
    );
    assert_eq!(daemon.end(), Some(0));
    assert_eq!(place.json(&["quarantine", "feed.toml"]).1["messages"], 0);
    all_once(&place, 240);
}

#[test]
fn what_is_no_record_is_set_aside_and_decoded_again_without_the_registry() {
    let Some((broker, mut registry)) = both() else {
        return;
    };
    let one = registry.put("wards-value", &record("P", FIRST), json!([]));
    let plain = registry.put("text", r#""string""#, json!([]));
    let strange = |number: u64| {
        let [patient, age, _, diagnosis] = cells(number);
        framed(
            one,
            &[
                text(patient),
                long(age.parse().expect("a number")),
                text("C1"),
                text(diagnosis),
            ]
            .concat(),
        )
    };
    let cut = first(one, 90)[..20].to_vec();
    let two = [first(one, 91), first(one, 92)].concat();
    let bad = [
        framed(4711, b"x"),
        cut,
        two,
        b"{}".to_vec(),
        framed(plain, &text("x")),
        strange(93),
        strange(94),
    ];
    put(&broker, (0..40).map(|number| first(one, number)).chain(bad));
    let place = feed(&broker, &registry, NEVER, "");
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &40.into()),
        "{tick}"
    );
    let aside = place.done(&["quarantine", "feed.toml"]);
    let groups = aside["groups"].as_array().expect("groups");
    let group = |what: &str| {
        let found = groups
            .iter()
            .find(|group| group["text"].as_str().expect("a text").contains(what));
        let group = found.unwrap_or_else(|| panic!("{what}: {aside}"));
        (group["messages"].as_u64(), group["first"].as_u64())
    };
    assert_eq!(
        group("lacks the schema with the number"),
        (Some(1), Some(40))
    );
    assert_eq!(group("not a single Avro record"), (Some(3), Some(41)));
    assert_eq!(group("not that of an Avro record"), (Some(1), Some(44)));
    assert_eq!(group("the taxonomy lacks the value"), (Some(2), Some(45)));
    registry.kill();
    place.put("ward.csv", "A1;A;*\nA2;A;*\nB1;B;*\nB2;B;*\nC1;B;*\n");
    let answer = place.done(&["quarantine", "feed.toml", "--retry"]);
    assert_eq!(
        (&answer["count"], &answer["changed"]),
        (&7.into(), &2.into()),
        "{answer}"
    );
    assert_eq!(place.done(&["quarantine", "feed.toml"])["messages"], 5);
    place.verified();
}

#[test]
fn a_registry_that_does_not_know_us_halts_the_feed() {
    // Of `clerk` with the password `Sq7secret`.
    let Some(registry) = Registry::start(Some("Basic Y2xlcms6U3E3c2VjcmV0")) else {
        return;
    };
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    let one = registry.put("wards-value", &record("P", FIRST), json!([]));
    put(&broker, (0..40).map(|number| first(one, number)));
    let place = feed(
        &broker,
        &registry,
        NEVER,
        ", user = \"clerk\", password = \"file:password\"",
    );
    place.put("password", "wrong");
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    let said = answer.to_string();
    assert!(
        code == 2
            && said.contains("source.schema_registry")
            && said.contains("rejects these credentials"),
        "{said}"
    );
    assert!(
        !said.contains("wrong") && !said.contains(PLANTED[1]),
        "{said}"
    );
    place.put("password", PLANTED[1]);
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &40.into()),
        "{tick}"
    );
    // Another service answers there.
    place.edit(&registry.url(), &format!("{}/other", registry.url()));
    put(&broker, (40..80).map(|number| first(one, number)));
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    assert!(
        code == 2 && answer.to_string().contains("is not a schema registry"),
        "{answer}"
    );
}
