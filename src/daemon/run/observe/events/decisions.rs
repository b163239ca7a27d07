//! Decisions of the gate and of people. The events name the checks; the figures of a check are in
//! the verdict only.

use std::time::Duration;

use super::log_fields::{Event, event};
use crate::engine::release::Sha256;
use crate::observe::field::{Checks, ColumnNames};
use crate::observe::metrics::{Gauge, Meters, Total};
use crate::observe::words::{Answer, Decision, Request, Step, TickOutcome};

event! {
    /// The gate has decided on a release and its decision is in the log. A later event reports what
    /// follows from it.
    Decided = "decided", Info {
        /// The tick.
        tick: u64,
        /// The release that was decided on.
        release: u64,
        /// The number of the entry.
        seq: u64,
        /// The decision.
        decision: Decision,
        /// Checks that were made.
        made: Checks,
        /// Checks that reject the release.
        against: Checks,
        /// The time it took to make and check the release.
        seconds: Duration,
    }
}

impl Event for Decided {
    fn count(&self, to: &Meters<'_>) {
        to.decision(self.decision);
        to.appended(self.seq);
        to.took(Step::Judging, self.seconds);
    }
}

event! {
    /// A release is in the public root.
    Published = "published", Info {
        /// The release.
        release: u64,
        /// Its tick.
        tick: u64,
        /// The number of the entry.
        seq: u64,
        /// The number of its rows.
        rows: u64,
        /// Sums of measures that it publishes; if the table grows, for the labels that it adds.
        /// Only if there are measures.
        sums: Option<u64>,
        /// Sums that it leaves out.
        sums_left_out: Option<u64>,
        /// Accepted rows that are not in a release yet.
        pending: u64,
        /// The hash of its manifest.
        manifest: Sha256,
        /// Whether a person approved it; its tick then ended as held.
        approved: bool,
        /// The time since its tick.
        seconds_since_tick: Duration,
        /// The time it took to copy it.
        seconds: Duration,
    }
}

impl Event for Published {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::Releases, 1);
        if !self.approved {
            to.tick(TickOutcome::Published);
        }
        to.set(Gauge::NewestRelease, self.release);
        to.set(Gauge::NewestReleaseRows, self.rows);
        for (gauge, sums) in [
            (Gauge::MeasureSums, self.sums),
            (Gauge::MeasureSumsLeftOut, self.sums_left_out),
        ] {
            sums.into_iter().for_each(|sums| to.set(gauge, sums));
        }
        to.set(Gauge::PendingRows, self.pending);
        to.set_time(Gauge::LastPublication, to.at);
        to.appended(self.seq);
        to.took(Step::Publishing, self.seconds);
        to.left_after(self.seconds_since_tick);
    }
}

event! {
    /// In these columns a release shows only labels that stand for all values, and the release
    /// before it showed more, or there was none.
    WithoutDetail = "without_detail", Warn {
        /// The tick.
        tick: u64,
        /// The release.
        release: u64,
        /// The columns.
        columns: ColumnNames,
        /// The command that shows which settings would give more detail.
        help: &'static str,
    }
}

impl Event for WithoutDetail {
    fn count(&self, _: &Meters<'_>) {}
}

event! {
    /// New people in a release have a guarded value in these columns that is spelled with spaces
    /// around it or with other capitals. Such a spelling is not guarded.
    MisspelledGuarded = "misspelled_guarded", Warn {
        /// The tick.
        tick: u64,
        /// The columns.
        columns: ColumnNames,
        /// What to do.
        help: &'static str,
    }
}

impl Event for MisspelledGuarded {
    fn count(&self, _: &Meters<'_>) {}
}

event! {
    /// The gate rejected a release because of its quasi-identifiers; its atoms are published with
    /// the next one.
    Rejected = "rejected", Warn {
        /// The tick.
        tick: u64,
        /// Checks that reject the release.
        against: Checks,
    }
}

impl Event for Rejected {
    fn count(&self, to: &Meters<'_>) {
        to.tick(TickOutcome::Rejected);
    }
}

event! {
    /// A check that reads sensitive values rejected a release, now or earlier in the chain: a
    /// person has to decide.
    Stopped = "stopped", Error {
        /// The tick.
        tick: u64,
        /// Checks that reject the release.
        against: Checks,
    }
}

impl Event for Stopped {
    fn count(&self, to: &Meters<'_>) {
        to.tick(TickOutcome::Stopped);
    }
}

event! {
    /// A request of an operator has been answered.
    RequestDone = "request_done", Info {
        /// The kind of request.
        what: Request,
        /// The answer.
        answer: Answer,
        /// The entry that was appended for it.
        seq: Option<u64>,
    }
}

impl Event for RequestDone {
    fn count(&self, to: &Meters<'_>) {
        to.request(self.what, self.answer);
        self.seq.into_iter().for_each(|seq| to.appended(seq));
    }
}

event! {
    /// The inbox contained requests that were not written with the key of the feed. They were
    /// removed without effect.
    StrangeNotes = "strange_notes", Warn {
        /// The number of requests.
        notes: u64,
    }
}

impl Event for StrangeNotes {
    fn count(&self, _: &Meters<'_>) {}
}
