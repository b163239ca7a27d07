//! States as bit sets by the level of each column: the stored states that are all below or all
//! above a given one are the intersection of one set per column. The index forgets the oldest
//! states when it holds too many, so it may only save work and never decide a result.

use super::antichain::Monotonicity;
use super::lattice::Levels;

/// The words of a set that are examined together.
const BLOCK: usize = 8;
/// The number of states in a block.
const BITS: usize = 64 * BLOCK;

/// States, among which those that pass their property on to a given state are found.
pub(super) struct StateIndex {
    inherited: Monotonicity,
    heights: Vec<u8>,
    /// For each column and level, the states that are no higher in this column. Downward properties
    /// are counted from the top.
    sets: Vec<Vec<Vec<u64>>>,
    states: Vec<Levels>,
    most: usize,
}

impl StateIndex {
    /// An empty index; it keeps at least the newest `most` states, and at most twice as many.
    pub(super) fn new(heights: &[u8], inherited: Monotonicity, most: usize) -> StateIndex {
        let sets = heights
            .iter()
            .map(|&height| vec![Vec::new(); usize::from(height)])
            .collect();
        let most = most.next_multiple_of(BITS);
        StateIndex {
            inherited,
            heights: heights.to_vec(),
            sets,
            states: Vec::new(),
            most,
        }
    }

    fn upward(&self, column: usize, level: u8) -> usize {
        usize::from(match self.inherited {
            Monotonicity::Upward => level,
            Monotonicity::Downward => self.heights[column] - 1 - level,
        })
    }

    /// Stores a state. Returns how many of the oldest states were forgotten for it.
    pub(super) fn push(&mut self, levels: &[u8]) -> usize {
        assert!(
            levels
                .iter()
                .zip(&self.heights)
                .all(|(level, height)| level < height),
            "levels that columns have"
        );
        let forgotten = if self.states.len() == 2 * self.most {
            self.most
        } else {
            0
        };
        self.states.drain(..forgotten);
        let at = self.states.len();
        for (column, &level) in levels.iter().enumerate() {
            let lowest = self.upward(column, level);
            for (level, set) in self.sets[column].iter_mut().enumerate() {
                set.drain(..forgotten / 64);
                if at.is_multiple_of(BITS) {
                    set.extend([0; BLOCK]);
                }
                set[at / 64] |= u64::from(level >= lowest) << (at % 64);
            }
        }
        self.states.push(levels.to_vec());
        assert!(
            self.states.len() <= 2 * self.most,
            "the oldest states are forgotten in time"
        );
        forgotten
    }

    /// A stored state.
    pub(super) fn state(&self, at: usize) -> &[u8] {
        &self.states[at]
    }

    /// The first stored state that passes its property on to this one and that `accept` accepts.
    pub(super) fn find(&self, levels: &[u8], accept: impl Fn(usize) -> bool) -> Option<usize> {
        let sets: Vec<&[u64]> = (0..levels.len())
            .map(|column| (column, self.upward(column, levels[column])))
            .filter(|&(column, level)| level + 1 < usize::from(self.heights[column]))
            .map(|(column, level)| self.sets[column][level].as_slice())
            .collect();
        for block in (0..self.states.len()).step_by(BITS) {
            let mut common = [u64::MAX; BLOCK];
            let from = block / 64;
            for set in &sets {
                common
                    .iter_mut()
                    .zip(&set[from..from + BLOCK])
                    .for_each(|(common, set)| *common &= set);
                if common == [0; BLOCK] {
                    break;
                }
            }
            for (word, mut bits) in common.into_iter().enumerate() {
                while bits != 0 {
                    let at = block + 64 * word + bits.trailing_zeros() as usize;
                    if at < self.states.len() && accept(at) {
                        return Some(at);
                    }
                    bits &= bits - 1;
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_what_a_list_of_the_newest_finds() {
        let heights = [3u8, 1, 4, 2, 5];
        let mut number = 5u64;
        let mut draw = |most: u8| {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (number >> 33) as u8 % most
        };
        for inherited in [Monotonicity::Upward, Monotonicity::Downward] {
            let (mut index, mut list) = (
                StateIndex::new(&heights, inherited, BITS),
                Vec::<Levels>::new(),
            );
            for _ in 0..3 * BITS + 7 {
                let levels: Levels = heights.iter().map(|&height| draw(height)).collect();
                let query: Levels = heights.iter().map(|&height| draw(height)).collect();
                list.drain(..index.push(&levels));
                list.push(levels);
                let follows = |from: &Levels| {
                    from.iter()
                        .zip(&query)
                        .all(|(from, query)| match inherited {
                            Monotonicity::Upward => from <= query,
                            Monotonicity::Downward => from >= query,
                        })
                };
                let even = |at: &usize| at.is_multiple_of(2);
                assert_eq!(index.find(&query, |_| true), list.iter().position(follows));
                let found = (0..list.len()).filter(even).find(|&at| follows(&list[at]));
                assert_eq!(index.find(&query, |at| even(&at)), found);
                assert!(list.len() <= 2 * BITS);
                assert!(found.is_none_or(|at| index.state(at) == list[at]));
            }
        }
    }
}
