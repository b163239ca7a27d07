//! Whether the clock can be trusted (CONTRACTS 1, `max_clock_step`). While a process runs, the
//! clock is compared with how long it has run: if it is set by more than a permitted step, no tick
//! closes until it is back. The private root records the known time, so that a clock that is ahead
//! is noticed at a start as well: until a person accepts it nothing is deleted for its age. A tick
//! whose time lies in the future was closed by a wrong clock, and none follows it until that time
//! or until a person accepts the clock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::clock;
use crate::error::Result;
use crate::journal::store::{ReadStore, Store};

/// The object that records the time, and the time of the tick that a person has declared to be
/// wrong.
pub(super) const CLOCK: &str = "clock";
/// It is written this many times within the permitted step.
const OFTEN: u32 = 4;

/// The time of the clock, and how long the process has run.
pub(super) type ClockReading = (Timestamp, Duration);

/// Why no tick closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockWait {
    /// The clock was set by this much while the process ran.
    Stepped(SignedDuration),
    /// The newest tick has this time, which lies in the future.
    FutureTick(Timestamp),
}

impl ClockWait {
    /// The reason and the remedy.
    pub fn text(self) -> String {
        const REMEDY: &str =
            "If the clock is right, restart the feed once with `tidegate run --accept-clock`";
        match self {
            ClockWait::Stepped(by) => {
                let way = if by.is_negative() { "back" } else { "ahead" };
                let seconds = by.unsigned_abs().as_secs();
                format!(
                    "the clock was set {way} by {seconds} s while the feed ran: no tick closes until it is set right. {REMEDY}"
                )
            }
            ClockWait::FutureTick(last) => format!(
                "the newest tick has the time {}, which lies in the future: a wrong clock closed it, and no tick closes before \
                 that time. {REMEDY}, and ticks close at the time that it is",
                clock::text(last)
            ),
        }
    }
}

/// The steps of the clock since the process began, which outlast a halt of the feed.
#[derive(Default)]
pub(super) struct ClockSteps(Mutex<Steps>);

#[derive(Default)]
struct Steps {
    /// The newest reading.
    last: Option<ClockReading>,
    /// By how much the clock was set; zero if it is right.
    by: SignedDuration,
    /// What was reported last.
    reported: Option<ClockWait>,
}

impl Steps {
    /// By how much the clock is set in a reading. A difference within the permitted step is none,
    /// so that a clock which is back need not be right to the second, and one that runs a little
    /// fast is never wrong.
    fn stepped(&self, (now, age): ClockReading, step: Duration) -> SignedDuration {
        let Some((last, at)) = self.last else {
            return SignedDuration::ZERO;
        };
        let ran = SignedDuration::try_from(age.saturating_sub(at)).unwrap_or(SignedDuration::MAX);
        let by = self
            .by
            .saturating_add(now.duration_since(last).saturating_sub(ran));
        if by.unsigned_abs() <= step {
            SignedDuration::ZERO
        } else {
            by
        }
    }
}

impl ClockSteps {
    fn lock(&self) -> MutexGuard<'_, Steps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time that it is: that of the clock without what it was set by.
    pub(super) fn time(&self, reading: ClockReading, step: Duration) -> Timestamp {
        reading
            .0
            .checked_sub(self.lock().stepped(reading, step))
            .unwrap_or(reading.0)
    }

    /// Whether this has to be reported: it is of another kind than what was reported last.
    pub(super) fn is_news(&self, wait: Option<ClockWait>) -> bool {
        let reported = std::mem::replace(&mut self.lock().reported, wait);
        match (reported, wait) {
            (None, None) | (Some(ClockWait::Stepped(_)), Some(ClockWait::Stepped(_))) => false,
            (reported, wait) => reported != wait,
        }
    }
}

/// The state of the clock.
pub(super) struct ClockState {
    store: Arc<dyn Store>,
    steps: Arc<ClockSteps>,
    /// The greatest permitted step.
    step: Duration,
    record: ClockRecord,
    /// How far the clock was ahead of the recorded time at the start, until an operator accepts it
    /// with `--accept-clock`.
    ahead: Option<Duration>,
    was_reported: bool,
}

/// What the private root records about the clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct ClockRecord {
    /// The known time.
    known: Option<Timestamp>,
    /// The time of a tick that lay in the future when a person accepted the clock.
    disowned: Option<Timestamp>,
}

impl ClockRecord {
    fn read(store: &dyn ReadStore) -> Result<ClockRecord> {
        let bytes = store.read(CLOCK)?.unwrap_or_default();
        let mut times = std::str::from_utf8(&bytes)
            .unwrap_or_default()
            .split_whitespace()
            .map(clock::parse);
        Ok(ClockRecord {
            known: times.next().flatten(),
            disowned: times.next().flatten(),
        })
    }

    fn bytes(self) -> Vec<u8> {
        let mut text = String::new();
        for time in [self.known, self.disowned].into_iter().flatten() {
            text.push_str(&clock::text(time));
            text.push('\n');
        }
        text.into_bytes()
    }

    /// The newest tick, if it lies in the future and no person has said that its time is wrong.
    fn future(self, ticked: Option<Timestamp>, now: Timestamp) -> Option<ClockWait> {
        let last = ticked.filter(|last| *last > now && Some(*last) != self.disowned)?;
        Some(ClockWait::FutureTick(last))
    }
}

/// Why no tick of a feed closes whose newest tick has this time, as far as its private root says
/// so.
///
/// # Errors
/// The private root cannot be read.
pub fn future_tick(
    private: &dyn ReadStore,
    ticked: Option<Timestamp>,
    now: Timestamp,
) -> Result<Option<ClockWait>> {
    Ok(ClockRecord::read(private)?.future(ticked, now))
}

impl ClockState {
    /// Reads the clock when a feed begins to run; `newest` is the newest time in its log, `ticked`
    /// that of its newest tick.
    ///
    /// # Errors
    /// The private root cannot be read or written.
    pub(super) fn begin(
        store: Arc<dyn Store>,
        (step, accepted): (Duration, bool),
        (newest, ticked): (Option<Timestamp>, Option<Timestamp>),
        steps: Arc<ClockSteps>,
        reading: ClockReading,
    ) -> Result<ClockState> {
        let mut record = ClockRecord::read(&*store)?;
        let now = steps.time(reading, step);
        // A root that was restored without its record has only its log.
        let known = record.known.or(newest).unwrap_or(now);
        let ahead = Some(since(known, now)).filter(|ahead| *ahead > step && !accepted);
        if accepted {
            record = ClockRecord {
                known: None,
                disowned: ticked.filter(|last| *last > now),
            };
        }
        let mut sense = ClockState {
            store,
            steps,
            step,
            record,
            ahead,
            was_reported: false,
        };
        sense.look(reading);
        if ahead.is_none() {
            sense.write(now)?;
        }
        Ok(sense)
    }

    /// Reads the clock again.
    pub(super) fn look(&mut self, reading: ClockReading) {
        let mut steps = self.steps.lock();
        steps.by = steps.stepped(reading, self.step);
        steps.last = Some(reading);
    }

    /// Records the time now and then; returns how far the clock was ahead at the start, the first
    /// time.
    ///
    /// # Errors
    /// The private root cannot be written.
    pub(super) fn record(&mut self, now: Timestamp) -> Result<Option<Duration>> {
        if self.is_believed()
            && self
                .record
                .known
                .is_none_or(|known| since(known, now) >= self.step / OFTEN)
        {
            self.write(now)?;
        }
        Ok(self
            .ahead
            .filter(|_| !std::mem::replace(&mut self.was_reported, true)))
    }

    /// The time that it is.
    pub(super) fn time(&self, reading: ClockReading) -> Timestamp {
        self.steps.time(reading, self.step)
    }

    /// The newest time in the log, unless a wrong clock must have written it.
    pub(super) fn plausible(&self, newest: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
        newest.filter(|newest| since(now, *newest) <= self.step)
    }

    /// Why no tick closes; `ticked` is the time of the newest one.
    pub(super) fn wait(
        &self,
        ticked: Option<Timestamp>,
        reading: ClockReading,
    ) -> Option<ClockWait> {
        let by = self.steps.lock().stepped(reading, self.step);
        if !by.is_zero() {
            return Some(ClockWait::Stepped(by));
        }
        self.record.future(ticked, reading.0)
    }

    /// Whether a person has said that this time of a tick is wrong.
    pub(super) fn disowns(&self, last: Timestamp) -> bool {
        self.record.disowned == Some(last)
    }

    /// Whether data that is old according to this clock may be deleted.
    pub(super) fn is_believed(&self) -> bool {
        self.ahead.is_none() && self.steps.lock().by.is_zero()
    }

    fn write(&mut self, now: Timestamp) -> Result<()> {
        // A clock that was set back says nothing about ages.
        if self.record.known.is_none_or(|known| now >= known) {
            let record = ClockRecord {
                known: Some(now),
                ..self.record
            };
            self.store.replace(CLOCK, &record.bytes())?;
            self.record = record;
        }
        Ok(())
    }
}

/// How long one time is before another; zero if it is behind it.
fn since(from: Timestamp, to: Timestamp) -> Duration {
    Duration::try_from(to.duration_since(from)).unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::store::Memory;

    const HOUR: Duration = Duration::from_secs(3600);
    const START: &str = "2026-11-23T10:00:00Z";

    fn at(text: &str) -> Timestamp {
        clock::parse(text).expect("a time")
    }

    fn begin(
        store: &Arc<dyn Store>,
        now: &str,
        ticked: Option<&str>,
        accepted: bool,
    ) -> ClockState {
        let ticked = ticked.map(at);
        let (settings, reading) = ((HOUR, accepted), (at(now), Duration::ZERO));
        ClockState::begin(
            Arc::clone(store),
            settings,
            (ticked, ticked),
            Arc::default(),
            reading,
        )
        .expect("a store")
    }

    fn memory() -> Arc<dyn Store> {
        Arc::new(Memory::default())
    }

    #[test]
    fn a_clock_that_is_set_while_the_process_runs() {
        let mut sense = begin(&memory(), START, Some("2026-11-23T09:30:00Z"), false);
        let ticked = Some(at("2026-11-23T09:30:00Z"));
        let minute = Duration::from_secs(60);
        // Time passes; a year ahead; a year back; a day back; back.
        for (now, age, is_right, time) in [
            ("2026-11-23T10:01:00Z", minute, true, "2026-11-23T10:01:00Z"),
            (
                "2027-11-23T10:02:00Z",
                2 * minute,
                false,
                "2026-11-23T10:02:00Z",
            ),
            (
                "2027-11-23T10:05:00Z",
                5 * minute,
                false,
                "2026-11-23T10:05:00Z",
            ),
            (
                "2026-11-23T10:06:30Z",
                6 * minute,
                true,
                "2026-11-23T10:06:30Z",
            ),
            (
                "2026-11-22T10:07:30Z",
                7 * minute,
                false,
                "2026-11-23T10:07:30Z",
            ),
            (
                "2026-11-23T10:08:00Z",
                8 * minute,
                true,
                "2026-11-23T10:08:00Z",
            ),
            // Within the permitted step.
            (
                "2026-11-23T11:00:00Z",
                9 * minute,
                true,
                "2026-11-23T11:00:00Z",
            ),
            (
                "2026-11-23T10:10:00Z",
                10 * minute,
                true,
                "2026-11-23T10:10:00Z",
            ),
        ] {
            let reading = (at(now), age);
            // Before the step is noticed and after it.
            assert_eq!(
                (sense.time(reading), sense.wait(ticked, reading).is_none()),
                (at(time), is_right),
                "{now}"
            );
            sense.look(reading);
            assert_eq!(
                (sense.time(reading), sense.wait(ticked, reading).is_none()),
                (at(time), is_right),
                "{now}"
            );
            assert_eq!(sense.is_believed(), is_right, "{now}");
        }
    }

    #[test]
    fn a_clock_that_is_ahead_at_a_start_is_not_believed_until_an_operator_accepts_it() {
        let store = memory();
        assert!(begin(&store, START, Some("2026-11-23T09:30:00Z"), false).is_believed());
        // The recorded time is not far behind.
        assert!(begin(&store, "2026-11-23T10:30:00Z", None, false).is_believed());
        // The log now contains ticks of 2040, but the recorded time is older.
        for _ in 0..2 {
            let mut sense = begin(
                &store,
                "2040-01-01T00:00:00Z",
                Some("2040-01-01T00:00:00Z"),
                false,
            );
            let ahead = sense.record(at("2040-01-01T00:00:00Z")).expect("a store");
            assert!(!sense.is_believed() && ahead.is_some_and(|ahead| ahead > 47 * HOUR));
            assert_eq!(
                sense.record(at("2040-01-01T00:00:00Z")).expect("a store"),
                None,
                "it is reported once"
            );
        }
        assert!(begin(&store, "2040-01-01T00:00:00Z", None, true).is_believed());
        assert!(begin(&store, "2040-01-01T00:00:10Z", None, false).is_believed());
    }

    #[test]
    fn a_tick_in_the_future_is_waited_for_until_an_operator_accepts_the_clock() {
        let (store, future) = (memory(), at("2040-01-01T00:00:00Z"));
        let wait = |sense: &ClockState, last| sense.wait(Some(last), (at(START), Duration::ZERO));
        let sense = begin(&store, START, Some("2040-01-01T00:00:00Z"), false);
        assert_eq!(wait(&sense, future), Some(ClockWait::FutureTick(future)));
        let sense = begin(&store, START, Some("2040-01-01T00:00:00Z"), true);
        assert!(wait(&sense, future).is_none() && sense.disowns(future));
        // The next start knows it. Another tick in the future has to be accepted again.
        let sense = begin(&store, START, Some("2040-01-01T00:00:00Z"), false);
        assert!(
            wait(&sense, future).is_none() && wait(&sense, at("2041-01-01T00:00:00Z")).is_some()
        );
        assert_eq!(
            future_tick(&*store, Some(future), at(START)).expect("a store"),
            None
        );
    }
}
