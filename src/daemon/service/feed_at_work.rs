//! A running feed, and what is kept from one of its writers to the next.

use std::sync::Arc;

use super::halt::Halts;
use super::known_log::KnownLog;
use super::queries::RunOptions;
use super::world::{World, aside};
use crate::daemon::config::FeedConfig;
use crate::daemon::error::Result;
use crate::daemon::observe::FeedObserver;

/// One feed, and what is kept from one of its writers to the next.
#[derive(Clone)]
pub struct FeedAtWork {
    /// The feed, as its file was read last.
    pub feed: Arc<FeedConfig>,
    /// Its log lines, metrics and health.
    pub told: FeedObserver,
    /// How it is run.
    pub how: RunOptions,
    /// What is known about its log.
    pub known: Arc<KnownLog>,
    /// Its halts.
    pub halts: Arc<Halts>,
    /// The world around the process.
    pub world: Arc<dyn World>,
}

impl FeedAtWork {
    /// The feed is open, and everything that its source had was read: a halt has ended.
    ///
    /// # Errors
    /// As for [`aside`].
    pub async fn goes_on(&self) -> Result<()> {
        let (feed, halts) = (Arc::clone(&self.feed), Arc::clone(&self.halts));
        aside(&self.world, move || halts.over(&feed)).await
    }
}
