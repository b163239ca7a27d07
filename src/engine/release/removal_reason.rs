//! Why a manifest is gone from a public root, and where its notice lies.

use serde::{Deserialize, Serialize};

/// Why a manifest is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RemovalReason {
    /// The release was withdrawn.
    Withdrawn,
    /// It lists rows that were erased since.
    Erased,
    /// It is older than manifests are kept.
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
