//! What a running feed receives from outside (HOUSE 2): time, waiting, randomness, its roots and
//! its topic. The program passes in the machine that it runs on, a simulation another world, and
//! the loop is the same.

use std::any::Any;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::chance::Chance;
use crate::config::{FeedConfig, Root};
use crate::error::{Error, ErrorCategory, Result};
use crate::feed_writer::{FEW, PublicRoot};
use crate::ingest::topic::{Fetching, Position, TopicSettings};
use crate::journal::store::Store;

/// A resource that is held until it is dropped.
pub type HeldResource = Box<dyn Any + Send + Sync>;

/// The roots of a feed.
pub struct OpenedRoots {
    /// The private root.
    pub private: Arc<dyn Store>,
    /// The public root.
    pub public: PublicRoot,
    /// The lock of the process that runs there; None in a bucket, which has no locks.
    pub lock: Option<HeldResource>,
}

/// A future to wait for.
pub type Wait = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The world around a process with feeds.
pub trait World: Send + Sync {
    /// The time of the clock.
    fn now(&self) -> Timestamp;

    /// How long the process has run, whatever the clock is set to.
    fn age(&self) -> Duration;

    /// Waits for this long.
    fn sleep(&self, time: Duration) -> Wait;

    /// Runs work that may take long where no task has to wait for it.
    fn run_blocking(&self, work: Box<dyn FnOnce() + Send>) -> Wait;

    /// The source of random bytes.
    fn chance(&self) -> Box<dyn Chance>;

    /// Opens the roots of a feed and takes the lock; None if another process holds it.
    ///
    /// # Errors
    /// One of them cannot be used.
    fn roots(&self, feed: &FeedConfig) -> Result<Option<OpenedRoots>>;

    /// Begins to fetch a topic at these positions.
    ///
    /// # Errors
    /// The settings cannot be used.
    fn fetch(
        &self,
        settings: &TopicSettings<'_>,
        positions: BTreeMap<i32, Position>,
    ) -> Result<Box<dyn Fetching>>;

    /// Writes a file for people into a private root, or removes it.
    ///
    /// # Errors
    /// The root cannot be written.
    fn note(&self, private: &Root, name: &str, bytes: Option<&[u8]>) -> Result<()>;

    /// The file that [`World::note`] has written.
    ///
    /// # Errors
    /// The root cannot be read.
    fn noted(&self, private: &Root, name: &str) -> Result<Option<Vec<u8>>>;

    /// The number of entries or objects of a private root that are too few to be packed.
    fn few(&self) -> usize {
        FEW
    }
}

/// Runs work aside, and waits for its result.
///
/// # Errors
/// It has panicked.
pub async fn run_blocking<T: Send + 'static>(
    world: &Arc<dyn World>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let (put, got) = tokio::sync::oneshot::channel();
    world
        .run_blocking(Box::new(move || _ = put.send(work())))
        .await;
    let fault = |_| {
        Error::new(
            ErrorCategory::Internal,
            "a feed has ended with an internal error: see the line above",
        )
    };
    got.await.map_err(fault)
}
