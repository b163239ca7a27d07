//! The person of a row (SCIENCE 3, repeats): a keyed hash of its identifiers. The same person has
//! the same hash in every format, because identifiers are hashed in the canonical text of their
//! declared type, one after another, each preceded by its length.
//!
//! Nothing here stores or prints an identifier or the key.

use std::fmt;
use std::io::Write as _;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::engine::histogram::{CellReading, MOST_TEXT, MisfitKind, Person, RawCell, value_of};
use crate::engine::model::forms::dates;
use crate::engine::model::{Kind, Value};

/// HMAC-SHA256 under the feed's key, truncated to 128 bits.
#[derive(Clone)]
pub struct PersonHasher {
    /// The state after the key; wiped when dropped.
    keyed: Hmac<Sha256>,
}

impl fmt::Debug for PersonHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PersonHasher(..)")
    }
}

impl PersonHasher {
    /// With this key; the caller wipes its own copy.
    pub fn new(key: &[u8; 32]) -> PersonHasher {
        PersonHasher {
            keyed: Hmac::new_from_slice(key).expect("a key may have any length"),
        }
    }

    /// The person with these identifiers, in canonical text.
    pub fn person(&self, identifiers: &[&str]) -> Person {
        let mut tuple = Tuple::default();
        identifiers
            .iter()
            .for_each(|text| tuple.push(text.as_bytes()));
        self.hash(&tuple)
    }

    /// The person with these identifiers, parsed as strictly as those of a text file; `None` if one
    /// does not have its type.
    pub fn read(&self, identifiers: &[(&str, Kind)]) -> Option<Person> {
        let mut tuple = Tuple::default();
        let mut read = identifiers
            .iter()
            .map(|&(text, kind)| tuple.add(RawCell::Text(text), kind, CellReading::Text));
        let whole = read.all(|read| read.is_ok());
        whole.then(|| self.hash(&tuple))
    }

    /// The person of a tuple.
    pub(super) fn hash(&self, tuple: &Tuple) -> Person {
        let mut mac = self.keyed.clone();
        mac.update(&tuple.0);
        let digest = mac.finalize().into_bytes();
        let first = digest.first_chunk::<16>().expect("SHA-256 gives 32 bytes");
        Person(u128::from_be_bytes(*first))
    }
}

/// The identifiers of a row, encoded so that no two different tuples have the same bytes.
#[derive(Default)]
pub(super) struct Tuple(Vec<u8>);

impl Tuple {
    /// Removes all identifiers.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    fn push(&mut self, text: &[u8]) {
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text);
    }

    /// Adds the next identifier, decoded as strictly as any other column.
    pub(crate) fn add(
        &mut self,
        cell: RawCell<'_>,
        kind: Kind,
        reading: CellReading,
    ) -> Result<(), MisfitKind> {
        match (cell, kind) {
            (RawCell::Null | RawCell::Text(""), _) => return Err(MisfitKind::Missing),
            (RawCell::Text(text), _) if text.len() > MOST_TEXT => return Err(MisfitKind::TooLong),
            (RawCell::Text(text), Kind::String) => {
                self.push(text.as_bytes());
                return Ok(());
            }
            (RawCell::Int(_) | RawCell::Float(_), Kind::String) if !reading.is_labels() => {
                return Err(MisfitKind::NumberForText);
            }
            _ => {}
        }
        let value = value_of(cell, kind, reading).ok_or(MisfitKind::Malformed)?;
        let from = self.0.len();
        self.0.extend([0; 8]);
        let written = match value {
            Value::Int(number) => write!(self.0, "{number}"),
            Value::Float(number) => write!(self.0, "{}", number.get()),
            Value::Bool(truth) => write!(self.0, "{truth}"),
            Value::Date(days) => write!(self.0, "{}", dates::format(days)),
            Value::Text(text) => write!(self.0, "{text}"),
            Value::Null | Value::Decimal(_) => Ok(()),
        };
        written.expect("memory takes everything");
        let length = (self.0.len() - from - 8) as u64;
        self.0[from..from + 8].copy_from_slice(&length.to_le_bytes());
        Ok(())
    }
}
