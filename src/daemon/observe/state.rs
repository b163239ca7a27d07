//! Whether feeds are ready (CONTRACTS 5, `/health/ready`): a state per feed that events change, and nothing else does.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a feed does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FeedPhase {
    /// It reads its log.
    Starting,
    /// It works.
    Running,
    /// It works, and its source is further ahead than it may be.
    Behind,
    /// It publishes nothing until an operator has acted.
    Halted,
}

/// Why a feed does not go on. Its texts are those of errors: they hold no value of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Halt {
    /// When it halted, in UTC.
    pub since: String,
    /// What is wrong and where, as the log says it.
    pub reason: String,
    /// What an operator does next.
    pub what_to_do: String,
}

/// All feeds of the process.
#[derive(Debug, Default)]
pub struct FeedStates(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    states: BTreeMap<String, FeedPhase>,
    /// Why feeds have halted, the newest halt of each.
    halts: BTreeMap<String, Halt>,
    /// What is missing or changed, by feed.
    damaged: BTreeMap<String, Vec<String>>,
}

/// All feeds at a moment, as `/health/ready` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// Whether there is a feed, and all of them run and are not behind.
    pub ready: bool,
    /// State by feed.
    pub feeds: BTreeMap<String, FeedPhase>,
    /// Why a feed is halted, and what to do, by feed; absent if none is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub halted: BTreeMap<String, Halt>,
    /// Entries, objects and published files that are missing or changed, and how, by feed; absent if none is known. `tidegate verify`
    /// says the same of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub damaged: BTreeMap<String, Vec<String>>,
}

impl FeedStates {
    /// A feed is in this state from now on. A halted one stays halted while it is tried again.
    pub fn set(&self, feed: &str, state: FeedPhase, ends_halt: bool) {
        let mut known = self.lock();
        if known.states.get(feed) != Some(&FeedPhase::Halted) || ends_halt {
            known.states.insert(feed.to_owned(), state);
        }
    }

    /// Why a feed is halted, or is about to be.
    pub fn explain(&self, feed: &str, halt: Halt) {
        self.lock().halts.insert(feed.to_owned(), halt);
    }

    /// What is missing or changed in the roots of a feed.
    pub fn damaged(&self, feed: &str, damaged: Vec<String>) {
        let known = &mut self.lock().damaged;
        if damaged.is_empty() {
            known.remove(feed);
        } else {
            known.insert(feed.to_owned(), damaged);
        }
    }

    /// All of them now; those of `late` are behind if they run.
    pub fn health(&self, late: impl IntoIterator<Item = String>) -> Health {
        let known = self.lock();
        let (mut feeds, mut halted) = (known.states.clone(), known.halts.clone());
        let damaged = known.damaged.clone();
        drop(known);
        halted.retain(|feed, _| feeds.get(feed) == Some(&FeedPhase::Halted));
        for feed in late {
            feeds.entry(feed).and_modify(|state| {
                if *state == FeedPhase::Running {
                    *state = FeedPhase::Behind;
                }
            });
        }
        let ready = !feeds.is_empty() && feeds.values().all(|state| *state == FeedPhase::Running);
        Health { ready, feeds, halted, damaged }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
