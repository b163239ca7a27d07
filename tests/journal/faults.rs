//! Two writers fill the slots of a log through a network with every kind of fault (HOUSE 3,
//! Append). In the end each slot contains what one of them wrote, and no writer got another answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tidegate::daemon::error::Result;
use tidegate::daemon::journal::store::{
    Bucket, BucketTimeouts, CreateOutcome, ListedObject, PutOutcome, ReadStore, Store, put,
};

use super::proxy::{Fault, Proxy, READS, WRITES};
use super::server::{Server, bucket};
use crate::common;

/// Slots of an everyday run, and of a long one.
const SLOTS: [usize; 2] = [300, 1200];

/// Slots that a writer works on at a time, so that it does not wait for one slow answer after the
/// other.
const LANES: usize = 16;

const PATIENCE: BucketTimeouts = BucketTimeouts {
    connect: Duration::from_secs(30),
    answer: Duration::from_secs(2),
    pause: Duration::from_millis(5),
    give_up: Duration::from_secs(120),
};

/// A bucket that counts answers that a careless reader would have misunderstood.
struct Watched {
    bucket: Bucket,
    mark: &'static str,
    /// The answer said that the object exists, but it did not.
    lies: AtomicU64,
    /// The answer said that the object exists, or there was none, and it was our own.
    selves: AtomicU64,
}

impl ReadStore for Watched {
    fn place(&self) -> String {
        self.bucket.place()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.bucket.read(path)
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        self.bucket.list(prefix)
    }
}

impl Store for Watched {
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome> {
        let created = self.bucket.create(path, bytes)?;
        if created != CreateOutcome::Made {
            let there = self.bucket.read(path)?;
            let own = there
                .as_ref()
                .is_some_and(|there| there.starts_with(self.mark.as_bytes()));
            self.selves.fetch_add(own.into(), Ordering::Relaxed);
            self.lies.fetch_add(
                (created == CreateOutcome::Exists && there.is_none()).into(),
                Ordering::Relaxed,
            );
        }
        Ok(created)
    }

    fn delete(&self, path: &str) -> Result<()> {
        self.bucket.delete(path)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.bucket.replace(path, bytes)
    }
}

fn path(slot: usize) -> String {
    format!("log/{}/{slot:020}.json", slot / 100)
}

fn content(mark: &str, slot: usize) -> Vec<u8> {
    format!("{mark} wrote {slot} ")
        .repeat(1 + slot % 50)
        .into_bytes()
}

fn slots() -> usize {
    SLOTS[usize::from(common::is_long())]
}

/// The outcome of every slot for a writer; None if it had none.
fn write(store: &Watched) -> Vec<Option<PutOutcome>> {
    let lane = |lane: usize| -> Vec<(usize, Option<PutOutcome>)> {
        let slots = (lane..slots()).step_by(LANES);
        slots
            .map(|slot| {
                (
                    slot,
                    put(store, &path(slot), &content(store.mark, slot)).ok(),
                )
            })
            .collect()
    };
    let mut reported: Vec<(usize, Option<PutOutcome>)> = thread::scope(|scope| {
        let lanes: Vec<_> = (0..LANES).map(|at| scope.spawn(move || lane(at))).collect();
        lanes
            .into_iter()
            .flat_map(|lane| lane.join().expect("a writer"))
            .collect()
    });
    reported.sort_by_key(|(slot, _)| *slot);
    reported.into_iter().map(|(_, reported)| reported).collect()
}

#[test]
fn two_writers_behind_a_bad_network() {
    let Some(server) = Server::start() else {
        return;
    };
    let (begun, seed) = (Instant::now(), common::random::seed());
    println!(
        "two writers behind a bad network: seed {seed}; the same plan again: TIDEGATE_SEED={seed}"
    );
    let proxy = Proxy::start(server.address, seed, PATIENCE.answer * 3 / 2);
    let watched = |mark| Watched {
        bucket: bucket(proxy.address, "bad", PATIENCE),
        mark,
        lies: AtomicU64::default(),
        selves: AtomicU64::default(),
    };
    let writers = [watched("one"), watched("other")];
    let reported = thread::scope(|scope| {
        let reported = writers
            .each_ref()
            .map(|writer| scope.spawn(move || write(writer)));
        reported.map(|reported| reported.join().expect("a writer"))
    });
    proxy.settle();

    let store = bucket(server.address, "bad", BucketTimeouts::default());
    let (slots, mut undecided) = (slots(), 0);
    for slot in 0..slots {
        let there = store.read(&path(slot)).expect("a read");
        for (writer, reported) in writers.iter().zip(&reported) {
            let own = there.as_ref() == Some(&content(writer.mark, slot));
            match reported[slot] {
                Some(PutOutcome::Ours) => assert!(
                    own,
                    "slot {slot}: {} was told that it is its own",
                    writer.mark
                ),
                Some(PutOutcome::Theirs) => {
                    assert!(
                        !own,
                        "slot {slot}: {} was told that it is not its own",
                        writer.mark
                    )
                }
                None => undecided += 1,
            }
        }
        let whole = writers
            .each_ref()
            .map(|writer| there.as_ref() == Some(&content(writer.mark, slot)));
        assert!(
            whole[0] != whole[1],
            "slot {slot}: neither wrote what is there"
        );
    }
    assert_eq!(store.list("log").expect("a listing").len(), slots);
    // A server that is slow by itself is one more fault, which no plan has.
    let slow = proxy.seen().slow as usize;
    assert!(
        undecided * 100 < slots + slow * 100,
        "{undecided} of {slots} slots were left open, {slow} slow answers"
    );
    fired(&proxy);

    let sum = |count: fn(&Watched) -> &AtomicU64| -> u64 {
        writers
            .iter()
            .map(|writer| count(writer).load(Ordering::Relaxed))
            .sum()
    };
    let (lies, selves) = (sum(|writer| &writer.lies), sum(|writer| &writer.selves));
    assert!(
        lies > 0 && selves > 0,
        "{lies} lies and {selves} meetings with oneself: the network is too good"
    );
    println!(
        "{undecided} left open, {lies} lies, {selves} met themselves, {:?}",
        begun.elapsed()
    );
}

/// Checks that every fault of the plan occurred, and that no name was taken twice.
fn fired(proxy: &Proxy) {
    let seen = proxy.seen();
    println!("{:?}", seen.faults);
    for (method, plan) in [("PUT", WRITES), ("GET", READS)] {
        for (fault, _) in plan.iter().chain(&[(Fault::None, 0)]) {
            assert!(
                seen.faults.contains_key(&(method.to_owned(), *fault)),
                "{method} never met {fault:?}"
            );
        }
    }
    assert!(
        seen.taken.values().all(|times| *times == 1),
        "the server itself took a name twice"
    );
}
