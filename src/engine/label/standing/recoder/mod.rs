//! The search for one recoding of all rows (SCIENCE 4 and 8): the first recoding of a chain that
//! keeps it, and that of each release of a disjoint chain. It goes from the top down, or takes the
//! best levels; both may leave a share of the rows waiting, keep columns below their floors, and
//! weight columns.
//!
//! People who are in no class of at least `a` even when every column is at its floor wait in any
//! case, and do not count towards that share. This module cannot look at sensitive values, since
//! its input has none.

mod classes;
mod levels;
mod raise;
mod recoding_search;
mod set_aside;
mod terms;

pub use classes::RecodedPeople;
pub use terms::{FoundRecoding, LevelsQuality, Recoder};
