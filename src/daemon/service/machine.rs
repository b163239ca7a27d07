//! The machine that the program runs on, as the world around its feeds.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::root_opening;
use super::world::{OpenedRoots, Wait, World};
use crate::daemon::chance::{Chance, SystemChance};
use crate::daemon::clock;
use crate::daemon::config::{FeedConfig, Root};
use crate::daemon::error::Result;
use crate::daemon::ingest::topic::{Fetch, Fetching, Position, TopicSettings};
use crate::daemon::journal::store::{put_beside, read_beside};

/// The machine that the program runs on.
pub struct Machine {
    begun: Instant,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine { begun: Instant::now() }
    }
}

impl World for Machine {
    fn now(&self) -> Timestamp {
        clock::instant()
    }

    fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    fn sleep(&self, time: Duration) -> Wait {
        Box::pin(tokio::time::sleep(time))
    }

    fn run_blocking(&self, work: Box<dyn FnOnce() + Send>) -> Wait {
        Box::pin(async {
            // Work that ended by a panic has returned nothing, which the receiver of its result notices.
            let _ = tokio::task::spawn_blocking(work).await;
        })
    }

    fn chance(&self) -> Box<dyn Chance> {
        Box::new(SystemChance)
    }

    fn roots(&self, feed: &FeedConfig) -> Result<Option<OpenedRoots>> {
        root_opening::roots(feed)
    }

    fn fetch(&self, settings: &TopicSettings<'_>, positions: BTreeMap<i32, Position>) -> Result<Box<dyn Fetching>> {
        Ok(Box::new(Fetch::begin(settings, positions)?))
    }

    fn note(&self, private: &Root, name: &str, bytes: Option<&[u8]>) -> Result<()> {
        put_beside(private, name, bytes)
    }

    fn noted(&self, private: &Root, name: &str) -> Result<Option<Vec<u8>>> {
        read_beside(private, name)
    }
}
