//! References from entries and states to sealed objects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::release::Sha256;

/// A reference to a sealed object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Ref {
    /// The path.
    pub path: String,
    /// The digest of its sealed bytes.
    pub sha256: Sha256,
}
