//! What the gate and people decide. Checks are named, their figures stay in the verdict.

use std::time::Duration;

use super::log_fields::{Event, event};
use crate::daemon::observe::field::{Checks, ColumnNames};
use crate::daemon::observe::metrics::{Gauge, Meters, Total};
use crate::daemon::observe::words::{Answer, Decision, Request, Step, TickOutcome};
use crate::engine::release::Sha256;

event! {
    /// The gate has judged and its decision is in the log. What follows from it is told by a later event.
    Decided = "decided", Info {
        /// The tick.
        tick: u64,
        /// The release that it is about.
        release: u64,
        /// The entry.
        seq: u64,
        /// The decision.
        decision: Decision,
        /// Checks that were made.
        made: Checks,
        /// Checks that speak against the release.
        against: Checks,
        /// How long making and judging it took.
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
        /// The entry.
        seq: u64,
        /// Its rows.
        rows: u64,
        /// Sums of measures that it tells, in a table that grows of the labels that it adds; where there are measures.
        sums: Option<u64>,
        /// Sums that it leaves out.
        sums_left_out: Option<u64>,
        /// Rows that are accepted and in no release still.
        pending: u64,
        /// Its manifest.
        manifest: Sha256,
        /// Whether a person approved it; its tick ended as held then.
        approved: bool,
        /// The time from its tick.
        seconds_since_tick: Duration,
        /// How long copying it took.
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
        for (gauge, sums) in [(Gauge::MeasureSums, self.sums), (Gauge::MeasureSumsLeftOut, self.sums_left_out)] {
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
    /// A release shows nothing but labels that stand for all values in these columns, and the release before it showed more, or there was
    /// none.
    WithoutDetail = "without_detail", Warn {
        /// The tick.
        tick: u64,
        /// The release.
        release: u64,
        /// The columns.
        columns: ColumnNames,
        /// The command that shows which settings would give more.
        help: &'static str,
    }
}

impl Event for WithoutDetail {
    fn count(&self, _: &Meters<'_>) {}
}

event! {
    /// People who are new in a release have a guarded value in these columns with spaces around it or in other letters. Such a spelling is
    /// not guarded.
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
    /// The gate refused a release for reasons of quasi-identifiers; its atoms come out with the next one.
    Rejected = "rejected", Warn {
        /// The tick.
        tick: u64,
        /// Checks that speak against the release.
        against: Checks,
    }
}

impl Event for Rejected {
    fn count(&self, to: &Meters<'_>) {
        to.tick(TickOutcome::Rejected);
    }
}

event! {
    /// A check that reads sensitive values refused what was proposed, and everything goes to the root for the rest of the
    /// chain. Readers of the release see that.
    Coarsest = "coarsest", Warn {
        /// The tick.
        tick: u64,
        /// Checks that speak against what was proposed.
        against: Checks,
    }
}

impl Event for Coarsest {
    fn count(&self, _: &Meters<'_>) {}
}

event! {
    /// A check that reads sensitive values refused a release, now or earlier in the chain: a person has to decide.
    Stopped = "stopped", Error {
        /// The tick.
        tick: u64,
        /// Checks that speak against the release.
        against: Checks,
    }
}

impl Event for Stopped {
    fn count(&self, to: &Meters<'_>) {
        to.tick(TickOutcome::Stopped);
    }
}

event! {
    /// What a person asked for has an answer.
    RequestDone = "request_done", Info {
        /// What was asked.
        what: Request,
        /// The answer.
        answer: Answer,
        /// The entry that it became.
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
    /// Notes lay in the inbox that were not written with the key of the feed; they were removed and nothing was done.
    StrangeNotes = "strange_notes", Warn {
        /// How many.
        notes: u64,
    }
}

impl Event for StrangeNotes {
    fn count(&self, _: &Meters<'_>) {}
}
