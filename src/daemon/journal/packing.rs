//! What a writer puts together so that a feed has few files (HOUSE 3, Packs). Fences keep their places in the log: a writer that
//! another one has taken the place of finds the fence of that one in its next place, however late it comes.

use super::entry::Entry;
use super::format;
use super::log::Log;
use crate::daemon::error::Result;
use crate::daemon::formats::EntryBody;

/// What is put together goes at about the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// What is kept for ever.
    Kept,
    /// What is forgotten when its time is over.
    Passing,
}

impl Lifetime {
    /// Where objects lie, and where their keys do.
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
    /// Finishes what a writer before has left half done of packing. The fence of this one lasts.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn settle(&self) -> Result<()> {
        self.store().settle(self.writer().epoch, &is_fence)
    }

    /// Puts sealed objects together with others of their group, and their keys with other keys, unless there are too few. How many.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn pack(&self, lifetime: Lifetime, paths: &[&str], few: usize) -> Result<u64> {
        if paths.len() < few.max(1) {
            return Ok(0);
        }
        format::raise(self.store())?;
        let keys: Vec<String> = paths.iter().map(|path| self.ring().place(path)).collect();
        let [objects, beside] = lifetime.names();
        let packed = self.store().pack(objects, paths, few)?;
        Ok(packed + self.store().pack(beside, &keys.iter().map(String::as_str).collect::<Vec<_>>(), few)?)
    }

    /// Puts the entries together, but for the newest one, unless there are too few that do not lie together. How many.
    ///
    /// # Errors
    /// As [`Log::pack`].
    pub fn pack_entries(&self, few: usize) -> Result<u64> {
        if self.next() <= few as u64 {
            return Ok(0);
        }
        format::raise(self.store())?;
        self.store().pack_entries(self.next(), few, &is_fence)
    }
}
