//! The machine that the program runs on, as the world around its feeds.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};

use super::root_opening;
use super::world::{OpenedRoots, Wait, World};
use crate::chance::{Chance, SystemChance};
use crate::clock;
use crate::config::{FeedConfig, Root};
use crate::error::Result;
use crate::ingest::topic::{Fetch, Fetching, Position, TopicSettings};
use crate::journal::store::{put_beside, read_beside};

/// The machine that the program runs on.
pub(super) struct Machine {
    begun: Instant,
    /// How long the machine was suspended before.
    suspended: Duration,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine {
            begun: Instant::now(),
            suspended: suspended(),
        }
    }
}

/// How long the machine was suspended since it was started. A process counts that as time in which
/// it ran, since the clock was not set when the machine wakes up.
fn suspended() -> Duration {
    let [running, all] = [ClockId::Monotonic, ClockId::Boottime].map(|clock| {
        let time = clock_gettime(clock);
        Duration::new(
            u64::try_from(time.tv_sec).unwrap_or(0),
            u32::try_from(time.tv_nsec).unwrap_or(0),
        )
    });
    all.saturating_sub(running)
}

impl World for Machine {
    fn now(&self) -> Timestamp {
        clock::instant()
    }

    fn age(&self) -> Duration {
        self.begun.elapsed() + suspended().saturating_sub(self.suspended)
    }

    fn sleep(&self, time: Duration) -> Wait {
        Box::pin(tokio::time::sleep(time))
    }

    fn run_blocking(&self, work: Box<dyn FnOnce() + Send>) -> Wait {
        Box::pin(async {
            // Work that ended by a panic has returned nothing, which the receiver of its result
            // notices.
            let _ = tokio::task::spawn_blocking(work).await;
        })
    }

    fn chance(&self) -> Box<dyn Chance> {
        Box::new(SystemChance)
    }

    fn roots(&self, feed: &FeedConfig) -> Result<Option<OpenedRoots>> {
        root_opening::roots(feed)
    }

    fn fetch(
        &self,
        settings: &TopicSettings<'_>,
        positions: BTreeMap<i32, Position>,
    ) -> Result<Box<dyn Fetching>> {
        Ok(Box::new(Fetch::begin(settings, positions)?))
    }

    fn note(&self, private: &Root, name: &str, bytes: Option<&[u8]>) -> Result<()> {
        put_beside(private, name, bytes)
    }

    fn noted(&self, private: &Root, name: &str) -> Result<Option<Vec<u8>>> {
        read_beside(private, name)
    }
}
