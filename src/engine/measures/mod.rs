//! Aggregates of measures (SCIENCE 7): for each class the number of values, their sum and their
//! mean are published, and nothing of a sum that would reveal one person's number.
//!
//! In chains of crowds and in disjoint chains this is decided for each atom: the people of one
//! label and one tick. Both rules are subadditive, so no sum of published sums reveals more than
//! each of them, and no difference does, since an atom is never divided. In other cumulative
//! chains, in which people join classes and classes are merged, it is decided for each block
//! (`blocks`).

mod addends;
mod aggregate;
mod blocks;
mod table;

pub use aggregate::{PersonNumbers, SumSuppression};
pub use blocks::ReleaseAddends;
pub use table::{merged, shown};
