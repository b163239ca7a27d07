//! Something in a published file that should not be there. Named by its place, never by a value.

/// Something in a file that the published values do not give, or that keeps it from being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// Where it is: a file, and a column or row group in it.
    pub place: String,
    /// What it is.
    pub text: String,
}

impl Leak {
    /// At this place of the table.
    pub fn new(place: impl Into<String>, text: impl Into<String>) -> Leak {
        Leak { place: place.into(), text: text.into() }
    }

    /// The same in this one of two tables.
    #[must_use]
    pub fn of(self, table: &str) -> Leak {
        Leak { place: format!("{table}, {}", self.place), ..self }
    }
}
