//! The result of a form: a taxonomy with its rule and warnings, or why there is none, with the key
//! and the lines.

use crate::{Domain, Kind, TreeError};

/// A taxonomy built from a table.
#[derive(Debug)]
pub struct FormResult {
    /// The tree, and how raw values are assigned to leaves.
    pub domain: Domain,
    /// The type of the column, unless the feed file names another.
    pub kind: Kind,
    /// Harmless findings that an operator should know.
    pub warnings: Vec<String>,
}

/// Why a table gives no taxonomy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct FormError {
    /// The key that is wrong.
    pub key: Option<&'static str>,
    /// What is wrong and what to do; names every line concerned.
    pub text: String,
    /// The line of the file that `key` names; of two contradicting lines the later one.
    pub line: Option<u64>,
}

impl FormError {
    /// An error at a key of the table.
    pub fn new(key: &'static str, text: impl Into<String>) -> FormError {
        FormError {
            key: Some(key),
            text: text.into(),
            line: None,
        }
    }

    /// Names a line of the file.
    #[must_use]
    pub(super) fn at_line(mut self, line: u64) -> FormError {
        self.line = Some(line);
        self
    }

    /// A fault that the check of a tree found, with its lines if it has any.
    pub(super) fn of_tree(key: &'static str, error: &TreeError) -> FormError {
        let (line, earlier) = match error.places() {
            (at, other) if at < other => (other, at),
            places => places,
        };
        let text = match (line, earlier) {
            (0, _) => error.to_string(),
            (line, 0) => format!("{error} (line {line})"),
            (line, earlier) => format!("{error} (lines {earlier} and {line})"),
        };
        FormError {
            key: Some(key),
            text,
            line: (line != 0).then_some(line),
        }
    }
}
