//! Whether the clock can be trusted (CONTRACTS 1, `max_clock_step`). The private root records the known time while the
//! feed runs, so that a clock that jumps ahead is noticed: by the time recorded last, and by how long this process has
//! run. Until a person accepts such a clock nothing is deleted for its age, however often the feed is started.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::daemon::clock;
use crate::daemon::error::Result;
use crate::daemon::journal::store::Store;

/// The object that records the time.
pub const CLOCK: &str = "clock";
/// It is written this many times within the permitted step.
const OFTEN: u32 = 4;

/// The state of the clock.
pub struct ClockState {
    store: Arc<dyn Store>,
    /// The greatest permitted step.
    step: Duration,
    /// The time that the clock gave last, and how long the process had run then.
    last: (Timestamp, Duration),
    /// The recorded time.
    known: Timestamp,
    /// How far the clock is ahead of the known time, until an operator accepts it with `--accept-clock`.
    ahead: Option<Duration>,
    was_reported: bool,
}

impl ClockState {
    /// Reads the clock when a feed begins to run; `newest` is the newest time in its log.
    ///
    /// # Errors
    /// The private root cannot be read or written.
    pub fn begin(
        store: Arc<dyn Store>,
        step: Duration,
        newest: Option<Timestamp>,
        accepted: bool,
        (now, age): (Timestamp, Duration),
    ) -> Result<ClockState> {
        let known = store.read(CLOCK)?.and_then(|bytes| clock::parse(std::str::from_utf8(&bytes).ok()?.trim()));
        // A root of an earlier version has no recorded time, only its log.
        let known = known.or(newest).unwrap_or(now);
        let ahead = Some(since(known, now)).filter(|ahead| *ahead > step && !accepted);
        let mut sense = ClockState { store, step, last: (now, age), known, ahead, was_reported: false };
        if ahead.is_none() {
            sense.write(now)?;
        }
        Ok(sense)
    }

    /// Reads the clock again; returns how far it is ahead, the first time that it is.
    ///
    /// # Errors
    /// The private root cannot be written.
    pub fn look(&mut self, (now, age): (Timestamp, Duration)) -> Result<Option<Duration>> {
        let (last, at) = self.last;
        let jumped = since(last, now).saturating_sub(age.saturating_sub(at));
        if jumped > self.step {
            self.ahead = Some(self.ahead.unwrap_or_default() + jumped);
            self.was_reported = false;
        }
        self.last = (now, age);
        if self.ahead.is_none() && since(self.known, now) >= self.step / OFTEN {
            self.write(now)?;
        }
        Ok(self.ahead.filter(|_| !std::mem::replace(&mut self.was_reported, true)))
    }

    /// Whether data that is old according to this clock may be deleted.
    pub fn is_believed(&self) -> bool {
        self.ahead.is_none()
    }

    fn write(&mut self, now: Timestamp) -> Result<()> {
        // A clock that was set back says nothing about ages.
        if now >= self.known {
            self.store.replace(CLOCK, clock::text(now).as_bytes())?;
            self.known = now;
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
    use crate::daemon::journal::store::Memory;

    const HOUR: Duration = Duration::from_secs(3600);

    fn at(text: &str) -> Timestamp {
        clock::parse(text).expect("a time")
    }

    #[test]
    fn a_clock_that_jumps_is_not_believed_until_an_operator_accepts_it() {
        let store: Arc<dyn Store> = Arc::new(Memory::default());
        let begin = |now: &str, newest: Option<&str>, accepted| {
            ClockState::begin(Arc::clone(&store), HOUR, newest.map(at), accepted, (at(now), Duration::ZERO))
                .expect("a store")
        };
        let mut sense = begin("2026-11-23T10:00:00Z", Some("2026-11-23T09:30:00Z"), false);
        assert!(sense.is_believed());
        // Set ahead by a minute, and back by days.
        assert_eq!(sense.look((at("2026-11-23T10:01:00Z"), Duration::ZERO)).expect("a store"), None);
        assert_eq!(sense.look((at("2026-11-21T10:00:00Z"), Duration::ZERO)).expect("a store"), None);
        assert!(sense.is_believed());
        // The way back is not trusted either if it is longer than the permitted step.
        let ahead = sense.look((at("2026-11-23T10:02:00Z"), Duration::ZERO)).expect("a store");
        assert!(ahead.is_some_and(|ahead| ahead > 47 * HOUR) && !sense.is_believed());
        assert_eq!(
            sense.look((at("2026-11-23T10:02:00Z"), Duration::ZERO)).expect("a store"),
            None,
            "it is reported once"
        );
        // The recorded time is not far behind.
        assert!(begin("2026-11-23T10:30:00Z", None, false).is_believed());
        // The log now contains ticks of 2040, but the recorded time is older.
        for _ in 0..2 {
            let mut sense = begin("2040-01-01T00:00:00Z", Some("2040-01-01T00:00:00Z"), false);
            assert!(
                !sense.is_believed()
                    && sense.look((at("2040-01-01T00:00:00Z"), Duration::ZERO)).expect("a store").is_some()
            );
        }
        assert!(begin("2040-01-01T00:00:00Z", None, true).is_believed());
        assert!(begin("2040-01-01T00:00:10Z", None, false).is_believed());
    }
}
