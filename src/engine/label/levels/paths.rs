//! Finds the border of the states that fit. Where every specialisation of a state that suppresses
//! too much does so as well, a state is not checked at once: bisection finds the place on a path
//! above it from which on states fit, since a state that does not fit decides everything below it.
//! A thorough search then continues from the last state that does not fit, without the column that
//! ended the path, until no column is left: the result decides for the most states.

use std::collections::BTreeSet;

use super::antichain::Monotonicity;
use super::index::StateIndex;
use super::lattice::Levels;
use super::objective::Score;
use super::search::{CheckedState, LevelsProblem, LevelsSearch};

/// What a search knows about states that fit.
pub struct FittingStates {
    /// States that fit, with all their generalisations; empty if that is not inherited.
    fitting: StateIndex,
    /// States that were checked.
    seen: BTreeSet<Levels>,
    /// The cost of labels at the border that was last found.
    border: Option<Score>,
    /// Whether the search takes the time to find states that decide for the most others.
    pub thorough: bool,
}

/// The least number of fitting states that are stored.
const FITTING: usize = 1 << 15;

impl FittingStates {
    /// The knowledge before any check.
    pub fn nothing(problem: &LevelsProblem<'_>) -> FittingStates {
        let fitting = StateIndex::new(&problem.lattice.heights(), Monotonicity::Upward, FITTING);
        FittingStates {
            fitting,
            seen: BTreeSet::new(),
            border: None,
            thorough: false,
        }
    }

    /// Whether a state was checked.
    pub fn was_checked(&self, levels: &[u8]) -> bool {
        self.seen.contains(levels)
    }

    /// Records that a state of a path was checked. A thorough search, which has many, records only
    /// states that wait to be divided.
    fn keep(&mut self, levels: &[u8], fits: bool, waits: bool) {
        if fits {
            self.fitting.push(levels);
            if waits || !self.thorough {
                self.seen.insert(levels.to_vec());
            }
        }
    }

    fn fits(&self, levels: &[u8]) -> bool {
        self.fitting.find(levels, |_| true).is_some()
    }
}

/// States from a waiting one upward, each generalising the one before it. Those before `from` do
/// not fit, those from `to` on do.
struct Path {
    states: Vec<Levels>,
    from: usize,
    to: usize,
    /// The index that is checked next.
    middle: usize,
    /// The waiting state.
    lowest: Levels,
    /// The columns that are raised along the path.
    columns: Vec<usize>,
    /// Whether the first state of the path is the waiting one.
    is_first: bool,
}

impl Path {
    fn halve(&mut self) {
        self.middle = (self.from + self.to) / 2;
    }

    /// Narrows the path to the part above or below its middle.
    fn learn(&mut self, fits: bool) {
        assert!(
            (self.from..self.to).contains(&self.middle),
            "a state that is not decided"
        );
        match fits {
            true => self.to = self.middle,
            false => self.from = self.middle + 1,
        }
        self.halve();
    }
}

impl LevelsSearch<'_> {
    /// Checks states and records that they were checked.
    pub fn look(&mut self, states: &[Levels], known: &mut FittingStates) -> Vec<CheckedState> {
        let checked = self.check(states);
        assert_eq!(checked.len(), states.len(), "a result for each state");
        for (levels, judged) in states.iter().zip(&checked) {
            if judged.fits && self.is_inherited() {
                known.fitting.push(levels);
            }
            // If it is inherited, a state that does not fit is recorded as such elsewhere.
            if judged.fits || !self.is_inherited() {
                known.seen.insert(levels.clone());
            }
        }
        checked
    }

    /// Decides for each of these states whether it fits, and checks those that do. Returns the
    /// bound of each, if it was found.
    pub fn decide(&mut self, states: &[Levels], known: &mut FittingStates) -> Vec<Score> {
        if !self.is_inherited() {
            return self
                .look(states, known)
                .into_iter()
                .map(|judged| judged.worth)
                .collect();
        }
        let mut paths: Vec<Path> = states
            .iter()
            .map(|levels| self.path(levels, known))
            .collect();
        let mut worths = vec![Score::LEAST; states.len()];
        loop {
            let mut middles: Vec<(Levels, Vec<usize>)> = Vec::new();
            for (at, path) in paths.iter_mut().enumerate() {
                let Some(levels) = self.middle(path, known) else {
                    continue;
                };
                match middles.iter_mut().find(|(known, _)| *known == levels) {
                    Some((_, of)) => of.push(at),
                    None => middles.push((levels, vec![at])),
                }
            }
            if middles.is_empty() {
                return worths;
            }
            let levels: Vec<Levels> = middles.iter().map(|(levels, _)| levels.clone()).collect();
            let checked = self.check(&levels);
            assert_eq!(checked.len(), middles.len(), "a result for each state");
            for ((levels, of), judged) in middles.iter().zip(checked) {
                let mut waits = false;
                for &at in of {
                    let path = &mut paths[at];
                    if path.is_first && path.middle == 0 {
                        (worths[at], waits) = (judged.worth, true);
                    }
                    path.learn(judged.fits);
                }
                known.keep(levels, judged.fits, waits);
            }
        }
    }

    /// The next state of a path to be checked; `None` if the border on the path is known.
    fn middle(&mut self, path: &mut Path, known: &mut FittingStates) -> Option<Levels> {
        loop {
            while path.from < path.to {
                let levels = &path.states[path.middle];
                if !known.thorough && self.protection.holds(levels) {
                    path.learn(false);
                } else if (!path.is_first || path.middle > 0) && known.fits(levels) {
                    path.learn(true);
                } else {
                    return Some(levels.clone());
                }
            }
            if path.from == 0 || path.to == path.states.len() || !known.thorough {
                return None;
            }
            self.turn(path, known);
        }
    }

    /// Continues a path without the column by which its next state would fit.
    fn turn(&self, path: &mut Path, known: &mut FittingStates) {
        assert!(
            path.from > 0 && path.from < path.states.len(),
            "the border lies inside the path"
        );
        let (last, next) = (&path.states[path.from - 1], &path.states[path.from]);
        path.columns.retain(|&column| last[column] == next[column]);
        known.border = self.problem.objective.bound(last);
        path.states = self.upward(last, &path.lowest, &path.columns, &|_| false);
        // The next state usually fits, since the last one only just does not.
        (path.from, path.to, path.middle, path.is_first) = (1, path.states.len(), 1, false);
    }

    /// A path from a state upward, as long as the next state is not known to fit.
    fn path(&self, levels: &[u8], known: &FittingStates) -> Path {
        let columns: Vec<usize> = (0..levels.len()).collect();
        let states = match known.fits(levels) {
            true => vec![levels.to_vec()],
            false => self.upward(levels, levels, &columns, &|above| known.fits(above)),
        };
        assert!(!states.is_empty(), "a path begins with its state");
        let (to, lowest) = (states.len(), levels.to_vec());
        let mut path = Path {
            states,
            from: 0,
            to,
            middle: 0,
            lowest,
            columns,
            is_first: true,
        };
        path.halve();
        if let Some(border) = known.border.filter(|_| known.thorough) {
            let costs = |levels: &Levels| {
                self.problem
                    .objective
                    .bound(levels)
                    .is_some_and(|bound| bound < border)
            };
            path.middle = path.states.partition_point(costs).min(path.to - 1);
        }
        path
    }

    /// States from one upward by some columns up to a last one, raising each time the column whose
    /// labels add the least cost compared with a lowest state.
    fn upward(
        &self,
        levels: &[u8],
        lowest: &[u8],
        columns: &[usize],
        is_end: &dyn Fn(&[u8]) -> bool,
    ) -> Vec<Levels> {
        let LevelsProblem {
            lattice, objective, ..
        } = self.problem;
        let step = |column: usize, level: u8| {
            (level + 1 < lattice.height(column))
                .then(|| (objective.step(column, lowest[column], level + 1), column))
        };
        let mut steps: BTreeSet<(Score, usize)> = columns
            .iter()
            .filter_map(|&column| step(column, levels[column]))
            .collect();
        let mut states = vec![levels.to_vec()];
        while let Some((_, column)) = steps.pop_first() {
            let mut above = states[states.len() - 1].clone();
            above[column] += 1;
            if is_end(&above) {
                break;
            }
            steps.extend(step(column, above[column]));
            states.push(above);
        }
        states
    }
}
