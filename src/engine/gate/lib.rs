//! The gate judges: it attacks releases as their readers could, from the published bytes. One file
//! per check; checks do not know each other, and none of them knows how a recoding was found.

#![warn(unreachable_pub)]
#![deny(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::unwrap_used
)]

// The rooms that this one knows.
use tidegate_model::{self as model, arithmetic, histogram};
use tidegate_policy as policy;
use tidegate_release as release;

pub mod bytes;
pub mod certainty;
pub mod chain;
pub mod correspondence;
pub mod diversity;
pub mod minimality;
mod primes;
pub mod refinement;
#[cfg(test)]
mod test_trees;
pub mod utility;
pub mod verdict;
