//! Requests about what is published, on random feeds: rows that are erased with their atoms, releases that are withdrawn and published
//! again, between erasures, new chains and approvals. After each of them the log says what the writer knows, `verify` is content, and the
//! feed goes on.

use std::collections::{BTreeMap, BTreeSet};

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::feed_writer::{Ask, Hash, Live, Request, RequestOutcome};
use tidegate::engine::histogram::Person;

use super::draw::{CARVED, CROWDS, Draw, GROUPED, HALVED, LEVELS, MEASURED, POLICIES, SUPPRESSED, TWO_TABLES};
use super::feed::{crowd, feed, key, step, time};
use super::rows::Roots;
use crate::common::is_long as long;

/// Chains whose labels are kept come more often: of them there is most to ask.
const CHAINS: [&str; 8] = [CROWDS, MEASURED, CROWDS, MEASURED, HALVED, SUPPRESSED, CARVED, POLICIES[0]];

/// The other kinds of chain, each of which comes once everyday.
const OTHERS: [&str; 8] =
    [POLICIES[1], POLICIES[2], POLICIES[3], POLICIES[4], POLICIES[5], TWO_TABLES, GROUPED, LEVELS];

/// Ticks of a feed.
const TICKS: usize = 14;

/// What a person asks now, if anything.
pub fn drawn(live: &Live, draw: &mut Draw, came: &BTreeSet<u128>) -> Option<Ask> {
    let state = live.state();
    if let Some(held) = state.held.as_ref().filter(|_| draw.below(2) == 0) {
        let (release, decision) = (held.approved.release(), held.decision);
        let approves = draw.below(3) > 0;
        return Some(if approves { Ask::Approve { release, decision } } else { Ask::Reject { release, decision } });
    }
    match draw.below(8) {
        0 => Some(Ask::NewChain),
        1 | 2 => {
            let many = state.releases.len() as u64;
            let release = state.releases.get(draw.below(many.max(1)) as usize)?.release;
            Some(Ask::Withdraw { release, republish: draw.below(2) == 0 })
        }
        3..=5 => {
            let share = [40, 12, 3, 1][draw.below(4) as usize];
            let chosen = came.iter().filter(|_| draw.below(share) == 0);
            let people = chosen.map(|&person| Hash(Person(person))).collect();
            Some(Ask::Erase { people, rows: draw.below(3) > 0 })
        }
        _ => None,
    }
}

pub fn answered(live: &mut Live, ask: Ask, seed: u64, policy: &str) -> RequestOutcome {
    let why = Some("because".to_owned());
    let request = Request::new(ask, "me".to_owned(), time(0), why, live.log().ring(), &mut Seeded::new(seed));
    live.asked(&request.expect("a request"), &|| Ok(feed(policy)), &time(0)).expect("an answer")
}

/// Plays the feed of a seed in one of these chains, and counts what was asked and done.
fn plays(seed: u64, chains: &[&'static str], done: &mut BTreeMap<String, u64>) {
    let policy = chains[seed as usize % chains.len()];
    let (roots, manual, mut draw, mut known) = (Roots::new(policy), seed.is_multiple_of(3), Draw(seed), 0);
    let mut live = roots.open(&key(), seed, manual);
    let mut came = BTreeSet::new();
    for tick in 0..TICKS {
        // Once in a while none comes, and a release is due for what was asked alone.
        let people = if draw.below(5) == 0 { Vec::new() } else { crowd(&mut draw, &mut known) };
        came.extend(people.iter().map(|human| human.0));
        step(&mut live, tick, &people).unwrap_or_else(|error| panic!("seed {seed}, tick {tick}: {error}"));
        for nth in 0..draw.below(3) {
            let Some(ask) = drawn(&live, &mut draw, &came) else { continue };
            let name = ask.name();
            let answer = answered(&mut live, ask, seed * 1000 + tick as u64 * 10 + nth, policy);
            *done.entry(format!("{name} {}", answer.done)).or_default() += 1;
            roots.whole(&live, &key(), &format!("seed {seed}, tick {tick}, {name}: {}", answer.text));
        }
        if draw.below(4) == 0 {
            drop(live);
            live = roots.open(&key(), seed + 500 + tick as u64, manual);
        }
    }
    step(&mut live, TICKS, &[]).unwrap_or_else(|error| panic!("seed {seed}, the last tick: {error}"));
    roots.whole(&live, &key(), &format!("seed {seed}, in the end"));
}

#[test]
fn whatever_is_asked_of_what_is_published_the_feed_goes_on() {
    let seeds = CHAINS.len() as u64 * if long() { 400 } else { 2 };
    let mut done = BTreeMap::new();
    // All who came out with a tick are erased, and the state that was read from the log was not the one in memory.
    (0..seeds).chain([190, 1509]).for_each(|seed| plays(seed, &CHAINS, &mut done));
    (0..seeds / 2).for_each(|seed| plays(seed, &OTHERS, &mut done));
    println!("{done:?}");
    for what in ["erase true", "new-chain true", "approve true", "reject true", "withdraw true"] {
        assert!(done.get(what).is_some_and(|times| *times > seeds / 8), "{what}: {done:?}");
    }
}
