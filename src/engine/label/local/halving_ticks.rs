//! The ticks at which a chain of crowds halves the people who wait (SCIENCE 11): the first tick
//! with enough people for an atom, and later every tick whose number is a multiple of
//! `publish_every`, whether people wait or not.

use serde::{Deserialize, Serialize};

use crate::policy::Certain;

/// Counts the ticks of a chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HalvingTicks {
    /// The number of the next tick, once there was a first one.
    next: Option<u64>,
}

/// The number of ticks to the next ones that halve; 1 is the next tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextHalvingTicks {
    /// The number of ticks to the next tick that halves.
    pub halving: u64,
    /// The number of ticks to the next tick that divides as little as possible, so that few people
    /// keep waiting.
    pub sweep: u64,
}

impl HalvingTicks {
    /// The state after the tick of this number; `None` if there was no first tick.
    pub fn behind(tick: Option<u64>) -> HalvingTicks {
        HalvingTicks {
            next: tick.map(|tick| tick + 1),
        }
    }

    /// The number of the last tick; `None` before the first one.
    pub fn last(&self) -> Option<u64> {
        self.next.map(|next| next - 1)
    }

    /// The distances to the next ticks that halve, once enough people wait.
    pub fn ahead(&self, every: u64) -> NextHalvingTicks {
        assert!(every > 0, "some ticks are halved together");
        let sweep = every.saturating_mul(4);
        let Some(next) = self.next else {
            return NextHalvingTicks {
                halving: 1,
                sweep: sweep.saturating_add(1),
            };
        };
        let to = |of: u64| {
            next.checked_next_multiple_of(of)
                .map_or(u64::MAX, |turn| turn - next + 1)
        };
        NextHalvingTicks {
            halving: to(every),
            sweep: to(sweep),
        }
    }

    /// Counts the next tick, before which `waiting` people wait. Returns the number of classes that
    /// makes a split certain in this tick, or `None` if this tick halves no region. `crowd` is the
    /// smallest number of people of an atom, `every` is `publish_every`.
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
    fn turns_ahead_are_the_turns_that_follow() {
        for every in [1, 2, 3, 8] {
            let mut turns = HalvingTicks::default();
            let ahead = turns.ahead(every);
            assert_eq!(
                ahead,
                NextHalvingTicks {
                    halving: 1,
                    sweep: 4 * every + 1
                }
            );
            assert_eq!(
                turns.tick(5, 5, &Certain::CROWDS, every),
                Some(Certain::CROWDS.first)
            );
            for _ in 0..20 {
                let ahead = turns.ahead(every);
                let mut later = turns;
                let coming: Vec<_> = (1..=4 * every)
                    .map(|tick| (tick, later.tick(0, 5, &Certain::CROWDS, every)))
                    .collect();
                let first = |found: &dyn Fn(u64) -> bool| {
                    let of = coming.iter().find(|(_, crowds)| crowds.is_some_and(found));
                    of.map(|&(tick, _)| tick)
                };
                assert_eq!(Some(ahead.halving), first(&|_| true));
                assert_eq!(
                    Some(ahead.sweep),
                    first(&|crowds| crowds == Certain::CROWDS.sweep)
                );
                turns.tick(0, 5, &Certain::CROWDS, every);
            }
        }
        assert_eq!(
            HalvingTicks::behind(Some(7)).ahead(u64::MAX).halving,
            u64::MAX - 7
        );
    }
}
