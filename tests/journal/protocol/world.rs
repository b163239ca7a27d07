//! The state at one moment: the two roots and the inbox, writes in progress, and the writers with
//! what they know.

use std::hash::{Hash, Hasher};

use super::entry::{Entry, Log, digest};
use super::faults::Fault;
use super::fold::{Fold, MANY, Name};

/// A request of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    Nothing,
    /// Publish the release that is held when the request is made.
    Approve,
    /// Erase a person who is in the first file.
    Erase,
}

/// The bounds of a run, and its deliberate fault.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub asks: [Ask; MANY],
    /// How often a writer is started; each end except the last is a crash or a takeover.
    pub starts: u8,
    /// How often the store does not say what it did.
    pub doubts: u8,
    /// Whether the draws of a tick are made before it is closed, as in a chain of crowds.
    pub coins: bool,
    /// Whether entries are packed.
    pub packs: bool,
    pub fault: Fault,
}

/// The state of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Note {
    #[default]
    Unasked,
    Lies,
    Gone,
}

/// The answer to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Answer {
    #[default]
    None,
    Done,
    Refused,
}

/// A request in the inbox; `about`: the number of the decision to be approved, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Request {
    pub note: Note,
    pub about: u8,
    pub answer: Answer,
}

/// A create that the store may still perform, or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Flight {
    #[default]
    None,
    Entry(u8, Entry),
    Object(Name),
}

/// The next step of a writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Phase {
    /// It does not run.
    #[default]
    Off,
    /// It has read the log and checks whether everything exists.
    Look,
    /// It sends its entry.
    Append,
    /// It reads the slot back.
    Back,
    /// Its fence is durable.
    Sweep,
    /// It does the work that there is.
    Ready,
    /// The first half of a release is public.
    Copied,
    /// The manifest of a release is public, and the commit of its Delta log may not be.
    Shown,
    /// The staged files of a visible release are no longer needed.
    Unstage,
    /// An erasure is in the log, and the old objects still exist.
    Destroy,
    /// It refuses a request.
    Refuse(u8),
    /// It removes an answered request from the inbox.
    Remove(u8),
    /// It has stopped and reports damage.
    Halted,
}

/// A process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Writer {
    pub phase: Phase,
    pub name: u8,
    pub next: u8,
    /// The entry that it appends.
    pub entry: Entry,
    /// Staged files that are no longer needed.
    pub aside: Name,
    pub fold: Fold,
    /// The hash of the fold.
    digest: u64,
}

impl Writer {
    /// It knows this from now on.
    pub fn knows(&mut self, fold: Fold) {
        (self.fold, self.digest) = (fold, digest(fold));
    }
}

impl Hash for Writer {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (
            self.phase,
            self.name,
            self.next,
            self.entry,
            self.aside,
            self.digest,
        )
            .hash(state);
    }
}

/// Events that leave no trace in the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Marks {
    /// A writer changed something outside the log before its fence was durable.
    pub unfenced: bool,
    /// A writer took its own entry for another one's.
    pub alone: bool,
}

/// Everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct World {
    pub log: Log,
    pub objects: u128,
    /// Public files, as the set of their staged names.
    pub data: u128,
    /// Public manifests by release: the number of the decision in it, from 1.
    pub manifest: [u8; MANY],
    /// Commits of the Delta log by release, likewise.
    pub commits: [u8; MANY],
    pub requests: [Request; MANY],
    /// Files that were read, kept beside the log. Only a fault uses it.
    pub beside: u8,
    pub flights: [Flight; 2],
    /// Writers that were started, and how often the store did not say what it did.
    pub named: u8,
    pub doubts: u8,
    pub writers: [Writer; 2],
    pub marks: Marks,
}

/// The source of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Writer(u8),
    Crash(u8),
    Person,
    Store,
}

/// The possible steps, and the world after each.
pub type Steps = Vec<(By, &'static str, World)>;

impl World {
    /// Writers are interchangeable, and so are creates in progress; one order represents both.
    pub fn canonical(mut self) -> World {
        for flight in &mut self.flights {
            if matches!(flight, Flight::Entry(slot, _) if self.log.at(*slot).is_there()) {
                *flight = Flight::None;
            }
        }
        self.flights.sort_unstable();
        self.writers.sort_unstable();
        self
    }

    /// The part that outlives the writers.
    pub fn durable(&self) -> World {
        World {
            flights: Default::default(),
            named: 0,
            doubts: 0,
            writers: Default::default(),
            ..*self
        }
    }

    /// A create stays in progress, if the bounds permit one more.
    pub fn flies(&mut self, flight: Flight) -> bool {
        let Some(free) = self
            .flights
            .iter_mut()
            .find(|flight| **flight == Flight::None)
        else {
            return false;
        };
        *free = flight;
        true
    }

    /// What the store does by itself: it performs creates in progress.
    pub fn lands(&self, steps: &mut Steps) {
        for at in 0..self.flights.len() {
            let mut world = *self;
            match std::mem::take(&mut world.flights[at]) {
                Flight::None => continue,
                Flight::Entry(slot, entry) => _ = world.log.create(slot, entry),
                Flight::Object(name) => world.objects |= name.bit(),
            }
            steps.push((By::Store, "a create that was given up lands", world));
        }
    }

    /// Records that a writer without a fence changed something outside the log.
    pub fn outside(&mut self, at: usize) {
        let name = self.writers[at].name;
        let fenced = |(_, entry): (u8, Entry)| {
            entry.kind() == super::entry::Kind::Fence && entry.writer() == name
        };
        self.marks.unfenced |= !self.log.entries().any(fenced);
    }
}
