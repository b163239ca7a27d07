//! What a global recoding reveals to readers who know the search (SCIENCE 6): for thousands of tiny
//! releases every way to spread the people is enumerated and the real search is run on it; then
//! cases by name.

mod certainty;
mod named_cases;
mod ratio;
mod world;
