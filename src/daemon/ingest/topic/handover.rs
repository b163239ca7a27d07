//! Passes messages from the fetching thread to the feed that takes them in: events in order,
//! batches only while there is room.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::backlog::Backlog;
use super::batch::Batch;
use super::positions::Position;
use crate::error::{Complaint, Error};

/// The most batches that wait to be accepted.
const READY: usize = 2;
/// The longest wait for room at a time.
const AGAIN: Duration = Duration::from_millis(500);

/// An event of the thread.
#[derive(Debug)]
pub enum FetchEvent {
    /// Partitions are read from here on; each with the offset that was next before.
    Begins(Vec<(i32, u64, Position)>),
    /// Messages came.
    Batch(Batch),
    /// No broker answers, and why, if known.
    Away(Option<Complaint>),
    /// A broker answers again.
    Back,
    /// The registry of schemas does not answer, and why.
    RegistryAway(Complaint),
    /// It answers again.
    RegistryBack,
    /// It cannot continue.
    Failed(Error),
}

/// The state that the thread and the feed share.
#[derive(Default)]
pub(super) struct Handover {
    /// The events.
    pub ready: Mutex<Vec<FetchEvent>>,
    /// Rings when an event was taken.
    pub taken: Condvar,
    /// Rings when there may be an event.
    pub came: Arc<tokio::sync::Notify>,
    /// Whether all messages that existed when reading began are passed on.
    pub caught_up: AtomicBool,
    /// Whether the thread has to end.
    pub ends: AtomicBool,
    /// How far the topic is ahead.
    pub backlog: Arc<Backlog>,
    /// Offsets for monitoring of lag.
    pub lag: Mutex<BTreeMap<i32, u64>>,
}

/// Rings when there may be an event.
#[derive(Clone, Default)]
pub struct FetchBell(Arc<tokio::sync::Notify>);

impl FetchBell {
    /// Waits for a ring.
    pub async fn rings(&self) {
        self.0.notified().await;
    }
}

impl Handover {
    /// The bell that rings when there may be an event.
    pub(super) fn bell(&self) -> FetchBell {
        FetchBell(Arc::clone(&self.came))
    }

    /// The events.
    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, Vec<FetchEvent>> {
        self.ready
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Whether the thread has to end.
    pub(super) fn ends(&self) -> bool {
        self.ends.load(Ordering::Acquire)
    }

    /// Passes an event on, when there is room; `false` if the thread has to end.
    pub(super) fn pass_on(&self, news: FetchEvent) -> bool {
        let mut ready = self.lock();
        while matches!(news, FetchEvent::Batch(_)) && ready.len() >= READY && !self.ends() {
            let waited = self.taken.wait_timeout(ready, AGAIN);
            ready = waited.map_or_else(|poisoned| poisoned.into_inner().0, |(ready, _)| ready);
        }
        if self.ends() {
            return false;
        }
        ready.push(news);
        self.came.notify_one();
        true
    }
}

/// Why the thread ends.
pub(super) enum ReaderEnd {
    /// The feed ends.
    Ending,
    /// It cannot continue.
    Failed(Error),
}

impl From<Error> for ReaderEnd {
    fn from(error: Error) -> ReaderEnd {
        ReaderEnd::Failed(error)
    }
}

/// The result of a step of the thread, unless it ends.
pub(super) type ReaderStep<T> = std::result::Result<T, ReaderEnd>;
