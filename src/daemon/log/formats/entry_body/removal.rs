//! What is removed from the public root, the confirmation that it was, and what is forgotten.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::requests::RequestOrigin;

/// A release and all later ones of its chain are withdrawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Withdraw {
    /// Who made the request.
    pub wanted: RequestOrigin,
    /// The chain.
    pub chain: u32,
    /// The first release that is withdrawn.
    pub first: u32,
    /// The last one.
    pub last: u32,
    /// The release that becomes the newest of the chain again; null if none is visible.
    pub left: Option<u32>,
    /// The number of rows that these releases have added.
    pub rows: u64,
    /// Whether the next release contains these rows again.
    pub republish: bool,
    /// The scheduled time of the last tick before it; the time of what is published with it.
    pub time: String,
}

/// Rows of old releases are left out of the next release (`publish.retain`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retire {
    /// The tick at which they were old enough.
    pub time: String,
    /// The newest release whose rows are left out.
    pub through: u32,
    /// The number of rows.
    pub rows: u64,
}

/// Old manifests are removed from the public root, and the files that only they list
/// (`publish.keep`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Expire {
    /// The tick at which they were old enough.
    pub time: String,
    /// Their releases.
    pub releases: Vec<u32>,
}

/// Everything that had to be removed from the public root is removed.
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

/// Raw rows and set-aside messages whose period is over. All other objects that an entry names
/// exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Forgotten {
    /// When.
    pub time: String,
    /// The paths of the objects.
    pub objects: Vec<String>,
}
