//! A feed begins, recovers, halts and ends. These events, and no others, change what `/health/ready` says of it.

use std::time::Duration;

use super::log_fields::{Event, event};
use crate::daemon::error::{Error, ErrorCategory};
use crate::daemon::observe::field::{ErrorText, UnpublishedRows};
use crate::daemon::observe::metrics::{Gauge, Meters, Total};
use crate::daemon::observe::state::FeedPhase;

event! {
    /// The clock is further ahead of what was known of the time than `feed.max_clock_step`: nothing is destroyed for its age
    /// until it is accepted.
    ClockAhead = "clock_ahead", Warn {
        /// What it says.
        now: jiff::Timestamp,
        /// How far ahead.
        ahead: Duration,
    }
}

impl Event for ClockAhead {
    fn count(&self, _: &Meters<'_>) {}
}

event! {
    /// The clock is behind the last tick: none closes before it is past that.
    ClockBehind = "clock_behind", Warn {
        /// The tick that was due.
        due: jiff::Timestamp,
        /// The last one.
        last: jiff::Timestamp,
    }
}

impl Event for ClockBehind {
    fn count(&self, _: &Meters<'_>) {}
}

event! {
    /// A feed begins; it is not ready before it has recovered.
    Started = "started", Info {
        /// The version of this program.
        version: &'static str,
    }
}

impl Event for Started {
    const STATE: Option<FeedPhase> = Some(FeedPhase::Starting);

    fn count(&self, _: &Meters<'_>) {}
}

event! {
    /// The log is read, the fence is durable and what was decided before has been rolled forward: the feed works.
    Recovered = "recovered", Info {
        /// Entries of the log, the fence included.
        log_entries: u64,
        /// Those of them that were read.
        entries_read: u64,
        /// The entry up to which a checkpoint stood for the log.
        checkpoint: Option<u64>,
        /// Releases that were decided and not published, and are now.
        rolled_forward: u64,
        /// The newest release.
        release: Option<u64>,
        /// Its rows.
        rows: Option<u64>,
        /// Sums of measures that it tells, in a table that grows of the labels that it added; where there are measures.
        sums: Option<u64>,
        /// Sums that it leaves out.
        sums_left_out: Option<u64>,
        /// Rows that came since the last tick that closed.
        new_rows: u64,
        /// Rows that are accepted and not published.
        standing: UnpublishedRows,
        /// When the last tick was.
        last_tick: Option<jiff::Timestamp>,
        /// When the newest release was published.
        last_publication: Option<jiff::Timestamp>,
        /// How long it took.
        seconds: Duration,
    }
}

impl Event for Recovered {
    const STATE: Option<FeedPhase> = Some(FeedPhase::Running);

    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::LogEntries, self.log_entries);
        to.set(Gauge::NewRows, self.new_rows);
        to.standing(&self.standing);
        for (gauge, figure) in [
            (Gauge::NewestRelease, self.release),
            (Gauge::NewestReleaseRows, self.rows),
            (Gauge::MeasureSums, self.sums),
            (Gauge::MeasureSumsLeftOut, self.sums_left_out),
        ] {
            figure.into_iter().for_each(|figure| to.set(gauge, figure));
        }
        for (gauge, at) in [(Gauge::LastTick, self.last_tick), (Gauge::LastPublication, self.last_publication)] {
            at.into_iter().for_each(|at| to.set_time(gauge, at));
        }
    }
}

event! {
    /// From here on this process alone writes the log.
    FenceAppended = "fence_appended", Info {
        /// The entry.
        seq: u64,
        /// The epoch that it opens.
        epoch: u64,
    }
}

impl Event for FenceAppended {
    fn count(&self, to: &Meters<'_>) {
        to.appended(self.seq);
        to.set(Gauge::Epoch, self.epoch);
    }
}

event! {
    /// The feed has halted, and an operator has to act: until then each try to go on fails.
    Halted = "halted", Error {
        /// Who has to act.
        kind: ErrorCategory,
        /// Why.
        error: ErrorText,
    }
}

impl Halted {
    /// Because of this.
    pub fn because(error: &Error) -> Halted {
        Halted { kind: error.kind, error: ErrorText::from(error) }
    }
}

impl Event for Halted {
    const STATE: Option<FeedPhase> = Some(FeedPhase::Halted);

    fn count(&self, to: &Meters<'_>) {
        to.add(Total::Halts, 1);
        to.set(Gauge::Halted, 1);
    }
}

event! {
    /// The feed is still halted, now for another reason.
    StillHalted = "still_halted", Error {
        /// Who has to act.
        kind: ErrorCategory,
        /// Why.
        error: ErrorText,
    }
}

impl StillHalted {
    /// Because of this.
    pub fn because(error: &Error) -> StillHalted {
        StillHalted { kind: error.kind, error: ErrorText::from(error) }
    }
}

impl Event for StillHalted {
    fn count(&self, _: &Meters<'_>) {}
}

event! {
    /// The feed goes on: what had halted it, in this process or in an earlier one, is mended.
    Resumed = "resumed", Info {
        /// Since when it had been halted.
        since: jiff::Timestamp,
    }
}

impl Event for Resumed {
    const STATE: Option<FeedPhase> = Some(FeedPhase::Running);
    const ENDS_HALT: bool = true;

    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::Halted, 0);
    }
}

event! {
    /// The feed was asked to end, and finishes what it has begun. It stays in the state it is in.
    ShuttingDown = "shutting_down", Info {}
}

impl Event for ShuttingDown {
    fn count(&self, _: &Meters<'_>) {}
}
