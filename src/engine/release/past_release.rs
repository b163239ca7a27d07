//! The figures of a release that later reports and the page over all releases show.

use serde::{Deserialize, Serialize};

use super::figure::Figure;

/// The public figures of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PastRelease {
    /// Its number.
    pub release: u32,
    /// The number of rows.
    pub rows: u64,
    /// The number of classes.
    pub classes: u64,
    /// The number of rows of the smallest of them.
    pub smallest_class: u64,
    /// Loss.
    pub loss: Figure,
    /// The figure of the refinement check, if it was made.
    pub refinement: Option<Figure>,
}
