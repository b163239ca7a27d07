//! Counts rows of a published table whose labels are coarser than the question (SCIENCE 11,
//! counting). Sensitive values are exact; quasi columns are known as far as labels show.
//!
//! With halving, the position of a person inside a label influenced the labels of classes only
//! through refused splits. So the estimate uses the shares of all values under which the published
//! labels are most likely (EM), with profiles that connect the columns, and with the probabilities
//! of refused splits. Labels of other searches depend on the data, and their rows are spread
//! evenly.
//!
//! Everything here follows from public files.

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
