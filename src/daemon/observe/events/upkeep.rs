//! What is deleted and what is saved beside the work. Who was erased is never told, only how many.

use std::time::Duration;

use super::log_fields::{Event, event};
use crate::daemon::error::Error;
use crate::daemon::observe::field::ErrorText;
use crate::daemon::observe::metrics::{Gauge, Meters, Total};

event! {
    /// People were erased on request.
    Erased = "erased", Info {
        /// Those of them who waited or were withheld, and are gone.
        waiting: u64,
        /// Those who are published: a keyed tombstone stays.
        published: u64,
        /// Published rows that the next release leaves out, in a chain of crowds.
        rows: u64,
        /// Segments that were written anew without them.
        segments: u64,
    }
}

impl Event for Erased {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::ErasedPeople, self.waiting.saturating_add(self.published));
    }
}

event! {
    /// Rows, ledgers or refused messages were deleted because their time had passed.
    Forgotten = "forgotten", Info {
        /// Objects that were deleted.
        objects: u64,
    }
}

impl Event for Forgotten {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::ForgottenObjects, self.objects);
    }
}

event! {
    /// What earlier writers left and nothing refers to was deleted.
    Swept = "swept", Info {
        /// Objects that were deleted.
        objects: u64,
    }
}

impl Event for Swept {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::SweptObjects, self.objects);
    }
}

event! {
    /// The next start can begin here.
    CheckpointWritten = "checkpoint_written", Info {
        /// The entry up to which it stands for the log.
        seq: u64,
        /// Its size.
        bytes: u64,
        /// How long it took.
        seconds: Duration,
    }
}

impl Event for CheckpointWritten {
    fn count(&self, to: &Meters<'_>) {
        to.add(Total::Checkpoints, 1);
    }
}

event! {
    /// Something that the log names is missing or was changed. A feed that needs it halts next.
    Damaged = "damaged", Warn {
        /// How many such things are known now.
        damaged: u64,
        /// What it is and what is wrong with it, in the words of `tidegate verify`.
        error: ErrorText,
    }
}

impl Damaged {
    /// Because of this.
    pub fn because(damaged: u64, error: &Error) -> Damaged {
        Damaged { damaged, error: ErrorText::from(error) }
    }
}

impl Event for Damaged {
    fn count(&self, to: &Meters<'_>) {
        to.set(Gauge::Damaged, self.damaged);
    }
}

event! {
    /// Everything that the log names was looked at, for the first time, once a day, and when what is damaged has changed.
    Scrubbed = "scrubbed", Info {
        /// Rounds since the last such line.
        rounds: u64,
        /// Entries of the log.
        log_entries: u64,
        /// Bytes that were read in the last round.
        bytes: u64,
        /// What is missing or changed.
        damaged: u64,
        /// How long the last round took.
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
