//! A writer that dies at every single write, before it or after it: the next one continues, and in
//! the end everything is as if nothing had happened.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tidegate::daemon::error::{Error, ErrorCategory, Result};
use tidegate::daemon::journal::store::{CreateOutcome, ListedObject, Memory, ReadStore, Store};
use tidegate::daemon::journal::{ClosedTick, EntryBody, KeyRing, read};

use super::draw::{CARVED, CROWDS, Draw, GROUPED, HALVED, POLICIES, SUPPRESSED, TWO_TABLES, drawn};
use super::feed::{Human, crowd, feed, key, open, packed, step};
use crate::common::{is_long as long, random};

/// A store whose writer dies at a write; `after`: its bytes were written.
pub struct Dying {
    pub store: Memory,
    pub left: Arc<AtomicU64>,
    pub after: bool,
}

impl Dying {
    /// Whether this write happens, and whether the writer lives on.
    fn write(&self) -> (bool, bool) {
        let left = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                Some(left.saturating_sub(1))
            });
        match left.expect("always updated") {
            0 => (false, false),
            1 => (self.after, false),
            _ => (true, true),
        }
    }

    fn dead<T>() -> Result<T> {
        Err(Error::new(ErrorCategory::Io, "dead"))
    }
}

impl ReadStore for Dying {
    fn place(&self) -> String {
        "a dying store".to_owned()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.store.read(path)
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        self.store.list(prefix)
    }
}

impl Store for Dying {
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome> {
        let (happens, lives) = self.write();
        let created = if happens {
            self.store.create(path, bytes)
        } else {
            Dying::dead()
        };
        if lives { created } else { Dying::dead() }
    }

    fn delete(&self, path: &str) -> Result<()> {
        let (happens, lives) = self.write();
        let deleted = if happens {
            self.store.delete(path)
        } else {
            Dying::dead()
        };
        if lives { deleted } else { Dying::dead() }
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let (happens, lives) = self.write();
        let replaced = if happens {
            self.store.replace(path, bytes)
        } else {
            Dying::dead()
        };
        if lives { replaced } else { Dying::dead() }
    }
}

/// Tables that are published, by path, and the number of known people.
fn published(public: &Memory) -> BTreeMap<String, Vec<u8>> {
    public
        .objects()
        .into_iter()
        .filter(|(path, _)| {
            ["data/", "sensitive/"]
                .iter()
                .any(|kind| path.starts_with(kind))
        })
        .collect()
}

/// Runs all ticks; each writer except the last dies after this many writes. Returns the number of
/// writes of the last one.
fn run(
    policy: &str,
    ticks: &[Vec<Human>],
    deaths: &[(u64, bool)],
    public: &Memory,
    private: &Memory,
) -> u64 {
    let feed = feed(policy);
    let mut lives = deaths.iter().copied().map(Some).chain([None]);
    let mut seed = 0;
    loop {
        let death = lives.next().expect("the last writer does not die");
        let left = Arc::new(AtomicU64::new(death.map_or(u64::MAX, |(writes, _)| writes)));
        let after = death.is_some_and(|(_, after)| after);
        let store = |of: &Memory| {
            Arc::new(Dying {
                store: of.clone(),
                left: left.clone(),
                after,
            })
        };
        seed += 1;
        let before = public.objects();
        let opened = open(&feed, store(private), store(public), seed, false);
        let done = opened.and_then(|mut writer| {
            ticks
                .iter()
                .enumerate()
                .try_for_each(|(tick, people)| step(&mut writer, tick, people))
                .map(|()| writer)
        });
        for (path, bytes) in before {
            let there = public.objects();
            assert!(
                crate::common::is_advisory(&path) || there.get(&path) == Some(&bytes),
                "{path} never changes"
            );
        }
        match (done, death) {
            (Ok(writer), _) => {
                let people = writer.state().feed.people().len();
                let all: std::collections::BTreeSet<u128> =
                    ticks.iter().flatten().map(|human| human.0).collect();
                assert_eq!(people, all.len(), "no person is lost or taken in twice");
                tossed(private);
                return u64::MAX - left.load(Ordering::SeqCst);
            }
            (Err(error), None) => panic!("no writer died: {error}"),
            (Err(error), Some(_)) => assert_eq!(error.text, "dead", "{error}"),
        }
    }
}

/// Draws are made once for each tick that halves, and are in the log before their results.
fn tossed(private: &Memory) {
    let private = &packed(private);
    let ring = KeyRing::open(private, &key()).expect("keys").expect("keys");
    let (mut drawn, mut closed) = (Vec::new(), Vec::new());
    for entry in read(private, &ring, 0, None).expect("a log") {
        match &entry.entry.body {
            EntryBody::Coins(coins) => drawn.push(coins.tick),
            EntryBody::Closed(ClosedTick {
                turn: Some(_),
                skipped: false,
                tick,
                ..
            }) => {
                assert_eq!(
                    drawn.last(),
                    Some(tick),
                    "a tick was closed before its coins were drawn"
                );
                closed.push(*tick);
            }
            _ => {}
        }
    }
    assert_eq!(
        drawn, closed,
        "coins of one tick were drawn twice, or for nothing"
    );
}

#[test]
fn a_writer_may_die_at_every_write() {
    // In everyday runs at every second write, before one and after the next, chosen by the seed.
    let seed = random::seed();
    println!("a writer may die at every write; the same again: TIDEGATE_SEED={seed}");
    for (at, policy) in POLICIES
        .into_iter()
        .chain([TWO_TABLES, CARVED, HALVED, CROWDS, SUPPRESSED])
        .enumerate()
    {
        let (mut draw, mut known) = (Draw(5), 0);
        let ticks = match (at < 4, long()) {
            (true, true) => 6,
            (true, false) | (false, true) => 4,
            (false, false) => 3,
        };
        let ticks: Vec<Vec<Human>> = (0..ticks).map(|_| crowd(&mut draw, &mut known)).collect();
        let (meant, private) = (Memory::default(), Memory::default());
        let writes = run(policy, &ticks, &[], &meant, &private);
        assert!(writes > 40, "{writes} writes");
        for at in (1..=writes).filter(|at| long() || at % 2 == seed % 2) {
            for after in [false, true]
                .into_iter()
                .filter(|&after| long() || after == (at / 2 % 2 == 0))
            {
                let (public, private) = (Memory::default(), Memory::default());
                run(policy, &ticks, &[(at, after)], &public, &private);
                assert!(
                    drawn(policy) || published(&public) == published(&meant),
                    "{policy}, write {at}, after it: {after}"
                );
            }
        }
    }
}

#[test]
fn writers_may_die_one_after_another() {
    for seed in 0..if long() { 64 } else { 14 } {
        let policy = [
            &POLICIES[..],
            &[TWO_TABLES, CARVED, GROUPED, HALVED, CROWDS, SUPPRESSED],
        ]
        .concat()[seed % (POLICIES.len() + 6)];
        let (mut draw, mut known) = (Draw(seed as u64), 0);
        let ticks: Vec<Vec<Human>> = (0..8).map(|_| crowd(&mut draw, &mut known)).collect();
        let (meant, private) = (Memory::default(), Memory::default());
        run(policy, &ticks, &[], &meant, &private);
        let deaths: Vec<(u64, bool)> = (0..12)
            .map(|_| (1 + draw.below(30), draw.below(2) == 0))
            .collect();
        let (public, private) = (Memory::default(), Memory::default());
        run(policy, &ticks, &deaths, &public, &private);
        assert!(
            drawn(policy) || published(&public) == published(&meant),
            "{policy}, seed {seed}"
        );
    }
}
