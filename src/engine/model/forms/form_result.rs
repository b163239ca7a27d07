//! What a form hands on: a taxonomy with its rule and warnings, or why there is none, with the key and the lines.

use crate::model::{Domain, Kind, TreeError};

/// A taxonomy made from a table.
#[derive(Debug)]
pub struct FormResult {
    /// The tree and how raw values find their leaf.
    pub domain: Domain,
    /// The type of the column, unless the feed file names another.
    pub kind: Kind,
    /// What is harmless and still worth telling.
    pub warnings: Vec<String>,
}

/// Why a table makes no taxonomy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct FormError {
    /// The key that is wrong.
    pub key: Option<&'static str>,
    /// What is wrong and what to do; names every line it is about.
    pub text: String,
    /// The line of the file that `key` names; of two contradicting lines the later one.
    pub line: Option<u64>,
}

impl FormError {
    /// An error at a key of the table.
    pub fn new(key: &'static str, text: impl Into<String>) -> FormError {
        FormError { key: Some(key), text: text.into(), line: None }
    }

    /// Names a line of the file.
    #[must_use]
    pub(super) fn at_line(mut self, line: u64) -> FormError {
        self.line = Some(line);
        self
    }

    /// What a tree's own check found, with its lines when it has any.
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
        FormError { key: Some(key), text, line: (line != 0).then_some(line) }
    }
}
