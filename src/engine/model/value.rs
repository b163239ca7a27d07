//! A cell of a sensitive column, in the type that its column declares, with a total order: nulls
//! first, then by value. That order is the canonical order of published rows, so it must never
//! depend on arrival.
//!
//! `Debug` shows the type, never the value.

use std::cmp::Ordering;
use std::fmt;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, de};
use smol_str::SmolStr;

/// A decoded value. All values of one column have the same type, or are null.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Value {
    /// Missing, or not of the column's type (SCIENCE 3, acceptance).
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A finite number, in numeric order.
    Float(Finite),
    /// Days since 1970-01-01.
    Date(i32),
    /// Any other value, byte for byte. Short texts need no memory of their own, and copies share
    /// that of long ones.
    Text(#[serde(deserialize_with = "read_text")] SmolStr),
    /// A sum of a measure, in units of its column's last decimal.
    Decimal(i128),
}

/// Reads a text from any source, such as one that holds its bytes for a moment only: the type
/// itself asks for bytes that stay.
///
/// # Errors
/// It is no text.
pub fn read_text<'de, D: Deserializer<'de>>(source: D) -> Result<SmolStr, D::Error> {
    struct Text;
    impl Visitor<'_> for Text {
        type Value = SmolStr;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<SmolStr, E> {
            Ok(text.into())
        }
    }
    source.deserialize_string(Text)
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Value::Null => "Null",
            Value::Bool(_) => "Bool(..)",
            Value::Int(_) => "Int(..)",
            Value::Float(_) => "Float(..)",
            Value::Date(_) => "Date(..)",
            Value::Text(_) => "Text(..)",
            Value::Decimal(_) => "Decimal(..)",
        })
    }
}

/// A float that is neither infinite nor NaN; −0 is 0.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Finite(f64);

impl Finite {
    /// `None` for infinities and NaN.
    pub fn new(number: f64) -> Option<Finite> {
        number.is_finite().then_some(Finite(number + 0.0))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for Finite {
    fn eq(&self, other: &Finite) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Finite {}

impl PartialOrd for Finite {
    fn partial_cmp(&self, other: &Finite) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Finite {
    fn cmp(&self, other: &Finite) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl std::hash::Hash for Finite {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}
