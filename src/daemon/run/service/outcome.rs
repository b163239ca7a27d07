//! The result of a tick, as it is reported. Counts and reasons, never a value.

use crate::engine::release::Finding;
use schemars::JsonSchema;
use serde::Serialize;

/// The outcome of a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TickOutcome {
    /// A release was published.
    Published,
    /// A release waits for a person's approval.
    Approval,
    /// A chain exists, no atom was added, nothing is published.
    Waiting,
    /// There is no release yet and there are too few rows; under `bcf` fewer than k new ones.
    Held,
    /// Fewer new rows than a tick needs; they wait for the next.
    Skipped,
    /// There were no new rows, and no person waited.
    Idle,
    /// The gate rejected the release.
    Rejected,
    /// A check that reads sensitive values failed, now or earlier in this chain.
    Stopped,
    /// The newest tick lies in the future, or the clock was set while the feed ran: no tick closes
    /// until the clock is right or an operator accepts it.
    Postponed,
}

/// A tick of a feed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FeedTick {
    /// The feed.
    pub feed: String,
    /// The number of the tick; null if nothing had to be appended.
    pub tick: Option<u32>,
    /// The number of files that it took, all together; 0 if the source is a topic.
    pub files: u64,
    /// Its outcome.
    pub outcome: TickOutcome,
    /// The release that was published, or that waits for approval.
    pub release: Option<u32>,
    /// Rows of the newest release.
    pub rows: u64,
    /// Rows whose atoms formed in this tick.
    pub added: u64,
    /// New rows that wait for the next tick.
    pub new: u64,
    /// Rows that wait for a class.
    pub waiting: u64,
    /// Always 0: no row is left out of a chain.
    pub withheld: u64,
    /// Rows in atoms that are not published yet.
    pub pending: u64,
    /// Columns of the release that show only labels that stand for all values, if the release
    /// before it showed more or there was none.
    pub without_detail: Vec<String>,
    /// Why the gate rejected a release.
    pub reasons: Vec<Finding>,
}
