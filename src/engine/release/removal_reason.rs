//! The reasons for which manifests are removed from a public root, and the folders of their
//! notices.

use serde::{Deserialize, Serialize};

/// Why a manifest was removed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum RemovalReason {
    /// The release was withdrawn.
    Withdrawn,
    /// It lists rows that have been erased since.
    Erased,
    /// It is older than the period for which manifests are kept.
    Expired,
}

impl RemovalReason {
    /// The folder of its notices.
    pub fn folder(self) -> &'static str {
        match self {
            RemovalReason::Withdrawn => "withdrawn",
            RemovalReason::Erased => "replaced",
            RemovalReason::Expired => "expired",
        }
    }
}
