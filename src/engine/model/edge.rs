//! A number at which two intervals of a taxonomy meet (CONTRACTS 2). It comes from a feed file and
//! is no value of a record, so that it may be printed, unlike a `Finite`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::value::Finite;

/// The number where one interval ends and the next one begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge(Finite);

impl Edge {
    /// `None` for infinities and NaN.
    pub fn new(number: f64) -> Option<Edge> {
        Finite::new(number).map(Edge)
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0.get()
    }

    /// Whether a value is at the edge or above it.
    pub fn is_reached(self, value: Finite) -> bool {
        self.0 <= value
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl fmt::Debug for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
