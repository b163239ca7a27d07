//! Requests about published releases, on random feeds: rows that are erased with their atoms,
//! releases that are withdrawn and published again, between erasures, new chains and approvals.
//! After each of them the log gives the state of the writer, `verify` finds nothing, and the feed
//! continues, also if its writer dies and another one gets the same request, and if each new chain
//! is of another kind.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::feed_writer::{FeedWriter, Hash, Request, RequestKind, RequestOutcome};
use tidegate::daemon::journal::RequestOrigin;
use tidegate::daemon::seal::OperatorKey;
use tidegate::engine::histogram::Person;

use super::draw::{
    CARVED, CROWDS, Draw, GROUPED, HALVED, LEVELS, MEASURED, POLICIES, SUPPRESSED, TWO_TABLES,
};
use super::feed::{crowd, feed, key, settings, step, time};
use super::rows::{Roots, feed_file, files_are_needed, table_is_whole};
use crate::common::is_long as long;

/// Chains whose labels are kept occur more often, since most requests apply to them.
const CHAINS: [&str; 8] = [
    CROWDS,
    MEASURED,
    CROWDS,
    MEASURED,
    HALVED,
    SUPPRESSED,
    CARVED,
    POLICIES[0],
];

/// The other kinds of chain, each of which occurs once in an everyday run.
const OTHERS: [&str; 6] = [
    POLICIES[1],
    POLICIES[2],
    POLICIES[3],
    TWO_TABLES,
    GROUPED,
    LEVELS,
];

/// Ticks of a feed.
const TICKS: usize = 14;

/// The next request of a person, if any.
pub fn drawn(writer: &FeedWriter, draw: &mut Draw, came: &BTreeSet<u128>) -> Option<RequestKind> {
    let state = writer.state();
    if let Some(held) = state.held.as_ref().filter(|_| draw.below(2) == 0) {
        let (release, decision) = (held.approved.release(), held.decision);
        let approves = draw.below(3) > 0;
        return Some(if approves {
            RequestKind::Approve { release, decision }
        } else {
            RequestKind::Reject { release, decision }
        });
    }
    match draw.below(8) {
        0 => Some(RequestKind::NewChain),
        1 | 2 => {
            let many = state.releases.len() as u64;
            let release = state
                .releases
                .get(draw.below(many.max(1)) as usize)?
                .release;
            Some(RequestKind::Withdraw {
                release,
                republish: draw.below(2) == 0,
            })
        }
        3..=5 => {
            let share = [40, 12, 3, 1][draw.below(4) as usize];
            let chosen = came.iter().filter(|_| draw.below(share) == 0);
            let people = chosen.map(|&person| Hash(Person(person))).collect();
            Some(RequestKind::Erase {
                people,
                rows: draw.below(3) > 0,
            })
        }
        _ => None,
    }
}

/// A request that can be made twice.
fn request(writer: &FeedWriter, ask: RequestKind, seed: u64) -> Request {
    let why = Some("because".to_owned());
    let request = Request::new(
        ask,
        "me".to_owned(),
        time(0),
        why,
        writer.log().place(),
        &mut Seeded::new(seed),
    );
    request.expect("a request")
}

pub fn answered(
    writer: &mut FeedWriter,
    ask: RequestKind,
    seed: u64,
    policy: &str,
) -> RequestOutcome {
    answered_under(writer, ask, seed, &feed(policy))
}

/// The same, under this feed file.
fn answered_under(
    writer: &mut FeedWriter,
    ask: RequestKind,
    seed: u64,
    file: &FeedConfig,
) -> RequestOutcome {
    let request = request(writer, ask, seed);
    writer
        .carry_out(&request, &|| Ok(file.clone()), &time(0))
        .expect("an answer")
}

/// A running feed, whose writer may die.
struct Writer {
    roots: Roots,
    holder: OperatorKey,
    writer: FeedWriter,
    manual: bool,
}

impl Writer {
    fn restart(&mut self, seed: u64) {
        self.writer = self.roots.open(&self.holder, seed, self.manual);
    }

    /// The writer dies at its `at`-th write for the request, and another one gets the same request.
    fn dies(&mut self, ask: RequestKind, (seed, at): (u64, u64), why: &str) -> RequestOutcome {
        let after = seed.is_multiple_of(2);
        let (mut dying, left) =
            self.roots
                .open_dying(&self.holder, seed, settings(self.manual), after);
        let now = self.roots.file();
        let file = || Ok(now.clone());
        let request = request(&dying, ask, seed);
        left.store(at, Ordering::SeqCst);
        let answer = dying.carry_out(&request, &file, &time(0));
        assert!(
            answer.is_ok() == (left.load(Ordering::SeqCst) > 0),
            "{why}, write {at}: {answer:?}"
        );
        self.restart(seed + 1);
        files_are_needed(self.writer.state(), why);
        self.writer
            .roll_forward(&time(0))
            .expect("what was begun is done");
        self.roots.whole(
            &self.writer,
            &self.holder,
            &format!("{why}, behind write {at}"),
        );
        self.writer
            .carry_out(&request, &file, &time(0))
            .expect("an answer")
    }

    fn rekey(self, tick: usize, seed: u64) -> Writer {
        let new = || OperatorKey::parse(&format!("{:02x}", tick + 1).repeat(32)).expect("a key");
        let (request, who) = (format!("{tick:032}"), "me".to_owned());
        let wanted = RequestOrigin {
            request,
            who,
            when: time(0),
            why: None,
            signed: None,
        };
        self.writer.rekey(&new(), wanted).expect("another key");
        Writer {
            writer: self.roots.open(&new(), seed, self.manual),
            holder: new(),
            ..self
        }
    }
}

/// Other events in a feed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Besides {
    Nothing,
    /// Its writers die while they handle a request, and keys of the operator change.
    Deaths,
    /// The feed file has another policy before each new chain, and a taxonomy grows.
    Policies,
}

/// Another policy, for any kind of chain, under which waiting people stay in the feed.
fn another(policy: &'static str, chance: u64) -> &'static str {
    let all: Vec<&str> = CHAINS
        .into_iter()
        .chain(OTHERS)
        .filter(|policy| *policy != MEASURED)
        .collect();
    if policy == MEASURED {
        MEASURED
    } else {
        all[chance as usize % all.len()]
    }
}

/// Runs the feed of a seed in one of these chains, and counts the requests and their results.
fn plays(seed: u64, chains: &[&'static str], besides: Besides, done: &mut BTreeMap<String, u64>) {
    let dies = besides == Besides::Deaths;
    let policy = chains[seed as usize % chains.len()];
    let (roots, manual, mut draw, mut known) =
        (Roots::new(policy), seed.is_multiple_of(3), Draw(seed), 0);
    let writer = roots.open(&key(), seed, manual);
    let (mut writer, mut came) = (
        Writer {
            roots,
            holder: key(),
            writer,
            manual,
        },
        BTreeSet::new(),
    );
    for tick in 0..TICKS {
        // Sometimes there are no new people, and a release is due for the requests alone.
        let people = if draw.below(5) == 0 {
            Vec::new()
        } else {
            crowd(&mut draw, &mut known)
        };
        came.extend(people.iter().map(|human| human.0));
        step(&mut writer.writer, tick, &people)
            .unwrap_or_else(|error| panic!("seed {seed}, tick {tick}: {error}"));
        table_is_whole(&writer.writer, &format!("seed {seed}, tick {tick}"));
        for nth in 0..draw.below(3) {
            let Some(ask) = drawn(&writer.writer, &mut draw, &came) else {
                continue;
            };
            let (name, chance) = (ask.name(), seed * 1000 + tick as u64 * 10 + nth);
            let why = format!("seed {seed}, tick {tick}, {name}");
            let (mut policy, mut is_grown) = (writer.roots.policy, writer.roots.grown);
            if ask == RequestKind::NewChain && besides == Besides::Policies {
                (policy, is_grown) = (another(policy, chance), is_grown || tick > TICKS / 2);
            }
            let answer = match dies {
                true => writer.dies(ask, (chance, 1 + draw.below(30)), &why),
                false => answered_under(
                    &mut writer.writer,
                    ask,
                    chance,
                    &feed_file(policy, is_grown),
                ),
            };
            if answer.done {
                (writer.roots.policy, writer.roots.grown) = (policy, is_grown);
            }
            *done.entry(format!("{name} {}", answer.done)).or_default() += 1;
            writer.roots.whole(
                &writer.writer,
                &writer.holder,
                &format!("{why}: {}", answer.text),
            );
        }
        if draw.below(4) == 0 {
            // If neighbours are joined a taxonomy grows with a new chain only.
            let grows = besides == Besides::Policies
                && tick > TICKS / 2
                && !writer.roots.policy.contains("halves");
            writer.roots.grown |= grows;
            writer.restart(seed + 500 + tick as u64);
        }
        if dies && draw.below(8) == 0 {
            writer = writer.rekey(tick, seed + 600 + tick as u64);
        }
    }
    step(&mut writer.writer, TICKS, &[])
        .unwrap_or_else(|error| panic!("seed {seed}, the last tick: {error}"));
    writer.roots.whole(
        &writer.writer,
        &writer.holder,
        &format!("seed {seed}, in the end"),
    );
}

#[test]
fn the_feed_continues_after_any_requests_on_what_is_published() {
    let seeds = CHAINS.len() as u64 * if long() { 400 } else { 2 };
    let mut done = BTreeMap::new();
    // All people of a tick were erased, or people who are new or were withdrawn, and the state read
    // from the log differed from the one in memory.
    (0..seeds)
        .chain([190, 1509, 1841, 2787])
        .for_each(|seed| plays(seed, &CHAINS, Besides::Nothing, &mut done));
    (0..seeds / 2).for_each(|seed| plays(seed, &OTHERS, Besides::Nothing, &mut done));
    println!("{done:?}");
    for what in [
        "erase true",
        "new-chain true",
        "approve true",
        "reject true",
        "withdraw true",
    ] {
        assert!(
            done.get(what).is_some_and(|times| *times > seeds / 8),
            "{what}: {done:?}"
        );
    }
}

#[test]
fn a_writer_that_dies_while_it_does_what_is_asked_is_followed_by_another() {
    let seeds = CHAINS.len() as u64 * if long() { 200 } else { 1 };
    let mut done = BTreeMap::new();
    (0..seeds).for_each(|seed| plays(seed + 10_000, &CHAINS, Besides::Deaths, &mut done));
    (0..seeds / 2).for_each(|seed| plays(seed + 10_000, &OTHERS, Besides::Deaths, &mut done));
    println!("{done:?}");
    for what in ["erase true", "new-chain true", "withdraw true"] {
        assert!(done.contains_key(what), "{what}: {done:?}");
    }
}

#[test]
fn people_are_kept_in_chains_of_any_kind() {
    let seeds = CHAINS.len() as u64 * if long() { 400 } else { 2 };
    let mut done = BTreeMap::new();
    (0..seeds).for_each(|seed| plays(seed + 20_000, &CHAINS, Besides::Policies, &mut done));
    (0..seeds).for_each(|seed| plays(seed + 20_000, &OTHERS, Besides::Policies, &mut done));
    println!("{done:?}");
    for what in ["erase true", "new-chain true", "withdraw true"] {
        assert!(
            done.get(what).is_some_and(|times| *times > seeds / 4),
            "{what}: {done:?}"
        );
    }
}
