//! What a writer packs so that a feed has few files (HOUSE 3, Packs). Fences keep their places in
//! the log: a writer that was taken over finds the other writer's fence in its next place, however
//! late it comes.

use super::entry::Entry;
use super::log::Log;
use crate::error::Result;
use crate::formats::EntryBody;

/// Objects that are packed together are deleted at about the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// Objects that are kept for ever.
    Kept,
    /// Objects that are forgotten after a period.
    Passing,
}

impl Lifetime {
    /// The groups of the objects and of their keys.
    fn names(self) -> [&'static str; 2] {
        match self {
            Lifetime::Kept => ["kept", "kept-keys"],
            Lifetime::Passing => ["passing", "passing-keys"],
        }
    }
}

fn is_fence(bytes: &[u8]) -> bool {
    Entry::unproven(bytes).is_ok_and(|entry| matches!(entry.body, EntryBody::Fence(_)))
}

impl Log {
    /// Completes packing that a previous writer left half done. The fence of this writer is
    /// durable.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn settle(&self) -> Result<()> {
        self.store().settle(self.writer().epoch, &is_fence)
    }

    /// Packs sealed objects with others of their group, and their keys with other keys, unless
    /// there are too few; returns their number.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn pack(&self, lifetime: Lifetime, paths: &[&str], few: usize) -> Result<u64> {
        if paths.len() < few.max(1) {
            return Ok(0);
        }
        let stored: Vec<String> = paths.iter().map(|path| self.ring().stored(path)).collect();
        let keys: Vec<String> = paths.iter().map(|path| self.ring().place(path)).collect();
        let [objects, beside] = lifetime.names();
        let packed = self.store().pack(
            objects,
            &stored.iter().map(String::as_str).collect::<Vec<_>>(),
            few,
        )?;
        Ok(packed
            + self.store().pack(
                beside,
                &keys.iter().map(String::as_str).collect::<Vec<_>>(),
                few,
            )?)
    }

    /// Packs the entries, except the newest one, unless too few of them are unpacked; returns their
    /// number.
    ///
    /// # Errors
    /// As [`Log::pack`].
    pub fn pack_entries(&self, few: usize) -> Result<u64> {
        if self.next() <= few as u64 {
            return Ok(0);
        }
        self.store().pack_entries(self.next(), few, &is_fence)
    }
}
