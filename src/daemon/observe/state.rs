//! Whether feeds are ready (CONTRACTS 5, `/health/ready`): a state per feed that events change, and nothing else does.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

/// What a feed does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It reads its log.
    Starting,
    /// It works.
    Running,
    /// It works, and its source is further ahead than it may be.
    Behind,
    /// It does nothing until somebody has acted.
    Halted,
}

/// All feeds of the process.
#[derive(Debug, Default)]
pub struct States(Mutex<BTreeMap<String, State>>);

/// All feeds at a moment, as `/health/ready` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Health {
    /// Whether there is a feed, and all of them run and are not behind.
    pub ready: bool,
    /// State by feed.
    pub feeds: BTreeMap<String, State>,
}

impl States {
    /// A feed is in this state from now on.
    pub fn set(&self, feed: &str, state: State) {
        self.lock().insert(feed.to_owned(), state);
    }

    /// All of them now; those of `late` are behind if they run.
    pub fn health(&self, late: impl IntoIterator<Item = String>) -> Health {
        let mut feeds = self.lock().clone();
        for feed in late {
            feeds.entry(feed).and_modify(|state| {
                if *state == State::Running {
                    *state = State::Behind;
                }
            });
        }
        let ready = !feeds.is_empty() && feeds.values().all(|state| *state == State::Running);
        Health { ready, feeds }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
