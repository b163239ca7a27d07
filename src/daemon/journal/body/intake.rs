//! Messages on their way in: what became of each, and where the rows that count and the others are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::asked::Wanted;
use crate::daemon::journal::objects::Ref;
use crate::engine::release::Sha256;

/// Where messages were taken from, and what became of each: `seen = kept + duplicate + skipped + quarantined`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// The file of a directory, by its name.
    pub file: String,
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// Its bytes.
    pub size: u64,
    /// When it was changed last, in nanoseconds since 1970.
    pub modified: i64,
    /// The first message.
    pub from: u64,
    /// The message after the last one.
    pub next: u64,
    /// Messages.
    pub seen: u64,
    /// Rows that count.
    pub kept: u64,
    /// Rows of people who have one already.
    pub duplicate: u64,
    /// Messages that were passed over by policy.
    pub skipped: u64,
    /// Messages that were set aside.
    pub quarantined: u64,
}

impl Part {
    /// Whether every message became something.
    pub fn adds_up(&self) -> bool {
        let parts = [self.duplicate, self.skipped, self.quarantined];
        parts.iter().try_fold(self.kept, |sum, &part| sum.checked_add(part)) == Some(self.seen)
            && self.from.checked_add(self.seen) == Some(self.next)
    }
}

/// A sealed object of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Kept {
    /// It.
    pub object: Ref,
    /// Its rows.
    pub rows: u64,
}

/// A sealed object of messages that were set aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quarantined {
    /// It.
    pub object: Ref,
    /// Its messages.
    pub messages: u64,
}

/// Messages were taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ingest {
    /// When.
    pub time: String,
    /// The tick that the rows wait for.
    pub tick: u32,
    /// The rows that count, in order.
    pub segments: Vec<Kept>,
    /// What was set aside.
    pub quarantine: Option<Quarantined>,
    /// Where from.
    pub parts: Vec<Part>,
    /// Sensitive cells of rows that count which were missing or malformed.
    pub nulled: u64,
}

/// Messages that were set aside were offered again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retry {
    /// Who asked.
    pub wanted: Wanted,
    /// The tick that the rows wait for.
    pub tick: u32,
    /// What was set aside before.
    pub of: Vec<Ref>,
    /// What still is of each; null where nothing is left.
    pub rest: Vec<Option<Quarantined>>,
    /// The rows that count now.
    pub segments: Vec<Kept>,
    /// How many messages were offered.
    pub offered: u64,
    /// Rows that count now.
    pub kept: u64,
    /// Rows of people who have one already.
    pub duplicate: u64,
    /// Messages that are still set aside.
    pub quarantined: u64,
    /// Of those that are not any more: messages that came since the last tick that was closed.
    pub cleared: u64,
}
