//! Best-first branch and bound (ARX, *Effective pruning in large search spaces*): states in the order of what they are worth at best,
//! from the state in which nothing is generalised. What is inherited is known by prefix trees, so that no state is checked that a
//! checked one decides.
//!
//! What waits are boxes of states. A box whose lowest state suppresses too much, because a higher one does, is divided into the boxes
//! of states that are not below that one: states that suppress too much are never walked through, however many they are. So are states
//! of which it is known that they suppress so many rows that they are worse than the best one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::lattice::{Levels, rank};
use super::objective::Score;
use super::paths::FittingStates;
use super::search::{LevelsResult, LevelsSearch};

/// States that are decided at a time, whatever the number of threads: each decides for those behind it.
const TOGETHER: usize = 4;

/// All states from a lowest to a highest one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    /// What they are worth at best.
    worth: Score,
    /// The rank of the lowest one.
    rank: u32,
    lowest: Levels,
    highest: Levels,
}

impl Part {
    /// Parts that hold all states of this one but those that a state generalises, which lies in it or above its lowest one: the first
    /// column in which a state is higher says which part holds it. Columns that are worth least when they are higher come first, so that
    /// the parts that are worth most hold the fewest states.
    fn without(&self, below: &[u8], worth: impl Fn(&[u8]) -> Score) -> Vec<Part> {
        let mut lowest = self.lowest.clone();
        let mut columns: Vec<(Score, usize)> = Vec::new();
        for column in (0..below.len()).filter(|&column| below[column] < self.highest[column]) {
            lowest[column] = below[column] + 1;
            columns.push((worth(&lowest), column));
            lowest[column] = self.lowest[column];
        }
        columns.sort_by_key(|&(worth, column)| (Reverse(worth), column));
        let mut highest = self.highest.clone();
        let part = |(worth, column): (Score, usize)| {
            let mut part = Part { worth, rank: 0, lowest: lowest.clone(), highest: highest.clone() };
            part.lowest[column] = below[column] + 1;
            part.rank = rank(&part.lowest);
            highest[column] = below[column];
            part
        };
        columns.into_iter().map(part).collect()
    }
}

impl LevelsSearch<'_> {
    /// Searches until no state can be better than the best one, or until it is told to stop, by the number of states that were checked.
    pub fn best_first(mut self, mut stop: impl FnMut(u64) -> bool) -> LevelsResult {
        let lattice = self.problem.lattice;
        let (mut known, mut waiting) = (FittingStates::nothing(self.problem), BinaryHeap::new());
        self.descend(&mut known, &mut stop);
        let all = Part { worth: Score::LEAST, rank: 0, lowest: lattice.bottom(), highest: lattice.top() };
        self.wait(Part { worth: self.worth(&all.lowest, all.worth), ..all }, &mut waiting);
        let mut is_refined = !self.is_inherited() || self.problem.objective.costs().is_none();
        loop {
            if self.checked > self.easy && !is_refined {
                self.refine(&mut known, &mut stop);
                (known.thorough, is_refined) = (true, true);
            }
            let some = match self.promising(&known, &mut waiting, &mut stop) {
                Ok(some) if some.is_empty() => return self.end(None),
                Ok(some) => some,
                Err(least) => return self.end(Some(least)),
            };
            let states: Vec<Levels> = some.iter().map(|part| part.lowest.clone()).collect();
            let worths = self.decide(&states, &mut known);
            let parts = some.into_iter().zip(worths);
            waiting.extend(parts.map(|(part, worth)| Reverse(Part { worth: part.worth.max(worth), ..part })));
        }
    }

    /// The next parts of whose lowest states nothing is known yet; those of which something is are divided. If the search is told to
    /// stop, what all that wait are worth at best.
    fn promising(
        &mut self,
        known: &FittingStates,
        waiting: &mut BinaryHeap<Reverse<Part>>,
        stop: &mut impl FnMut(u64) -> bool,
    ) -> Result<Vec<Part>, Score> {
        let mut some: Vec<Part> = Vec::new();
        while some.len() < TOGETHER {
            let Some(Reverse(part)) = waiting.pop() else { break };
            if stop(self.checked) {
                return Err(some.first().map_or(part.worth, |first| first.worth.min(part.worth)));
            }
            if self.is_behind(part.worth, &part.lowest)
                || (self.problem.objective.costs().is_none() && self.quality.holds(&part.lowest))
            {
                continue;
            }
            let is_known = known.was_checked(&part.lowest);
            let suppresses_too_much = if is_known { None } else { self.protection.cause(&part.lowest) };
            let decided = suppresses_too_much
                .or_else(|| self.worse_under(&part.lowest).map(<[u8]>::to_vec))
                .or_else(|| is_known.then(|| part.lowest.clone()));
            match decided {
                Some(below) => {
                    let parts = part.without(&below, |lowest| self.worth(lowest, part.worth));
                    parts.into_iter().for_each(|part| self.wait(part, waiting));
                }
                None => some.push(part),
            }
        }
        Ok(some)
    }

    /// What the states of a part are worth at best, of a part of another one that is worth so much.
    fn worth(&self, lowest: &[u8], whole: Score) -> Score {
        self.problem.objective.bound(lowest).unwrap_or(whole)
    }

    /// A part waits, if a state of it can be the best one.
    fn wait(&mut self, part: Part, waiting: &mut BinaryHeap<Reverse<Part>>) {
        assert!(!part.lowest.is_empty(), "a level for each column");
        if !self.is_behind(part.worth, &part.lowest) && !self.protection.holds(&part.highest) {
            waiting.push(Reverse(part));
        }
    }

    /// A first state that fits: the first on a path from the bottom to the top, or the top, and down from there as long as that is
    /// better, each time by the column that saves most.
    fn descend(&mut self, known: &mut FittingStates, stop: &mut impl FnMut(u64) -> bool) {
        let lattice = self.problem.lattice;
        if self.is_inherited() && !stop(self.checked) {
            self.decide(&[lattice.bottom()], known);
        } else {
            self.look(&[lattice.top()], known);
        }
        let mut levels = self.best.as_ref().map_or_else(|| lattice.top(), |best| best.levels.clone());
        while let Some(best) = self.best.as_ref().map(|best| best.score).filter(|_| !stop(self.checked)) {
            self.prepare(&levels.iter().map(|level| level.saturating_sub(1)).collect::<Levels>());
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

    /// A better state than the best one: one column higher, and down again by others, as long as that is better.
    fn refine(&mut self, known: &mut FittingStates, stop: &mut impl FnMut(u64) -> bool) {
        let mut column = 0;
        while let Some(best) = self.best.clone().filter(|best| column < best.levels.len() && !stop(self.checked)) {
            let mut levels = best.levels.clone();
            if levels[column] + 1 < self.problem.lattice.height(column) {
                levels[column] += 1;
                let mut worth: Option<Score> = None;
                loop {
                    let below = (0..levels.len()).filter(|&other| other != column && levels[other] > 0);
                    let below: Vec<Levels> = below
                        .map(|other| {
                            let mut below = levels.clone();
                            below[other] -= 1;
                            below
                        })
                        .collect();
                    let judged = self.look(&below, known);
                    let fit =
                        below.into_iter().zip(judged).filter_map(|(levels, judged)| Some((judged.value?, levels)));
                    match fit.min().filter(|(value, _)| worth.is_none_or(|worth| *value < worth)) {
                        Some((value, better)) => (worth, levels) = (Some(value), better),
                        None => break,
                    }
                }
            }
            column = if self.best.as_ref().is_some_and(|now| now.score < best.score) { 0 } else { column + 1 };
        }
    }
}
