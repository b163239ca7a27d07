//! Tables of published sums (SCIENCE 7): what readers can compute of the cells that are left out, and which cells to leave out so that
//! no sensitive one can be computed too closely.
//!
//! A [`System`] is cells and linear relations between them. Totals over dimensions with hierarchies are one ([`Dimensions`]); sums
//! that releases publish over the slices of their increments are another. All of it is exact: whole numbers, of as many digits as it
//! takes. The room knows nothing of files, of people, or of how a table came about.
//!
//! A [`Table`] is what its maker hands over: it is judged by the rules of `dominance`, and cells are left out in it.

mod attack;
mod audit;
mod dimensions;
mod parts;
mod row;
mod suppress;
mod system;
mod tableau;
mod whole;

pub use attack::{Attack, Contradiction, Derivation, Interval};
pub use audit::{Computed, Entry, Fault, Judged, Mark, Table};
pub use dimensions::{Dimension, Dimensions};
pub use suppress::{Problem, Protection, Sensitive, Suppression};
pub use system::{Fraction, Relation, System};
pub use tableau::Range;
