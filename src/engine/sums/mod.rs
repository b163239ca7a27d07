//! Tables of published sums (SCIENCE 7): what readers can compute of the cells that are left out, and which cells to leave out so that
//! no sensitive one can be computed too closely.
//!
//! A [`SumSystem`] is cells and linear relations between them. Totals over dimensions with hierarchies are one ([`Dimensions`]); sums
//! that releases publish over the slices of their increments are another. All of it is exact: whole numbers, of as many digits as it
//! takes. The room knows nothing of files, of people, or of how a table came about.
//!
//! A [`SumsTable`] is what its maker hands over: it is judged by the rules of `dominance`, and cells are left out in it.

mod attack;
mod audit;
mod dimensions;
mod parts;
mod row;
mod suppress;
mod system;
mod tableau;
mod whole_numbers;

pub use attack::{Derivation, Interval, SumsAttack, SumsContradiction};
pub use audit::{CellFault, CellMark, ComputedCell, SumsTable, SumsVerdict, TableCell};
pub use dimensions::{Dimension, Dimensions};
pub use suppress::{CellSuppression, Protection, Sensitive, SuppressionProblem};
pub use system::{Relation, SumSystem};
pub use tableau::Range;
