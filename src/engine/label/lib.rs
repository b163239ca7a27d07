//! Proposes recodings (SCIENCE 4): the top-down search, the paper's validity for it (`bcf`), the
//! search for one table on its own, the standing recoding of a chain, and local recoding.
//!
//! The gate judges the proposals, from bytes and without any of this code. Nothing here approves
//! anything. Only [`bcf`], and [`levels`] for a table on its own, ever receive sensitive values.

#![warn(unreachable_pub)]
#![deny(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::unwrap_used
)]

pub mod microaggregation;

// The rooms that this one knows.
use tidegate_model::{self as model, arithmetic, histogram};
use tidegate_policy as policy;

mod bcf;
mod candidates;
mod crowd;
mod labellers;
pub mod levels;
mod local;
mod standing;
mod table;
mod top_down;
mod validity;

pub use bcf::{NoRelease, bcf};
pub use crowd::{LargeClasses, alone};
pub use labellers::{
    Labeller, LabellerMemory, NewAtoms, PrivateRows, RowsBeforeTick, WaitingPeople, labeller,
};
pub use local::{
    CarvingResult, Effort, Grouping, Halved, HalvingTicks, HiddenSums, Ladder, NextHalvingTicks,
    NoCarving, NoLadder, Region, StateClass, arx_lr, carvable, crowds, grouped,
};
pub use standing::{
    Course, FoundRecoding, LevelsQuality, RecodedPeople, Recoder, RecodingStep, full_classes,
};
pub use table::{NodeSplit, SearchTable};
pub use top_down::{CandidateTrial, Refusal, TopDownResult, top_down};
pub use validity::{Accepted, InvalidReason, SearchView, Validity};
