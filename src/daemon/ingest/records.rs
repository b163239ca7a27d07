//! Rows of delimited text that have been split, and the values of their fields. Splitting is
//! sequential, the rest runs on all cores.

use std::ops::Range;

use super::row_batch::{Coder, RowBatch};
use crate::engine::histogram::{MisfitKind, RawCell};

/// Some rows, with as many fields as are read.
pub struct Records {
    width: usize,
    bytes: Vec<u8>,
    /// The end of each field.
    ends: Vec<usize>,
    rows: Vec<Row>,
}

/// A whole row.
struct Row {
    line: u64,
    /// Its fault, if it has one.
    bad: Option<MisfitKind>,
    /// Its position in the file, including surrounding line ends.
    bytes: Range<u64>,
}

impl Records {
    /// Starts empty.
    pub fn new(width: usize) -> Records {
        Records {
            width,
            bytes: Vec::new(),
            ends: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of bytes of the fields.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Adds a row.
    pub fn push<'a>(
        &mut self,
        line: u64,
        bytes: Range<u64>,
        fields: impl Iterator<Item = &'a [u8]>,
    ) {
        for field in fields {
            self.bytes.extend_from_slice(field);
            self.ends.push(self.bytes.len());
        }
        self.rows.push(Row {
            line,
            bad: None,
            bytes,
        });
    }

    /// Adds an invalid row.
    pub fn refuse(&mut self, line: u64, bytes: Range<u64>, kind: MisfitKind) {
        self.rows.push(Row {
            line,
            bad: Some(kind),
            bytes,
        });
    }

    /// The position of a row in the file.
    pub fn bytes(&self, row: usize) -> Range<u64> {
        self.rows[row].bytes.clone()
    }

    /// The rows as codes.
    pub fn code(&self, coder: &Coder<'_>) -> RowBatch {
        let mut rows = coder.rows(read);
        let mut fields: Vec<Result<&[u8], MisfitKind>> = Vec::with_capacity(self.width);
        let (mut from, mut ends) = (0, self.ends.iter());
        for &Row { line, bad, .. } in &self.rows {
            if let Some(kind) = bad {
                rows.refuse(line, kind);
                continue;
            }
            fields.clear();
            fields.extend(ends.by_ref().take(self.width).map(|&to| {
                let field = &self.bytes[from..to];
                from = to;
                Ok(field)
            }));
            rows.add(line, &fields);
        }
        rows.finish()
    }
}

fn read<'s>(field: &'s [u8], _: &'s mut String) -> Result<RawCell<'s>, MisfitKind> {
    match std::str::from_utf8(field) {
        Ok("") => Ok(RawCell::Null),
        Ok(text) => Ok(RawCell::Text(text)),
        Err(_) => Err(MisfitKind::NotUtf8),
    }
}
