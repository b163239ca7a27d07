//! Events of intake: they count rows and never contain a value of one.

use std::time::Duration;

use super::log_fields::{Event, event};
use crate::intake_counts::IntakeCounts;
use crate::observe::field::{ColumnNames, ErrorText, FileName};
use crate::observe::metrics::{Gauge, Meters, Total};
use crate::observe::words::Step;

event! {
    /// A file of a directory source was read, and its rows are in the log.
    FileTaken = "file_taken", Info {
        /// The file.
        file: FileName,
        /// The number of the entry.
        seq: u64,
        /// The rows by outcome.
        rows: IntakeCounts,
        /// Missing or malformed values of sensitive columns that became null.
        nulled: u64,
        /// Rows since the last closed tick, including those of this file.
        new_rows: u64,
        /// The time it took.
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
    /// Values of this identifier or sensitive column differ in spelling alone: in spaces, capitals,
    /// Unicode forms, or zeros of a number. Each spelling of an identifier is a person of its own.
    SpelledApart = "spelled_apart", Warn {
        /// The column.
        columns: ColumnNames,
        /// How many values of this file or batch differ from another one in spelling alone.
        values: u64,
        /// What to do.
        help: &'static str,
    }
}

impl Event for SpelledApart {
    fn count(&self, _: &Meters<'_>) {}
}

event! {
    /// Messages of a topic were read, and their rows are in the log.
    BatchTaken = "batch_taken", Info {
        /// The number of partitions that they come from.
        partitions: u64,
        /// The number of the entry.
        seq: u64,
        /// The rows by outcome.
        rows: IntakeCounts,
        /// Missing or malformed values of sensitive columns that became null.
        nulled: u64,
        /// Rows since the last closed tick, including those of this batch.
        new_rows: u64,
        /// The time it took.
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
    /// The log now contains the offsets that some partitions are read from: those of a new feed, a
    /// partition that was added, or one that lost messages.
    PartitionsBegun = "partitions_begun", Info {
        /// The number of partitions.
        partitions: u64,
        /// The number of the entry.
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
    /// None of the brokers answers; the feed keeps trying, and nothing is lost.
    BrokersAway = "brokers_away", Warn {
        /// The error text of the client library.
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
    /// A name in the folder of the source is not that of a regular file, and is not opened.
    FileLeftAlone = "file_left_alone", Warn {
        /// The name.
        file: FileName,
        /// What it is: `link`, `pipe`, `socket` or `device`.
        kind: &'static str,
    }
}

impl Event for FileLeftAlone {
    fn count(&self, _: &Meters<'_>) {}
}

event! {
    /// The schema registry does not answer; messages wait for it, and nothing is lost.
    RegistryAway = "registry_away", Warn {
        /// The reason, in words of this program.
        why: ErrorText,
    }
}

impl Event for RegistryAway {
    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::RegistryAway, 1);
    }
}

event! {
    /// The schema registry answers again.
    RegistryBack = "registry_back", Info {}
}

impl Event for RegistryBack {
    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::RegistryAway, 0);
    }
}

event! {
    /// A file appeared after one with a later name had been read; it is read next.
    LateFile = "late_file", Warn {
        /// The file.
        file: FileName,
        /// The file with the latest name that had been read before.
        after: FileName,
    }
}

impl Event for LateFile {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::LateFiles, 1);
    }
}

event! {
    /// Messages were set aside since the last tick, and their share was compared with
    /// `source.max_quarantine_share`: at each tick, and earlier if it is near the limit.
    QuarantineShare = "quarantine_share", Warn {
        /// Messages that were set aside.
        quarantined: u64,
        /// All messages.
        seen: u64,
        /// The greatest permitted share.
        limit: f64,
        /// Whether the share is above the limit, so that the feed halts.
        above: bool,
    }
}

event! {
    /// No message was set aside since the last tick, but some were before it.
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
        to.set_exactly(
            Gauge::Quarantine,
            self.quarantined as f64 / self.seen.max(1) as f64,
        );
    }
}
