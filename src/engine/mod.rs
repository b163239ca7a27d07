//! The engine: pure, synchronous, deterministic. Time, random numbers and input are passed in as
//! values; results never depend on the number of threads. Nothing here opens a file, reads a clock
//! or draws a number.

#![deny(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::unwrap_used
)]

pub mod anonymizer;
pub mod arithmetic;
pub mod audit;
pub mod counting;
pub mod delta;
pub mod dominance;
pub mod feed;
pub mod gate;
pub mod histogram;
pub mod measures;
pub mod microaggregation;
pub mod model;
pub mod policy;
pub mod release;
pub mod risk;
pub mod safeguards;
pub mod sums;
