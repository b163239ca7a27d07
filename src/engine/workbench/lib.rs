//! What is done with tables and not with a feed: the verdict over tables from any program, counts
//! of rows with coarse labels, and tables of published sums.

#![warn(unreachable_pub)]
#![deny(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::unwrap_used
)]

pub mod audit;
pub mod counting;
pub mod sums;

// The rooms that this one knows.
use tidegate_gate as gate;
use tidegate_model::{self as model, arithmetic, histogram};
use tidegate_policy::{self as policy, dominance};
use tidegate_release::risk;
