//! Notifications of releases in a topic of the brokers that their rows come from, and of problems
//! in another topic.

use std::time::{Duration, Instant};

use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::message::{Headers as _, Message as _};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use serde_json::Value as Json;

use super::broker::Broker;
use super::feed::{feed, messages};
use super::place::OFTEN;
use super::public::releases;
use crate::common::wait::LIMIT;

/// This many messages of a topic: their keys, and their content.
fn read(broker: &Broker, topic: &str, count: usize) -> Vec<(String, Json)> {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", broker.address())
        .set("group.id", "reader")
        .set("isolation.level", "read_committed");
    let consumer: BaseConsumer = config.create().expect("a client");
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(topic, 0, Offset::Beginning)
        .expect("an offset");
    consumer.assign(&list).expect("a partition");
    let (mut found, begun) = (Vec::new(), Instant::now());
    while found.len() < count {
        assert!(begun.elapsed() < LIMIT, "{found:?}");
        let Some(Ok(message)) = consumer.poll(Duration::from_millis(100)) else {
            continue;
        };
        let header = message.headers().expect("headers").get(0);
        assert_eq!(
            (header.key, header.value),
            ("content-type", Some(&b"application/json"[..]))
        );
        let key = String::from_utf8(message.key().expect("a key").to_vec()).expect("text");
        found.push((
            key,
            serde_json::from_slice(message.payload().expect("a message")).expect("JSON"),
        ));
    }
    found
}

#[test]
fn topics_are_notified_once_they_exist() {
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 1, &[]);
    broker.topic("operators", 1, &[]);
    let place = feed(&broker, "wards", OFTEN, "");
    place.edit(
        "[http]\n",
        "[notify]\ntopic = \"releases\"\noperator_topic = \"operators\"\n[http]\n",
    );
    let mut daemon = place.start();
    broker.put("wards", 0, messages(0..60).iter().map(String::as_str));
    daemon.says("published feed=t", 1);
    daemon.says(
        "receiver_away feed=t receiver=topic why=\"there is no topic releases: create it\"",
        1,
    );
    broker.topic("releases", 1, &[]);
    daemon.says("receiver_back feed=t receiver=topic", 1);
    broker.put("wards", 0, messages(60..120).iter().map(String::as_str));
    daemon.says("notification_sent feed=t receiver=topic notice=release", 2);
    daemon.kill();
    // A sent notification is not sent again.
    let mut daemon = place.start_until_halt();
    broker.put("wards", 0, messages(120..180).iter().map(String::as_str));
    daemon.says("notification_sent feed=t receiver=topic notice=release", 1);
    let reported = read(&broker, "releases", 3);
    let keys: Vec<&str> = reported.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["t/release/1", "t/release/2", "t/release/3"]);
    for ((_, what), release) in reported.iter().zip(releases(&place.public())) {
        assert_eq!(
            (&what["kind"], &what["rows"]),
            (&"release".into(), &release.rows.into())
        );
    }
    broker.delete("wards");
    assert_eq!(daemon.ended(), Some(2), "{}", daemon.said());
    let (key, what) = read(&broker, "operators", 1).remove(0);
    assert!(
        key.starts_with("t/halted/") && what["error"]["field"] == "source.topic",
        "{what}"
    );
    place.verified();
}
