//! Taxonomies change while a step is half done, or while people are in atoms that are not
//! published: objects written under the old taxonomies are always read under them.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::feed_writer::{FeedWriter, Hash, Request, RequestKind, past};
use tidegate::daemon::journal::KeyRing;
use tidegate::daemon::journal::store::Memory;
use tidegate::engine::histogram::Person;

use super::crash::Dying;
use super::draw::{CARVED, Draw, GROUPED, POLICIES, SUPPRESSED};
use super::feed::{Human, crowd, feed, grown, key, open, packed, step, taken, time, with_columns};
use crate::common::is_long as long;

const NOW: &str = "2026-01-02T00:00:00Z";

fn ticks(seed: u64, many: usize) -> Vec<Vec<Human>> {
    let (mut draw, mut known) = (Draw(seed), 0);
    (0..many).map(|_| crowd(&mut draw, &mut known)).collect()
}

/// Checks that the whole log gives the state of the writer.
fn same(writer: &FeedWriter, private: &Memory, public: &Memory, why: &str) {
    let private = &packed(private);
    let ring = KeyRing::open(private, &key()).expect("keys").expect("keys");
    let state = past(private, public, &ring)
        .unwrap_or_else(|error| panic!("{why}: {error}"))
        .state
        .expect("a chain");
    assert!(
        state.bytes() == writer.state().bytes(),
        "{why}: {state:#?} against {:#?}",
        writer.state()
    );
}

fn asks(writer: &mut FeedWriter, ask: RequestKind, file: &dyn Fn() -> FeedConfig) {
    let wanted = Request::new(
        ask,
        "me".to_owned(),
        NOW.to_owned(),
        None,
        writer.log().place(),
        &mut Seeded::new(9),
    );
    let answer = writer
        .carry_out(&wanted.expect("a request"), &|| Ok(file()), NOW)
        .expect("an answer");
    assert!(answer.done, "{answer:?}");
}

/// A person who is known, but not published.
fn unpublished(writer: &FeedWriter, people: &[Vec<Human>]) -> Vec<Hash> {
    people
        .iter()
        .flatten()
        .take(3)
        .map(|human| Hash(Person(human.0)))
        .filter(|_| writer.state().releases.is_empty())
        .collect()
}

#[test]
fn a_writer_dies_and_the_next_one_finds_new_leaves() {
    // Every write of every policy in long runs.
    let every = if long() { 1 } else { 5 };
    for (number, policy) in POLICIES.into_iter().chain([CARVED, SUPPRESSED]).enumerate() {
        let people = ticks(5, 6);
        for at in (1 + number as u64 % every..=90).step_by(every as usize) {
            let (private, public) = (Memory::default(), Memory::default());
            let left = Arc::new(AtomicU64::new(at));
            let store = |of: &Memory| {
                Arc::new(Dying {
                    store: of.clone(),
                    left: left.clone(),
                    after: at % 2 == 0,
                })
            };
            let first = open(&feed(policy), store(&private), store(&public), 1, false);
            let run = |writer: &mut FeedWriter, people: &[Vec<Human>]| {
                people
                    .iter()
                    .enumerate()
                    .try_for_each(|(tick, people)| step(writer, tick, people))
            };
            _ = first.and_then(|mut writer| run(&mut writer, &people));
            let why = format!("{policy}, write {at}");
            let (mine, public_root) = (Arc::new(private.clone()), Arc::new(public.clone()));
            let mut writer = open(&grown(policy), mine, public_root, 2, false)
                .unwrap_or_else(|error| panic!("{why}: {error}"));
            run(&mut writer, &people).unwrap_or_else(|error| panic!("{why}: {error}"));
            same(&writer, &private, &public, &why);
            let all: std::collections::BTreeSet<u128> =
                people.iter().flatten().map(|human| human.0).collect();
            assert_eq!(
                writer.state().feed.people().len(),
                all.len(),
                "{why}: no person is lost or taken in twice"
            );
        }
    }
}

/// Erased from atoms of a held release, under taxonomies that have changed since; read when the
/// atoms are forgotten.
fn erased(policy: &str, new_chain: bool) {
    let later = move |policy: &str| match new_chain {
        true => with_columns(policy, "\"F\", \"M\"", "4, 12"),
        false => grown(policy),
    };
    let why = format!("{policy}, new chain: {new_chain}");
    let people = ticks(11, 12);
    let (private, public) = (Memory::default(), Memory::default());
    let stores = || (Arc::new(private.clone()), Arc::new(public.clone()));
    let (mine, public_root) = stores();
    let mut writer = open(&feed(policy), mine, public_root, 1, true).expect("a feed");
    // Of all ages, so that bands are separate.
    let spread = |(n, human): (usize, &Human)| (human.0, n as u32 % 2, n as u32 * 7 % 40, human.3);
    let many: Vec<Human> = people.iter().flatten().enumerate().map(spread).collect();
    writer
        .take(taken("many.csv", &many), &time(0))
        .expect("a file");
    writer.close(&time(0)).expect("a tick");
    writer.decide().expect("a decision");
    assert!(writer.state().held.is_some(), "{why}: a release is held");
    if new_chain {
        asks(&mut writer, RequestKind::NewChain, &|| later(policy));
    }
    drop(writer);
    let (mine, public_root) = stores();
    let mut writer = open(&later(policy), mine, public_root, 2, false)
        .unwrap_or_else(|error| panic!("{why}: {error}"));
    let gone = unpublished(&writer, &people);
    assert!(!gone.is_empty(), "{why}");
    asks(
        &mut writer,
        RequestKind::Erase {
            people: gone.clone(),
            rows: false,
        },
        &|| later(policy),
    );
    same(&writer, &private, &public, &why);
    for tick in 1..6 {
        let fresh: Vec<Human> = (0..30)
            .map(|n| {
                (
                    ((tick * 100 + n) as u128) << 90 | 7,
                    n as u32 % 2,
                    n as u32 % 10,
                    1,
                )
            })
            .collect();
        step(&mut writer, tick, &fresh).unwrap_or_else(|error| panic!("{why}: {error}"));
    }
    assert!(
        !writer.state().releases.is_empty(),
        "{why}: something is published"
    );
    writer
        .forget("2027-01-01T00:00:00Z".parse().expect("a time"))
        .expect("a store");
    same(&writer, &private, &public, &why);
    let (mine, public_root) = stores();
    open(&later(policy), mine, public_root, 3, false)
        .unwrap_or_else(|error| panic!("{why}: {error}"));
}

#[test]
fn people_are_erased_after_taxonomies_have_grown() {
    POLICIES
        .iter()
        .chain([&CARVED, &GROUPED, &SUPPRESSED])
        .for_each(|policy| erased(policy, false));
}

#[test]
fn people_are_erased_in_a_chain_with_other_taxonomies() {
    POLICIES
        .iter()
        .chain([&CARVED, &GROUPED, &SUPPRESSED])
        .for_each(|policy| erased(policy, true));
}
