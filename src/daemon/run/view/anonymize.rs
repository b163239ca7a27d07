//! The answer of `anonymize`: one entry per input (CONTRACTS 3).

use schemars::JsonSchema;
use serde::Serialize;

use crate::folder::InputEntry;

/// The output of `anonymize --json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "anonymize")]
pub struct AnonymizeAnswer {
    /// One entry per input.
    pub releases: Vec<InputEntry>,
}
