//! The state that processes of a simulated run share: random draws that follow from a seed, both
//! roots, the topic, the clock, and faults. Every change of a root passes through here, and every
//! invariant is checked with it.

use std::collections::{BTreeMap, VecDeque};
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tidegate::daemon::chance::{Chance, Seeded};
use tidegate::daemon::journal::Entry;
use tidegate::daemon::journal::store::{CreateOutcome, Memory, Packs, Store, log};

use super::draw::{MEASURED, disjoint};
use super::mutants::Mutant;
use super::promises::Promises;
use super::stores::Change;
use super::topic::Topic;
use super::turns::{Death, Turns};
use crate::common::random::Draw;

/// The time at which every run begins.
const BEGINS: &str = "2026-01-01T00:00:00Z";
/// The number of event lines that are kept for a run that fails.
const KEPT: usize = 4_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Private,
    Public,
}

/// The outcome of a change.
pub enum Fate {
    Happens,
    /// Its process dies, before it or after it.
    Dies {
        after: bool,
    },
    /// The store refuses it.
    Refused,
    /// The store does not say whether it happened.
    Unsaid {
        happens: bool,
    },
    /// The store does not say so, and it happens later.
    Late,
    /// A mutant leaves it out.
    Skipped,
}

/// The faults, and how often they occur.
#[derive(Debug, Clone, Copy, Default)]
pub struct Harm {
    /// One answer of a bucket in this many is lost; 0 for none.
    pub lost: u64,
    /// One change in this many lets another process continue in between.
    pub between: u64,
}

/// A process.
#[derive(Debug, Default)]
struct Process {
    /// It dies with this change from now on.
    dies_in: Option<usize>,
    dead: bool,
    /// The difference of its clock to the true time, in seconds.
    clock: i64,
    begun: Duration,
    /// Why its feed is halted.
    pub halted: Option<String>,
    /// A command runs on the same feed at the same time, with another feed file.
    meets: bool,
}

pub struct Nature {
    pub turns: Arc<Turns>,
    /// Objects are in a bucket, which has no lock; otherwise in a folder.
    pub bucket: bool,
    /// The feed has a measure.
    pub measured: bool,
    /// Some people come from a ward that the taxonomy of wards contains only once it has grown.
    pub new_ward: bool,
    roots: [Memory; 2],
    known: Mutex<Known>,
}

struct Known {
    draw: Draw,
    seed: u64,
    drawn: u64,
    harm: Harm,
    /// The times until which each root is silent, and full.
    silent: [Duration; 2],
    full: [Duration; 2],
    late: Vec<(Duration, Side, Change)>,
    processes: BTreeMap<u32, Process>,
    lock: Option<u32>,
    mutant: Option<&'static Mutant>,
    promises: Promises,
    topic: Topic,
    lines: VecDeque<String>,
    /// A hash of all events.
    trace: u64,
    changes: u64,
}

impl Nature {
    pub fn new(seed: u64, bucket: bool, policy: &str, mutant: Option<&'static Mutant>) -> Nature {
        let known = Known {
            draw: Draw::new(seed, 1),
            seed,
            drawn: 0,
            harm: Harm::default(),
            silent: Default::default(),
            full: Default::default(),
            late: Vec::new(),
            processes: BTreeMap::new(),
            lock: None,
            mutant,
            promises: Promises::default(),
            topic: Topic::default(),
            lines: VecDeque::new(),
            trace: seed,
            changes: 0,
        };
        let (turns, measured, new_ward) = (Arc::default(), policy == MEASURED, false);
        Nature {
            turns,
            bucket,
            measured,
            new_ward,
            roots: Default::default(),
            known: Mutex::new(known),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A root as it is.
    pub fn root(&self, side: Side) -> &Memory {
        &self.roots[side as usize]
    }

    /// The private root with its packs open.
    pub fn private(&self) -> Packs {
        Packs::over(Arc::new(self.root(Side::Private).clone()))
    }

    pub fn draw<T>(&self, draw: impl FnOnce(&mut Draw) -> T) -> T {
        draw(&mut self.known().draw)
    }

    pub fn topic<T>(&self, look: impl FnOnce(&mut Topic, &mut Draw) -> T) -> T {
        let known = &mut *self.known();
        look(&mut known.topic, &mut known.draw)
    }

    pub fn promises<T>(&self, look: impl FnOnce(&Promises) -> T) -> T {
        look(&self.known().promises)
    }

    /// New chains begin under this policy from now on, and this many people approve each release.
    pub fn goes_by(&self, policy: &str, approvals: u32) {
        self.known().promises.goes_by(disjoint(policy), approvals);
    }

    /// Random bytes of one process.
    pub fn chance(&self) -> Box<dyn Chance> {
        let known = &mut *self.known();
        known.drawn += 1;
        Box::new(Seeded::new(
            known.seed.wrapping_mul(1_000_003).wrapping_add(known.drawn),
        ))
    }

    /// The time according to the clock of this process.
    pub fn clock(&self, process: u32) -> Timestamp {
        let clock = self
            .known()
            .processes
            .get(&process)
            .map_or(0, |process| process.clock);
        let begins: Timestamp = BEGINS.parse().expect("a time");
        let now = SignedDuration::try_from(self.turns.now()).expect("a short time");
        begins + now + SignedDuration::from_secs(clock)
    }

    /// How long this process has been running.
    pub fn age(&self, process: u32) -> Duration {
        let begun = self
            .known()
            .processes
            .get(&process)
            .map_or(Duration::ZERO, |process| process.begun);
        self.turns.now().saturating_sub(begun)
    }

    pub fn harm(&self, harm: Harm) {
        self.known().harm = harm;
    }

    /// A root does not answer for this long.
    pub fn silence(&self, side: Side, time: Duration) {
        let until = self.turns.now() + time;
        self.known().silent[side as usize] = until;
        self.line(&format!("{side:?} is silent until {until:?}"));
    }

    /// A root is full for this long.
    pub fn fills(&self, side: Side, time: Duration) {
        let until = self.turns.now() + time;
        self.known().full[side as usize] = until;
        self.line(&format!("{side:?} is full until {until:?}"));
    }

    /// How much longer a root is silent.
    pub fn silent(&self, side: Side) -> Duration {
        self.known().silent[side as usize].saturating_sub(self.turns.now())
    }

    /// A process begins.
    pub fn begins(&self, process: u32, clock: i64) {
        let begun = self.turns.now();
        self.known().processes.insert(
            process,
            Process {
                clock,
                begun,
                ..Process::default()
            },
        );
        self.line(&format!(
            "process {process} begins, its clock {clock} s ahead"
        ));
    }

    /// All running processes meet a command, or are met by one.
    pub fn meets(&self) {
        self.known()
            .processes
            .values_mut()
            .for_each(|process| process.meets = true);
    }

    /// A process will die with one of its next changes.
    pub fn kills(&self, process: u32, changes: usize) {
        if let Some(process) = self.known().processes.get_mut(&process) {
            process.dies_in = Some(changes);
        }
    }

    /// The clock of a process is set.
    pub fn steps(&self, process: u32, seconds: i64) {
        if let Some(process) = self.known().processes.get_mut(&process) {
            process.clock += seconds;
        }
        self.line(&format!(
            "the clock of process {process} is set by {seconds} s"
        ));
    }

    /// A process has ended.
    pub fn ended(&self, process: u32, how: &str) {
        let known = &mut *self.known();
        if let Some(process) = known.processes.get_mut(&process) {
            process.dead = true;
        }
        if known.lock == Some(process) {
            known.lock = None;
        }
        known.line(self.turns.now(), &format!("process {process} {how}"));
    }

    /// Takes the lock of a folder; returns whether no other process has it.
    pub fn locks(&self, process: u32) -> bool {
        let known = &mut *self.known();
        let free = known.lock.is_none_or(|by| by == process);
        if free {
            known.lock = Some(process);
        }
        free
    }

    /// Releases the lock, if this process has it.
    pub fn unlocks(&self, process: u32) {
        let known = &mut *self.known();
        if known.lock == Some(process) {
            known.lock = None;
        }
    }

    /// Why the feed of a process is halted, or that it is not.
    pub fn halts(&self, process: u32, reason: Option<String>) {
        let known = &mut *self.known();
        known.line(
            self.turns.now(),
            &format!("process {process} is halted: {reason:?}"),
        );
        // Nothing is damaged here: a feed halts because of a fault that ends, or since another
        // process has taken over.
        let goes_by = |reason: &str| {
            reason.starts_with("the simulated ") || reason.contains("has taken over")
        };
        let meets = known
            .processes
            .get(&process)
            .is_some_and(|process| process.meets);
        let other = |reason: &str| {
            reason.contains("tidegate rekey") || reason.contains("tidegate new-chain")
        };
        let passes = |reason: &str| goes_by(reason) || meets && other(reason);
        let fault = reason
            .as_deref()
            .filter(|reason| !passes(reason) && known.mutant.is_none());
        assert!(fault.is_none(), "process {process} is halted: {fault:?}");
        if let Some(process) = known.processes.get_mut(&process) {
            process.halted = reason;
        }
    }

    pub fn halted(&self, process: u32) -> Option<String> {
        self.known()
            .processes
            .get(&process)
            .and_then(|process| process.halted.clone())
    }

    /// Whether a process is dead or dying, so that it changes nothing any more.
    pub fn is_dead(&self, process: u32) -> bool {
        std::thread::panicking()
            || self
                .known()
                .processes
                .get(&process)
                .is_none_or(|process| process.dead)
    }

    /// Before a store is used: time passes, and perhaps another process continues.
    pub fn passes(&self, process: u32) {
        self.lands();
        let (pause, between) = {
            let known = &mut *self.known();
            let between = known.harm.between;
            (
                known.draw.between(0, 3),
                between > 0 && known.draw.once_in(between),
            )
        };
        self.turns.passes(Duration::from_millis(pause));
        if between && self.turns.others() && !std::thread::panicking() {
            let pause = self.draw(|draw| match draw.between(0, 9) {
                0 => draw.between(0, 90_000),
                _ => draw.between(0, 2_000),
            });
            self.turns.rest(process, Duration::from_millis(pause));
        }
    }

    /// Performs late changes whose time has come.
    pub fn lands(&self) {
        let now = self.turns.now();
        let due: Vec<(Duration, Side, Change)> = {
            let known = &mut *self.known();
            let (due, rest) = std::mem::take(&mut known.late)
                .into_iter()
                .partition(|(at, ..)| *at <= now);
            known.late = rest;
            due
        };
        for (_, side, change) in due {
            self.line("what comes now is late");
            self.known().promises.late = true;
            self.happens(side, change);
            self.known().promises.late = false;
        }
    }

    /// No change is late any more.
    pub fn settles(&self) {
        let known = &mut *self.known();
        known.harm = Harm::default();
        (known.silent, known.full) = (Default::default(), Default::default());
        known
            .late
            .iter_mut()
            .for_each(|(at, ..)| *at = Duration::ZERO);
    }

    pub fn comes_late(&self, side: Side, change: Change) {
        let known = &mut *self.known();
        let at = self.turns.now() + Duration::from_millis(known.draw.between(1, 40_000));
        known.late.push((at, side, change));
    }

    pub fn fate(&self, process: u32, side: Side, change: &Change) -> Fate {
        if self.is_dead(process) {
            return Fate::Refused;
        }
        let now = self.turns.now();
        let known = &mut *self.known();
        let running = known.processes.get_mut(&process).expect("a process");
        if let Some(left) = running.dies_in.as_mut() {
            match left.checked_sub(1) {
                None => {
                    return Fate::Dies {
                        after: known.draw.once_in(2),
                    };
                }
                Some(less) => *left = less,
            }
        }
        if let Some(mutant) = known
            .mutant
            .filter(|mutant| (mutant.leaves_out)(side, change))
        {
            known.line(
                now,
                &format!("{} leaves out {side:?} {}", mutant.name, change.path()),
            );
            return Fate::Skipped;
        }
        if !self.bucket {
            let writes = !matches!(change, Change::Delete(_));
            return if writes && known.full[side as usize] > now {
                Fate::Refused
            } else {
                Fate::Happens
            };
        }
        let lost = known.harm.lost;
        match lost > 0 && known.draw.once_in(lost) {
            true if known.draw.once_in(3) => Fate::Late,
            true => Fate::Unsaid {
                happens: known.draw.once_in(2),
            },
            false => Fate::Happens,
        }
    }

    /// Whether a process dies within this many changes that are made together.
    pub fn dies_within(&self, process: u32, changes: usize) -> bool {
        let known = &mut *self.known();
        let dies_in = known
            .processes
            .get(&process)
            .and_then(|process| process.dies_in);
        dies_in.is_some_and(|left| left < changes) && !std::thread::panicking()
    }

    /// Some of these changes, in any order.
    pub fn some(&self, mut changes: Vec<Change>) -> Vec<Change> {
        self.draw(|draw| {
            let many = draw.between(0, changes.len() as u64) as usize;
            for at in 0..changes.len() {
                let other = draw.between(at as u64, changes.len() as u64 - 1) as usize;
                changes.swap(at, other);
            }
            changes.truncate(many);
        });
        changes
    }

    /// A process dies here.
    pub fn dies(&self, process: u32) {
        self.ended(process, "dies");
        resume_unwind(Box::new(Death));
    }

    /// Performs a change, and checks it.
    pub fn happens(&self, side: Side, change: Change) -> CreateOutcome {
        let root = self.root(side);
        let known = &mut *self.known();
        known.changes += 1;
        let word = match &change {
            Change::Create(..) => "create",
            Change::Replace(..) => "replace",
            Change::Delete(_) => "delete",
        };
        let entry = |bytes: &[u8]| {
            Entry::unproven(bytes)
                .map_or_else(|_| String::new(), |entry| entry.body.kind().to_owned())
        };
        let kind = match &change {
            Change::Create(path, bytes) if log::place(path).is_some() => entry(bytes),
            _ => String::new(),
        };
        known.line(
            self.turns.now(),
            &format!("{side:?} {word} {} {kind}", change.path()),
        );
        let made = match &change {
            Change::Create(path, bytes) => root.create(path, bytes).expect("memory"),
            Change::Replace(path, bytes) => root
                .replace(path, bytes)
                .map(|()| CreateOutcome::Made)
                .expect("memory"),
            Change::Delete(path) => root
                .delete(path)
                .map(|()| CreateOutcome::Made)
                .expect("memory"),
        };
        if made == CreateOutcome::Exists && known.mutant.is_some_and(|mutant| mutant.takes_names) {
            return CreateOutcome::Made;
        }
        if made == CreateOutcome::Made {
            known.promises.look(&self.roots, side, &change);
        }
        made
    }

    /// Whether the program skips the first message that it reads.
    pub fn passes_over(&self) -> bool {
        self.known().mutant.is_some_and(|mutant| mutant.passes_over)
    }

    pub fn line(&self, text: &str) {
        self.known().line(self.turns.now(), text);
    }

    /// The last events.
    pub fn story(&self) -> String {
        let known = self.known();
        known
            .lines
            .iter()
            .fold(String::new(), |story, line| story + line + "\n")
    }

    /// The hash that distinguishes runs, and the number of changes.
    pub fn trace(&self) -> (u64, u64) {
        let known = self.known();
        (known.trace, known.changes)
    }
}

impl Known {
    fn line(&mut self, now: Duration, text: &str) {
        for byte in text.bytes().chain(now.as_millis().to_le_bytes()) {
            self.trace = (self.trace ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        if self.lines.len() == KEPT {
            self.lines.pop_front();
        }
        self.lines
            .push_back(format!("{:9.3} {text}", now.as_secs_f64()));
    }
}
