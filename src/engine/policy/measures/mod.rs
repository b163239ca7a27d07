//! Aggregates of measures (SCIENCE 7): for each class the number of values, their sum and their
//! mean are published, and nothing of a sum that would reveal one person's number.
//!
//! This is decided for each atom: the people of one label and one tick. Both rules are subadditive,
//! so no sum of published sums reveals more than each of them, and no difference does, since an
//! atom is never divided.

mod aggregate;
mod table;

pub use aggregate::{PersonNumbers, SumSuppression};
pub use table::{merged, shown};
