//! How far a writer is with looking at everything that the log names, and what it has found.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::daemon::verify::{Finding, Scrub};

/// How many findings are remembered and shown.
pub const MOST: usize = 100;

/// Rounds of a feed at work, for one writer.
#[derive(Default)]
pub struct Rounds {
    /// How far this one is.
    pub scrub: Scrub,
    /// When the next piece is due, by the age of the process.
    pub due: Duration,
    /// When this round began.
    pub began: Option<Duration>,
    /// Pieces of this round.
    pub pieces: u32,
    /// Pieces of the round before.
    pub last: u32,
    /// Bytes that this round has read.
    pub bytes: u64,
    /// What this round has found.
    pub found: BTreeSet<Finding>,
    /// What the round before has found.
    pub before: BTreeSet<Finding>,
    /// Rounds since one was told of.
    pub rounds: u64,
    /// When one was told of.
    pub told: Option<Duration>,
}

impl Rounds {
    /// What is known to be damaged.
    pub fn known(&self) -> BTreeSet<&Finding> {
        self.found.iter().chain(&self.before).take(MOST).collect()
    }
}
