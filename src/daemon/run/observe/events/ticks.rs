//! Ticks of the schedule. Each ends in one outcome, which is counted once: by an event here, or by
//! one of the gate's decision.

use std::time::Duration;

use super::log_fields::{Event, event};
use crate::observe::field::UnpublishedRows;
use crate::observe::metrics::{Gauge, Meters, Total};
use crate::observe::words::{Hold, Step, TickOutcome};

event! {
    /// A tick is late, and replaces all that were missed.
    OverdueWarning = "overdue", Warn {
        /// The tick.
        tick: u64,
        /// How late it is.
        seconds_late: Duration,
        /// The number of missed ticks that it replaces.
        missed: u64,
    }
}

impl Event for OverdueWarning {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::MissedTicks, self.missed);
    }
}

event! {
    /// There are fewer new rows than the schedule requires; they wait for the next tick.
    TickSkipped = "tick_skipped", Info {
        /// The tick.
        tick: u64,
        /// Rows since the last closed tick.
        new_rows: u64,
        /// Rows that the schedule requires.
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
    /// In a chain of crowds that keep their labels: this tick divides no rows into classes, since
    /// it is not its turn (`publish_every`) or too few rows wait for a class. New rows wait.
    TickGathered = "tick_gathered", Info {
        /// The tick.
        tick: u64,
        /// Rows since the last tick that divided waiting rows.
        new_rows: u64,
        /// Rows that wait, including the new ones.
        waiting_rows: u64,
        /// The number of ticks until the next turn; 1 means the next tick.
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
    /// An increment is closed. A later event reports how the tick ends.
    TickClosed = "tick_closed", Info {
        /// The tick.
        tick: u64,
        /// The number of the entry.
        seq: u64,
        /// Rows whose atoms formed in it.
        added: u64,
        /// Accepted rows that are not published.
        standing: UnpublishedRows,
        /// The time it took to close it.
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
    /// The tick ends neither with a release nor with a rejection.
    Held = "held", Info {
        /// The tick.
        tick: u64,
        /// The reason.
        why: Hold,
        /// The number of rows that are held.
        rows: u64,
    }
}

impl Event for Held {
    fn count(&self, to: &Meters<'_>) {
        to.tick(TickOutcome::Held);
    }
}
