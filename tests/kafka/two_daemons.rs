//! Two daemons of one feed over a topic, while messages arrive, and no lock keeps them apart: one
//! of them finds the other's entry where its own should be, ends with an error that says so, and
//! has lost no person and counted no person twice.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::Duration;

use rdkafka::producer::{BaseProducer, Producer as _};

use super::broker::{Broker, send};
use super::feed::{feed, message};
use super::kills::{PARTITIONS, settles};
use super::place::{Daemon, OFTEN, Place, until};
use crate::common::wait::LIMIT;

const LOST: &str = "another tidegate has taken over this feed";

/// A daemon that finds no lock: that of the previous one is held on a deleted file.
fn start(place: &Place) -> Daemon {
    // The first one creates it.
    let _ = fs::remove_file(place.path("private/lock"));
    place.start_until_halt()
}

/// The thread that sends: whether there is a pause, and whether it has ended.
#[derive(Default)]
struct Sender {
    pause: AtomicBool,
    over: AtomicBool,
}

impl Sender {
    /// Sends people; returns the number after the last.
    fn sends(&self, producer: &BaseProducer) -> u64 {
        let mut next = 0;
        while !self.over.load(Ordering::Relaxed) {
            if !self.pause.load(Ordering::Relaxed) {
                for number in next..next + 20 {
                    send(
                        producer,
                        "wards",
                        (number % PARTITIONS) as i32,
                        Some(&message(number)),
                    );
                }
                next += 20;
            }
            producer.poll(Duration::from_millis(20));
        }
        producer.flush(LIMIT).expect("all are there");
        next
    }
}

/// Ends it, also when a test fails.
struct Ends<'s>(&'s Sender);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Relaxed);
    }
}

#[test]
fn of_two_daemons_one_ends() {
    let Some(broker) = Broker::start() else {
        return;
    };
    broker.topic("wards", PARTITIONS as i32, &[]);
    let place = feed(&broker, "wards", OFTEN, "");
    let (producer, sender) = (broker.producer(&[]), Sender::default());
    let lost = |daemon: &Daemon| daemon.said().contains(LOST);
    let mut newer = 0;
    let people = scope(|scope| {
        let ends = Ends(&sender);
        let sending = scope.spawn(|| sender.sends(&producer));
        let mut first = start(&place);
        let mut rounds = 0;
        // Which one gets ahead depends on time: on a busy machine it may take more rounds until the
        // newer one does.
        for round in 0..60 {
            if round >= 6 && newer > 0 {
                break;
            }
            rounds += 1;
            first.says("batch_taken", 2);
            // While no messages arrive the newer one gets ahead, and otherwise rarely.
            if round % 2 == 0 {
                sender.pause.store(true, Ordering::Relaxed);
                sleep(Duration::from_millis(1_200));
            }
            let mut second = start(&place);
            until(
                || lost(&second) || second.said().contains("recovered"),
                || second.said(),
            );
            sender.pause.store(false, Ordering::Relaxed);
            until(
                || lost(&first) || lost(&second),
                || format!("both go on: {} {}", first.said(), second.said()),
            );
            if lost(&first) {
                std::mem::swap(&mut first, &mut second);
                newer += 1;
            }
            assert_eq!(second.ended(), Some(2), "{}", second.said());
        }
        drop(ends);
        let people = sending.join().expect("it ends");
        assert_eq!(first.end(), Some(0));
        println!("the newer one went on {newer} times of {rounds}, {people} people");
        people
    });
    assert!(newer > 0, "no writer was ever taken over");
    settles(&place, people);
}
