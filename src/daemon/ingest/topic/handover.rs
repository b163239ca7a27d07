//! What a thread that fetches hands over to the feed that takes its messages in: news in order, batches only while there is room.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::backlog::Backlog;
use super::batch::Batch;
use super::positions::Position;
use crate::daemon::error::{Complaint, Error};

/// Batches that wait to be taken.
const READY: usize = 2;
/// How long it is waited for room at a time.
const AGAIN: Duration = Duration::from_millis(500);

/// What the thread has to tell, in order.
#[derive(Debug)]
pub enum FetchEvent {
    /// Partitions are read from here on; each with the offset that was next before.
    Begins(Vec<(i32, u64, Position)>),
    /// Messages came.
    Batch(Batch),
    /// No broker answers, and why, as far as it is known.
    Away(Option<Complaint>),
    /// One answers again.
    Back,
    /// The registry of schemas does not answer, and why.
    RegistryAway(Complaint),
    /// It answers again.
    RegistryBack,
    /// It cannot go on.
    Failed(Error),
}

/// What the thread and the feed share.
#[derive(Default)]
pub struct Handover {
    /// What there is to tell.
    pub ready: Mutex<Vec<FetchEvent>>,
    /// Rings when something was taken.
    pub taken: Condvar,
    /// Rings when there may be something.
    pub came: Arc<tokio::sync::Notify>,
    /// All that was there when reading began is handed on.
    pub caught_up: AtomicBool,
    /// The thread is to end.
    pub ends: AtomicBool,
    /// How far the topic is ahead.
    pub backlog: Arc<Backlog>,
    /// Offsets for displays of lag.
    pub lag: Mutex<BTreeMap<i32, u64>>,
}

/// Rings when there may be something to tell.
#[derive(Clone, Default)]
pub struct FetchBell(Arc<tokio::sync::Notify>);

impl FetchBell {
    /// Waits for it.
    pub async fn rings(&self) {
        self.0.notified().await;
    }
}

impl Handover {
    /// The bell that rings when there may be news.
    pub fn bell(&self) -> FetchBell {
        FetchBell(Arc::clone(&self.came))
    }

    /// What there is to tell.
    pub fn lock(&self) -> std::sync::MutexGuard<'_, Vec<FetchEvent>> {
        self.ready.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Whether the thread is to end.
    pub fn ends(&self) -> bool {
        self.ends.load(Ordering::Acquire)
    }

    /// Hands on, when there is room; `false` when the thread is to end.
    pub fn tell(&self, news: FetchEvent) -> bool {
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
pub enum ReaderEnd {
    /// It is told to.
    Told,
    /// It cannot go on.
    Failed(Error),
}

impl From<Error> for ReaderEnd {
    fn from(error: Error) -> ReaderEnd {
        ReaderEnd::Failed(error)
    }
}

/// What the thread does next, if it does not end.
pub type ReaderStep<T> = std::result::Result<T, ReaderEnd>;
