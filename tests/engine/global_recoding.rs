//! What a global recoding tells those who know the search (SCIENCE 6): on thousands of tiny releases every way to spread the
//! people is enumerated and the real search is run on it; then cases by name.

mod certainty;
mod coarsening;
mod named_cases;
mod ratio;
mod world;
