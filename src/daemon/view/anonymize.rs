//! What `anonymize` answers: one entry per input (CONTRACTS 3).

use schemars::JsonSchema;
use serde::Serialize;

use crate::daemon::folder::InputEntry;

/// What `anonymize --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "anonymize")]
pub struct AnonymizeAnswer {
    /// One entry per input.
    pub releases: Vec<InputEntry>,
}
