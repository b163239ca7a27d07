//! Identifiers and sensitive values that differ in spelling alone (SCIENCE 4, *Equal values*), by
//! column and number. Identifiers are compared byte for byte, so each spelling is a person of its
//! own, and sensitive values are published as they are spelled: only the operator can tell which
//! are meant to be one.
//!
//! Nothing here keeps a value beyond its file, and nothing prints one.

use std::hash::BuildHasher;

use crate::engine::histogram::SensitiveValues;
use crate::engine::model::{EqualValue, RecordHasher, Value, spellings};

const HASHER: RecordHasher = RecordHasher;

/// The most identifiers of a column that are compared with each other; later ones of a large file
/// are not.
const MOST: usize = 1 << 20;

/// A column, and how many of its values differ from another one in spelling alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSpellings {
    /// The column.
    pub column: String,
    /// The number of further spellings.
    pub values: u64,
}

/// The identifiers of one column: for each its hash without its spelling, and with it.
#[derive(Default)]
pub(super) struct IdentifierSpellings {
    hashes: Vec<(u64, u64)>,
}

impl IdentifierSpellings {
    pub(crate) fn add(&mut self, text: &str) {
        if self.hashes.len() < MOST {
            self.hashes.push((
                HASHER.hash_one(EqualValue::of_text(text)),
                HASHER.hash_one(text),
            ));
        }
    }

    /// Adds the identifiers of a later batch.
    pub(crate) fn extend(&mut self, later: &IdentifierSpellings) {
        let room = MOST - self.hashes.len();
        self.hashes.extend(later.hashes.iter().take(room));
    }

    /// How many identifiers differ from another one in spelling alone.
    pub(crate) fn number(&self) -> u64 {
        let mut hashes = self.hashes.clone();
        hashes.sort_unstable();
        hashes.dedup();
        hashes
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0)
            .count() as u64
    }
}

/// How many values of a sensitive column differ from another one in spelling alone.
pub(super) fn of_sensitive(values: &SensitiveValues, column: usize) -> u64 {
    let texts = (0..values.len() as u32).filter_map(|code| match &values.get(code)[column] {
        Value::Text(text) => Some(&**text),
        _ => None,
    });
    spellings(texts)
}
