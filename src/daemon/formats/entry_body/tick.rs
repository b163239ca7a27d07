//! What a tick fixes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::daemon::formats::Ref;

/// A tick of the schedule went by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClosedTick {
    /// Its number, from 0.
    pub tick: u32,
    /// When it was due.
    pub time: String,
    /// There were fewer new rows than a tick needs; they wait for the next.
    pub skipped: bool,
    /// Rows that came since the tick before.
    pub new: u64,
    /// Rows whose atoms formed.
    pub added: u64,
    /// Rows that wait after it.
    pub waiting: u64,
    /// Rows that are withheld from the chain after it.
    pub withheld: u64,
    /// Rows in atoms that are not published.
    pub pending: u64,
    /// What came of it.
    pub outcome: ClosingOutcome,
    /// The standing recoding, who waits since when, who is withheld, whose atoms formed; null for a skipped tick.
    pub atoms: Option<Ref>,
    /// What the operator is told of it, beside these counts; null where there is nothing.
    pub verdict: Option<Ref>,
    /// In a chain of crowds its number among the ticks that count, from the first with enough people for an atom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
}

/// The writer has drawn the coins of a tick that halves the waiting people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coins {
    /// The tick.
    pub tick: u32,
    /// They, as secret as raw rows.
    pub coins: Ref,
}

/// What came of closing a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClosingOutcome {
    /// Too few rows came; they wait for the next tick.
    Skipped,
    /// There is no release yet and too few rows for one.
    Held,
    /// Nothing was added to what is published.
    Waiting,
    /// The chain publishes nothing any more.
    Stopped,
    /// There is no release that keeps the guarantee.
    Impossible,
    /// There is a candidate: a decision follows.
    Candidate,
}

/// The values of a tick are fixed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Masked {
    /// The tick.
    pub tick: u32,
    /// Counts per atom and value, and the keyed hash of each person who came; kept for ever.
    pub counts: Ref,
    /// Which values were changed; null where no set is guarded.
    pub ledger: Option<Ref>,
    /// In a chain of crowds the keyed hashes of the people of each atom that formed; kept for ever, so that whole atoms can be
    /// erased. Null where none formed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub members: Option<Ref>,
}

/// The coin of a tick is drawn: whether a finer release may be published, if it passes its test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coin {
    /// The tick.
    pub tick: u32,
    /// Tests in this chain, this one included.
    pub tests: u32,
    /// What it shows. Sealed: beside what is published it would tell what the test has found.
    pub coin: Ref,
}
