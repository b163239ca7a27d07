//! A number of an answer in JSON, which has no notation for infinity.

use schemars::JsonSchema;
use serde::Serialize;

/// A number; the text `inf` if it is infinite.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum JsonNumber {
    /// A whole number.
    Whole(u64),
    /// Any number.
    Real(f64),
    /// Infinite.
    Unlimited(InfWord),
}

/// The text `inf`.
#[derive(Debug, Serialize, JsonSchema)]
pub enum InfWord {
    /// Infinite.
    #[serde(rename = "inf")]
    Inf,
}

impl From<f64> for JsonNumber {
    fn from(value: f64) -> JsonNumber {
        if !value.is_finite() {
            JsonNumber::Unlimited(InfWord::Inf)
        } else if value.fract() == 0.0 && (0.0..9e15).contains(&value) {
            JsonNumber::Whole(value as u64)
        } else {
            JsonNumber::Real(value)
        }
    }
}
