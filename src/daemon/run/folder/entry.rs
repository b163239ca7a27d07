//! The answer of `anonymize` for each input (CONTRACTS 3). Counts and reasons, never a value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::release::Finding;
use crate::formats::LevelsRecord;

/// The outcome of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InputOutcome {
    /// A release was published.
    Published,
    /// A chain exists, but no atom was added, so nothing is published.
    Waiting,
    /// There is no release yet and there are too few rows; under `bcf` fewer than k new ones.
    Held,
    /// The release may not be published.
    Rejected,
    /// A check that reads sensitive values failed, now or earlier in this chain.
    Stopped,
    /// The input is in the folder already.
    Known,
}

/// One input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InputEntry {
    /// The release that was published.
    pub release: Option<u32>,
    /// The input, counted from 0.
    pub input: usize,
    /// The number of rows of the newest release.
    pub rows: u64,
    /// The number of rows whose atoms formed in this tick.
    pub added: u64,
    /// The number of rows that wait.
    pub waiting: u64,
    /// Always 0: no row is left out of a chain.
    pub withheld: u64,
    /// The number of rows in atoms that are not published yet.
    pub pending: u64,
    /// The number of rows of this input whose people have a row already.
    pub duplicate: u64,
    /// The number of records of this input that are not read, and of lines without any.
    pub skipped: u64,
    /// The number of rows of this input that were set aside.
    pub quarantined: u64,
    /// The outcome.
    pub outcome: InputOutcome,
    /// How good the levels are, if this input made the feed search levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<LevelsRecord>,
    /// Why the release may not be published.
    pub reasons: Vec<Finding>,
}

/// Totals after a tick.
#[derive(Debug, Clone, Copy)]
pub struct TickTotals {
    /// The number of rows of the newest release.
    pub rows: u64,
    /// The number of rows that wait.
    pub waiting: u64,
    /// The number of rows in atoms that are not published yet.
    pub pending: u64,
}

impl InputEntry {
    /// The entry of a tick without reasons.
    pub fn new(
        input: usize,
        outcome: InputOutcome,
        release: Option<u32>,
        totals: TickTotals,
    ) -> InputEntry {
        let TickTotals {
            rows,
            waiting,
            pending,
        } = totals;
        let reasons = Vec::new();
        InputEntry {
            release,
            input,
            rows,
            added: 0,
            waiting,
            withheld: 0,
            pending,
            duplicate: 0,
            skipped: 0,
            quarantined: 0,
            outcome,
            levels: None,
            reasons,
        }
    }

    /// The entry of an input that is in the folder already.
    pub fn known(input: usize, totals: TickTotals) -> InputEntry {
        InputEntry::new(input, InputOutcome::Known, None, totals)
    }
}
