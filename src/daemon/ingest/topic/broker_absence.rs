//! Brokers that do not answer, or that turn us away: how long that is borne, and when it is told.

use std::time::{Duration, Instant};

use rdkafka::types::RDKafkaErrorCode as Code;

use super::errors;
use crate::daemon::error::{Complaint, Result};

/// How long no broker answers before that is reported.
const UNSURE: Duration = Duration::from_secs(1);
/// How long brokers must turn us away before the feed halts: at its beginning, when an operator looks on, and later, when they
/// knew us before and may just be starting.
const TURNED_AWAY: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(60)];
/// How long at the beginning when it may be something else that stands before them; later it is borne.
const UNCLEAR: Duration = Duration::from_secs(10);

/// Since when, and what was said of it.
pub struct Absence {
    since: Instant,
    told: bool,
    /// Since when they turn us away.
    turned: Option<Instant>,
}

impl Absence {
    /// From now on.
    pub fn begin() -> Absence {
        Absence { since: Instant::now(), told: false, turned: None }
    }

    /// Whether it is borne, by what was heard last; brokers that knew us before get more time.
    ///
    /// # Errors
    /// They turn us away, and are sure of it.
    pub fn bears(&mut self, heard: Option<&(Code, Complaint)>, knew_us: bool) -> Result<()> {
        let Some((error, sure)) = heard.and_then(|(code, why)| errors::turned_away(*code, why)) else {
            self.turned = None;
            return Ok(());
        };
        let since = self.turned.get_or_insert_with(Instant::now);
        let long = match (sure, knew_us) {
            (true, knew_us) => TURNED_AWAY[usize::from(knew_us)],
            (false, false) => UNCLEAR,
            (false, true) => return Ok(()),
        };
        if since.elapsed() < long { Ok(()) } else { Err(error) }
    }

    /// Whether it lasts longer than this.
    pub fn lasts(&self, patience: Option<Duration>) -> bool {
        patience.is_some_and(|patience| self.since.elapsed() >= patience)
    }

    /// Whether it is to be told now, which is once.
    pub fn is_to_be_told(&mut self) -> bool {
        let now = !self.told && self.since.elapsed() >= UNSURE;
        self.told |= now;
        now
    }

    /// Whether it was told.
    pub fn was_told(&self) -> bool {
        self.told
    }
}
