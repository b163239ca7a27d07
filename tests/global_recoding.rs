//! What a global recoding tells those who know the search (SCIENCE 6): on thousands of tiny releases every way to spread the
//! people is enumerated and the real search is run on it; then cases by name.

mod common;

#[path = "global_recoding/certain.rs"]
mod certain;
#[path = "global_recoding/coarser.rs"]
mod coarser;
#[path = "global_recoding/named.rs"]
mod named;
#[path = "global_recoding/ratio.rs"]
mod ratio;
#[path = "global_recoding/world.rs"]
mod world;
