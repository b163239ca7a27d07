//! Metrics (CONTRACTS 5): counters, gauges and histograms with a fixed set of labels, for the
//! operator only.
//!
//! A label is the name of a feed or a word of a closed enumeration, never a file, a value or a
//! text. No metric describes masking, in particular not how many rows it changed (SCIENCE 5).

mod labels;
mod registry;
mod tables;
#[cfg(test)]
mod tests;

pub(super) use registry::{Meters, Metrics};
pub(super) use tables::{Gauge, Total};
