//! One simulated run: a feed over a topic, whose processes, stores, brokers and clocks fail as its
//! seed says, and whose invariants must all hold when faults have ended.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use tidegate::daemon::chance::Chance;
use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::feed_writer::{Hash, Request, RequestKind};
use tidegate::daemon::ingest::PersonHasher;
use tidegate::daemon::journal::{KeyRing, LogHead, read};
use tokio::sync::watch;

use super::books;
use super::commands::Command;
use super::draw::{
    CARVED, CROWDS, GROUPED, HALVED, LEVELS, MEASURED, POLICIES, SUPPRESSED, TWO_TABLES,
};
use super::feed_files::{Feeds, Places, approver, keeps_labels};
use super::mutants::Mutant;
use super::nature::{Harm, Nature, Side};
use super::person;
use super::process_world::lives;
use super::promises::Promises;
use super::turns::End;
use crate::common::random::Draw;

/// The time from one tick to the next.
const TICK: Duration = Duration::from_secs(60);
/// Ticks within which a feed has completed its work once faults have ended.
const QUIET: u32 = 3;

/// A process of a run.
pub struct Process {
    pub ends: watch::Sender<bool>,
    /// It is told to end, or ends by itself.
    pub reported: bool,
}

/// A run.
pub struct Run<'p> {
    pub nature: Arc<Nature>,
    pub places: &'p mut Places,
    pub feeds: Feeds,
    pub feed: FeedConfig,
    draw: Draw,
    pub begun: u32,
    pub processes: BTreeMap<u32, Process>,
    /// When the next process begins.
    next: Option<Duration>,
    requests: Vec<Request>,
    /// Draws events that the first version of these runs did not have: new chains, and rows that
    /// are published again; None in that version.
    more: Option<Draw>,
    /// Draws events that the second version did not have: further policies, and what a person does
    /// between two processes.
    pub wide: Option<Draw>,
    /// Draws events that the fourth version did not have: commands beside a process of the feed.
    beside: Option<Draw>,
    /// A command that has not succeeded yet: no other process begins before it has, except one that
    /// it meets.
    pub command: Option<Command>,
    /// Whether labels are kept: published rows can be erased, and releases withdrawn.
    pub crowds: bool,
    /// People who are erased or are to be erased, and by which request.
    erased: BTreeMap<u64, String>,
    deaths: u64,
    /// No process begins by itself any more.
    pub over: bool,
}

/// The result of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    pub trace: u64,
    pub changes: u64,
    pub releases: u64,
    pub people: u64,
    pub deaths: u64,
    /// Entries of the log, by their kind.
    pub kinds: BTreeMap<&'static str, u64>,
}

impl Outcome {
    /// The sums of two.
    pub fn and(mut self, other: Outcome) -> Outcome {
        other
            .kinds
            .into_iter()
            .for_each(|(kind, many)| *self.kinds.entry(kind).or_default() += many);
        Outcome {
            trace: self.trace ^ other.trace,
            changes: self.changes + other.changes,
            releases: self.releases + other.releases,
            people: self.people + other.people,
            deaths: self.deaths + other.deaths,
            kinds: self.kinds,
        }
    }
}

/// Runs a seed. Panics with the last events if an invariant fails.
pub fn play(seed: u64, places: &mut Places, mutant: Option<&'static Mutant>) -> Outcome {
    plays(5, seed, places, mutant)
}

/// The same as an earlier version of these runs was, so that seeds that were found then lead to the
/// same runs. In the first one a person could not begin chains or have releases published again,
/// and nothing expired; in the second one no feed file changed, and no key; in the third one no
/// person came from a new ward; in the fourth one no command met a process of the feed.
pub fn play_of(version: u32, seed: u64, places: &mut Places) -> Outcome {
    plays(version, seed, places, None)
}

fn plays(version: u32, seed: u64, places: &mut Places, mutant: Option<&'static Mutant>) -> Outcome {
    let mut more = (version >= 2).then(|| Draw::new(seed, 2));
    let mut wide = (version >= 3).then(|| Draw::new(seed, 3));
    let mut draw = Draw::new(seed, 0);
    let mut policies = POLICIES.to_vec();
    policies.extend([TWO_TABLES, CARVED, HALVED, CROWDS, SUPPRESSED]);
    let policy = policies[draw.between(0, policies.len() as u64 - 1) as usize];
    // Crowds permit most requests.
    let crowds = more.as_mut().is_some_and(|more| more.once_in(6));
    let policy = if crowds { CROWDS } else { policy };
    let further = |wide: &mut Draw| {
        wide.once_in(4)
            .then(|| [GROUPED, LEVELS, MEASURED, MEASURED][wide.between(0, 3) as usize])
    };
    let policy = wide.as_mut().and_then(further).unwrap_or(policy);
    let (bucket, manual) = (draw.once_in(2), draw.once_in(6));
    let mut nature = Nature::new(seed, bucket, policy, mutant);
    nature.new_ward = version >= 4;
    let nature = Arc::new(nature);
    // Published files can be removed only if the table grows.
    let stays = more.as_mut().filter(|_| keeps_labels(policy));
    let stays = stays.map_or("", |more| {
        ["", "keep = \"170s\"", "retain = \"170s\""][more.between(0, 2) as usize]
    });
    let approvals = match (manual, &mut wide) {
        (true, Some(wide)) => wide.between(1, 2) as u32,
        _ => u32::from(manual),
    };
    let feeds = Feeds {
        policy,
        bucket,
        approvals,
        stays,
        key: 0,
        grown: false,
    };
    let feed = places.feed(feeds);
    nature.line(&format!("{feeds:?}"));
    nature.goes_by(policy, approvals);
    let mut run = Run {
        nature: Arc::clone(&nature),
        places,
        feeds,
        feed,
        draw,
        begun: 0,
        processes: BTreeMap::new(),
        next: Some(Duration::ZERO),
        requests: Vec::new(),
        more,
        wide,
        beside: (version >= 5).then(|| Draw::new(seed, 5)),
        command: None,
        crowds: keeps_labels(policy),
        erased: BTreeMap::new(),
        deaths: 0,
        over: false,
    };
    let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run.plays()));
    if let Err(fault) = played {
        let text = fault.downcast_ref::<String>().cloned();
        let text = text
            .or_else(|| fault.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_default();
        run.abandon();
        panic!("seed {seed}: {text}\n{}", nature.story());
    }
    if std::env::var_os("TIDEGATE_STORY").is_some() {
        println!("{}", nature.story());
    }
    let (trace, changes) = nature.trace();
    nature.promises(|promises| Outcome {
        trace,
        changes,
        releases: promises.released.len() as u64,
        people: promises.ever().len() as u64,
        deaths: run.deaths,
        kinds: promises.kinds.clone(),
    })
}

impl Run<'_> {
    fn plays(&mut self) {
        let harm = Harm {
            lost: [0, 200, 40][self.draw.between(0, 2) as usize],
            between: [0, 60, 8][self.draw.between(0, 2) as usize],
        };
        self.nature.harm(harm);
        let ticks = if self.draw.once_in(6) {
            self.draw.between(7, 12)
        } else {
            self.draw.between(3, 6)
        };
        let end = TICK * ticks as u32;
        while self.nature.turns.now() < end {
            let pause = Duration::from_millis(self.draw.between(500, 25_000));
            self.passes(self.nature.turns.now() + pause);
            self.something();
        }
        self.settles();
    }

    /// Time goes by until then.
    fn passes(&mut self, time: Duration) {
        loop {
            let begins = self.next.filter(|next| *next <= time);
            let until = begins.unwrap_or(time).max(self.nature.turns.now());
            match self.nature.turns.until(until) {
                Some((process, end)) => self.ended(process, end),
                None if begins.is_some() => self.begins(),
                None => break,
            }
            self.nature.lands();
        }
        self.nature.lands();
    }

    fn begins(&mut self) {
        self.next = None;
        if self.command.is_some() {
            return self.commands();
        }
        self.works();
    }

    /// A process of the feed begins.
    fn works(&mut self) {
        self.begun += 1;
        let (process, clock) = (self.begun, self.draw.between(0, 3) as i64);
        self.nature.begins(process, clock);
        let (ends, reported) = watch::channel(false);
        let (nature, feed) = (Arc::clone(&self.nature), self.feed.clone());
        let observer = self.places.observer.feed(&feed);
        self.processes.insert(
            process,
            Process {
                ends,
                reported: false,
            },
        );
        self.nature.turns.begin(process, move || {
            lives(&nature, process, feed, observer, reported)
        });
    }

    fn ended(&mut self, process: u32, end: End) {
        let known = self.processes.remove(&process);
        match end {
            End::Failed(fault) => resume_unwind(fault),
            End::Died => self.deaths += 1,
            End::Done => {
                assert!(
                    known.is_some_and(|known| known.reported),
                    "process {process} has ended and was not told to"
                );
                self.nature.ended(process, "ends");
            }
        }
        if self.processes.is_empty() {
            if self.draw.once_in(8) {
                books::balance(&self.nature, &self.erased, false);
            }
            let pause = Duration::from_millis(self.draw.between(0, 30_000));
            self.between_processes();
            if !self.over {
                self.next.get_or_insert(self.nature.turns.now() + pause);
            }
        }
    }

    /// A process, any of them.
    fn any(&mut self) -> Option<u32> {
        let many = (self.processes.len() as u64).checked_sub(1)?;
        self.processes
            .keys()
            .nth(self.draw.between(0, many) as usize)
            .copied()
    }

    /// A command and a process of the feed meet, whichever begins first: one of them takes over, or
    /// finds the folder locked.
    fn meets(&mut self) {
        if self.processes.len() != 1
            || !self
                .beside
                .as_mut()
                .is_some_and(|beside| beside.once_in(24))
        {
            return;
        }
        if self.command.is_some() {
            self.works();
        } else if self.chooses_beside() {
            self.commands();
        } else {
            return;
        }
        self.nature.meets();
    }

    /// An event happens.
    fn something(&mut self) {
        self.meets();
        let nature = Arc::clone(&self.nature);
        let side = if self.draw.once_in(2) {
            Side::Private
        } else {
            Side::Public
        };
        let time = Duration::from_millis(self.draw.between(1_000, 100_000));
        match self.draw.between(0, 19) {
            0..=8 => self.produces(),
            9..=11 => {
                let changes = self.draw.between(0, 40) as usize;
                self.any()
                    .into_iter()
                    .for_each(|process| nature.kills(process, changes));
            }
            12 => self
                .any()
                .into_iter()
                .for_each(|process| self.stops(process)),
            13 if self.processes.len() < 2 && self.command.is_none() => {
                _ = self.next.get_or_insert(nature.turns.now())
            }
            14 if nature.bucket => nature.silence(side, time),
            14 => nature.fills(side, time),
            15 => nature.topic(|topic, _| topic.goes_away(nature.turns.now() + time)),
            16 => nature.topic(|topic, _| topic.fails()),
            17 => {
                let step = [-200, -7, 30, 250, 5_000][self.draw.between(0, 4) as usize];
                self.any()
                    .into_iter()
                    .for_each(|process| nature.steps(process, step));
            }
            _ => self.asks(),
        }
    }

    fn produces(&mut self) {
        let many = self.draw.between(1, 14);
        self.nature.topic(|topic, draw| topic.produces(many, draw));
        self.processes
            .keys()
            .for_each(|process| self.nature.turns.wake(*process));
    }

    fn stops(&mut self, process: u32) {
        if let Some(known) = self.processes.get_mut(&process) {
            known.reported = true;
            known.ends.send_replace(true);
            self.nature.turns.wake(process);
        }
    }

    /// A person makes a request.
    fn asks(&mut self) {
        let Some(ring) = books::ring(&self.nature) else {
            return;
        };
        if let Some(ask) = self.asks_for_more() {
            return self.asked(ask, &ring);
        }
        // People of the new ward wait for this, and set-aside messages are not kept for long.
        let grown = self.nature.new_ward && self.feeds.grown;
        if grown && self.wide.as_mut().is_some_and(|wide| wide.once_in(2)) {
            return self.asked(RequestKind::Retry, &ring);
        }
        let held = self.nature.promises(Promises::held);
        let mut erased = None;
        let ask = match (held, self.draw.between(0, 3)) {
            (Some((release, decision)), 0..=2) => match self.draw.between(0, 3) {
                0 => RequestKind::Reject { release, decision },
                _ => RequestKind::Approve { release, decision },
            },
            (_, 3) if self.draw.once_in(2) => RequestKind::Retry,
            (_, 3) => {
                let Some(release) = self.nature.promises(|promises| promises.newest()) else {
                    return;
                };
                RequestKind::Withdraw {
                    release,
                    republish: false,
                }
            }
            _ => {
                let next = self.nature.promises(|promises| promises.next.clone());
                let Some(person) = self.nature.topic(|topic, draw| topic.settles(&next, draw))
                else {
                    return;
                };
                erased = Some(person);
                let hash = PersonHasher::new(&ring.people()).person(&[&person::id(person)]);
                RequestKind::Erase {
                    people: vec![Hash(hash)],
                    rows: self.crowds && self.draw.once_in(2),
                }
            }
        };
        self.asked(ask, &ring);
        let request = self
            .requests
            .last()
            .map(|request| request.wanted.request.clone());
        self.erased.extend(erased.zip(request));
    }

    /// A new chain, or a removal of releases, which may be published again.
    fn asks_for_more(&mut self) -> Option<RequestKind> {
        let more = self.more.as_mut()?;
        if !more.once_in(4) {
            return None;
        }
        if more.once_in(3) {
            return Some(RequestKind::NewChain);
        }
        let visible = self.nature.promises(Promises::visible);
        let release = visible.get(more.between(0, visible.len().max(1) as u64 - 1) as usize)?;
        Some(RequestKind::Withdraw {
            release: *release,
            republish: more.once_in(2),
        })
    }

    /// Writes the request into the inbox.
    fn asked(&mut self, ask: RequestKind, ring: &KeyRing) {
        let when = "2026-01-01T00:00:00Z".to_owned();
        let chance: &mut dyn Chance = &mut *self.nature.chance();
        let last = read(&self.nature.private(), ring, 0, None)
            .expect("a log")
            .pop()
            .expect("a feed has begun");
        let after = LogHead {
            seq: last.entry.seq,
            sha256: last.sha256,
        };
        let place = (ring.feed(), after);
        let mut request =
            Request::new(ask, "a test".to_owned(), when, None, place, chance).expect("a request");
        if let Some(wide) = self.wide.as_mut().filter(|_| self.feeds.approvals > 1) {
            // Now and then it is not signed.
            let (name, key) = approver(wide.between(0, 3));
            request = if name == "p3" {
                request
            } else {
                request.signed_by(&name, &key)
            };
        }
        self.nature
            .line(&format!("a person asks: {}", request.ask.name()));
        request
            .put(
                self.nature.root(Side::Private),
                ring,
                &mut *self.nature.chance(),
            )
            .expect("memory");
        self.requests.push(request);
    }

    /// Faults end: the feed reads everything, closes its ticks, and ends.
    fn settles(&mut self) {
        self.nature.settles();
        self.nature.line("nothing goes wrong any more");
        let nature = Arc::clone(&self.nature);
        nature.topic(|topic, _| topic.goes_away(Duration::ZERO));
        // Of several processes some wait for ever, since another one has taken over.
        let all: Vec<u32> = self.processes.keys().copied().collect();
        all.iter().for_each(|process| self.stops(*process));
        self.all_end();
        if self.command.is_some() {
            self.commands();
            self.all_end();
            assert!(
                self.command.is_none(),
                "a command is not done though nothing goes wrong"
            );
        }
        // A clock that was set back is before the last tick, and no tick closes until it is past
        // it.
        nature.turns.passes(Duration::from_secs(6_000));
        self.next = Some(nature.turns.now());
        self.passes(nature.turns.now() + TICK * QUIET);
        self.quiet();
        let all: Vec<u32> = self.processes.keys().copied().collect();
        all.iter().for_each(|process| self.stops(*process));
        self.all_end();
        books::balance(&nature, &self.erased, true);
        if self.draw.once_in(3) {
            books::damage(&nature);
        }
    }

    /// All processes end that were told to.
    fn all_end(&mut self) {
        self.over = true;
        for _ in 0..100 {
            self.next = None;
            if self.processes.is_empty() {
                return;
            }
            self.passes(self.nature.turns.now() + TICK);
        }
        panic!(
            "processes do not end that were told to: {:?}",
            self.processes.keys()
        );
    }

    /// The feed has no work left.
    fn quiet(&mut self) {
        let process = *self.processes.keys().next().expect("a process works");
        assert_eq!(self.nature.halted(process), None, "the feed is halted");
        let state = books::state(&self.nature).expect("a feed has begun");
        let next = self.nature.promises(|promises| promises.next.clone());
        let rest = self
            .nature
            .topic(|topic, _| topic.people(&topic.ends()))
            .len()
            - self.nature.topic(|topic, _| topic.people(&next)).len();
        assert_eq!(rest, 0, "people of the topic were not taken in");
        assert!(
            state.due.is_none() && state.publishing.is_none() && state.closing.is_none(),
            "a release is stuck"
        );
        let private = self.nature.private();
        let ring = books::ring(&self.nature).expect("a feed has begun");
        // Requests that were made under an earlier key of the operator are void.
        let proved = ring.proved();
        let valid = self
            .requests
            .iter()
            .filter(|request| proved.is_none_or(|proved| request.after.seq > proved.seq));
        for request in valid {
            assert!(
                request.answer(&private, &ring).expect("memory").is_some(),
                "a request has no answer: {}",
                request.ask.name()
            );
        }
    }

    /// An invariant failed: the remaining processes die.
    fn abandon(&mut self) {
        let left: Vec<u32> = self.processes.keys().copied().collect();
        for process in left {
            self.nature.kills(process, 0);
            self.stops(process);
        }
        for _ in 0..100 {
            let ends = self.nature.turns.until(self.nature.turns.now() + TICK * 10);
            let Some((process, _)) = ends else { break };
            self.nature.ended(process, "ends");
        }
    }
}
