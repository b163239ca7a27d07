//! What a tick has fixed for ever (SCIENCE 3 and 4), to be stored and read back: the recoding, who
//! waits, whose atoms formed. A feed that is read back applies these decisions and
//! does not decide again, so that another version of this program cannot form other atoms.

use super::ledger::Ledger;
use super::parts::{FeedTickResult, Increment};
use super::state::Feed;
use crate::histogram::Histogram;
use crate::label::LabellerMemory;
use crate::policy::Policy;

/// The decisions of a tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedTick {
    /// The number of the tick.
    pub tick: u32,
    /// What the labeller remembers after it.
    pub memory: LabellerMemory,
    /// The people who wait after it, by the tick of arrival.
    pub waiting: Histogram,
    /// The atoms that it formed, with their own values.
    pub formed: Option<Increment>,
}

impl FixedTick {
    /// The same, if it has a number among the ticks that can halve.
    #[must_use]
    pub fn after_halving(self, turn: Option<u64>) -> FixedTick {
        match turn {
            Some(_) => FixedTick {
                memory: LabellerMemory::after_halving(turn),
                ..self
            },
            None => self,
        }
    }

    /// The same, with the rows of formed atoms as they are published.
    #[must_use]
    pub fn as_published(&self, ledger: &Ledger) -> FixedTick {
        let formed = self.formed.as_ref().map(|formed| Increment {
            rows: ledger.applied(&formed.rows),
            ..formed.clone()
        });
        FixedTick {
            formed,
            ..self.clone()
        }
    }
}

impl Feed {
    /// The decisions of the last tick.
    pub fn fixed(&self, ticked: &FeedTickResult) -> FixedTick {
        let formed = self.unpublished.last().filter(|_| ticked.added > 0);
        let formed = formed.map(|formed| Increment {
            ledger: None,
            ..formed.clone()
        });
        FixedTick {
            tick: ticked.tick,
            memory: self.memory.clone(),
            waiting: self.waiting.clone(),
            formed,
        }
    }

    /// Applies the decisions of a tick.
    pub fn replay(&mut self, fixed: FixedTick, policy: &Policy) {
        self.ticks = fixed.tick + 1;
        self.new.clear();
        if policy.waits_again() {
            self.unpublished.clear();
        }
        // A stopped chain has no labeller.
        if !self.stopped {
            self.memory = fixed.memory;
        }
        self.unpublished.extend(fixed.formed);
        self.waiting = fixed.waiting;
    }
}
