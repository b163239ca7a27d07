//! The search for one recoding of all rows (SCIENCE 4 and 8): the first one of a chain that keeps it, and that of each release of a
//! disjoint chain. It goes from the top down, or takes the best levels; both may leave a share of the rows waiting, keep columns below
//! their floors, and count columns by their weights.
//!
//! People who are in no class of at least `a` even where every column is at its floor wait whatever is searched, and are not counted in
//! that share. Nothing here could look at a sensitive value: there is none in what it is given.

mod classes;
mod levels;
mod raise;
mod recoding_search;
mod set_aside;
mod terms;

pub use classes::RecodedPeople;
pub use terms::{FoundRecoding, Recoder};
