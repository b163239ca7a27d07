//! Rows that are set aside: their place and what is wrong, never their content.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::engine::histogram::MisfitKind;
use crate::error::{Error, ErrorCategory};

/// The fault of a row of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowFault {
    /// The row in the page, from 0.
    pub row: usize,
    /// The field, as an index in the coder's columns; `None` for the whole row.
    pub field: Option<usize>,
    /// The fault.
    pub kind: MisfitKind,
}

/// A row that cannot be decoded: its place and the reason, never its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Misplaced {
    /// Its number in the file, from 1.
    pub row: u64,
    /// Its line, for a text.
    pub line: Option<u64>,
    /// Its number in its message, from 0, if that has several records.
    pub element: Option<u32>,
    /// The column; `None` for the whole row.
    pub column: Option<Arc<str>>,
    /// What is wrong.
    #[serde(with = "Written")]
    pub kind: MisfitKind,
}

impl Misplaced {
    /// Whether it is only set aside because its person has a row already.
    pub fn is_repeat(&self) -> bool {
        self.kind == MisfitKind::Repeat
    }

    /// What is wrong; for a value outside the taxonomy in these words.
    pub(super) fn words(&self, outside: Option<&str>) -> String {
        let outside = outside.filter(|_| self.kind == MisfitKind::Outside);
        outside.map_or_else(|| self.kind.to_string(), str::to_owned)
    }

    /// The error at its place.
    pub(super) fn error(&self, file: &Path, text: String) -> Error {
        let error = Error::new(ErrorCategory::Input, text)
            .in_file(file)
            .at_line(self.line.unwrap_or(self.row));
        match &self.column {
            Some(column) => error.in_field(&**column),
            None => error,
        }
    }
}

/// The kinds in their stored form: a new kind is added at the end, and none moves.
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
    ManyRecords,
    NoRecord,
}
