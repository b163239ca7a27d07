//! Local recoding (SCIENCE 6): every class has labels of its own, so that releases whose people are
//! in no other release lose as little information as possible. Labels that are chosen from
//! quasi-identifiers alone still reveal more than they say; the gate attacks that.

mod arx_lr;
mod crowds;
mod grouping;
mod halving_ticks;
mod ladder;
mod paths;
mod remaining_rows;
mod states;

pub use arx_lr::{CarvingResult, NoCarving, StateClass, arx_lr, carvable};
pub use crowds::{Effort, Halved, Region, crowds};
pub use grouping::{Grouping, HiddenSums, grouped};
pub use halving_ticks::{HalvingTicks, NextHalvingTicks};
pub use ladder::{Ladder, NoLadder};
