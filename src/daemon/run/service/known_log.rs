//! What a process knows about the log of its feed, from one writer to the next. A feed that halted
//! is opened again as at a start, while an operator may be restoring its roots and another process
//! may have taken it over. So it never begins a new log where one was, never continues an older
//! one, and never takes back a feed that was taken over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::clock_check::ClockSteps;
use super::damage::KnownDamage;
use super::root_opening::store;
use super::world::OpenedRoots;
use crate::chance::{Chance, name};
use crate::config::{FeedConfig, Root};
use crate::engine::release::Sha256;
use crate::error::{Error, ErrorCategory, Result};
use crate::journal::store::Store;
use crate::journal::{Entry, Log, fenced};

/// Why a feed does not continue on a private root.
const RESTORED: &str = "the log of this private root lacks entries that this process has written: it was restored from \
     an older copy, or is being restored. Restore the newest copy; if this is the newest, restart the process";

/// What a process knows about a log.
pub struct KnownLog {
    /// The name under which it writes, in all epochs.
    name: String,
    /// The newest entry that it has seen.
    newest: Mutex<Option<(u64, Sha256)>>,
    /// Whether an operator has accepted the clock at the start, which does not apply to a later
    /// one.
    accepted: AtomicBool,
    /// How the clock was set while the process ran.
    pub(super) clock: Arc<ClockSteps>,
    /// Damage that has halted it and that a start may not see.
    pub(super) damage: KnownDamage,
}

impl KnownLog {
    /// Knows nothing yet.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn new(chance: &mut dyn Chance) -> Result<KnownLog> {
        Ok(KnownLog {
            name: name(chance)?,
            newest: Mutex::default(),
            accepted: AtomicBool::default(),
            clock: Arc::default(),
            damage: KnownDamage::default(),
        })
    }

    /// The name under which it writes.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it has had the feed open.
    pub fn has_begun(&self) -> bool {
        self.newest().is_some()
    }

    /// Whether an operator, who has accepted the clock at the start, accepts this one.
    pub fn accepts_clock(&self, accepted: bool) -> bool {
        accepted && !self.accepted.load(Ordering::Relaxed)
    }

    /// Records that a clock was accepted.
    pub fn has_accepted(&self) {
        self.accepted.store(true, Ordering::Relaxed);
    }

    /// Records that this log is open here.
    pub fn saw(&self, log: &Log) {
        if let (Some(seq), Some(head)) = (log.next().checked_sub(1), log.head()) {
            *self.newest() = Some((seq, head));
        }
    }

    /// Checks, before a root is opened or created, that the one that was open still exists.
    ///
    /// # Errors
    /// It does not.
    pub fn is_there(&self, feed: &FeedConfig) -> Result<()> {
        match &store(feed)?.private {
            Some(Root::Directory(path)) if self.has_begun() && !path.is_dir() => {
                let text = "the private root no longer exists: restore it, or mount it";
                Err(Error::new(ErrorCategory::Io, text).in_file(path))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the log is the one that was open, and that no other writer has appended to it if
    /// nothing locks it.
    ///
    /// # Errors
    /// It is an older one or another one, or another writer has taken over.
    pub fn check_newest(&self, roots: &OpenedRoots) -> Result<()> {
        let Some((seq, head)) = *self.newest() else {
            return Ok(());
        };
        let private = &*roots.private;
        match private.read(&Entry::path(seq))? {
            Some(bytes) if Sha256::of(&bytes) == head => {}
            _ => return Err(Error::new(ErrorCategory::Input, RESTORED).in_field(Entry::path(seq))),
        }
        if roots.lock.is_none() {
            self.alone(private, seq + 1)
        } else {
            Ok(())
        }
    }

    /// Checks that all entries from this number on are of this process: an attempt that failed may
    /// have left some.
    fn alone(&self, private: &dyn Store, from: u64) -> Result<()> {
        for seq in from.. {
            let Some(bytes) = private.read(&Entry::path(seq))? else {
                break;
            };
            if Entry::unproven(&bytes).is_ok_and(|entry| entry.writer != self.name) {
                return Err(fenced(private));
            }
        }
        Ok(())
    }

    fn newest(&self) -> MutexGuard<'_, Option<(u64, Sha256)>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Seeded;
    use crate::error::OtherProcess;
    use crate::feed_writer::PublicRoot;
    use crate::journal::store::{Memory, ReadStore as _};
    use crate::journal::{Fence, KeyRing};
    use crate::seal::OperatorKey;

    /// A writer of this name that has appended its fence.
    fn writer(store: &Memory, name: &str) -> Log {
        let key = OperatorKey::parse(&"a".repeat(64)).expect("a key");
        let ring = KeyRing::draw(&key, "feed", &mut Seeded::new(1)).expect("a ring");
        let last = (0..)
            .map_while(|seq| store.read(&Entry::path(seq)).expect("memory"))
            .last();
        let (head, last) = (
            last.as_deref().map(Sha256::of),
            last.map(|bytes| Entry::unproven(&bytes).expect("an entry")),
        );
        let (store, chance) = (Arc::new(store.clone()), Box::new(Seeded::new(2)));
        let mut log = Log::behind(
            store,
            ring,
            chance,
            Some(name.to_owned()),
            last.as_ref(),
            head,
        )
        .expect("a writer");
        let fence = Fence {
            time: "2026-11-25T10:00:00Z".to_owned(),
            program: "0".to_owned(),
        };
        log.append(fence).expect("memory");
        log
    }

    #[test]
    fn a_feed_that_was_lost_is_not_taken_back() {
        let (store, known) = (
            Memory::default(),
            KnownLog::new(&mut Seeded::new(3)).expect("chance"),
        );
        let roots = || OpenedRoots {
            private: Arc::new(store.clone()),
            public: PublicRoot::over(Arc::new(Memory::default())),
            lock: None,
        };
        assert!(
            known.check_newest(&roots()).is_ok() && !known.has_begun(),
            "nothing was known"
        );
        known.saw(&writer(&store, known.name()));
        // An attempt that failed after its fence.
        writer(&store, known.name());
        assert!(known.check_newest(&roots()).is_ok());
        writer(&store, "another");
        writer(&store, known.name());
        let error = known.check_newest(&roots()).expect_err("it was taken over");
        assert_eq!(error.rival, Some(OtherProcess::TookOver), "{error}");
        // An older log is not continued either.
        let error = known
            .check_newest(&OpenedRoots {
                private: Arc::new(Memory::default()),
                ..roots()
            })
            .expect_err("it is empty");
        assert!(error.text.contains("restored"), "{error}");
    }
}
