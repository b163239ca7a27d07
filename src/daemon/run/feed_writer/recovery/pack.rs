//! Keeps the number of files small, however many entries and objects there are (HOUSE 3, Packs).

use std::collections::BTreeSet;

use super::super::writer::FeedWriter;
use crate::error::Result;
use crate::journal::Lifetime;

/// The number of entries or objects from which on a running feed packs them.
pub const FEW: usize = 32;
/// The most packs that are written at once: a root of an earlier version has many files.
const AT_ONCE: usize = 8;
/// Folders with objects that each tick keeps for ever, except ledgers, which are beside counts.
const KEPT: [&str; 3] = ["mask", "members", "verdict"];

impl FeedWriter {
    /// Packs single entries and objects, if there are enough of them; returns how many.
    ///
    /// # Errors
    /// Another writer has taken over, or the store cannot be read or written.
    pub fn pack(&mut self) -> Result<u64> {
        let packed = self.pack_loose();
        if packed.is_err() {
            // A missing object may be one that another writer, which has taken over, does not need
            // any more.
            self.log.ours()?;
        }
        packed
    }

    fn pack_loose(&mut self) -> Result<u64> {
        let few = self.settings.few;
        let mut packed = 0;
        for _ in 0..AT_ONCE {
            let mut some = self.log.pack_entries(few)?;
            some += self.log.pack(Lifetime::Kept, &self.state.kept(), few)?;
            some += self
                .log
                .pack(Lifetime::Passing, &self.state.passing(), few)?;
            packed += some;
            if some == 0 {
                break;
            }
        }
        self.packed = self.log.next();
        Ok(packed)
    }

    /// Whether enough entries have come since the last time.
    pub fn packs_soon(&self) -> bool {
        self.log.next() - self.packed >= 4 * self.settings.few as u64
    }
}

impl super::super::state::FeedState {
    /// Objects that are kept for ever.
    fn kept(&self) -> Vec<&str> {
        let raw: BTreeSet<&str> = self
            .raw
            .iter()
            .map(|raw| raw.object.path.as_str())
            .collect();
        let named = self
            .live
            .iter()
            .map(String::as_str)
            .filter(|path| !raw.contains(path));
        named
            .filter(|path| {
                path.split_once('/')
                    .is_some_and(|(folder, _)| KEPT.contains(&folder))
            })
            .collect()
    }

    /// Objects that are deleted after a period, and rows that came since the last tick.
    fn passing(&self) -> Vec<&str> {
        let raw = self
            .spent()
            .map(|raw| &raw.object)
            .chain(self.segments.iter().map(|segment| &segment.object));
        raw.chain(self.quarantine.iter().map(|aside| &aside.object))
            .map(|object| object.path.as_str())
            .collect()
    }
}
