//! A halt of a feed, from its first error until the feed continues. Log, metrics, health and
//! receivers are each told once, and a file in the private root records it for `tidegate show`.
//! That file outlives the process. It is read only for one decision: whether a halt that lasts is
//! notified under the same key.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::machine::Machine;
use super::world::World;
use crate::clock;
use crate::config::{FeedConfig, Root};
use crate::error::{Error, ErrorCategory, OtherProcess};
use crate::journal::store::Store;
use crate::notify::{HaltNotifier, Notification};
use crate::observe::events::{Halted, Resumed, StillHalted};
use crate::observe::{FeedObserver, Halt};

/// The file in the private root.
const NOTE: &str = "halted.json";
/// After this many attempts in a row that find another process running, that is the reason for the
/// halt.
const BUSY: u32 = 6;
/// The time that receivers have if the process is about to end.
const AT_THE_END: Duration = Duration::from_secs(5);

/// The halts of one feed, for as long as its process lives.
pub struct Halts {
    observer: FeedObserver,
    notifier: HaltNotifier,
    world: Arc<dyn World>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// The current halt.
    now: Option<LastingHalt>,
    /// When the newest halt was: two halts have two keys.
    newest: Option<Timestamp>,
    /// Whether it was checked if an earlier process has left a file.
    looked: bool,
}

/// A current halt.
struct LastingHalt {
    halt: Halt,
    /// Reasons that receivers were notified of.
    notified: BTreeSet<String>,
    /// Attempts in a row that found another process running.
    busy: u32,
    /// Whether the file is in the private root, or need not be there.
    noted: bool,
    rival: Option<OtherProcess>,
}

impl Halts {
    /// For a feed that begins.
    pub fn new(observer: FeedObserver, world: Arc<dyn World>) -> Halts {
        let notifier = HaltNotifier::new(observer.clone());
        Halts {
            observer,
            notifier,
            world,
            known: Mutex::default(),
        }
    }

    /// The feed has halted, or an attempt to continue has failed. `again`: it is tried again.
    pub fn failed(&self, feed: &FeedConfig, error: &Error, again: bool) {
        let mut known = self.known();
        let Some(now) = &mut known.now else {
            return self.begins(&mut known, feed, error, again);
        };
        // A running command holds the lock for moments; that is not another reason.
        now.busy = if error.rival == Some(OtherProcess::Works) {
            now.busy + 1
        } else {
            0
        };
        if now.halt.reason == error.to_string() {
            now.note(feed, &*self.world);
        } else if now.busy == 0 || now.busy >= BUSY {
            self.changes(&mut known, feed, error, again);
        }
    }

    fn begins(&self, known: &mut Known, feed: &FeedConfig, error: &Error, again: bool) {
        let left = left_in(feed, &*self.world).filter(|halt| halt.reason == error.to_string());
        let after = known
            .newest
            .map(|newest| newest + SignedDuration::from_secs(1));
        let since = left.and_then(|halt| clock::parse(&halt.since));
        let since = since.unwrap_or_else(|| {
            after.map_or_else(|| self.world.now(), |after| after.max(self.world.now()))
        });
        known.newest = Some(since);
        let halt = halt(&clock::text(since), error, again);
        self.observer.explain(halt.clone());
        self.observer.emit(&Halted::because(error));
        let notification = Notification::halted(&feed.name, error, &halt.since);
        let notified = BTreeSet::from([halt.reason.clone()]);
        let mut now = LastingHalt {
            halt,
            notified,
            busy: 0,
            noted: false,
            rival: error.rival,
        };
        // The note comes first: a process that is killed after a notification has left what the
        // next one needs to notify under the same key.
        now.note(feed, &*self.world);
        known.now = Some(now);
        self.notifier.notify(feed, notification);
    }

    /// Whether this is another reason for the halt.
    fn changes(&self, known: &mut Known, feed: &FeedConfig, error: &Error, again: bool) {
        let Some(now) = &mut known.now else { return };
        now.halt = halt(&now.halt.since, error, again);
        (now.noted, now.rival) = (false, error.rival);
        self.observer.explain(now.halt.clone());
        self.observer.emit(&StillHalted::because(error));
        now.note(feed, &*self.world);
        if now.notified.insert(now.halt.reason.clone()) {
            self.notifier
                .notify(feed, Notification::halted(&feed.name, error, &self.now()));
        }
    }

    /// Whether the feed is halted.
    pub fn lasts(&self) -> bool {
        self.known().now.is_some()
    }

    /// Whether another process has taken over the feed: it is not taken back.
    pub fn is_lost(&self) -> bool {
        self.known()
            .now
            .as_ref()
            .is_some_and(|now| now.rival == Some(OtherProcess::TookOver))
    }

    /// The feed runs: a halt of this process or an earlier one has ended.
    pub fn over(&self, feed: &FeedConfig) {
        let mut known = self.known();
        let looked = std::mem::replace(&mut known.looked, true);
        let since = match known.now.take() {
            Some(now) => Some(now.halt.since),
            None if looked => None,
            None => left_in(feed, &*self.world).map(|halt| halt.since),
        };
        let Some(since) = since else { return };
        // If the file stays, the next tick removes it.
        let _ = root(feed).map(|root| self.world.note(root, NOTE, None));
        if let Some(at) = clock::parse(&since) {
            self.observer.emit(&Resumed { since: at });
            self.notifier
                .notify(feed, Notification::resumed(&feed.name, &since, &self.now()));
        }
    }

    /// Before the process ends, receivers are sent what they were not sent yet.
    pub fn finish(&self) {
        self.notifier.finish(AT_THE_END);
    }

    fn now(&self) -> String {
        clock::text(self.world.now())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LastingHalt {
    /// Writes the file. If that fails the next attempt does it; health, metrics and log say the
    /// same.
    fn note(&mut self, feed: &FeedConfig, world: &dyn World) {
        if self.noted || self.rival == Some(OtherProcess::Works) {
            // The other process has not halted.
            return;
        }
        let Some(root) = root(feed) else { return };
        let bytes = serde_json::to_vec(&self.halt).expect("texts are JSON");
        self.noted = world.note(root, NOTE, Some(&bytes)).is_ok();
    }
}

/// The halt that a process has recorded, if the feed is not known to continue.
pub(super) fn left_by(feed: &FeedConfig) -> Option<Halt> {
    left_in(feed, &Machine::default())
}

fn left_in(feed: &FeedConfig, world: &dyn World) -> Option<Halt> {
    let bytes = world.noted(root(feed)?, NOTE).ok()??;
    serde_json::from_slice(&bytes).ok()
}

/// Removes the file of a writer that was taken over by this one.
///
/// # Errors
/// The private root cannot be read or written.
pub(super) fn forget(private: &dyn Store) -> crate::error::Result<()> {
    if private.read(NOTE)?.is_some() {
        private.delete(NOTE)
    } else {
        Ok(())
    }
}

fn root(feed: &FeedConfig) -> Option<&Root> {
    feed.services.store.as_ref()?.private.as_ref()
}

fn halt(since: &str, error: &Error, again: bool) -> Halt {
    let then = if again {
        "The feed is retried automatically, at least once a minute in the first hours."
    } else {
        "Then start it again."
    };
    let what_to_do = match (error.rival, error.kind) {
        (Some(OtherProcess::TookOver), _) => {
            "Find the other process that writes this feed, and run only one. This process does not take the feed back \
             by itself: restart it if it is the one to run."
                .to_owned()
        }
        (Some(OtherProcess::Works), _) if again => {
            "Wait for the other process, or stop it: this one begins when the other has ended.".to_owned()
        }
        _ => format!("{} {then}", remedy(error)),
    };
    Halt {
        since: since.to_owned(),
        reason: error.to_string(),
        what_to_do,
    }
}

/// What an operator has to do about an error of this kind; its own text says more.
fn remedy(error: &Error) -> &'static str {
    match error.kind {
        ErrorCategory::Usage => "Correct the file or setting that the reason names.",
        ErrorCategory::Feed => "Correct the feed file where the reason says so, or change it back.",
        ErrorCategory::Taxonomy => "Correct the taxonomy that the reason names, or change it back.",
        ErrorCategory::Input if error.file.is_none() => "Do what the reason says.",
        ErrorCategory::Input => {
            "Restore or replace the file that the reason names, as the reason says."
        }
        ErrorCategory::Io => {
            "Check permissions, space and connections of the place that the reason names."
        }
        ErrorCategory::Internal => {
            "Keep the private root as it is, and report the reason with the log lines before it."
        }
    }
}
