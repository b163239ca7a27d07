//! Why the manifest of a release was removed from the public root, as the state stores it.

use serde::{Deserialize, Serialize};

use crate::engine::release::RemovalReason;

/// Why the manifest of a release is not in the public root any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    /// The reason.
    pub reason: RemovalReason,
    /// The release whose notice says which rows were erased.
    pub notice: Option<u32>,
}
