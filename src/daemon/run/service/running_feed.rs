//! A running feed, and what is kept from one of its writers to the next.

use std::sync::Arc;

use super::halt::Halts;
use super::known_log::KnownLog;
use super::queries::RunOptions;
use super::world::{World, run_blocking};
use crate::config::FeedConfig;
use crate::error::Result;
use crate::observe::FeedObserver;

/// One feed, and what is kept from one of its writers to the next.
#[derive(Clone)]
pub struct RunningFeed {
    /// The feed, as its file was read last.
    pub feed: Arc<FeedConfig>,
    /// Its log lines, metrics and health.
    pub observer: FeedObserver,
    /// How it is run.
    pub how: RunOptions,
    /// What is known about its log.
    pub known: Arc<KnownLog>,
    /// Its halts.
    pub halts: Arc<Halts>,
    /// The world around the process.
    pub world: Arc<dyn World>,
}

impl RunningFeed {
    /// The feed is open, and everything that its source had was read: a halt has ended.
    ///
    /// # Errors
    /// As for [`run_blocking`].
    pub async fn end_halt(&self) -> Result<()> {
        let (feed, halts) = (Arc::clone(&self.feed), Arc::clone(&self.halts));
        run_blocking(&self.world, move || halts.over(&feed)).await
    }
}
