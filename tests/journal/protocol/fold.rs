//! What a writer knows: the fold of the log, entry by entry (`feed_writer/state.rs`,
//! `feed_writer/state_fold.rs`), and its consequences for objects: which a later fold needs, which
//! are named, which may be forgotten.

use super::entry::{Entry, Kind, Log};
use super::faults::Fault;

/// The greatest number of files, ticks and requests in a run.
pub const MANY: usize = 2;

/// The folder of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folder {
    Seg,
    Atoms,
    Mask,
    Stage,
}

/// The name of an object: folder, file or tick, epoch of its writer, whether an erasure wrote it. 0
/// means none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Name(u8);

impl Name {
    pub fn new(folder: Folder, subject: u8, epoch: u8, again: bool) -> Name {
        Name(128 | (folder as u8) << 5 | subject << 4 | (epoch & 7) << 1 | u8::from(again))
    }

    /// For the draws of a tick. They have a folder of their own; here they use the number of counts
    /// that an erasure wrote, which do not exist.
    pub fn coins(tick: u8, epoch: u8) -> Name {
        Name::new(Folder::Mask, tick, epoch, true)
    }

    pub fn is_some(self) -> bool {
        self.0 != 0
    }

    /// As a set of objects.
    pub fn bit(self) -> u128 {
        if self.is_some() {
            1 << (self.0 & 127)
        } else {
            0
        }
    }
}

/// Objects of epochs below this one.
pub fn below(epoch: u8) -> u128 {
    (0..128u8)
        .filter(|name| name >> 1 & 7 < epoch)
        .fold(0, |all, name| all | 1 << name)
}

/// A decided release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Pending {
    /// The number of the decision, from 1; 0 when there is none.
    pub decision: u8,
    pub tick: u8,
    pub release: u8,
    /// The place of its staged files.
    pub stage: Name,
}

impl Pending {
    pub fn is_some(self) -> bool {
        self.decision != 0
    }
}

/// A feed between two entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Fold {
    pub epoch: u8,
    /// By file: its segment, and the tick that closed with it, from 1.
    pub seg: [Name; MANY],
    pub taken: [u8; MANY],
    /// By tick: its atoms, the epoch whose program formed them, its counts.
    pub atoms: [Name; MANY],
    pub formed: [u8; MANY],
    pub mask: [Name; MANY],
    /// Its draws, and the epoch whose program made them.
    pub coins: [Name; MANY],
    pub drawn: [u8; MANY],
    pub ticks: u8,
    /// The tick without a decision, from 1.
    pub due: u8,
    pub held: Pending,
    pub leaving: Pending,
    pub releases: u8,
    /// Ticks whose people are in an approved release, and in a visible one; one bit each.
    pub out: u8,
    pub shown: u8,
    /// Handled requests; one bit each.
    pub done: u8,
    /// Objects that an erasure has replaced.
    pub old: [Name; 2],
}

impl Fold {
    /// From a whole log, or from its beginning.
    pub fn of(log: &Log, end: u8, fault: Fault) -> Fold {
        let mut fold = Fold::default();
        for (at, entry) in log.entries().take(usize::from(end)) {
            fold.apply(entry, at, fault);
        }
        fold
    }

    /// Applies the entry with this number.
    pub fn apply(&mut self, entry: Entry, at: u8, fault: Fault) {
        let (subject, index) = (entry.subject(), usize::from(entry.subject()));
        let name = |folder: Folder| Name::new(folder, subject, self.epoch, false);
        match entry.kind() {
            Kind::Nothing => {}
            Kind::Fence => self.epoch += 1,
            Kind::Ingest => self.seg[index] = name(Folder::Seg),
            Kind::Coins => {
                (self.coins[index], self.drawn[index]) =
                    (Name::coins(subject, self.epoch), self.epoch);
            }
            Kind::Closed => {
                (self.atoms[index], self.formed[index]) = (name(Folder::Atoms), self.epoch);
                self.ticks += 1;
                for file in 0..MANY {
                    if self.seg[file].is_some() && self.taken[file] == 0 {
                        self.taken[file] = self.ticks;
                    }
                }
                self.due = self.ticks;
                if fault != Fault::ClosingVoidsNothing {
                    self.held = Pending::default();
                }
            }
            Kind::Masked => self.mask[index] = name(Folder::Mask),
            Kind::Publish | Kind::Hold => {
                let stage = name(Folder::Stage);
                let pending = Pending {
                    decision: at + 1,
                    tick: subject,
                    release: entry.of(),
                    stage,
                };
                self.due = 0;
                if entry.kind() == Kind::Hold && fault != Fault::HeldIsPublished {
                    self.held = pending;
                } else {
                    self.leaves(pending);
                }
            }
            Kind::Reject => (self.due, self.held) = (0, Pending::default()),
            Kind::Approve => {
                self.done |= 1 << entry.of();
                let held = std::mem::take(&mut self.held);
                if held.is_some() {
                    self.leaves(held);
                }
            }
            Kind::Published => {
                self.shown |= upto(self.leaving.tick);
                self.leaving = Pending::default();
            }
            Kind::Erase => self.erased(entry, fault),
        }
    }

    /// From now on its people count as published.
    fn leaves(&mut self, pending: Pending) {
        self.out |= upto(pending.tick);
        self.releases += 1;
        self.leaving = pending;
    }

    fn erased(&mut self, entry: Entry, fault: Fault) {
        self.done |= 1 << entry.of();
        if fault != Fault::ErasureVoidsNothing {
            self.held = Pending::default();
        }
        if entry.rest() & 1 > 0 {
            self.old[0] = std::mem::replace(
                &mut self.seg[0],
                Name::new(Folder::Seg, 0, self.epoch, true),
            );
        }
        if entry.rest() & 2 > 0 {
            let tick = self.taken[0] - 1;
            let new = Name::new(Folder::Atoms, tick, self.epoch, true);
            self.old[1] = std::mem::replace(&mut self.atoms[usize::from(tick)], new);
        }
    }

    /// The closed tick whose values are not fixed.
    pub fn closing(&self) -> Option<u8> {
        let newest = self.ticks.checked_sub(1)?;
        (!self.mask[usize::from(newest)].is_some()).then_some(newest)
    }

    /// Segments since the last tick.
    pub fn open(&self) -> u128 {
        (0..MANY)
            .filter(|&file| self.taken[file] == 0)
            .fold(0, |all, file| all | self.seg[file].bit())
    }

    /// Segments of a tick.
    pub fn of_tick(&self, tick: u8) -> u128 {
        (0..MANY)
            .filter(|&file| self.taken[file] == tick + 1)
            .fold(0, |all, file| all | self.seg[file].bit())
    }

    /// Atoms of ticks whose people are not published, and the newest ones, which contain a waiting
    /// person.
    pub fn unpublished(&self) -> u128 {
        let keep = |tick: &usize| self.out >> tick & 1 == 0 || tick + 1 == usize::from(self.ticks);
        (0..MANY)
            .filter(keep)
            .fold(0, |all, tick| all | self.atoms[tick].bit())
    }

    /// Objects that a later fold, or the decided release, needs.
    pub fn needed(&self) -> u128 {
        let closing = self.closing().map_or(0, |tick| self.of_tick(tick));
        let masks = self.mask.iter().fold(0, |all, mask| all | mask.bit());
        let staged = self.held.stage.bit() | self.leaving.stage.bit();
        self.open() | closing | self.unpublished() | masks | staged | self.tossed()
    }

    /// The draws of the next tick, if they are made.
    pub fn tossed(&self) -> u128 {
        self.coins
            .get(usize::from(self.ticks))
            .map_or(0, |coins| coins.bit())
    }

    /// Objects that the log names and nothing has replaced.
    pub fn named(&self) -> u128 {
        let all = self.seg.iter().chain(&self.atoms).chain(&self.coins);
        all.fold(self.needed(), |all, name| all | name.bit())
    }

    /// Raw rows whose increments are visible.
    pub fn spent(&self, fault: Fault) -> u128 {
        let of = if fault == Fault::ForgetsUnpublished {
            upto(self.ticks)
        } else {
            self.shown
        };
        let ticks = (0..self.ticks).filter(|tick| of >> tick & 1 > 0);
        let raw = ticks.fold(0, |all, tick| {
            let at = usize::from(tick);
            all | self.of_tick(tick) | self.atoms[at].bit() | self.coins[at].bit()
        });
        if fault == Fault::ForgetsUnpublished {
            raw
        } else {
            raw & !self.unpublished()
        }
    }
}

/// All ticks up to this one.
fn upto(tick: u8) -> u8 {
    (2 << tick) - 1
}
