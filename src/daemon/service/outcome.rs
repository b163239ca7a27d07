//! What came of a tick, as it is told. Counts and reasons, never a value.

use schemars::JsonSchema;
use serde::Serialize;

use crate::daemon::formats::VerdictReason;

/// What came of a tick.
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
    /// No row had come, and no person waited.
    Idle,
    /// The release may not leave.
    Rejected,
    /// A check that reads sensitive values failed, now or earlier in this chain.
    Stopped,
    /// The clock is behind the last tick; nothing closes until it is past it.
    Postponed,
}

/// A tick of a feed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FeedTick {
    /// The feed.
    pub feed: String,
    /// The number of the tick; null when nothing had to be written down.
    pub tick: Option<u32>,
    /// What came of it.
    pub outcome: TickOutcome,
    /// The release that was published, or that waits for approval.
    pub release: Option<u32>,
    /// Rows of the newest release.
    pub rows: u64,
    /// Rows whose atoms formed in this tick.
    pub added: u64,
    /// Rows that came and wait for the next tick.
    pub new: u64,
    /// Rows that wait for a class.
    pub waiting: u64,
    /// Rows withheld from this chain.
    pub withheld: u64,
    /// Rows in atoms that are not published yet.
    pub pending: u64,
    /// Columns of the release that show nothing but labels that stand for all values, if the release before it showed more or there was
    /// none.
    pub without_detail: Vec<String>,
    /// Why a release may not leave.
    pub reasons: Vec<VerdictReason>,
}
