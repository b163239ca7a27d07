//! Threads that follow the log after its writer, one for each receiver, each at the speed of its
//! receiver.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::delivery::{Delivery, NotifyOutcome};
use super::listeners::{Listener, listeners};
use super::marker;
use super::notification::{Audience, EntryNotice, Notification};
use crate::config::FeedConfig;
use crate::error::{Complaint, Error, ErrorCategory, Result};
use crate::journal::Entry;
use crate::journal::store::{ReadStore, Store};
use crate::observe::FeedObserver;
use crate::observe::events::ErrorText;

/// The number of entries without a notification after which the position is stored.
const PASSED: u64 = 1_000;

/// How long threads are waited for when they have to end; one that waits for a receiver is
/// abandoned.
const ENDING: Duration = Duration::from_secs(1);

/// Follows the log of a feed.
pub struct Notifier {
    shared: Arc<Shared>,
    threads: usize,
}

/// The state that the threads and the writer of the log share.
struct Shared {
    known: Mutex<Known>,
    rings: Condvar,
}

struct Known {
    /// The number of durable entries.
    entries: u64,
    /// The number of processed entries of each receiver.
    notified: Vec<u64>,
    /// Whether the threads have to end.
    ends: bool,
    /// The number of threads that have ended.
    ended: usize,
}

/// Reports the end of a thread, whatever its reason.
struct Ending(Arc<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.change(|known| known.ended += 1);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ends(&self) -> bool {
        self.lock().ends
    }

    /// Waits until a condition holds, or the time is over; returns whether it holds.
    fn until(&self, patience: Option<Duration>, holds: impl Fn(&Known) -> bool) -> bool {
        let begun = Instant::now();
        let mut known = self.lock();
        while !holds(&known) {
            let left = patience.map_or(Duration::MAX, |patience| {
                patience.saturating_sub(begun.elapsed())
            });
            if left.is_zero() {
                return false;
            }
            // Notifications of the condition variable are not missed; the longest wait is bounded
            // because of clock changes.
            let waited = self
                .rings
                .wait_timeout(known, left.min(Duration::from_secs(3_600)));
            known = waited.map_or_else(|poisoned| poisoned.into_inner().0, |(known, _)| known);
        }
        true
    }

    fn change(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.lock());
        self.rings.notify_all();
    }
}

impl Notifier {
    /// Begins to follow a log with this many entries; no receiver is notified of earlier entries.
    ///
    /// # Errors
    /// A secret of a receiver cannot be read, or the private root cannot be read or written.
    pub fn begin(
        feed: &FeedConfig,
        (private, public): (&Arc<dyn Store>, &Arc<dyn ReadStore>),
        entries: u64,
        observer: &FeedObserver,
    ) -> Result<Notifier> {
        let listeners = listeners(feed).map_err(|error| error.in_file(&feed.file))?;
        Notifier::over(listeners, &feed.name, (private, public), entries, observer)
    }

    /// Begins to follow for these receivers.
    fn over(
        listeners: Vec<Listener>,
        feed: &str,
        (private, public): (&Arc<dyn Store>, &Arc<dyn ReadStore>),
        entries: u64,
        observer: &FeedObserver,
    ) -> Result<Notifier> {
        let from = |listener: &Listener| marker::begin(&**private, listener.name, entries);
        let from = listeners.iter().map(from).collect::<Result<Vec<u64>>>()?;
        let known = Known {
            entries,
            notified: from.clone(),
            ends: false,
            ended: 0,
        };
        let shared = Arc::new(Shared {
            known: Mutex::new(known),
            rings: Condvar::new(),
        });
        let mut notifier = Notifier {
            shared: Arc::clone(&shared),
            threads: 0,
        };
        for (at, (listener, next)) in listeners.into_iter().zip(from).enumerate() {
            let (private, public) = (Arc::clone(private), Arc::clone(public));
            let (ending, shared) = (Ending(Arc::clone(&shared)), Arc::clone(&shared));
            let deliverer = Delivery::new(listener, observer.clone());
            let follower = Follower {
                feed: feed.to_owned(),
                at,
                next,
                private,
                public,
                shared,
                deliverer,
            };
            notifier.threads += 1;
            let follows = move || {
                let _ending = ending;
                // Dropped before its end is reported.
                let mut follower = follower;
                follower.follow();
            };
            let thread = std::thread::Builder::new()
                .name("notify".to_owned())
                .spawn(follows);
            thread.map_err(|_| {
                Error::new(ErrorCategory::Io, "the operating system gives no threads")
            })?;
        }
        Ok(notifier)
    }

    /// The log has this many entries now.
    pub fn entries(&self, entries: u64) {
        if self.threads > 0 {
            self.shared.change(|known| known.entries = entries);
        }
    }

    /// Waits until every receiver has processed all entries, but not longer than this.
    pub fn finish(&self, patience: Duration) {
        self.shared.until(Some(patience), |known| {
            known
                .notified
                .iter()
                .all(|&notified| notified >= known.entries)
        });
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        self.shared.change(|known| known.ends = true);
        self.shared
            .until(Some(ENDING), |known| known.ended >= self.threads);
    }
}

/// Follows for one receiver.
struct Follower {
    feed: String,
    /// Its index among the receivers.
    at: usize,
    /// The number of the next entry.
    next: u64,
    private: Arc<dyn Store>,
    public: Arc<dyn ReadStore>,
    shared: Arc<Shared>,
    deliverer: Delivery,
}

impl Follower {
    fn follow(&mut self) {
        let mut passed = 0;
        loop {
            let next = self.next;
            self.shared
                .until(None, |known| known.ends || known.entries > next);
            if self.shared.ends() {
                break;
            }
            match self.one() {
                Ok(Some(delivered)) => {
                    self.next += 1;
                    passed += 1;
                    if delivered.is_some() || passed >= PASSED {
                        if !self.puts() {
                            break;
                        }
                        passed = 0;
                    }
                    self.deliverer.back();
                    if let Some(delivered) = delivered {
                        delivered.say(&self.deliverer);
                    }
                    let (at, next) = (self.at, self.next);
                    self.shared.change(|known| known.notified[at] = next);
                }
                // There is no time left.
                Ok(None) => break,
                Err(error) => {
                    self.waits(&error);
                }
            }
        }
        if passed > 0 {
            // If that fails, entries are processed again after the next start.
            let _ = self.put();
        }
    }

    /// Stores the position of the receiver, repeating it until it succeeds: no notification is sent
    /// meanwhile, so that a kill cannot cause many duplicates. Returns whether there was time.
    fn puts(&mut self) -> bool {
        while let Err(error) = self.put() {
            if !self.waits(&error) {
                return false;
            }
        }
        true
    }

    fn put(&self) -> Result<()> {
        marker::put(&*self.private, self.deliverer.listener.name, self.next)
    }

    /// Reports an obstacle, and waits; returns whether there is time left.
    fn waits(&mut self, error: &Error) -> bool {
        let pause = self
            .deliverer
            .fails(ErrorText::from(Complaint::of(&error.to_string())));
        !self.shared.until(Some(pause), |known| known.ends)
    }

    /// Processes an entry: the inner value is the outcome of its notification, if there was one;
    /// `None` if there was no time.
    fn one(&mut self) -> Result<Option<Option<NotifyOutcome>>> {
        // The writer, which announced it, has verified it.
        let path = Entry::path(self.next);
        let entry = self
            .private
            .read(&path)?
            .and_then(|bytes| Entry::unproven(&bytes).ok());
        let entry = entry.ok_or_else(|| {
            let text = "this entry of the log is missing or was changed: restore the whole root from a backup";
            Error::new(ErrorCategory::Input, text).in_field(path)
        })?;
        let audience: Audience = self.deliverer.listener.audience;
        let notification = match Notification::of(&self.feed, &entry.body, audience, &*self.public)?
        {
            EntryNotice::Nothing => return Ok(Some(None)),
            EntryNotice::Lost(notice, why) => {
                return Ok(Some(Some(NotifyOutcome::lost(notice, why))));
            }
            EntryNotice::Send(notification) => notification,
        };
        let shared = Arc::clone(&self.shared);
        let waits = |pause| !shared.until(Some(pause), |known| known.ends);
        Ok(self
            .deliverer
            .deliver(&notification, &|| shared.ends(), &waits)
            .map(Some))
    }
}

#[cfg(test)]
mod tests;
