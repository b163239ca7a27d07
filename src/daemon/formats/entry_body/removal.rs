//! What leaves the public root, and that it is gone; what is forgotten.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::requests::RequestOrigin;

/// A release and all later ones of its chain are withdrawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Withdraw {
    /// Who asked.
    pub wanted: RequestOrigin,
    /// The chain.
    pub chain: u32,
    /// The first release that is withdrawn.
    pub first: u32,
    /// The last one.
    pub last: u32,
    /// The release that is the newest of the chain again; null if none is visible.
    pub left: Option<u32>,
    /// Rows that these releases have added.
    pub rows: u64,
    /// Whether the next release holds these rows again.
    pub republish: bool,
    /// When the last tick before it was due; the time of what is published with it.
    pub time: String,
}

/// Rows of old releases leave with the next release (`publish.retain`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retire {
    /// The tick at which they were found to be old enough.
    pub time: String,
    /// The newest release whose rows leave.
    pub through: u32,
    /// How many rows.
    pub rows: u64,
}

/// Old manifests leave the public root, and the files that only they list (`publish.keep`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Expire {
    /// The tick at which they were found to be old enough.
    pub time: String,
    /// Their releases.
    pub releases: Vec<u32>,
}

/// The public root holds nothing any more that was to leave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cleaned {
    /// When.
    pub time: String,
    /// Releases whose manifests were replaced because they list erased rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<u32>,
    /// The newest release whose notice says which rows these are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<u32>,
}

/// Raw rows and messages set aside that were kept for long enough. Whatever else an entry names is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Forgotten {
    /// When.
    pub time: String,
    /// The paths of the objects.
    pub objects: Vec<String>,
}
