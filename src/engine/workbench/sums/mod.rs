//! Tables of published sums (SCIENCE 7): what readers can compute about suppressed cells, and which
//! cells to suppress so that no sensitive one can be computed too precisely.
//!
//! A [`SumSystem`] consists of cells and linear relations between them. Examples are totals over
//! dimensions with hierarchies ([`Dimensions`]), and sums that releases publish over the slices of
//! their increments. All computations are exact: whole numbers, with as many digits as necessary.
//! The room knows nothing about files, people, or the origin of a table.
//!
//! A [`SumsTable`] is a table as its maker provides it: it is judged by the rules of `dominance`,
//! and its cells are suppressed.

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
