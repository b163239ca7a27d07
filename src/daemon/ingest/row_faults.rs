//! Rows that are set aside: their place and what is wrong, never what they hold.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::daemon::error::{Error, ErrorCategory};
use crate::engine::histogram::MisfitKind;

/// A row that cannot be decoded: where it is and why, never what it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Misplaced {
    /// Its number in the file, from 1.
    pub row: u64,
    /// Its line, in a text.
    pub line: Option<u64>,
    /// The column; `None`: the row as such.
    pub column: Option<Arc<str>>,
    /// What is wrong.
    #[serde(with = "Written")]
    pub kind: MisfitKind,
}

impl Misplaced {
    /// Whether nothing is wrong with it but that its person has a row already.
    pub fn is_repeat(&self) -> bool {
        self.kind == MisfitKind::Repeat
    }

    /// What is wrong, in these words where it is a value outside the taxonomy.
    pub(super) fn words(&self, outside: Option<&str>) -> String {
        let outside = outside.filter(|_| self.kind == MisfitKind::Outside);
        outside.map_or_else(|| self.kind.to_string(), str::to_owned)
    }

    /// As an error at its place.
    pub(super) fn error(&self, file: &Path, text: String) -> Error {
        let error = Error::new(ErrorCategory::Input, text).in_file(file).at_line(self.line.unwrap_or(self.row));
        match &self.column {
            Some(column) => error.in_field(&**column),
            None => error,
        }
    }
}

/// Kinds as they are written: a new one comes last, and none moves.
#[derive(Serialize, Deserialize)]
#[serde(remote = "MisfitKind")]
enum Written {
    NoColumn,
    WrongType,
    NumbersForText,
    Missing,
    Outside,
    NoLabel,
    Malformed,
    NumberForText,
    NotUtf8,
    TooLong,
    Nested,
    NoPath,
    Twice,
    Fields { found: u32, wanted: u32 },
    NoObject,
    LongRow,
    NoMessage,
    Tombstone,
    Delete,
    NotAvro,
    NoSchema,
    StrangeSchema,
    NotArrow,
    NoList,
    Repeat,
    NotJson,
}
