//! What a tick has fixed for ever (SCIENCE 3 and 4), to be stored and read back: the recoding, who
//! waits, whose atoms formed. A feed that is read back applies these decisions and
//! does not decide again, so that another version of this program cannot form other atoms.

use super::arrivals::Arrivals;
use super::parts::{FeedTickResult, Increment};
use super::state::Feed;
use crate::label::LabellerMemory;
use crate::policy::Policy;

/// The atoms of a tick, with all rows that are not published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TickAtoms {
    /// The number of the tick.
    pub tick: u32,
    /// What the labeller remembers after it.
    pub memory: LabellerMemory,
    /// The rows that wait after it, as far as they are known.
    pub waiting: Arrivals,
    /// The atoms that it formed, with their own values.
    pub formed: Option<Increment>,
}

impl TickAtoms {
    /// The same, if it has a number among the ticks that can halve.
    #[must_use]
    pub fn after_halving(self, turn: Option<u64>) -> TickAtoms {
        match turn {
            Some(_) => TickAtoms {
                memory: LabellerMemory::after_halving(turn),
                ..self
            },
            None => self,
        }
    }
}

impl Feed {
    /// The decisions of the last tick.
    pub fn tick_atoms(&self, ticked: &FeedTickResult) -> TickAtoms {
        let formed = self.unpublished.last().filter(|_| ticked.added > 0);
        let formed = formed.map(|formed| Increment {
            ledger: None,
            ..formed.clone()
        });
        TickAtoms {
            tick: ticked.tick,
            memory: self.memory.clone(),
            waiting: self.waiting.clone(),
            formed,
        }
    }

    /// Applies the decisions of a tick.
    pub fn replay(&mut self, atoms: TickAtoms, policy: &Policy) {
        self.ticks = atoms.tick + 1;
        self.new = Arrivals::default();
        if policy.waits_again() {
            self.unpublished.clear();
        }
        // A stopped chain has no labeller.
        if !self.stopped {
            self.memory = atoms.memory;
        }
        self.unpublished.extend(atoms.formed);
        self.waiting = atoms.waiting;
    }

    /// The rows that are not published, read back: those that wait, and the atoms that formed.
    ///
    /// # Panics
    /// If they are other atoms than those that the feed knows.
    pub fn read_back(&mut self, waiting: Arrivals, formed: Vec<Increment>) {
        let rows = |all: &[Increment]| -> Vec<u64> {
            all.iter().map(|formed| formed.rows.rows()).collect()
        };
        assert_eq!(
            rows(&formed),
            rows(&self.unpublished),
            "the atoms that were decided about are read back"
        );
        (self.waiting, self.unpublished) = (waiting, formed);
    }
}
