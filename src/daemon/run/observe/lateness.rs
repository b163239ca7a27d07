//! Sources that may be behind. They are asked whenever metrics or health are read, so that a feed
//! that has read nothing for an hour does not report the lag of its last read.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How far the source of a feed is ahead of what was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLag {
    /// Messages that were not read, by partition.
    pub lag: Vec<(i32, u64)>,
    /// The age of the oldest of them.
    pub oldest: Duration,
}

type Source = (Duration, Box<dyn Fn() -> SourceLag + Send + Sync>);

/// Sources by feed, each with its greatest permitted lag.
#[derive(Default)]
pub(super) struct Sources(Mutex<BTreeMap<String, Source>>);

impl Sources {
    /// Asks this source from now on.
    pub(super) fn watch(
        &self,
        feed: &str,
        max: Duration,
        source: impl Fn() -> SourceLag + Send + Sync + 'static,
    ) {
        let mut sources = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sources.insert(feed.to_owned(), (max, Box::new(source)));
    }

    /// All feeds with such a source: their lag now, and whether it is too long.
    pub(super) fn now(&self) -> Vec<(String, SourceLag, bool)> {
        let sources = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = |(feed, (max, source)): (&String, &Source)| {
            let behind = source();
            let late = behind.oldest > *max;
            (feed.clone(), behind, late)
        };
        sources.iter().map(now).collect()
    }
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sources")
    }
}
