//! The reasons why a table is no input for the refinement attack. They give the kind and the place,
//! never a label or a value.

use std::fmt;

/// Why a table cannot be attacked as a release of ARX-LR.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// The layers of a column are no hierarchy over its leaves.
    Hierarchy,
    /// The intervals of a layer differ in length before the last one.
    Unequal,
    /// More combinations of values than 128 bits can count, or more cells than 64.
    TooLarge,
    /// A class whose state or nodes do not exist, without rows, or at the root in every column.
    Class(usize),
    /// Two classes with the same labels; the second one.
    Twice(usize),
    /// A class that was formed after one with a greater loss, which no run does.
    OutOfOrder(usize),
    /// A class with fewer rows than halving publishes.
    Small(usize),
    /// A class that halving cannot produce, or that is inside another one.
    Region(usize),
    /// A class size below two, or so many rows that they cannot be counted.
    Rows,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Hierarchy => write!(
                f,
                "the layers of a column are not a hierarchy over its leaves"
            ),
            Malformed::Unequal => write!(f, "the intervals of a layer have different lengths"),
            Malformed::TooLarge => write!(f, "there are too many combinations of values"),
            Malformed::Class(at) => write!(f, "class {at} is not a class below the root with rows"),
            Malformed::Twice(at) => write!(f, "class {at} occurs twice"),
            Malformed::OutOfOrder(at) => write!(
                f,
                "class {at} cannot have been formed after the one before it"
            ),
            Malformed::Small(at) => write!(f, "class {at} has fewer rows than halving publishes"),
            Malformed::Region(at) => {
                write!(
                    f,
                    "class {at} is not a region that halving can produce, or is inside another class"
                )
            }
            Malformed::Rows => write!(f, "k is below 2, or there are too many rows"),
        }
    }
}

impl std::error::Error for Malformed {}
