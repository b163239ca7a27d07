//! The daemon is killed at any moment, and the broker too, while producers continue: they send
//! possibly lost messages again, and abort some. In the end each person whose message was kept is
//! published, and no person twice.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use rdkafka::producer::{BaseProducer, Producer as _};

use super::broker::{Broker, send};
use super::feed::{entries, feed, message, times};
use super::place::Place;
use super::public::releases;
use crate::common::cases;
use crate::common::random::{self, Draw};
use crate::common::wait::LIMIT;

pub const PARTITIONS: u64 = 3;
/// The time limit of the kills.
const LONGEST: Duration = Duration::from_secs(400);

/// Sends people until it is told to stop: each at least once, in the order of their numbers;
/// returns the number after the last.
fn sends(producer: &BaseProducer, seed: u64, stop: &AtomicBool) -> u64 {
    let (mut draw, mut next) = (Draw::new(seed, 1), 0);
    while !stop.load(Ordering::Relaxed) {
        for _ in 0..draw.between(1, 40) {
            // A producer that is not sure sends it again, at once or after others.
            let again = if draw.once_in(5) {
                draw.between(0, 20).min(next)
            } else {
                0
            };
            for number in next - again..=next {
                send(
                    producer,
                    "wards",
                    (number % PARTITIONS) as i32,
                    Some(&message(number)),
                );
            }
            next += 1;
        }
        producer.poll(Duration::from_millis(draw.between(1, 20)));
    }
    producer.flush(LIMIT).expect("all are there");
    next
}

/// Sends people in aborted transactions; their numbers begin here.
const NEVER: u64 = 1 << 40;

/// Aborts whatever it has sent.
fn rolls_back(producer: &BaseProducer, stop: &AtomicBool) {
    let mut next = NEVER;
    while !stop.load(Ordering::Relaxed) {
        producer.begin_transaction().expect("a transaction");
        for _ in 0..10 {
            send(
                producer,
                "wards",
                (next % PARTITIONS) as i32,
                Some(&message(next)),
            );
            next += 1;
        }
        producer.flush(LIMIT).expect("all are there");
        producer
            .abort_transaction(LIMIT)
            .expect("it is rolled back");
        sleep(Duration::from_millis(50));
    }
}

/// Kills the daemon at random moments; returns how often.
fn kills(place: &Place, draw: &mut Draw, most: u64, also: &mut dyn FnMut(u64)) -> u64 {
    let begun = Instant::now();
    let mut kills = 0;
    while kills < most && begun.elapsed() < LONGEST {
        let mut daemon = place.start();
        sleep(Duration::from_millis(draw.between(100, 1_500)));
        assert!(daemon.kill(), "it has ended by itself: {}", daemon.said());
        kills += 1;
        also(kills);
    }
    kills
}

/// Reads everything that is left, and checks that each person is published once.
pub fn settles(place: &Place, people: u64) {
    while place.once()["outcome"] != "idle"
        && place.done(&["show", "feed.toml"])["waiting"]["pending"] != 0
    {}
    let shown = place.done(&["show", "feed.toml"]);
    let waiting = ["rows", "withheld", "pending"]
        .map(|what| shown["waiting"][what].as_u64().expect("a number"));
    let released = releases(&place.public());
    let out = released
        .last()
        .map_or_else(Default::default, |last| times(&last.diagnoses));
    assert!(
        out.values().all(|times| *times == 1),
        "a person is there twice"
    );
    assert!(
        out.keys().all(|number| *number < people),
        "a person is there who was rolled back"
    );
    let new = shown["new"].as_u64().expect("a number");
    assert_eq!(
        out.len() as u64 + waiting.iter().sum::<u64>() + new,
        people,
        "{waiting:?} and {new} new"
    );
    let (mut kept, mut next) = (0, vec![None; PARTITIONS as usize]);
    for part in entries(place).iter().flat_map(|entry| {
        entry["body"]["parts"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    }) {
        kept += part["kept"].as_u64().expect("a number");
        let at = &mut next[part["partition"].as_u64().expect("a number") as usize];
        assert!(
            at.is_none() || *at == part["from"].as_u64(),
            "offsets follow one another: {part}"
        );
        *at = part["next"].as_u64();
    }
    assert_eq!(kept, people, "every message counts once");
    place.verified();
}

#[test]
fn a_daemon_that_is_killed_anywhere_loses_no_person() {
    let Some(broker) = Broker::start() else {
        return;
    };
    let (seed, begun) = (random::seed(), Instant::now());
    println!("kills under load: seed {seed}; the same again: TIDEGATE_SEED={seed}");
    broker.topic("wards", PARTITIONS as i32, &[]);
    let place = feed(&broker, "wards", "every = \"1s\"\n", "");
    let (mut draw, stop) = (Draw::new(seed, 0), AtomicBool::new(false));
    let (producer, other) = (
        broker.producer(&[]),
        broker.producer(&[("transactional.id", "other")]),
    );
    other.init_transactions(LIMIT).expect("transactions");
    let (people, kills) = scope(|scope| {
        let sending = scope.spawn(|| sends(&producer, seed, &stop));
        let rolling = scope.spawn(|| rolls_back(&other, &stop));
        let kills = kills(
            &place,
            &mut draw,
            u64::from(cases(15).min(200)),
            &mut |_| {},
        );
        stop.store(true, Ordering::Relaxed);
        rolling.join().expect("it ends");
        (sending.join().expect("it ends"), kills)
    });
    println!("{kills} kills, {people} people, {:?}", begun.elapsed());
    settles(&place, people);
}

#[test]
fn a_broker_that_is_killed_loses_no_person() {
    let Some(mut broker) = Broker::start() else {
        return;
    };
    let seed = random::seed();
    println!("kills of the broker: seed {seed}; the same again: TIDEGATE_SEED={seed}");
    broker.topic("wards", PARTITIONS as i32, &[]);
    let place = feed(&broker, "wards", "every = \"1s\"\n", "");
    let (mut draw, stop) = (Draw::new(seed, 0), AtomicBool::new(false));
    let producer = broker.producer(&[("acks", "all"), ("message.timeout.ms", "600000")]);
    let people = scope(|scope| {
        let sending = scope.spawn(|| sends(&producer, seed, &stop));
        let mut also = |kills: u64| {
            if kills.is_multiple_of(3) {
                broker.kill();
                broker.begin();
            }
        };
        kills(&place, &mut draw, u64::from(cases(6).min(60)), &mut also);
        stop.store(true, Ordering::Relaxed);
        sending.join().expect("it ends")
    });
    settles(&place, people);
}
