//! Which ticks of a chain of crowds halve the people who wait (SCIENCE 11): the first tick with enough people for an atom, and
//! later every tick whose number is a multiple of `publish_every`, empty or not.

use serde::{Deserialize, Serialize};

use crate::policy::Certain;

/// The ticks of a chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    /// The number of the next tick, once there was a first.
    next: Option<u64>,
}

impl Turns {
    /// Behind the tick of this number; `None`: there was no first one.
    pub fn behind(tick: Option<u64>) -> Turns {
        Turns { next: tick.map(|tick| tick + 1) }
    }

    /// The number of the last tick; `None` before the first one.
    pub fn last(&self) -> Option<u64> {
        self.next.map(|next| next - 1)
    }

    /// Counts the next tick, before which `waiting` people wait. Returns how many crowds make a split certain in this tick, or
    /// `None` if this tick halves no region. `crowd`: the fewest people of an atom; `every`: `publish_every`.
    pub fn tick(&mut self, waiting: u64, crowd: u64, certain: &Certain, every: u64) -> Option<u64> {
        let tick = match self.next {
            Some(tick) => tick,
            None if waiting >= crowd => 0,
            None => return None,
        };
        self.next = Some(tick + 1);
        certain.crowds(tick, every)
    }
}
