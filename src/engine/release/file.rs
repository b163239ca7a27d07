//! A published file as a manifest lists it.

use serde::{Deserialize, Serialize};

use super::digest::Sha256;
use super::table_kind::TableKind;

/// A published file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
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
        self.rows
            .filter(|_| TableKind::of(&self.path) == TableKind::Rows)
    }
}

impl FileLine {
    /// The line of a file with these bytes; `rows` if it is a table.
    pub fn of(path: &str, bytes: &[u8], rows: Option<u64>) -> FileLine {
        FileLine {
            path: path.to_owned(),
            sha256: Sha256::of(bytes),
            rows,
        }
    }
}

/// Whether a path leads to a file below a root and nowhere else: its parts consist of letters,
/// digits, `.`, `_` and `-`, and none begins with a dot.
pub fn is_below_root(path: &str) -> bool {
    // This runs for each object of each list.
    let mut before = b'/';
    let mut fits = true;
    for &byte in path.as_bytes() {
        fits &= match byte {
            b'/' | b'.' => before != b'/',
            b'_' | b'-' => true,
            byte => byte.is_ascii_alphanumeric(),
        };
        before = byte;
    }
    fits && before != b'/'
}

#[cfg(test)]
mod tests {
    use super::is_below_root;

    #[test]
    fn paths_lead_nowhere_else() {
        for path in [
            "a",
            "log/0/00000000000000000001.json",
            "data/part-1_a.parquet",
            "_delta_log/1.json",
            "a.b./-",
        ] {
            assert!(is_below_root(path), "{path}");
        }
        for path in [
            "", "/", "/a", "a/", "a//b", ".", "..", ".a", "a/.b", "a/../b", "a b", "a\\b", "a\0",
            "ä", "a:b",
        ] {
            assert!(!is_below_root(path), "{path}");
        }
    }
}
