//! The decisions of a tick.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::formats::Ref;

/// A tick of the schedule passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClosedTick {
    /// Its number, from 0.
    pub tick: u32,
    /// Its scheduled time.
    pub time: String,
    /// Whether there were fewer new rows than a tick needs; they wait for the next.
    pub skipped: bool,
    /// The number of rows that came since the previous tick.
    pub new: u64,
    /// The number of rows whose atoms formed.
    pub added: u64,
    /// The number of rows that wait after it.
    pub waiting: u64,
    /// The number of rows in atoms that are not published.
    pub pending: u64,
    /// The outcome.
    pub outcome: ClosingOutcome,
    /// The standing recoding, and the people who wait since when and whose atoms formed; null for a skipped tick.
    pub atoms: Option<Ref>,
    /// The record for the operator besides these counts; null if there is none.
    pub verdict: Option<Ref>,
    /// In a chain of crowds its number among the ticks that count, beginning with the first that
    /// has enough people for an atom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
}

/// The writer has drawn the coins of a tick that halves the waiting people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coins {
    /// The tick.
    pub tick: u32,
    /// The coins, as secret as raw rows.
    pub coins: Ref,
}

/// The outcome of closing a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClosingOutcome {
    /// Too few rows came; they wait for the next tick.
    Skipped,
    /// There is no release yet and too few rows for one.
    Held,
    /// No rows were added to what is published.
    Waiting,
    /// The chain publishes nothing any more.
    Stopped,
    /// No release keeps the guarantee.
    Impossible,
    /// There is a candidate: a decision follows.
    Candidate,
}

/// The values of a tick are fixed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Masked {
    /// The tick.
    pub tick: u32,
    /// Counts by atom and value, and the keyed hash of each person who came; kept for ever.
    pub counts: Ref,
    /// The changed values; null if no set is guarded.
    pub ledger: Option<Ref>,
    /// In a chain of crowds the keyed hashes of the people of each atom that formed; kept for ever,
    /// so that whole atoms can be erased. Null if none formed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub members: Option<Ref>,
}
