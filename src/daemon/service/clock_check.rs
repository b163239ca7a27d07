//! Whether the clock can be believed (CONTRACTS 1, `max_clock_step`). What the feed knows of the time is kept in its private
//! root while it is at work, so that a clock that jumps ahead is noticed: by what was known last, and by how long this process
//! has been at work. Until a person accepts such a clock nothing is destroyed for its age, however often the feed is started.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::daemon::clock;
use crate::daemon::error::Result;
use crate::daemon::journal::store::Store;

/// The object that says what the time was last.
pub const CLOCK: &str = "clock";
/// It is written this often in the time that a clock may step.
const OFTEN: u32 = 4;

/// What is known of the clock.
pub struct ClockState {
    store: Arc<dyn Store>,
    /// How far it may step ahead.
    step: Duration,
    /// What it said, and how long the process had been at work then.
    last: (Timestamp, Duration),
    /// What is written down.
    known: Timestamp,
    /// How far the clock is ahead of the known time, until an operator accepts it with `--accept-clock`.
    ahead: Option<Duration>,
    told: bool,
}

impl ClockState {
    /// Looks at the clock when a feed begins to work; `newest` is the newest time of its log.
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
        // Of a root of an earlier version nothing is known but its log.
        let known = known.or(newest).unwrap_or(now);
        let ahead = Some(since(known, now)).filter(|ahead| *ahead > step && !accepted);
        let mut sense = ClockState { store, step, last: (now, age), known, ahead, told: false };
        if ahead.is_none() {
            sense.write(now)?;
        }
        Ok(sense)
    }

    /// Looks at the clock again. How far it is ahead, the first time that it is.
    ///
    /// # Errors
    /// The private root cannot be written.
    pub fn look(&mut self, (now, age): (Timestamp, Duration)) -> Result<Option<Duration>> {
        let (last, at) = self.last;
        let jumped = since(last, now).saturating_sub(age.saturating_sub(at));
        if jumped > self.step {
            self.ahead = Some(self.ahead.unwrap_or_default() + jumped);
            self.told = false;
        }
        self.last = (now, age);
        if self.ahead.is_none() && since(self.known, now) >= self.step / OFTEN {
            self.write(now)?;
        }
        Ok(self.ahead.filter(|_| !std::mem::replace(&mut self.told, true)))
    }

    /// Whether what is old by this clock may be destroyed.
    pub fn is_believed(&self) -> bool {
        self.ahead.is_none()
    }

    fn write(&mut self, now: Timestamp) -> Result<()> {
        // A clock that was set back says nothing of how old anything is.
        if now >= self.known {
            self.store.replace(CLOCK, clock::text(now).as_bytes())?;
            self.known = now;
        }
        Ok(())
    }
}

/// How long one time lies before another; none if it lies behind it.
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
        // Set by a minute, and back by days.
        assert_eq!(sense.look((at("2026-11-23T10:01:00Z"), Duration::ZERO)).expect("a store"), None);
        assert_eq!(sense.look((at("2026-11-21T10:00:00Z"), Duration::ZERO)).expect("a store"), None);
        assert!(sense.is_believed());
        // The way back is not believed either, where it is longer than a step.
        let ahead = sense.look((at("2026-11-23T10:02:00Z"), Duration::ZERO)).expect("a store");
        assert!(ahead.is_some_and(|ahead| ahead > 47 * HOUR) && !sense.is_believed());
        assert_eq!(sense.look((at("2026-11-23T10:02:00Z"), Duration::ZERO)).expect("a store"), None, "it is told once");
        // What was known is not far behind.
        assert!(begin("2026-11-23T10:30:00Z", None, false).is_believed());
        // Ticks of 2040 are in the log now, and what was known is older all the same.
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
