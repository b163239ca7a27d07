//! The progress of a writer in checking everything that the log names, and what it has found.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use crate::verify::{FileFault, Scrub};

/// The greatest number of findings that are remembered and shown.
pub(super) const MOST: usize = 100;

/// Rounds of a running feed, for one writer.
#[derive(Default)]
pub(super) struct Rounds {
    /// The progress of this one.
    pub scrub: Scrub,
    /// When the next piece is due, by the age of the process.
    pub due: Duration,
    /// When this round began.
    pub began: Option<Duration>,
    /// Pieces of this round.
    pub pieces: u32,
    /// Pieces of the previous round.
    pub last: u32,
    /// Bytes that this round has read.
    pub bytes: u64,
    /// What this round has found.
    pub found: BTreeSet<FileFault>,
    /// What the previous round has found.
    pub before: BTreeSet<FileFault>,
    /// Rounds since one was reported.
    pub rounds: u64,
    /// When one was reported.
    pub reported: Option<Duration>,
    /// When the end of one was recorded in the private root.
    pub recorded: Option<Timestamp>,
}

impl Rounds {
    /// The files that are known to be damaged.
    pub(super) fn known(&self) -> BTreeSet<&FileFault> {
        self.found.iter().chain(&self.before).take(MOST).collect()
    }
}
