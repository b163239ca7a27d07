//! Counts from a published table whose labels are coarser than what is asked (SCIENCE 11, counting): how many of its rows have certain
//! values. Sensitive values are exact; quasi columns are known as far as labels tell.
//!
//! Where in its label a person lies has steered the labels of classes by refused splits alone. So the shares of all values are
//! taken that make the published labels most likely (EM), over profiles that tie the columns to each other, and with the odds that
//! refused splits tell. Labels of other searches follow the data, and are spread evenly.
//!
//! Everything here follows from what is public.

mod answer;
mod classes;
mod count_question;
mod pieces;
mod profiles;
mod question;
mod random_counts;
mod refusal;
mod spread;

pub use answer::{CellEstimate, Countable, TooManyCombinations};
pub use count_question::{CountQuestion, CountedColumn, QuestionError};
pub use question::{Axis, Method, Question};
pub use random_counts::{CountError, RandomCounts};
