//! Why the manifest of a release is gone from the public root, as the state keeps it.

use serde::{Deserialize, Serialize};

use crate::engine::release::RemovalReason;

/// Why the manifest of a release is not in the public root any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    /// Why.
    pub reason: RemovalReason,
    /// The release whose notice says which rows were erased.
    pub notice: Option<u32>,
}
