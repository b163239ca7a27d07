//! Tidegate publishes anonymised releases of data that never stops arriving, and attacks each one
//! before it leaves. This package is the program; each room of the house is a package of its own
//! ([`guide`] says which), and the modules here are their doors.

pub mod guide;

pub use tidegate_cli as cli;

/// What decides: pure, synchronous, deterministic.
pub mod engine {
    pub use tidegate_feed::{self as feed, safeguards};
    pub use tidegate_gate as gate;
    pub use tidegate_label::{self as label, microaggregation};
    pub use tidegate_model::{self as model, arithmetic, histogram};
    pub use tidegate_policy::{self as policy, dominance, measures};
    pub use tidegate_release::{self as release, delta, risk};
    pub use tidegate_workbench::{audit, counting, sums};
}

/// What acts: reads, writes and waits.
pub mod daemon {
    pub use tidegate_ingest::{self as ingest, guess};
    pub use tidegate_log::{formats, journal, terms};
    pub use tidegate_run::{
        feed_writer, folder, notify, observe, opened_release, preview, service, verify, view,
    };
    pub use tidegate_settings::{
        chance, clock, config, error, intake_counts, seal, sign, small_file, web, whole_file,
        wiped_bytes,
    };
}
