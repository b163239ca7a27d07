//! A published file as a manifest lists it.

use serde::{Deserialize, Serialize};

use super::digest::Sha256;
use super::table_kind::TableKind;

/// A published file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FileLine {
    /// The path, relative to the folder of all published files.
    pub path: String,
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// The number of its rows; null for a file that is no table.
    pub rows: Option<u64>,
}

impl FileLine {
    /// The number of people whose rows it contains, for a table with one row per person.
    pub fn people(&self) -> Option<u64> {
        self.rows.filter(|_| TableKind::of(&self.path) == TableKind::Rows)
    }
}

impl FileLine {
    /// The line of a file with these bytes; `rows` if it is a table.
    pub fn of(path: &str, bytes: &[u8], rows: Option<u64>) -> FileLine {
        FileLine { path: path.to_owned(), sha256: Sha256::of(bytes), rows }
    }
}
