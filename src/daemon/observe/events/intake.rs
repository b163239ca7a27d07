//! Rows come in: a row is a count here, and what stands in it is never told.

use std::time::Duration;

use super::log_fields::{Event, event};
use crate::daemon::intake_counts::IntakeCounts;
use crate::daemon::observe::field::{ErrorText, FileName};
use crate::daemon::observe::metrics::{Gauge, Meters, Total};
use crate::daemon::observe::words::Step;

event! {
    /// A file of a directory source was read, and what it held is in the log.
    FileTaken = "file_taken", Info {
        /// The file.
        file: FileName,
        /// The entry.
        seq: u64,
        /// What became of its rows.
        rows: IntakeCounts,
        /// Missing or malformed values of sensitive columns, which are null now.
        nulled: u64,
        /// Rows that came since the last tick that closed, those of this file included.
        new_rows: u64,
        /// How long it took.
        seconds: Duration,
    }
}

impl Event for FileTaken {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::Files, 1);
        to.add(Total::NullCells, self.nulled);
        to.rows(&self.rows);
        to.set(Gauge::NewRows, self.new_rows);
        to.appended(self.seq);
        to.took(Step::Ingest, self.seconds);
    }
}

event! {
    /// Messages of a topic were read, and what they held is in the log.
    BatchTaken = "batch_taken", Info {
        /// Partitions that they are of.
        partitions: u64,
        /// The entry.
        seq: u64,
        /// What became of them.
        rows: IntakeCounts,
        /// Missing or malformed values of sensitive columns, which are null now.
        nulled: u64,
        /// Rows that came since the last tick that closed, those of this batch included.
        new_rows: u64,
        /// How long it took.
        seconds: Duration,
    }
}

impl Event for BatchTaken {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::Batches, 1);
        to.batch(&self.rows);
        to.add(Total::NullCells, self.nulled);
        to.rows(&self.rows);
        to.set(Gauge::NewRows, self.new_rows);
        to.appended(self.seq);
        to.took(Step::Ingest, self.seconds);
    }
}

event! {
    /// Partitions of a topic are read from offsets that are in the log from now on: those of a new feed, one that was added,
    /// or one of which messages are lost.
    PartitionsBegun = "partitions_begun", Info {
        /// How many.
        partitions: u64,
        /// The entry.
        seq: u64,
    }
}

impl Event for PartitionsBegun {
    fn count(&self, to: &Meters<'_>) {
        to.appended(self.seq);
        to.set(Gauge::BrokersAway, 0);
    }
}

event! {
    /// None of the brokers answers; it is tried on, and nothing is lost.
    BrokersAway = "brokers_away", Warn {
        /// What the client library says of it.
        why: Option<ErrorText>,
    }
}

impl Event for BrokersAway {
    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::BrokersAway, 1);
    }
}

event! {
    /// The brokers answer again.
    BrokersBack = "brokers_back", Info {}
}

impl Event for BrokersBack {
    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::BrokersAway, 0);
    }
}

event! {
    /// The registry of schemas does not answer; messages wait for it, and nothing is lost.
    RegistryAway = "registry_away", Warn {
        /// Why not, in words of our own.
        why: ErrorText,
    }
}

impl Event for RegistryAway {
    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::RegistryAway, 1);
    }
}

event! {
    /// The registry of schemas answers again.
    RegistryBack = "registry_back", Info {}
}

impl Event for RegistryBack {
    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::RegistryAway, 0);
    }
}

event! {
    /// A file came after one with a later name had been taken; it is taken next.
    LateFile = "late_file", Warn {
        /// The file.
        file: FileName,
        /// The newest one by name that was taken before.
        after: FileName,
    }
}

impl Event for LateFile {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::LateFiles, 1);
    }
}

event! {
    /// Messages were set aside since the last tick, and their share was judged by `source.max_quarantine_share`: at each
    /// tick, and before it when it is near the limit.
    QuarantineShare = "quarantine_share", Warn {
        /// Messages that were set aside.
        quarantined: u64,
        /// All messages.
        seen: u64,
        /// The share that may be.
        limit: f64,
        /// Whether it is above that, so that the feed halts.
        above: bool,
    }
}

event! {
    /// Nothing was set aside since the last tick, after something had been before it.
    NothingSetAside = "nothing_set_aside", Info {
        /// All messages.
        seen: u64,
    }
}

impl Event for NothingSetAside {
    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::Quarantine, 0);
    }
}

impl Event for QuarantineShare {
    fn count(&self, to: &Meters<'_>) {
        to.set_exactly(Gauge::Quarantine, self.quarantined as f64 / self.seen.max(1) as f64);
    }
}
