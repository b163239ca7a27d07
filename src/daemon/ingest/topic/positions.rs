//! How far a partition was taken in.

use serde::{Deserialize, Serialize};

/// A place in a partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// What tells its topic from another one of the same name.
    pub topic_id: String,
    /// The offset from which on it is read next.
    pub next: u64,
    /// What tells the message before that one from another one that was given its offset.
    pub epoch: Option<i32>,
}
