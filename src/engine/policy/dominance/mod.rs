//! Numeric disclosure in sums (SCIENCE 7): whether the largest contributions to a cell can be
//! estimated too precisely from its total. Both rules are those of statistical tables, (n,
//! r)-dominance and p%.
//!
//! Contributions are whole numbers in units of a column's last decimal, so that nothing is rounded.
//! A cell keeps only what the rules need: it can be merged with others, and identifies no person.

mod cell;
mod rule;

pub use cell::SumCell;
pub use rule::{DominanceRule, FEWEST_CONTRIBUTORS};
