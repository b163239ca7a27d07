//! Aggregates of measures (SCIENCE 7): what is published of the numbers of a class is how many there are, their sum and their mean, and
//! of a sum that would give a person's number away, nothing.
//!
//! Whether a sum is published is decided atom by atom: the people of one label and one tick. Both rules are subadditive, so no sum of
//! published sums gives more away than each of them, and no difference does, since an atom is never divided.

mod aggregate;
mod table;

pub use aggregate::{Numbers, Suppression};
pub use table::{merged, shown};
