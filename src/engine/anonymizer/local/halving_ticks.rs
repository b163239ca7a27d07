//! Which ticks of a chain of crowds halve the people who wait (SCIENCE 11): the first tick with enough people for an atom, and
//! later every tick whose number is a multiple of `publish_every`, empty or not.

use serde::{Deserialize, Serialize};

use crate::policy::Certain;

/// The ticks of a chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HalvingTicks {
    /// The number of the next tick, once there was a first.
    next: Option<u64>,
}

/// How many ticks there are to the next ones that halve; 1: the next tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextHalvingTicks {
    /// To the next tick that halves.
    pub halving: u64,
    /// To the next one that halves as little as it may, so that few are left over.
    pub sweep: u64,
}

impl HalvingTicks {
    /// Behind the tick of this number; `None`: there was no first one.
    pub fn behind(tick: Option<u64>) -> HalvingTicks {
        HalvingTicks { next: tick.map(|tick| tick + 1) }
    }

    /// The number of the last tick; `None` before the first one.
    pub fn last(&self) -> Option<u64> {
        self.next.map(|next| next - 1)
    }

    /// How far away the next turns are, once enough people wait.
    pub fn ahead(&self, every: u64) -> NextHalvingTicks {
        assert!(every > 0, "some ticks are halved together");
        let sweep = every.saturating_mul(4);
        let Some(next) = self.next else { return NextHalvingTicks { halving: 1, sweep: sweep.saturating_add(1) } };
        let to = |of: u64| next.checked_next_multiple_of(of).map_or(u64::MAX, |turn| turn - next + 1);
        NextHalvingTicks { halving: to(every), sweep: to(sweep) }
    }

    /// Counts the next tick, before which `waiting` people wait. Returns how many classes make a split certain in this tick, or
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_ahead_are_those_that_come() {
        for every in [1, 2, 3, 8] {
            let mut turns = HalvingTicks::default();
            let ahead = turns.ahead(every);
            assert_eq!(ahead, NextHalvingTicks { halving: 1, sweep: 4 * every + 1 });
            assert_eq!(turns.tick(5, 5, &Certain::CROWDS, every), Some(Certain::CROWDS.first));
            for _ in 0..20 {
                let ahead = turns.ahead(every);
                let mut later = turns;
                let coming: Vec<_> =
                    (1..=4 * every).map(|tick| (tick, later.tick(0, 5, &Certain::CROWDS, every))).collect();
                let first = |found: &dyn Fn(u64) -> bool| {
                    let of = coming.iter().find(|(_, crowds)| crowds.is_some_and(found));
                    of.map(|&(tick, _)| tick)
                };
                assert_eq!(Some(ahead.halving), first(&|_| true));
                assert_eq!(Some(ahead.sweep), first(&|crowds| crowds == Certain::CROWDS.sweep));
                turns.tick(0, 5, &Certain::CROWDS, every);
            }
        }
        assert_eq!(HalvingTicks::behind(Some(7)).ahead(u64::MAX).halving, u64::MAX - 7);
    }
}
