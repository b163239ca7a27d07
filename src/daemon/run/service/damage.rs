//! Damage that has halted a running feed. A start reads from the newest checkpoint on and may not
//! see it, so it is checked again before each attempt to continue.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::root_opening::key;
use super::world;
use crate::config::FeedConfig;
use crate::error::Result;
use crate::feed_writer::past_quickly;
use crate::journal::KeyRing;
use crate::verify::{Damage, ScrubInput, inspect};

/// The greatest number of damaged files that are remembered.
const MOST: usize = 100;

/// Damage that has halted a feed; kept from one writer to the next.
#[derive(Debug, Default)]
pub(super) struct KnownDamage(Mutex<Vec<Damage>>);

impl KnownDamage {
    /// Checks again the files that have halted the feed, before its log is opened: a start reads
    /// from the newest checkpoint on, and does not see what is before it.
    ///
    /// # Errors
    /// A file is still missing or changed.
    pub(super) fn is_repaired(&self, feed: &FeedConfig, roots: &world::OpenedRoots) -> Result<()> {
        let mut damaged = self.lock();
        if damaged.is_empty() {
            return Ok(());
        }
        let Some(ring) = KeyRing::open(&*roots.private, &key(feed)?)? else {
            return Ok(());
        };
        // If the log cannot be read, the start that follows reports why.
        let Ok(past) = past_quickly(&*roots.private, &*roots.public, &ring) else {
            return Ok(());
        };
        let (Some(state), Some(last)) = (&past.state, &past.last) else {
            return Ok(());
        };
        let next = last.entry.seq + 1;
        let roots = ScrubInput {
            private: &*roots.private,
            public: &*roots.public,
            ring: &ring,
            state,
            next,
        };
        while let Some(last) = damaged.last() {
            if let Some(damage) = inspect(roots, &last.place)? {
                return Err(damage.error());
            }
            damaged.pop();
        }
        Ok(())
    }

    /// Remembers the damage that halts the feed.
    pub(super) fn add(&self, damage: &Damage) {
        let mut damaged = self.lock();
        if damaged.len() < MOST {
            damaged.push(damage.clone());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Damage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
