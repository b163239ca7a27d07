//! How entries and states name sealed objects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::release::Sha256;

/// A sealed object, as entries name it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Ref {
    /// Where it lies.
    pub path: String,
    /// The digest of its sealed bytes.
    pub sha256: Sha256,
}
