//! What all rooms of the daemon know: feed files, secrets, errors, time and chance.

#![warn(unreachable_pub)]
pub mod chance;
pub mod clock;
pub mod config;
pub mod error;
pub mod intake_counts;
pub mod seal;
pub mod sign;
pub mod small_file;
pub mod web;
pub mod whole_file;
pub mod wiped_bytes;

/// What this room knows of the engine.
mod engine {
    pub(crate) use tidegate_label as label;
    pub(crate) use tidegate_model as model;
    pub(crate) use tidegate_policy as policy;
    pub(crate) use tidegate_release::{self as release, delta};
}
