//! Aggregates of measures (SCIENCE 7): what is published of the numbers of a class is how many there are, their sum and their mean, and
//! of a sum that would give a person's number away, nothing.
//!
//! In chains of crowds and in disjoint chains whether a sum is published is decided atom by atom: the people of one label and one tick.
//! Both rules are subadditive, so no sum of published sums gives more away than each of them, and no difference does, since an atom is
//! never divided. In other cumulative chains, where classes are joined by more people and by each other, it is decided block by block
//! (`blocks`).

mod addends;
mod aggregate;
mod blocks;
mod table;

pub use aggregate::{PersonNumbers, SumSuppression};
pub use blocks::ReleaseAddends;
pub use table::{merged, shown};
