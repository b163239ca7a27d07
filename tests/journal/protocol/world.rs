//! Everything that there is at one moment: what lies in the two roots and the inbox, what is still on its way to the store,
//! and the writers with what they know.

use std::hash::{Hash, Hasher};

use super::entry::{Entry, Log, digest};
use super::faults::Fault;
use super::fold::{Fold, MANY, Name};

/// What a person may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    Nothing,
    /// The release that is held when it is asked may leave.
    Approve,
    /// A person who is in the first file is to be taken out.
    Erase,
}

/// The bounds of a run, and what is wrong with it on purpose.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub asks: [Ask; MANY],
    /// How often a writer is started; each end but the last is a crash or a lost race.
    pub starts: u8,
    /// How often the store leaves open what it did.
    pub doubts: u8,
    /// Whether the coins of a tick are drawn before it is closed, as in a chain of crowds.
    pub coins: bool,
    /// Whether entries are put into packs.
    pub packs: bool,
    pub fault: Fault,
}

/// Where a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Note {
    #[default]
    Unasked,
    Lies,
    Gone,
}

/// What a person was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Answer {
    #[default]
    None,
    Done,
    Refused,
}

/// A request in the inbox; `about`: the place of the decision that is to be approved, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Request {
    pub note: Note,
    pub about: u8,
    pub answer: Answer,
}

/// A create that the store may still carry out, or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Flight {
    #[default]
    None,
    Entry(u8, Entry),
    Object(Name),
}

/// What a writer is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Phase {
    /// It does not run.
    #[default]
    Off,
    /// It has read the log and looks whether everything is there.
    Look,
    /// It sends its entry.
    Append,
    /// It reads the slot back.
    Back,
    /// Its fence lasts.
    Sweep,
    /// It does what there is to do.
    Ready,
    /// The first half of a release is public.
    Copied,
    /// The manifest of a release is public, and the commit of its Delta log may not be.
    Shown,
    /// The files aside of a release that is visible are superfluous.
    Unstage,
    /// An erasure is written down, and the old objects are there.
    Destroy,
    /// It refuses a request.
    Refuse(u8),
    /// It takes a request that is answered out of the inbox.
    Remove(u8),
    /// It has stopped and says that the store is damaged.
    Halted,
}

/// A process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Writer {
    pub phase: Phase,
    pub name: u8,
    pub next: u8,
    /// What it is appending.
    pub entry: Entry,
    /// Files aside that are superfluous.
    pub aside: Name,
    pub fold: Fold,
    /// The digest of the fold.
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
        (self.phase, self.name, self.next, self.entry, self.aside, self.digest).hash(state);
    }
}

/// What no promise can see afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Marks {
    /// A writer touched what is outside before its fence lasted.
    pub unfenced: bool,
    /// A writer took its own entry for another one's.
    pub alone: bool,
}

/// Everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct World {
    pub log: Log,
    pub objects: u128,
    /// Public files, as the set of the names under which they lay aside.
    pub data: u128,
    /// Public manifests by release: the place of the decision in it, from 1.
    pub manifest: [u8; MANY],
    /// Commits of the Delta log by release, likewise.
    pub commits: [u8; MANY],
    pub requests: [Request; MANY],
    /// Files that were taken in, kept beside the log. Only a fault uses it.
    pub beside: u8,
    pub flights: [Flight; 2],
    /// Writers that were started, and how often the store left something open.
    pub named: u8,
    pub doubts: u8,
    pub writers: [Writer; 2],
    pub marks: Marks,
}

/// Something that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Writer(u8),
    Crash(u8),
    Person,
    Store,
}

/// What may happen next, and what the world is then.
pub type Steps = Vec<(By, &'static str, World)>;

impl World {
    /// Writers are alike, and so are creates on their way; one order stands for both.
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

    /// What outlasts the writers.
    pub fn durable(&self) -> World {
        World { flights: Default::default(), named: 0, doubts: 0, writers: Default::default(), ..*self }
    }

    /// A create stays on its way, if there is room for one more.
    pub fn flies(&mut self, flight: Flight) -> bool {
        let Some(free) = self.flights.iter_mut().find(|flight| **flight == Flight::None) else { return false };
        *free = flight;
        true
    }

    /// What the store does by itself: what is on its way arrives.
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

    /// What happens outside counts against a writer without a fence.
    pub fn outside(&mut self, at: usize) {
        let name = self.writers[at].name;
        let fenced = |(_, entry): (u8, Entry)| entry.kind() == super::entry::Kind::Fence && entry.writer() == name;
        self.marks.unfenced |= !self.log.entries().any(fenced);
    }
}
