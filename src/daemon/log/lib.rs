//! The durable side of a feed (HOUSE 3): the ordered log, sealed objects, keys, stores, and the
//! formats of what is in them.

#![warn(unreachable_pub)]
pub mod formats;
pub mod journal;
pub mod terms;

/// What this room knows of the engine.
mod engine {
    pub(crate) use tidegate_feed as feed;
    pub(crate) use tidegate_gate as gate;
    pub(crate) use tidegate_label as label;
    pub(crate) use tidegate_model::{self as model, histogram};
    pub(crate) use tidegate_policy as policy;
    pub(crate) use tidegate_release as release;
}

// The rooms that this one knows.
use tidegate_settings::{chance, config, error, intake_counts, seal, sign, wiped_bytes};
