//! Best-first branch and bound (ARX, *Effective pruning in large search spaces*): states are
//! visited in the order of their bounds, beginning with the state in which nothing is generalised.
//! Prefix trees store inherited properties, so that no state is checked whose result follows from a
//! checked one.
//!
//! The queue holds boxes of states. A box whose lowest state suppresses too much, because a higher
//! state does, is divided into boxes without the states below that one, so that the search never
//! enumerates states that suppress too much. The same is done with states that are known to
//! suppress so many rows that they are worse than the best one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::lattice::{Levels, rank};
use super::objective::Score;
use super::paths::FittingStates;
use super::search::{LevelsResult, LevelsSearch};

/// The number of states that are decided together, whatever the number of threads: each one decides
/// for those after it.
const TOGETHER: usize = 4;

/// All states between a lowest and a highest one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    /// The bound: no state of the part is better.
    worth: Score,
    /// The rank of the lowest state.
    rank: u32,
    lowest: Levels,
    highest: Levels,
}

impl Part {
    /// Divides the part into parts that hold all its states except those that `below` generalises,
    /// where `below` is in the part or above its lowest state. The first column in which a state is
    /// higher than `below` decides its part. Columns that are worth least when raised come first,
    /// so that the parts with the best bounds hold the fewest states.
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
            let mut part = Part {
                worth,
                rank: 0,
                lowest: lowest.clone(),
                highest: highest.clone(),
            };
            part.lowest[column] = below[column] + 1;
            part.rank = rank(&part.lowest);
            highest[column] = below[column];
            part
        };
        columns.into_iter().map(part).collect()
    }
}

impl LevelsSearch<'_> {
    /// Searches until no remaining state can be better than the best one, or until `stop`, which
    /// gets the number of checked states, ends the search.
    pub fn best_first(mut self, mut stop: impl FnMut(u64) -> bool) -> LevelsResult {
        let lattice = self.problem.lattice;
        let (mut known, mut waiting) = (FittingStates::nothing(self.problem), BinaryHeap::new());
        self.descend(&mut known, &mut stop);
        let all = Part {
            worth: Score::LEAST,
            rank: 0,
            lowest: lattice.bottom(),
            highest: lattice.top(),
        };
        self.wait(
            Part {
                worth: self.worth(&all.lowest, all.worth),
                ..all
            },
            &mut waiting,
        );
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
            waiting.extend(parts.map(|(part, worth)| {
                Reverse(Part {
                    worth: part.worth.max(worth),
                    ..part
                })
            }));
        }
    }

    /// The next parts whose lowest states are undecided; parts whose lowest state is decided are
    /// divided. If the search is stopped, the bound of all waiting parts.
    fn promising(
        &mut self,
        known: &FittingStates,
        waiting: &mut BinaryHeap<Reverse<Part>>,
        stop: &mut impl FnMut(u64) -> bool,
    ) -> Result<Vec<Part>, Score> {
        let mut some: Vec<Part> = Vec::new();
        while some.len() < TOGETHER {
            let Some(Reverse(part)) = waiting.pop() else {
                break;
            };
            if stop(self.checked) {
                return Err(some
                    .first()
                    .map_or(part.worth, |first| first.worth.min(part.worth)));
            }
            if self.is_behind(part.worth, &part.lowest)
                || (self.problem.objective.costs().is_none() && self.quality.holds(&part.lowest))
            {
                continue;
            }
            let is_known = known.was_checked(&part.lowest);
            let suppresses_too_much = if is_known {
                None
            } else {
                self.protection.cause(&part.lowest)
            };
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

    /// The bound of a part whose enclosing part has the bound `whole`.
    fn worth(&self, lowest: &[u8], whole: Score) -> Score {
        self.problem.objective.bound(lowest).unwrap_or(whole)
    }

    /// Queues a part if one of its states can be the best one.
    fn wait(&mut self, part: Part, waiting: &mut BinaryHeap<Reverse<Part>>) {
        assert!(!part.lowest.is_empty(), "one level for each column");
        if !self.is_behind(part.worth, &part.lowest) && !self.protection.holds(&part.highest) {
            waiting.push(Reverse(part));
        }
    }

    /// A first state that fits: the first fitting state on a path from bottom to top, or the top;
    /// then down, each time by the column that saves most, as long as the state gets better.
    fn descend(&mut self, known: &mut FittingStates, stop: &mut impl FnMut(u64) -> bool) {
        let lattice = self.problem.lattice;
        if self.is_inherited() && !stop(self.checked) {
            self.decide(&[lattice.bottom()], known);
        } else {
            self.look(&[lattice.top()], known);
        }
        let mut levels = self
            .best
            .as_ref()
            .map_or_else(|| lattice.top(), |best| best.levels.clone());
        while let Some(best) = self
            .best
            .as_ref()
            .map(|best| best.score)
            .filter(|_| !stop(self.checked))
        {
            self.prepare(
                &levels
                    .iter()
                    .map(|level| level.saturating_sub(1))
                    .collect::<Levels>(),
            );
            let below = |column: usize| {
                let mut below = levels.clone();
                below[column] -= 1;
                below
            };
            let below: Vec<Levels> = (0..levels.len())
                .filter(|&column| levels[column] > 0)
                .map(below)
                .collect();
            self.look(&below, known);
            match &self.best {
                Some(better) if better.score < best => levels.clone_from(&better.levels),
                _ => return,
            }
        }
    }

    /// A better state than the best one: one column up, then down by others, as long as the state
    /// gets better.
    fn refine(&mut self, known: &mut FittingStates, stop: &mut impl FnMut(u64) -> bool) {
        let mut column = 0;
        while let Some(best) = self
            .best
            .clone()
            .filter(|best| column < best.levels.len() && !stop(self.checked))
        {
            let mut levels = best.levels.clone();
            if levels[column] + 1 < self.problem.lattice.height(column) {
                levels[column] += 1;
                let mut worth: Option<Score> = None;
                loop {
                    let below =
                        (0..levels.len()).filter(|&other| other != column && levels[other] > 0);
                    let below: Vec<Levels> = below
                        .map(|other| {
                            let mut below = levels.clone();
                            below[other] -= 1;
                            below
                        })
                        .collect();
                    let judged = self.look(&below, known);
                    let fit = below
                        .into_iter()
                        .zip(judged)
                        .filter_map(|(levels, judged)| Some((judged.value?, levels)));
                    match fit
                        .min()
                        .filter(|(value, _)| worth.is_none_or(|worth| *value < worth))
                    {
                        Some((value, better)) => (worth, levels) = (Some(value), better),
                        None => break,
                    }
                }
            }
            column = if self.best.as_ref().is_some_and(|now| now.score < best.score) {
                0
            } else {
                column + 1
            };
        }
    }
}
