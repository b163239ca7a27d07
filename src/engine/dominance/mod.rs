//! Numeric disclosure in sums (SCIENCE 7): whether the largest contributions to a cell can be estimated too well from its total. Both
//! rules are those of tabular data, (n, r)-dominance and p%.
//!
//! Contributions are whole numbers of a column's last decimal, so that nothing is rounded. A cell keeps what the rules need and no more:
//! it can be merged with others, and holds no person.

mod cell;
mod rule;

pub use cell::SumCell;
pub use rule::DominanceRule;
