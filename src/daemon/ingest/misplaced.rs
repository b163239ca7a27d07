//! Rows that are set aside: their place and what is wrong, never what they hold.

use std::path::Path;
use std::sync::Arc;

use crate::daemon::error::{Error, Kind};
use crate::engine::histogram::MisfitKind;

/// A row that cannot be decoded: where it is and why, never what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misplaced {
    /// Its number in the file, from 1.
    pub row: u64,
    /// Its line, in a text.
    pub line: Option<u64>,
    /// The column; `None`: the row as such.
    pub column: Option<Arc<str>>,
    /// What is wrong.
    pub kind: MisfitKind,
}

impl Misplaced {
    /// As an error at its place.
    pub(super) fn error(&self, file: &Path, text: String) -> Error {
        let error = Error::new(Kind::Input, text).in_file(file).at_line(self.line.unwrap_or(self.row));
        match &self.column {
            Some(column) => error.in_field(&**column),
            None => error,
        }
    }
}
