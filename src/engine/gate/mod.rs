//! The gate judges: it attacks releases as their readers could, from the published bytes. One file
//! per check; checks do not know each other, and none of them knows how a recoding was found.

pub mod bytes;
pub mod certainty;
pub mod chain;
pub mod correspondence;
pub mod diversity;
pub mod minimality;
mod primes;
pub mod refinement;
pub mod utility;
pub mod verdict;
