//! Entries of the log, packed into two bytes each, and their slots. An entry says what happened and
//! which writer wrote it; two entries are the same bytes exactly if they are equal here.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::quality::FixedState;

/// Slots of a log. Everything that the bounds of a run permit fits; nothing is appended after the
/// last one.
pub const SLOTS: usize = 24;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Nothing,
    Fence,
    Ingest,
    Coins,
    Closed,
    Masked,
    Publish,
    Hold,
    Reject,
    Approve,
    Published,
    Erase,
}

const KINDS: [Kind; 12] = [
    Kind::Nothing,
    Kind::Fence,
    Kind::Ingest,
    Kind::Coins,
    Kind::Closed,
    Kind::Masked,
    Kind::Publish,
    Kind::Hold,
    Kind::Reject,
    Kind::Approve,
    Kind::Published,
    Kind::Erase,
];

/// An entry: kind (4 bits), writer (3), file or tick (1), release or request (1), more (5),
/// spelling (1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Entry(u16);

impl Entry {
    /// From a writer.
    pub fn new(kind: Kind, writer: u8) -> Entry {
        Entry(kind as u16 | u16::from(writer) << 4)
    }

    /// About a file or a tick.
    pub fn about(self, subject: u8) -> Entry {
        Entry(self.0 | u16::from(subject) << 7)
    }

    /// For a release, or for a request.
    pub fn number(self, number: u8) -> Entry {
        Entry(self.0 | u16::from(number) << 8)
    }

    /// The epoch whose program formed the atoms, or made the draws of a tick; the approved entry;
    /// the objects that an erasure has replaced.
    pub fn more(self, more: u8) -> Entry {
        Entry(self.0 | u16::from(more) << 9)
    }

    /// The same in other bytes.
    pub fn respelled(self) -> Entry {
        Entry(self.0 ^ 1 << 14)
    }

    pub fn kind(self) -> Kind {
        KINDS[usize::from(self.0 & 15)]
    }

    pub fn writer(self) -> u8 {
        (self.0 >> 4 & 7) as u8
    }

    pub fn subject(self) -> u8 {
        (self.0 >> 7 & 1) as u8
    }

    pub fn of(self) -> u8 {
        (self.0 >> 8 & 1) as u8
    }

    pub fn rest(self) -> u8 {
        (self.0 >> 9 & 31) as u8
    }

    pub fn is_there(self) -> bool {
        self != Entry::default()
    }

    /// Whether it decides that a release may be published, now or once it is approved.
    pub fn decides(self) -> bool {
        matches!(self.kind(), Kind::Publish | Kind::Hold)
    }

    /// The request that it handles.
    pub fn request(self) -> Option<u8> {
        matches!(self.kind(), Kind::Approve | Kind::Erase).then(|| self.of())
    }
}

/// A number that represents a value.
pub fn digest(value: impl Hash) -> u64 {
    FixedState::with_seed(1).hash_one(value)
}

/// The log in the store. Most states have the log of another one, so its hash is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Log {
    slots: [Entry; SLOTS],
    /// Slots whose entry is in a pack and no longer has a place of its own.
    packed: u32,
    digest: u64,
}

impl Hash for Log {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.digest, self.packed).hash(state);
    }
}

impl Log {
    /// The entry in a slot.
    pub fn at(&self, slot: u8) -> Entry {
        self.slots[usize::from(slot)]
    }

    /// Puts an entry into an empty slot; returns whether it did. The slot of a packed entry is free
    /// for a writer that does not know the pack, and an entry that it puts there has no effect.
    pub fn create(&mut self, slot: u8, entry: Entry) -> bool {
        if self.is_packed(slot) {
            self.packed &= !(1 << slot);
            return true;
        }
        let free = !self.at(slot).is_there();
        if free {
            self.slots[usize::from(slot)] = entry;
            self.digest ^= digest((slot, entry));
        }
        free
    }

    /// Packs these entries; returns whether one of them was not packed before.
    pub fn pack(&mut self, slots: impl Iterator<Item = u8>) -> bool {
        let before = self.packed;
        self.packed |= slots.fold(0, |all, slot| all | 1 << slot);
        self.packed != before
    }

    /// Whether the entry of a slot no longer has a place of its own.
    pub fn is_packed(&self, slot: u8) -> bool {
        self.packed >> slot & 1 > 0
    }

    /// The first gap.
    pub fn end(&self) -> u8 {
        self.slots
            .iter()
            .take_while(|entry| entry.is_there())
            .count() as u8
    }

    /// Entries up to the first gap, with their slots.
    pub fn entries(&self) -> impl Iterator<Item = (u8, Entry)> + '_ {
        (0..).zip(
            self.slots
                .iter()
                .copied()
                .take_while(|entry| entry.is_there()),
        )
    }

    /// Whether there is an entry in this slot or after it.
    pub fn beyond(&self, slot: u8) -> bool {
        self.slots[usize::from(slot)..]
            .iter()
            .any(|entry| entry.is_there())
    }
}
