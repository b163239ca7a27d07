//! Producers that never pause and send each message by itself: their messages are appended at
//! intervals of time, not one by one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use rdkafka::producer::{BaseProducer, Producer as _};

use super::broker::{Broker, send};
use super::feed::{feed, message, times};
use super::place::{Daemon, NEVER};
use super::public::releases;
use crate::common::wait::{self, LIMIT};

/// Sends each message by itself.
fn producer(broker: &Broker) -> BaseProducer {
    broker.producer(&[("linger.ms", "0"), ("batch.num.messages", "1")])
}

/// The sizes of the batches that were appended.
fn batches(daemon: &Daemon) -> Vec<u64> {
    let said = daemon.said();
    let lines = said.lines().filter(|line| line.contains("batch_taken"));
    let seen = |line: &str| line.split(" seen=").nth(1)?.split(' ').next()?.parse().ok();
    lines.map(|line| seen(line).expect("a number")).collect()
}

#[test]
fn messages_that_never_pause_come_in_few_batches() {
    /// Messages, and the pause between two of them.
    const COUNT: u64 = 300;
    const PAUSE: Duration = Duration::from_millis(30);
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 3, &[]);
    let place = feed(&broker, "wards", NEVER, "");
    let daemon = place.start();
    daemon.says("partitions_begun", 1);
    let (producer, begun) = (producer(&broker), Instant::now());
    for number in 0..COUNT {
        send(
            &producer,
            "wards",
            (number % 3) as i32,
            Some(&message(number)),
        );
        producer.poll(PAUSE);
    }
    producer.flush(LIMIT).expect("all are there");
    wait::until(
        || daemon.said(),
        || (batches(&daemon).iter().sum::<u64>() == COUNT).then_some(()),
    );
    let (batches, seconds) = (batches(&daemon).len() as f64, begun.elapsed().as_secs_f64());
    // A batch lasts half a second; two more are for the first and the last.
    assert!(
        batches <= 2.0 * seconds + 2.0,
        "{batches} batches in {seconds} s: {}",
        daemon.said()
    );
    // The ends of partitions are requested again.
    let known = |page: &str| {
        (0..3).all(|one| page.contains(&format!("_lag{{feed=\"t\",partition=\"{one}\"}} 0.0")))
    };
    wait::until(
        || daemon.page("/metrics"),
        || known(&daemon.page("/metrics")).then_some(()),
    );
    let page = daemon.page("/metrics");
    assert!(
        page.contains(&format!(
            "tidegate_batch_rows_count{{feed=\"t\"}} {batches}\n"
        )),
        "{page}"
    );
    assert!(
        page.contains("tidegate_source_oldest_seconds{feed=\"t\"} 0.0\n"),
        "{page}"
    );
    assert!(daemon.page("/health/ready").contains("200 OK"));
    assert_eq!(daemon.end(), Some(0));
    place.verified();
}

#[test]
fn a_single_tick_ends_although_messages_never_pause() {
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", 3, &[]);
    let place = feed(&broker, "wards", NEVER, "");
    let people: Vec<String> = (0..300).map(message).collect();
    broker.put("wards", 1, people.iter().map(String::as_str));
    let (producer, ends) = (producer(&broker), AtomicBool::new(false));
    let (tick, sent) = scope(|scope| {
        let producing = scope.spawn(|| {
            let mut number = 300;
            while !ends.load(Ordering::Acquire) {
                send(
                    &producer,
                    "wards",
                    (number % 3) as i32,
                    Some(&message(number)),
                );
                number += 1;
                sleep(Duration::from_millis(1));
            }
            producer.flush(LIMIT).expect("all are there");
            number
        });
        let tick = place.once();
        ends.store(true, Ordering::Release);
        (tick, producing.join().expect("it sends"))
    });
    let count = |tick: &serde_json::Value, what: &str| tick[what].as_u64().expect("a number");
    assert!(
        tick["outcome"] == "published" && count(&tick, "rows") + count(&tick, "waiting") >= 300,
        "{tick}"
    );
    // The rest is read with the next one, each person once.
    let tick = place.once();
    assert_eq!(
        count(&tick, "rows") + count(&tick, "waiting"),
        sent,
        "{tick}"
    );
    let published = releases(&place.public());
    assert!(
        times(&published.last().expect("a release").diagnoses)
            .values()
            .all(|times| *times == 1)
    );
    place.verified();
}
