//! What a global recoding tells those who know the search (SCIENCE 6): on thousands of tiny releases every way to spread the
//! people is enumerated and the real search is run on it; then cases by name.

mod certain;
mod coarser;
mod named;
mod ratio;
mod world;
