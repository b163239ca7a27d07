//! Counts from a published table whose labels are coarser than what is asked (SCIENCE 11, counting): how many of its rows have certain
//! values. Sensitive values are exact, so that each of them is counted by itself; quasi columns are known as far as labels tell.
//!
//! Where in its label a person lies has not steered the labels of crowds. So the share of each combination of values is taken that
//! makes the published labels most likely (EM). Labels of other searches follow the data, and are spread evenly.
//!
//! Everything here follows from what is public.

mod answer;
mod asked;
mod boxes;
mod grid;
mod leaves;
mod predicate;
mod question;
mod resample;

pub use answer::{Counted, Method, TooMany, count};
pub use asked::{Asked, Name, Unasked};
pub use predicate::{Condition, Literal, Misread, Wanted, parse};
pub use question::{Axis, Question};
