//! A leak: information in a published file that does not belong there. It is described by its
//! place, never by a value.

/// Information in a file that does not follow from the published values, or a fault that makes the
/// file unreadable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// The place: a file, and a column or row group in it.
    pub place: String,
    /// What is wrong.
    pub text: String,
}

impl Leak {
    /// At this place of the table.
    pub fn new(place: impl Into<String>, text: impl Into<String>) -> Leak {
        Leak {
            place: place.into(),
            text: text.into(),
        }
    }

    /// The same leak, in the named one of two tables.
    #[must_use]
    pub fn of(self, table: &str) -> Leak {
        Leak {
            place: format!("{table}, {}", self.place),
            ..self
        }
    }
}
