//! Messages of a topic: rows, messages that are not rows, aborted ones, added partitions.

use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use rdkafka::producer::{BaseRecord, Producer as _};
use rdkafka::topic_partition_list::Offset;

use super::broker::{Broker, send};
use super::feed::{entries, feed, message, messages, times};
use super::place::{NEVER, OFTEN, person};
use super::public::releases;
use crate::common::wait::{self, LIMIT};

#[test]
fn what_is_in_a_topic_is_published_once() {
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards.one", 3, &[]);
    let place = feed(&broker, "wards.one", NEVER, "");
    for partition in 0..3 {
        let people = messages((0..50).map(|number| number * 3 + partition as u64));
        broker.put("wards.one", partition, people.iter().map(String::as_str));
    }
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &150.into()),
        "{tick}"
    );
    // The same people again, with a new one among them, are repeats.
    broker.put(
        "wards.one",
        1,
        messages(0..50)
            .iter()
            .chain(&messages(1000..1040))
            .map(String::as_str),
    );
    let tick = place.once();
    let count = |what: &str| tick[what].as_u64().expect("a number");
    assert!(
        tick["outcome"] == "published" && count("rows") + count("waiting") == 190,
        "{tick}"
    );
    // A reader of lag sees its position, also when it has just ended.
    assert_eq!(
        broker.committed("tidegate-t", "wards.one", 1),
        Offset::Offset(140)
    );
    // A waiting person becomes a tick older.
    assert_eq!(place.once()["outcome"], "skipped");
    let published = releases(&place.public());
    let people = times(&published[1].diagnoses);
    assert!(
        people.len() as u64 == count("rows") && people.values().all(|times| *times == 1),
        "{people:?}"
    );
    place.verified();
}

#[test]
fn repeats_are_set_aside_where_that_is_wanted() {
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 2, &[]);
    let place = feed(&broker, "wards", NEVER, "");
    place.edit("k = 3\n", "k = 3\non_repeat = \"dead-letter\"\n");
    broker.put(
        "wards",
        0,
        messages(0..50)
            .iter()
            .chain(&messages(0..5))
            .map(String::as_str),
    );
    broker.put("wards", 1, messages([7]).iter().map(String::as_str));
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &50.into()),
        "{tick}"
    );
    let groups = place.done(&["quarantine", "feed.toml"])["groups"].clone();
    let [zero, one] = &groups.as_array().expect("groups")[..] else {
        panic!("{groups}")
    };
    assert_eq!(
        (&zero["messages"], &zero["first"], &zero["partition"]),
        (&5.into(), &50.into(), &0.into()),
        "{groups}"
    );
    assert_eq!(
        (&one["messages"], &one["first"], &one["partition"]),
        (&1.into(), &0.into(), &1.into()),
        "{groups}"
    );
    assert_eq!(
        place.done(&["quarantine", "feed.toml", "--retry"])["changed"],
        0
    );
    place.verified();
}

#[test]
fn a_daemon_reads_on_and_partitions_are_added() {
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    let place = feed(&broker, "wards", OFTEN, "");
    let daemon = place.start();
    broker.put("wards", 0, messages(0..60).iter().map(String::as_str));
    daemon.says("published feed=t", 1);
    broker.widen("wards", 3);
    broker.put("wards", 2, messages(60..120).iter().map(String::as_str));
    // Partitions are found although messages never pause.
    let mut again = 0;
    let begun = || {
        broker.put(
            "wards",
            0,
            messages([again % 60]).iter().map(String::as_str),
        );
        again += 1;
        sleep(Duration::from_millis(300));
        (daemon.said().matches("partitions_begun").count() > 1).then_some(())
    };
    wait::until(|| daemon.said(), begun);
    daemon.says("published feed=t", 2);
    assert_eq!(daemon.end(), Some(0));
    let last = releases(&place.public()).pop().expect("a release");
    assert_eq!(times(&last.diagnoses).len(), 120);
    place.verified();
}

#[test]
fn what_is_no_row_is_set_aside_with_its_offset() {
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 2, &[]);
    let place = feed(&broker, "wards", NEVER, "max_quarantine_share = 0.5\n");
    let producer = broker.producer(&[]);
    messages(0..40)
        .iter()
        .for_each(|message| send(&producer, "wards", 0, Some(message)));
    let two = format!("{}{}", message(100), message(101));
    let cut = &message(102)[..30];
    let deleted = message(103).replace("{", r#"{"__deleted": "true", "#);
    let strange = message(104).replace(r#""ward": "#, r#""ward": "C1", "was": "#);
    for content in [
        Some(&*two),
        Some(cut),
        Some(""),
        None,
        Some(&deleted),
        Some(&strange),
    ] {
        send(&producer, "wards", 1, content);
    }
    producer.flush(LIMIT).expect("all are there");
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &40.into()),
        "{tick}"
    );
    let aside = place.done(&["quarantine", "feed.toml"]);
    assert_eq!(aside["messages"], 6, "{aside}");
    let groups = aside["groups"].as_array().expect("groups");
    let offsets = |what: &str| {
        let found = groups
            .iter()
            .find(|group| group["text"].as_str().expect("a text").contains(what));
        let group = found.unwrap_or_else(|| panic!("{what}: {aside}"));
        (
            group["topic"].clone(),
            group["partition"].clone(),
            group["messages"].clone(),
            group["first"].clone(),
        )
    };
    assert_eq!(
        offsets("not a single JSON object"),
        ("wards".into(), 1.into(), 3.into(), 0.into())
    );
    assert_eq!(
        offsets("has no content"),
        ("wards".into(), 1.into(), 1.into(), 3.into())
    );
    assert_eq!(
        offsets("deletes a record"),
        ("wards".into(), 1.into(), 1.into(), 4.into())
    );
    assert_eq!(
        offsets("the taxonomy lacks the value"),
        ("wards".into(), 1.into(), 1.into(), 5.into())
    );

    // Once the feed file says what they mean, they have that meaning.
    place.edit(
        "format = \"json\"",
        "format = \"json\"\ntombstones = \"skip\"\ndeletes = \"skip\"",
    );
    place.put("ward.csv", "A1;A;*\nA2;A;*\nB1;B;*\nB2;B;*\nC1;B;*\n");
    let answer = place.done(&["quarantine", "feed.toml", "--retry"]);
    assert_eq!(
        (&answer["count"], &answer["changed"]),
        (&6.into(), &1.into()),
        "{answer}"
    );
    assert_eq!(place.done(&["quarantine", "feed.toml"])["messages"], 3);
    assert_eq!(place.once()["new"], 0);
    place.verified();
}

#[test]
fn what_was_rolled_back_is_never_seen() {
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    let producer = broker.producer(&[("transactional.id", "ours")]);
    producer.init_transactions(LIMIT).expect("transactions");
    for round in 0..6 {
        producer.begin_transaction().expect("a transaction");
        let people = messages(round * 20..round * 20 + 20);
        people
            .iter()
            .for_each(|message| send(&producer, "wards", 0, Some(message)));
        match round % 2 {
            0 => producer.commit_transaction(LIMIT).expect("it is kept"),
            _ => {
                producer.flush(LIMIT).expect("all are there");
                producer
                    .abort_transaction(LIMIT)
                    .expect("it is rolled back");
            }
        }
    }
    let place = feed(&broker, "wards", NEVER, "");
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &60.into()),
        "{tick}"
    );
    let people = times(&releases(&place.public())[0].diagnoses);
    assert!(
        people.keys().all(|number| number / 20 % 2 == 0),
        "{people:?}"
    );
    place.verified();
}

#[test]
fn messages_that_are_arrow_streams_hold_many_rows() {
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    let place = feed(&broker, "wards", NEVER, "max_quarantine_share = 0.5\n");
    place.edit("format = \"json\"", "format = \"arrow\"");
    let producer = broker.producer(&[]);
    let streams = [
        stream(0..30),
        stream(30..30),
        stream(20..60),
        b"no stream".to_vec(),
        stream(60..90),
    ];
    for content in &streams {
        let record = BaseRecord::<[u8], [u8]>::to("wards").payload(content);
        producer.send(record).expect("there is room");
    }
    producer.flush(LIMIT).expect("all are there");
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &90.into()),
        "{tick}"
    );
    let people = times(&releases(&place.public())[0].diagnoses);
    assert!(
        people.len() == 90 && people.values().all(|times| *times == 1),
        "{people:?}"
    );
    let aside = place.done(&["quarantine", "feed.toml"]);
    assert_eq!(
        (&aside["messages"], &aside["groups"][0]["first"]),
        (&1.into(), &3.into()),
        "{aside}"
    );
    // It continues after the messages that it has read.
    let content = stream(90..120);
    producer
        .send(BaseRecord::<[u8], [u8]>::to("wards").payload(&content))
        .expect("there is room");
    producer.flush(LIMIT).expect("all are there");
    place.once();
    let seen: u64 = entries(&place)
        .iter()
        .filter_map(|entry| entry["body"]["parts"][0]["seen"].as_u64())
        .sum();
    assert_eq!(seen, 30 + 40 + 1 + 30 + 30);
    place.verified();
}

/// People as one stream.
fn stream(people: std::ops::Range<u64>) -> Vec<u8> {
    let rows: Vec<String> = people.map(person).collect();
    let cell = |row: &str, at| {
        row.trim_end()
            .split(',')
            .nth(at)
            .expect("a cell")
            .to_owned()
    };
    let text = |at| -> ArrayRef {
        Arc::new(
            rows.iter()
                .map(|row| Some(cell(row, at)))
                .collect::<StringArray>(),
        )
    };
    let ages = rows
        .iter()
        .map(|row| cell(row, 1).parse::<i64>().ok())
        .collect::<Int64Array>();
    let columns = [
        ("patient", text(0)),
        ("age", Arc::new(ages)),
        ("ward", text(2)),
        ("diagnosis", text(3)),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("columns");
    let mut stream = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    stream.write(&batch).expect("it writes");
    stream.into_inner().expect("it ends")
}
