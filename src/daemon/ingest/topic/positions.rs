//! How far a partition was accepted.

use serde::{Deserialize, Serialize};

/// A position in a partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The id of its topic.
    pub topic_id: String,
    /// The next offset.
    pub next: u64,
    /// The leader epoch of the message before it.
    pub epoch: Option<i32>,
}
