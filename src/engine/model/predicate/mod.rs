//! Conditions on columns as text, as analysts write them, and the leaves of a taxonomy that they
//! select.

mod leaves;
mod text;

pub use leaves::NoLeaves;
pub use text::{ColumnCondition, Condition, Literal, PredicateError, parse};
