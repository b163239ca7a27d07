//! What `anonymize` answers for each input (CONTRACTS 3). Counts and reasons, never a value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::daemon::formats::VerdictReason;

/// What came of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InputOutcome {
    /// A release was published.
    Published,
    /// A chain exists, no atom was added, nothing is published.
    Waiting,
    /// There is no release yet and there are too few rows; under `bcf` fewer than k new ones.
    Held,
    /// The release may not leave.
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
    /// Rows of the newest release.
    pub rows: u64,
    /// Rows whose atoms formed in this tick.
    pub added: u64,
    /// Rows that wait.
    pub waiting: u64,
    /// Rows withheld from this chain.
    pub withheld: u64,
    /// Rows in atoms that are not published yet.
    pub pending: u64,
    /// Rows of this input of people who have one already.
    pub duplicate: u64,
    /// Rows of this input that were set aside.
    pub quarantined: u64,
    /// What came of it.
    pub outcome: InputOutcome,
    /// Why a release may not leave.
    pub reasons: Vec<VerdictReason>,
}

/// Totals after a tick.
#[derive(Debug, Clone, Copy)]
pub struct TickTotals {
    /// Rows of the newest release.
    pub rows: u64,
    /// Rows that wait.
    pub waiting: u64,
    /// Rows withheld from this chain.
    pub withheld: u64,
    /// Rows in atoms that are not published yet.
    pub pending: u64,
}

impl InputEntry {
    /// Of a tick without reasons.
    pub fn new(input: usize, outcome: InputOutcome, release: Option<u32>, told: TickTotals) -> InputEntry {
        let TickTotals { rows, waiting, withheld, pending } = told;
        let reasons = Vec::new();
        InputEntry {
            release,
            input,
            rows,
            added: 0,
            waiting,
            withheld,
            pending,
            duplicate: 0,
            quarantined: 0,
            outcome,
            reasons,
        }
    }

    /// Of an input that is in the folder already.
    pub fn known(input: usize, told: TickTotals) -> InputEntry {
        InputEntry::new(input, InputOutcome::Known, None, told)
    }
}
