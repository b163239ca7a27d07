//! Notifies the operator that a feed has halted, and that it continues. No entry of the log records
//! either, so each receiver has a queue here, as long as the process lives: in order, once, however
//! long a receiver is away.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::delivery::Delivery;
use super::listeners::{Listener, listeners};
use super::notification::{Audience, Notification};
use crate::config::FeedConfig;
use crate::observe::FeedObserver;

/// A receiver, and its notification.
type Queued = (Listener, Arc<Notification>);

/// Notifies of the halts of one feed.
pub struct HaltNotifier {
    observer: FeedObserver,
    shared: Arc<Shared>,
    /// A queue and its thread for each receiver, by the receiver's name.
    queues: Mutex<BTreeMap<&'static str, Sender<Queued>>>,
}

#[derive(Default)]
struct Shared {
    known: Mutex<Known>,
    rings: Condvar,
}

#[derive(Default)]
struct Known {
    /// The number of notifications that are not delivered yet.
    open: usize,
    /// Whether the process ends, so that nothing more is delivered.
    ends: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.lock());
        self.rings.notify_all();
    }

    /// Waits until a condition holds, or the time is over; returns whether it holds.
    fn until(&self, patience: Duration, holds: impl Fn(&Known) -> bool) -> bool {
        let begun = Instant::now();
        let mut known = self.lock();
        while !holds(&known) {
            let left = patience.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return false;
            }
            let waited = self.rings.wait_timeout(known, left);
            known = waited.map_or_else(|poisoned| poisoned.into_inner().0, |(known, _)| known);
        }
        true
    }
}

impl HaltNotifier {
    /// Starts without notifications.
    pub fn new(observer: FeedObserver) -> HaltNotifier {
        HaltNotifier {
            observer,
            shared: Arc::default(),
            queues: Mutex::default(),
        }
    }

    /// Notifies each receiver of the operator that the feed file names. If the feed file does not
    /// name one validly, which may be the very reason of a halt, no receiver can be notified.
    pub fn notify(&self, feed: &FeedConfig, notification: Notification) {
        let Ok(listeners) = listeners(feed) else {
            return;
        };
        let notification = Arc::new(notification);
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        for listener in listeners
            .into_iter()
            .filter(|listener| listener.audience == Audience::Operator)
        {
            let name = listener.name.word();
            let queue = queues.entry(name).or_insert_with(|| self.begin());
            self.shared.change(|known| known.open += 1);
            if queue.send((listener, Arc::clone(&notification))).is_err() {
                // The system gives no thread: `receiver_away` could not say more than the halt
                // itself.
                self.shared.change(|known| known.open -= 1);
                queues.remove(name);
            }
        }
    }

    /// The thread of one receiver.
    fn begin(&self) -> Sender<Queued> {
        let (queue, queued) = channel();
        let (observer, shared) = (self.observer.clone(), Arc::clone(&self.shared));
        // Without a thread the other end of the queue is closed.
        let _ = std::thread::Builder::new()
            .name("halts".to_owned())
            .spawn(move || follow(&queued, &observer, &shared));
        queue
    }

    /// Waits until all notifications are delivered, but not longer than this.
    pub fn finish(&self, patience: Duration) {
        self.shared.until(patience, |known| known.open == 0);
    }
}

impl Drop for HaltNotifier {
    fn drop(&mut self) {
        self.shared.change(|known| known.ends = true);
    }
}

/// Delivers the queue of one receiver.
fn follow(queued: &Receiver<Queued>, observer: &FeedObserver, shared: &Shared) {
    let ends = || shared.lock().ends;
    let waits = |pause: Duration| !shared.until(pause, |known| known.ends);
    for (listener, notification) in queued {
        let mut deliverer = Delivery::new(listener, observer.clone());
        if let Some(said) = deliverer.deliver(&notification, &ends, &waits) {
            said.say(&deliverer);
        }
        shared.change(|known| known.open -= 1);
    }
}
