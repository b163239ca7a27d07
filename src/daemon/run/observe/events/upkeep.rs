//! Events of deletion and of backup state. They never name the people who were erased, only their
//! number.

use std::time::Duration;

use super::log_fields::{Event, event};
use crate::error::Error;
use crate::observe::field::ErrorText;
use crate::observe::metrics::{Gauge, Meters, Total};

event! {
    /// People were erased on request.
    Erased = "erased", Info {
        /// The number of erased people who waited; their rows are deleted.
        waiting: u64,
        /// The number of erased people who are published; a keyed tombstone remains for each.
        published: u64,
        /// Published rows that the next release leaves out, in a chain of crowds.
        rows: u64,
        /// Segments that were written again without them.
        segments: u64,
    }
}

impl Event for Erased {
    fn count(&self, to: &Meters<'_>) {
        to.add(
            Total::ErasedPeople,
            self.waiting.saturating_add(self.published),
        );
    }
}

event! {
    /// Rows, ledgers or rejected messages were deleted because their period had ended.
    Forgotten = "forgotten", Info {
        /// The number of deleted objects.
        objects: u64,
    }
}

impl Event for Forgotten {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::ForgottenObjects, self.objects);
    }
}

event! {
    /// Objects of earlier writers that nothing refers to were deleted.
    Swept = "swept", Info {
        /// The number of deleted objects.
        objects: u64,
    }
}

impl Event for Swept {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::SweptObjects, self.objects);
    }
}

event! {
    /// The next start can begin at this checkpoint.
    CheckpointWritten = "checkpoint_written", Info {
        /// The entry up to which it replaces the log.
        seq: u64,
        /// Its size.
        bytes: u64,
        /// The time it took.
        seconds: Duration,
    }
}

impl Event for CheckpointWritten {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::Checkpoints, 1);
    }
}

event! {
    /// A file that the log names is missing or was changed. A feed that needs it halts next.
    Damaged = "damaged", Warn {
        /// The number of damaged files known now.
        damaged: u64,
        /// The file and the damage, in the words of `tidegate verify`.
        error: ErrorText,
    }
}

impl Damaged {
    /// For this error.
    pub fn because(damaged: u64, error: &Error) -> Damaged {
        Damaged {
            damaged,
            error: ErrorText::from(error),
        }
    }
}

impl Event for Damaged {
    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::Damaged, self.damaged);
    }
}

event! {
    /// All files that the log names were checked. Written for the first check, once a day, and when
    /// the damaged files have changed.
    Scrubbed = "scrubbed", Info {
        /// Checks since the last such line.
        rounds: u64,
        /// Entries of the log.
        log_entries: u64,
        /// Bytes that were read in the last check.
        bytes: u64,
        /// Files that are missing or changed.
        damaged: u64,
        /// The time of the last check.
        seconds: Duration,
    }
}

impl Event for Scrubbed {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::Scrubs, self.rounds);
        to.set(Gauge::Damaged, self.damaged);
        to.set_time(Gauge::LastScrub, to.at);
    }
}
