//! Ticks of the schedule. Each ends in one outcome, which is counted once: here, or where the gate has judged.

use std::time::Duration;

use super::log_fields::{Event, event};
use crate::daemon::observe::field::UnpublishedRows;
use crate::daemon::observe::metrics::{Gauge, Meters, Total};
use crate::daemon::observe::words::{Hold, Step, TickOutcome};

event! {
    /// A tick comes later than the schedule says, and stands for all that were missed.
    OverdueWarning = "overdue", Warn {
        /// The tick.
        tick: u64,
        /// How late it is.
        seconds_late: Duration,
        /// The ticks that were missed and became this one.
        missed: u64,
    }
}

impl Event for OverdueWarning {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::MissedTicks, self.missed);
    }
}

event! {
    /// Fewer new rows came than the schedule asks for; they wait for the next tick.
    TickSkipped = "tick_skipped", Info {
        /// The tick.
        tick: u64,
        /// Rows that came since the last tick that closed.
        new_rows: u64,
        /// Rows that the schedule asks for.
        min_records: u64,
    }
}

impl Event for TickSkipped {
    fn count(&self, to: &Meters<'_>) {
        to.tick(TickOutcome::Skipped);
        to.set(Gauge::NewRows, self.new_rows);
        to.set_time(Gauge::LastTick, to.at);
    }
}

event! {
    /// In a chain of crowds that keep their labels: this tick divides no rows into classes, since it is not its turn
    /// (`publish_every`) or too few wait for a class. New rows gather.
    TickGathered = "tick_gathered", Info {
        /// The tick.
        tick: u64,
        /// Rows that came since the last tick that divided those who wait.
        new_rows: u64,
        /// Rows that wait, the new ones included.
        waiting_rows: u64,
        /// In how many ticks the next turn comes; 1: with the next tick.
        ticks_left: u64,
    }
}

impl Event for TickGathered {
    fn count(&self, to: &Meters<'_>) {
        to.tick(TickOutcome::Skipped);
        to.set(Gauge::NewRows, self.new_rows);
        to.set_time(Gauge::LastTick, to.at);
    }
}

event! {
    /// An increment is closed. How the tick ends is told by a later event.
    TickClosed = "tick_closed", Info {
        /// The tick.
        tick: u64,
        /// The entry.
        seq: u64,
        /// Rows whose atoms formed in it.
        added: u64,
        /// Rows that are accepted and not published.
        standing: UnpublishedRows,
        /// How long closing took.
        seconds: Duration,
    }
}

impl Event for TickClosed {
    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::NewRows, 0);
        to.standing(&self.standing);
        to.appended(self.seq);
        to.set_time(Gauge::LastTick, to.at);
        to.took(Step::Closing, self.seconds);
    }
}

event! {
    /// The tick added no atom: there is nothing to publish.
    TickWaiting = "tick_waiting", Info {
        /// The tick.
        tick: u64,
    }
}

impl Event for TickWaiting {
    fn count(&self, to: &Meters<'_>) {
        to.tick(TickOutcome::Waiting);
    }
}

event! {
    /// The tick ends without a release and without a refusal.
    Held = "held", Info {
        /// The tick.
        tick: u64,
        /// Why.
        why: Hold,
        /// Rows that are held.
        rows: u64,
    }
}

impl Event for Held {
    fn count(&self, to: &Meters<'_>) {
        to.tick(TickOutcome::Held);
    }
}
