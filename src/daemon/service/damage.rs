//! Damage that has halted a feed while it was at work. A start reads from the newest checkpoint on and may not see it: it is looked at again
//! before each try to go on.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::root_opening::key;
use super::world;
use crate::daemon::config::FeedConfig;
use crate::daemon::error::Result;
use crate::daemon::feed_writer::past_quickly;
use crate::daemon::journal::KeyRing;
use crate::daemon::verify::{Damage, ScrubInput, inspect};

/// How much of it is remembered.
const MOST: usize = 100;

/// Damage that has halted a feed; outlives its writers.
#[derive(Debug, Default)]
pub struct KnownDamage(Mutex<Vec<Damage>>);

impl KnownDamage {
    /// Looks again at what has halted the feed, before its log is opened: a start reads from the newest checkpoint on, and does not see
    /// what lies before it.
    ///
    /// # Errors
    /// It is still missing or changed.
    pub fn is_mended(&self, feed: &FeedConfig, roots: &world::OpenedRoots) -> Result<()> {
        let mut damaged = self.lock();
        if damaged.is_empty() {
            return Ok(());
        }
        let Some(ring) = KeyRing::open(&*roots.private, &key(feed)?)? else { return Ok(()) };
        // Whatever keeps the log from being read is said by the start that follows.
        let Ok(past) = past_quickly(&*roots.private, &*roots.public, &ring) else { return Ok(()) };
        let (Some(state), Some(last)) = (&past.state, &past.last) else { return Ok(()) };
        let next = last.entry.seq + 1;
        let roots = ScrubInput { private: &*roots.private, public: &*roots.public, ring: &ring, state, next };
        while let Some(last) = damaged.last() {
            if let Some(damage) = inspect(roots, &last.place)? {
                return Err(damage.error());
            }
            damaged.pop();
        }
        Ok(())
    }

    /// Remembers what halts the feed.
    pub fn add(&self, damage: &Damage) {
        let mut damaged = self.lock();
        if damaged.len() < MOST {
            damaged.push(damage.clone());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Damage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
