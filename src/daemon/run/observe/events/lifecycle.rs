//! A feed begins, recovers, halts and ends. Only these events change the state that `/health/ready`
//! reports.

use std::time::Duration;

use super::log_fields::{Event, event};
use crate::error::{Error, ErrorCategory};
use crate::observe::field::{ErrorText, UnpublishedRows, VariableNames};
use crate::observe::metrics::{Gauge, Meters, Total};
use crate::observe::state::FeedPhase;

event! {
    /// The clock is ahead of the known time by more than `feed.max_clock_step`: nothing is deleted
    /// for its age until an operator accepts the clock.
    ClockAhead = "clock_ahead", Warn {
        /// The time of the clock.
        now: jiff::Timestamp,
        /// How far it is ahead.
        ahead: Duration,
    }
}

impl Event for ClockAhead {
    fn count(&self, _: &Meters<'_>) {}
}

event! {
    /// The newest tick lies in the future: no tick closes until its time, or until an operator
    /// accepts the clock.
    ClockBehind = "clock_behind", Warn {
        /// The time that it is.
        due: jiff::Timestamp,
        /// The time of the last tick.
        last: jiff::Timestamp,
    }
}

impl Event for ClockBehind {
    fn count(&self, to: &Meters<'_>) {
        to.set(
            Gauge::ClockOff,
            self.last.duration_since(self.due).unsigned_abs().as_secs(),
        );
    }
}

event! {
    /// The clock was set by more than `feed.max_clock_step` while the process ran: no tick closes
    /// until it is back, or until an operator restarts the feed and accepts the clock.
    ClockStepped = "clock_stepped", Warn {
        /// The time of the clock.
        now: jiff::Timestamp,
        /// How far it was set ahead; negative if it was set back.
        by: jiff::SignedDuration,
    }
}

impl Event for ClockStepped {
    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::ClockOff, self.by.unsigned_abs().as_secs());
    }
}

event! {
    /// The clock is back, or past the newest tick: ticks close again.
    ClockRight = "clock_right", Info {
        /// The time of the clock.
        now: jiff::Timestamp,
    }
}

impl Event for ClockRight {
    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::ClockOff, 0);
    }
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
    /// Variables of the environment look like settings of a bucket, and do not reach it.
    VariablesIgnored = "variables_ignored", Warn {
        /// Their names.
        names: VariableNames,
    }
}

impl Event for VariablesIgnored {
    fn count(&self, _: &Meters<'_>) {}
}

event! {
    /// The log is read, the fence is durable and earlier decisions have been carried out: the feed
    /// runs.
    Recovered = "recovered", Info {
        /// Entries of the log, including the fence.
        log_entries: u64,
        /// The number of them that were read.
        entries_read: u64,
        /// The entry up to which a checkpoint replaced reading the log.
        checkpoint: Option<u64>,
        /// Releases that were decided but not published before, and are published now.
        rolled_forward: u64,
        /// The newest release.
        release: Option<u64>,
        /// The number of its rows.
        rows: Option<u64>,
        /// Sums of measures that it publishes; if the table grows, for the labels that it added.
        /// Only if there are measures.
        sums: Option<u64>,
        /// Sums that it leaves out.
        sums_left_out: Option<u64>,
        /// Rows since the last closed tick.
        new_rows: u64,
        /// Accepted rows that are not published.
        standing: UnpublishedRows,
        /// The time of the last tick.
        last_tick: Option<jiff::Timestamp>,
        /// The time at which the newest release was published.
        last_publication: Option<jiff::Timestamp>,
        /// The time it took.
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
        for (gauge, at) in [
            (Gauge::LastTick, self.last_tick),
            (Gauge::LastPublication, self.last_publication),
        ] {
            at.into_iter().for_each(|at| to.set_time(gauge, at));
        }
    }
}

event! {
    /// From now on only this process writes the log.
    FenceAppended = "fence_appended", Info {
        /// The number of the entry.
        seq: u64,
        /// The epoch that begins with it.
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
    /// The feed has halted, and an operator has to act: until then each attempt to continue fails.
    Halted = "halted", Error {
        /// Who has to act.
        kind: ErrorCategory,
        /// The reason.
        error: ErrorText,
    }
}

impl Halted {
    /// For this error.
    pub fn because(error: &Error) -> Halted {
        Halted {
            kind: error.kind,
            error: ErrorText::from(error),
        }
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
        /// The reason.
        error: ErrorText,
    }
}

impl StillHalted {
    /// For this error.
    pub fn because(error: &Error) -> StillHalted {
        StillHalted {
            kind: error.kind,
            error: ErrorText::from(error),
        }
    }
}

impl Event for StillHalted {
    fn count(&self, _: &Meters<'_>) {}
}

event! {
    /// The feed continues: the reason for its halt, in this process or an earlier one, no longer
    /// exists.
    Resumed = "resumed", Info {
        /// The time at which it halted.
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
    /// The feed was asked to stop, and completes the work in progress. Its state does not change.
    ShuttingDown = "shutting_down", Info {}
}

impl Event for ShuttingDown {
    fn count(&self, _: &Meters<'_>) {}
}
