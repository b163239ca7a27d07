//! Where states begin to fit. Where a state suppresses too much whenever one that generalises it does, a state is not checked at once:
//! the place on a path above it from which on states fit is found by halves, since one that does not fit decides everything below it.
//! A thorough search then goes on from the last state that does not fit, without the column that ended the path, until no column is
//! left: that decides for the most states.

use std::collections::BTreeSet;

use super::antichain::Monotonicity;
use super::index::StateIndex;
use super::lattice::Levels;
use super::objective::Score;
use super::search::{CheckedState, LevelsProblem, LevelsSearch};

/// What a search knows of states that fit.
pub struct FittingStates {
    /// States that fit, with all that generalise them; nothing where that is not inherited.
    fitting: StateIndex,
    /// States that were checked.
    seen: BTreeSet<Levels>,
    /// What labels cost alone where states were last found to begin to fit.
    border: Option<Score>,
    /// Whether it is worth while to find states that decide for the most others.
    pub thorough: bool,
}

/// States that fit which are kept, at least.
const FITTING: usize = 1 << 15;

impl FittingStates {
    /// Before anything was checked.
    pub fn nothing(problem: &LevelsProblem<'_>) -> FittingStates {
        let fitting = StateIndex::new(&problem.lattice.heights(), Monotonicity::Upward, FITTING);
        FittingStates { fitting, seen: BTreeSet::new(), border: None, thorough: false }
    }

    /// Whether a state was checked.
    pub fn was_checked(&self, levels: &[u8]) -> bool {
        self.seen.contains(levels)
    }

    /// A state of a path was checked. Of a thorough search, which has many, those are kept as checked that wait to be divided.
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

/// States from one that waits upward, each generalising the one before it. Those before `from` do not fit, those from `to` on do.
struct Path {
    states: Vec<Levels>,
    from: usize,
    to: usize,
    /// Where it is looked at next.
    middle: usize,
    /// The state that waits.
    lowest: Levels,
    /// The columns that it goes up by.
    columns: Vec<usize>,
    /// Whether its first state is the one that waits.
    is_first: bool,
}

impl Path {
    fn halve(&mut self) {
        self.middle = (self.from + self.to) / 2;
    }

    /// The path goes on above or below its middle.
    fn learn(&mut self, fits: bool) {
        assert!((self.from..self.to).contains(&self.middle), "a state that is not decided");
        match fits {
            true => self.to = self.middle,
            false => self.from = self.middle + 1,
        }
        self.halve();
    }
}

impl LevelsSearch<'_> {
    /// Checks states and keeps that they were.
    pub fn look(&mut self, states: &[Levels], known: &mut FittingStates) -> Vec<CheckedState> {
        let checked = self.check(states);
        assert_eq!(checked.len(), states.len(), "a result for each state");
        for (levels, judged) in states.iter().zip(&checked) {
            if judged.fits && self.is_inherited() {
                known.fitting.push(levels);
            }
            // States that do not fit are known as such where that is inherited.
            if judged.fits || !self.is_inherited() {
                known.seen.insert(levels.clone());
            }
        }
        checked
    }

    /// Finds out whether each of these states fits, and checks those that do. What each is worth at best, as far as that was found.
    pub fn decide(&mut self, states: &[Levels], known: &mut FittingStates) -> Vec<Score> {
        if !self.is_inherited() {
            return self.look(states, known).into_iter().map(|judged| judged.worth).collect();
        }
        let mut paths: Vec<Path> = states.iter().map(|levels| self.path(levels, known)).collect();
        let mut worths = vec![Score::LEAST; states.len()];
        loop {
            let mut middles: Vec<(Levels, Vec<usize>)> = Vec::new();
            for (at, path) in paths.iter_mut().enumerate() {
                let Some(levels) = self.middle(path, known) else { continue };
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

    /// The next state of a path that is to be checked; `None` where it is known from where on its states fit.
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

    /// A path goes on without the column by which its next state would fit.
    fn turn(&self, path: &mut Path, known: &mut FittingStates) {
        assert!(path.from > 0 && path.from < path.states.len(), "the border lies inside the path");
        let (last, next) = (&path.states[path.from - 1], &path.states[path.from]);
        path.columns.retain(|&column| last[column] == next[column]);
        known.border = self.problem.objective.bound(last);
        path.states = self.upward(last, &path.lowest, &path.columns, &|_| false);
        // The next state fits as a rule, since the last one hardly does not.
        (path.from, path.to, path.middle, path.is_first) = (1, path.states.len(), 1, false);
    }

    /// A path from a state upward as long as the next state is not known to fit.
    fn path(&self, levels: &[u8], known: &FittingStates) -> Path {
        let columns: Vec<usize> = (0..levels.len()).collect();
        let states = match known.fits(levels) {
            true => vec![levels.to_vec()],
            false => self.upward(levels, levels, &columns, &|above| known.fits(above)),
        };
        assert!(!states.is_empty(), "a path begins with its state");
        let (to, lowest) = (states.len(), levels.to_vec());
        let mut path = Path { states, from: 0, to, middle: 0, lowest, columns, is_first: true };
        path.halve();
        if let Some(border) = known.border.filter(|_| known.thorough) {
            let costs = |levels: &Levels| self.problem.objective.bound(levels).is_some_and(|bound| bound < border);
            path.middle = path.states.partition_point(costs).min(path.to - 1);
        }
        path
    }

    /// States from one upward by some columns, each time by the one whose labels cost least more than in a lowest state, up to one that
    /// is the end.
    fn upward(&self, levels: &[u8], lowest: &[u8], columns: &[usize], is_end: &dyn Fn(&[u8]) -> bool) -> Vec<Levels> {
        let LevelsProblem { lattice, objective, .. } = self.problem;
        let step = |column: usize, level: u8| {
            (level + 1 < lattice.height(column)).then(|| (objective.step(column, lowest[column], level + 1), column))
        };
        let mut steps: BTreeSet<(Score, usize)> =
            columns.iter().filter_map(|&column| step(column, levels[column])).collect();
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
