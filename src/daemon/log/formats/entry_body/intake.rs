//! Messages that were accepted: what became of each, and the objects of valid rows and of the
//! others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::requests::RequestOrigin;
use crate::engine::release::Sha256;
use crate::formats::Ref;
use crate::intake_counts::IntakeCounts;

/// The origin of messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MessageOrigin {
    /// A file of a directory.
    File {
        /// Its name.
        file: String,
        /// The HMAC of the digest of its bytes, under a key of the feed: with a digest alone a
        /// reader of the log could find the content of a small file by trying all possible ones.
        code: Sha256,
        /// The generation of that key.
        generation: u64,
        /// Its size in bytes.
        size: u64,
        /// The time of its last change, in nanoseconds since 1970.
        modified: i64,
    },
    /// A partition of a topic.
    Partition {
        /// The topic.
        topic: String,
        /// The id of the topic, which distinguishes it from others of the same name.
        topic_id: String,
        /// The partition.
        partition: i32,
    },
}

impl MessageOrigin {
    /// The origin in words.
    pub fn name(&self) -> String {
        match self {
            MessageOrigin::File { file, .. } => file.clone(),
            MessageOrigin::Partition {
                topic, partition, ..
            } => format!("{topic}/{partition}"),
        }
    }
}

/// The origin of messages, and what became of each: `seen = kept + duplicate + skipped +
/// quarantined`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntakePart {
    /// The origin.
    #[serde(flatten)]
    pub origin: MessageOrigin,
    /// The first message, or the offset at which reading of a partition began.
    pub from: u64,
    /// The message after the last one, or the next offset of a partition.
    pub next: u64,
    /// The leader epoch of the last message of a partition, which distinguishes it from another one
    /// with the same offset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<i32>,
    /// What became of the messages.
    #[serde(flatten)]
    pub counts: IntakeCounts,
    /// How many of the set-aside messages are rows of people who have one already.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeats: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl IntakePart {
    /// Whether each message is counted once. Offsets of a partition have gaps, and a message may
    /// contain several rows.
    pub fn adds_up(&self) -> bool {
        let IntakeCounts {
            seen, quarantined, ..
        } = self.counts;
        self.counts.adds_up()
            && self.repeats <= quarantined
            && match self.origin {
                MessageOrigin::File { .. } => self.from.checked_add(seen) == Some(self.next),
                MessageOrigin::Partition { .. } => {
                    self.from < self.next || (self.from == self.next && seen == 0)
                }
            }
    }
}

/// A sealed object of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SealedRows {
    /// The object.
    pub object: Ref,
    /// The number of its rows.
    pub rows: u64,
}

/// A sealed object of set-aside messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quarantined {
    /// The object.
    pub object: Ref,
    /// The number of its messages.
    pub messages: u64,
}

/// Messages were accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ingest {
    /// When.
    pub time: String,
    /// The tick to which the rows belong.
    pub tick: u32,
    /// The valid rows, in order.
    pub segments: Vec<SealedRows>,
    /// The set-aside messages, in the order of parts: one object for each part that has some, or
    /// several if they are large.
    pub quarantine: Vec<Quarantined>,
    /// The origins.
    pub parts: Vec<IntakePart>,
    /// The number of sensitive cells of valid rows that were missing or malformed.
    pub nulled: u64,
}

/// Set-aside messages were offered again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retry {
    /// Who made the request.
    pub wanted: RequestOrigin,
    /// The tick to which the rows belong.
    pub tick: u32,
    /// The objects with the messages.
    pub of: Vec<Ref>,
    /// The messages of each that are still set aside; null if there are none.
    pub rest: Vec<Option<Quarantined>>,
    /// The rows that are valid now.
    pub segments: Vec<SealedRows>,
    /// The number of messages that were offered.
    pub offered: u64,
    /// The number of rows that are valid now.
    pub kept: u64,
    /// The number of rows of people who have one already.
    pub duplicate: u64,
    /// The number of messages that the policy skips now.
    pub skipped: u64,
    /// The number of messages that are still set aside.
    pub quarantined: u64,
    /// How many of those that are not any more came since the last closed tick.
    pub cleared: u64,
}
