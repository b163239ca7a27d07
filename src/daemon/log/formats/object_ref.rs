//! References from entries and states to sealed objects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A reference to a sealed object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Ref {
    /// The path. No other object ever has it, and the key of the object opens nothing at another
    /// one.
    pub path: String,
}
