//! Brokers that do not answer, or that refuse us: how long that is tolerated, and when it is
//! reported.

use std::time::{Duration, Instant};

use rdkafka::types::RDKafkaErrorCode as Code;

use super::errors;
use crate::error::{Complaint, Result};

/// How long no broker answers before that is reported.
const UNSURE: Duration = Duration::from_secs(1);
/// How long brokers must refuse us before the feed halts: at its start, while an operator is
/// watching, and later, when they accepted us before and may just be starting.
const TURNED_AWAY: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(60)];
/// How long at the start if the refusal may come from something in front of the brokers; later that
/// is tolerated.
const UNCLEAR: Duration = Duration::from_secs(10);

/// Since when, and whether it was reported.
pub(super) struct Absence {
    since: Instant,
    reported: bool,
    /// Since when they refuse us.
    turned: Option<Instant>,
}

impl Absence {
    /// Starts now.
    pub(super) fn begin() -> Absence {
        Absence {
            since: Instant::now(),
            reported: false,
            turned: None,
        }
    }

    /// Checks that it is tolerable, given the last error; brokers that accepted us before get more
    /// time.
    ///
    /// # Errors
    /// They definitely refuse us.
    pub(super) fn bears(
        &mut self,
        complaint: Option<&(Code, Complaint)>,
        knew_us: bool,
    ) -> Result<()> {
        let Some((error, sure)) = complaint.and_then(|(code, why)| errors::turned_away(*code, why))
        else {
            self.turned = None;
            return Ok(());
        };
        let since = self.turned.get_or_insert_with(Instant::now);
        let long = match (sure, knew_us) {
            (true, knew_us) => TURNED_AWAY[usize::from(knew_us)],
            (false, false) => UNCLEAR,
            (false, true) => return Ok(()),
        };
        if since.elapsed() < long {
            Ok(())
        } else {
            Err(error)
        }
    }

    /// Whether it lasts longer than this.
    pub(super) fn lasts(&self, patience: Option<Duration>) -> bool {
        patience.is_some_and(|patience| self.since.elapsed() >= patience)
    }

    /// Whether it is to be reported now, which happens once.
    pub(super) fn is_due(&mut self) -> bool {
        let now = !self.reported && self.since.elapsed() >= UNSURE;
        self.reported |= now;
        now
    }

    /// Whether it was reported.
    pub(super) fn was_reported(&self) -> bool {
        self.reported
    }
}
