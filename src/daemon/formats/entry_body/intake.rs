//! Messages on their way in: what became of each, and where the rows that count and the others are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::requests::RequestOrigin;
use crate::daemon::formats::Ref;
use crate::daemon::intake_counts::IntakeCounts;
use crate::engine::release::Sha256;

/// What messages are from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MessageOrigin {
    /// A file of a directory.
    File {
        /// Its name.
        file: String,
        /// The digest of its bytes.
        sha256: Sha256,
        /// Its bytes.
        size: u64,
        /// When it was changed last, in nanoseconds since 1970.
        modified: i64,
    },
    /// A partition of a topic.
    Partition {
        /// The topic.
        topic: String,
        /// What tells the topic from another one of the same name.
        topic_id: String,
        /// The partition.
        partition: i32,
    },
}

impl MessageOrigin {
    /// In words, for people.
    pub fn name(&self) -> String {
        match self {
            MessageOrigin::File { file, .. } => file.clone(),
            MessageOrigin::Partition { topic, partition, .. } => format!("{topic}/{partition}"),
        }
    }
}

/// Where messages were taken from, and what became of each: `seen = kept + duplicate + skipped + quarantined`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntakePart {
    /// What they are from.
    #[serde(flatten)]
    pub origin: MessageOrigin,
    /// The first message, or the offset from which on a partition was read.
    pub from: u64,
    /// The message after the last one, or the offset from which on a partition is read next.
    pub next: u64,
    /// What tells the last message of a partition from another one that was given its offset: the reign of its leader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<i32>,
    /// What became of them.
    #[serde(flatten)]
    pub counts: IntakeCounts,
    /// Those of the messages that were set aside which are rows of people who have one already.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeats: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl IntakePart {
    /// Whether every message became something. Offsets of a partition have gaps, and a message may hold several rows.
    pub fn adds_up(&self) -> bool {
        let IntakeCounts { seen, quarantined, .. } = self.counts;
        self.counts.adds_up()
            && self.repeats <= quarantined
            && match self.origin {
                MessageOrigin::File { .. } => self.from.checked_add(seen) == Some(self.next),
                MessageOrigin::Partition { .. } => self.from < self.next || (self.from == self.next && seen == 0),
            }
    }
}

/// A sealed object of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SealedRows {
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
    pub segments: Vec<SealedRows>,
    /// What was set aside, in the order of parts: an object for each that had some, or several where that was much.
    pub quarantine: Vec<Quarantined>,
    /// Where from.
    pub parts: Vec<IntakePart>,
    /// Sensitive cells of rows that count which were missing or malformed.
    pub nulled: u64,
}

/// Messages that were set aside were offered again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retry {
    /// Who asked.
    pub wanted: RequestOrigin,
    /// The tick that the rows wait for.
    pub tick: u32,
    /// What was set aside before.
    pub of: Vec<Ref>,
    /// What still is of each; null where nothing is left.
    pub rest: Vec<Option<Quarantined>>,
    /// The rows that count now.
    pub segments: Vec<SealedRows>,
    /// How many messages were offered.
    pub offered: u64,
    /// Rows that count now.
    pub kept: u64,
    /// Rows of people who have one already.
    pub duplicate: u64,
    /// Messages that are passed over by policy now.
    pub skipped: u64,
    /// Messages that are still set aside.
    pub quarantined: u64,
    /// Of those that are not any more: messages that came since the last tick that was closed.
    pub cleared: u64,
}
