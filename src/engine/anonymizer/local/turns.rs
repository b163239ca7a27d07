//! Which ticks of a chain of crowds halve whoever waits (SCIENCE 11): the first with enough people for an atom, and from there on
//! every tick whose turn it is, empty or not.

use serde::{Deserialize, Serialize};

use crate::policy::Certain;

/// The ticks of a chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    /// The number of the next tick, once there was a first.
    next: Option<u64>,
}

impl Turns {
    /// The next tick has come, with so many people who wait: how many crowds make a split certain in it, `None` where nobody is
    /// halved. `crowd`: the fewest people of an atom; `every`: how many ticks are halved together.
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
