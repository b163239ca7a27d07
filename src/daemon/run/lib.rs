//! A running feed: its writer, the loop over feeds, and the answers about feeds and releases.

#![warn(unreachable_pub)]
pub mod feed_writer;
pub mod folder;
pub mod notify;
pub mod observe;
pub mod opened_release;
pub mod preview;
pub mod service;
pub mod verify;
pub mod view;

/// What this room knows of the engine.
mod engine {
    pub(crate) use tidegate_feed::{self as feed, safeguards};
    pub(crate) use tidegate_gate as gate;
    pub(crate) use tidegate_label as label;
    pub(crate) use tidegate_model::{self as model, histogram};
    pub(crate) use tidegate_policy::{self as policy, measures};
    pub(crate) use tidegate_release::{self as release, delta, risk};
    pub(crate) use tidegate_workbench::{audit, counting};
}

// The rooms that this one knows.
use tidegate_ingest::{self as ingest, guess};
use tidegate_log::{formats, journal, terms};
use tidegate_settings::{
    chance, clock, config, error, intake_counts, seal, sign, small_file, web, whole_file,
    wiped_bytes,
};
