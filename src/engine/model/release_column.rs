//! The column of a table that grows with the number of the release in which each row came
//! (CONTRACTS 4).

use serde::{Deserialize, Serialize};

/// The column of a table that grows which holds, for each row, the number of the release in which
/// it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReleaseColumn {
    /// The column has this name.
    Named(Box<str>),
    /// There is no such column: each file holds the rows of one release.
    Absent,
}

impl ReleaseColumn {
    /// The default name of the column.
    pub const NAME: &'static str = "tidegate_release";

    /// Its name, if there is one.
    pub fn name(&self) -> Option<&str> {
        match self {
            ReleaseColumn::Named(name) => Some(name),
            ReleaseColumn::Absent => None,
        }
    }

    /// Whether the column has its default name.
    pub fn is_default(&self) -> bool {
        self.name() == Some(ReleaseColumn::NAME)
    }
}

impl Default for ReleaseColumn {
    fn default() -> ReleaseColumn {
        ReleaseColumn::Named(ReleaseColumn::NAME.into())
    }
}
