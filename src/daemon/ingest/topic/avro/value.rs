//! The value of a field for a column: a byte for its type, and its content. It decides nothing: the
//! column interprets the value.

use crate::engine::histogram::{MisfitKind, RawCell};

const TEXT: u8 = b's';
const INT: u8 = b'i';
const FLOAT: u8 = b'f';
const TRUTH: u8 = b'b';
const DAYS: u8 = b'd';

/// A value of a message. A missing value is left out.
#[derive(Clone, Copy)]
pub(super) enum AvroValue<'m> {
    /// Text, which may be invalid UTF-8.
    Text(&'m [u8]),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A truth value.
    Truth(bool),
    /// Days since 1970-01-01.
    Days(i32),
}

impl AvroValue<'_> {
    /// Writes the value.
    pub(super) fn put(self, into: &mut Vec<u8>) {
        let mut all = |tag: u8, bytes: &[u8]| {
            into.push(tag);
            into.extend_from_slice(bytes);
        };
        match self {
            AvroValue::Text(text) => all(TEXT, text),
            AvroValue::Int(number) => all(INT, &number.to_le_bytes()),
            AvroValue::Float(number) => all(FLOAT, &number.to_le_bytes()),
            AvroValue::Truth(truth) => all(TRUTH, &[u8::from(truth)]),
            AvroValue::Days(days) => all(DAYS, &days.to_le_bytes()),
        }
    }
}

/// The value of a field that was written in this form; empty if it is missing.
pub(crate) fn read<'s>(field: &'s [u8], _: &'s mut String) -> Result<RawCell<'s>, MisfitKind> {
    let Some((tag, bytes)) = field.split_first() else {
        return Ok(RawCell::Null);
    };
    let cell = match *tag {
        TEXT => {
            return std::str::from_utf8(bytes)
                .map(RawCell::Text)
                .map_err(|_| MisfitKind::NotUtf8);
        }
        INT => bytes
            .first_chunk()
            .map(|bytes| RawCell::Int(i64::from_le_bytes(*bytes))),
        FLOAT => bytes
            .first_chunk()
            .map(|bytes| RawCell::Float(f64::from_le_bytes(*bytes))),
        TRUTH => bytes.first().map(|byte| RawCell::Bool(*byte == 1)),
        DAYS => bytes
            .first_chunk()
            .map(|bytes| RawCell::Days(i32::from_le_bytes(*bytes))),
        _ => None,
    };
    cell.ok_or(MisfitKind::Malformed)
}
