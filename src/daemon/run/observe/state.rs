//! Whether feeds are ready (CONTRACTS 5, `/health/ready`): a state per feed, which only events
//! change.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FeedPhase {
    /// It reads its log.
    Starting,
    /// It runs.
    Running,
    /// It runs, and its source is further ahead than permitted.
    Behind,
    /// It runs, and closes no tick until its clock is right or an operator accepts it.
    Clock,
    /// It publishes nothing until an operator has acted.
    Halted,
}

/// Why a feed does not continue. Its texts are those of errors: they contain no value of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Halt {
    /// When it halted, in UTC.
    pub since: String,
    /// The error and its place, as in the log.
    pub reason: String,
    /// What an operator has to do next.
    pub what_to_do: String,
}

/// All feeds of the process.
#[derive(Debug, Default)]
pub(super) struct FeedStates(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    states: BTreeMap<String, FeedPhase>,
    /// The newest halt of each feed.
    halts: BTreeMap<String, Halt>,
    /// Missing or changed files, by feed.
    damaged: BTreeMap<String, Vec<String>>,
    /// Why no tick closes because of the clock, by feed.
    clock: BTreeMap<String, String>,
}

/// All feeds at one time, as `/health/ready` reports them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// Whether there is a feed, and all feeds run and are not behind.
    pub ready: bool,
    /// State by feed.
    pub feeds: BTreeMap<String, FeedPhase>,
    /// Why a feed is halted, and what to do, by feed; absent if none is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub halted: BTreeMap<String, Halt>,
    /// Entries, objects and published files that are missing or changed, and how, by feed; absent
    /// if none is known. `tidegate verify` reports them in the same words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub damaged: BTreeMap<String, Vec<String>>,
    /// Why no tick closes because of the clock, and what to do, by feed; absent if no feed waits
    /// for it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub clock: BTreeMap<String, String>,
}

impl FeedStates {
    /// Sets the state of a feed. A halted feed stays halted while it is tried again.
    pub(super) fn set(&self, feed: &str, state: FeedPhase, ends_halt: bool) {
        let mut known = self.lock();
        if known.states.get(feed) != Some(&FeedPhase::Halted) || ends_halt {
            known.states.insert(feed.to_owned(), state);
        }
    }

    /// Sets why a feed is halted, or is about to halt.
    pub(super) fn explain(&self, feed: &str, halt: Halt) {
        self.lock().halts.insert(feed.to_owned(), halt);
    }

    /// Sets the missing or changed files in the roots of a feed.
    pub(super) fn damaged(&self, feed: &str, damaged: Vec<String>) {
        let known = &mut self.lock().damaged;
        if damaged.is_empty() {
            known.remove(feed);
        } else {
            known.insert(feed.to_owned(), damaged);
        }
    }

    /// Sets why no tick of a feed closes because of the clock.
    pub(super) fn clock(&self, feed: &str, why: Option<String>) {
        let clock = &mut self.lock().clock;
        match why {
            Some(why) => _ = clock.insert(feed.to_owned(), why),
            None => _ = clock.remove(feed),
        }
    }

    /// All feeds; those of `late` are behind if they run.
    pub(super) fn health(&self, late: impl IntoIterator<Item = String>) -> Health {
        let known = self.lock();
        let (mut feeds, mut halted) = (known.states.clone(), known.halts.clone());
        let (damaged, clock) = (known.damaged.clone(), known.clock.clone());
        drop(known);
        halted.retain(|feed, _| feeds.get(feed) == Some(&FeedPhase::Halted));
        for feed in late {
            feeds.entry(feed).and_modify(|state| {
                if *state == FeedPhase::Running {
                    *state = FeedPhase::Behind;
                }
            });
        }
        for (feed, state) in &mut feeds {
            if clock.contains_key(feed) && matches!(state, FeedPhase::Running | FeedPhase::Behind) {
                *state = FeedPhase::Clock;
            }
        }
        let ready = !feeds.is_empty() && feeds.values().all(|state| *state == FeedPhase::Running);
        Health {
            ready,
            feeds,
            halted,
            damaged,
            clock,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
