//! Best-first branch and bound (ARX, *Effective pruning in large search spaces*): states in the order of what they are worth at best,
//! from the state in which nothing is generalised. What is inherited is known by prefix trees, so that no state is checked that a
//! checked one decides.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::lattice::{Levels, rank};
use super::objective::Score;
use super::paths::Known;
use super::search::{Found, Search};

/// States that are checked at a time, whatever the number of threads: each decides for those behind it.
const TOGETHER: usize = 4;

/// A state that waits, the most promising one first.
type Waiting = Reverse<(Score, u32, Levels)>;

impl Search<'_> {
    /// Searches until no state can be better than the best one, or until it is told to stop, by the number of states that were checked.
    pub fn best_first(mut self, mut stop: impl FnMut(u64) -> bool) -> Found {
        let (mut known, mut waiting) = (Known::nothing(self.problem), BinaryHeap::new());
        self.descend(&mut known);
        let bottom = self.problem.lattice.bottom();
        let worth = self.problem.objective.bound(&bottom).unwrap_or(Score::LEAST);
        waiting.push(Reverse((worth, 0, bottom)));
        loop {
            let some = self.promising(&known, &mut waiting);
            let Some(least) = some.iter().map(|(_, worth)| *worth).min() else { return self.end(None) };
            if stop(self.checked) {
                return self.end(Some(least));
            }
            let states: Vec<Levels> = some.iter().map(|(levels, _)| levels.clone()).collect();
            let worths = self.decide(&states, &mut known, true);
            for ((levels, before), worth) in some.iter().zip(worths) {
                self.expand(levels, worth.max(*before), &mut waiting);
            }
        }
    }

    /// The next states of which nothing is known yet; those of which something is are passed.
    fn promising(&mut self, known: &Known, waiting: &mut BinaryHeap<Waiting>) -> Vec<(Levels, Score)> {
        let mut some = Vec::new();
        while some.len() < TOGETHER {
            let Some(Reverse((worth, _, levels))) = waiting.pop() else { break };
            if self.is_worse(worth) || self.quality.holds(&levels) {
                continue;
            }
            if known.was_checked(&levels) || self.protection.holds(&levels) {
                self.expand(&levels, worth, waiting);
            } else {
                some.push((levels, worth));
            }
        }
        some
    }

    /// A first state that fits: down from the top as long as that is better, each time by the column that saves most.
    fn descend(&mut self, known: &mut Known) {
        let mut levels = self.problem.lattice.top();
        self.look(&[levels.clone()], known);
        while let Some(best) = self.best.as_ref().map(|best| best.score) {
            let below = |column: usize| {
                let mut below = levels.clone();
                below[column] -= 1;
                below
            };
            let below: Vec<Levels> = (0..levels.len()).filter(|&column| levels[column] > 0).map(below).collect();
            self.look(&below, known);
            match &self.best {
                Some(better) if better.score < best => levels.clone_from(&better.levels),
                _ => return,
            }
        }
    }

    fn expand(&self, levels: &[u8], worth: Score, waiting: &mut BinaryHeap<Waiting>) {
        for above in self.problem.lattice.children(levels) {
            let worth = self.problem.objective.bound(&above).unwrap_or(worth);
            if !self.is_worse(worth) {
                waiting.push(Reverse((worth, rank(&above), above)));
            }
        }
    }
}
