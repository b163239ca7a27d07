//! Where states begin to fit. Where a state suppresses too much whenever one that generalises it does, a state is not checked at once:
//! the place on a path above it from which on states fit is found by halves, since one that does not fit decides everything below it.

use std::collections::BTreeSet;

use super::antichain::{Antichain, Inherited, Property};
use super::lattice::Levels;
use super::objective::Score;
use super::search::{Judged, Problem, Search};

/// What a search knows of states that fit.
pub struct Known {
    /// States that fit, with all that generalise them; nothing where that is not inherited.
    fitting: Antichain,
    /// States that were checked.
    seen: BTreeSet<Levels>,
}

impl Known {
    /// Before anything was checked.
    pub fn nothing(problem: &Problem<'_>) -> Known {
        Known { fitting: Antichain::new(&problem.lattice.heights(), Inherited::Upward), seen: BTreeSet::new() }
    }

    /// Whether a state was checked.
    pub fn was_checked(&self, levels: &[u8]) -> bool {
        self.seen.contains(levels)
    }
}

/// States from one that waits upward, each generalising the one before it. Those before `from` do not fit, those from `to` on do.
struct Path {
    states: Vec<Levels>,
    from: usize,
    to: usize,
}

impl Search<'_> {
    /// Checks states and keeps that they were.
    pub fn look(&mut self, states: &[Levels], known: &mut Known) -> Vec<Judged> {
        let checked = self.check(states);
        for (levels, judged) in states.iter().zip(&checked) {
            if judged.fits && self.problem.is_inherited() {
                known.fitting.insert(levels);
            }
            known.seen.insert(levels.clone());
        }
        checked
    }

    /// Finds out whether each of these states fits, and checks those that do. What each is worth at best, as far as that was found.
    pub fn decide(&mut self, states: &[Levels], known: &mut Known) -> Vec<Score> {
        if !self.problem.is_inherited() {
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
            let checked = self.look(&levels, known);
            for ((_, of), judged) in middles.iter().zip(checked) {
                for &at in of {
                    let path = &mut paths[at];
                    let middle = (path.from + path.to) / 2;
                    match judged.fits {
                        true => path.to = middle,
                        false => path.from = middle + 1,
                    }
                    if middle == 0 {
                        worths[at] = judged.worth;
                    }
                }
            }
        }
    }

    /// The next state of a path that is to be checked; `None` where it is known from where on its states fit.
    fn middle(&mut self, path: &mut Path, known: &mut Known) -> Option<Levels> {
        while path.from < path.to {
            let middle = (path.from + path.to) / 2;
            let levels = &path.states[middle];
            if self.protection.holds(levels) {
                path.from = middle + 1;
            } else if middle > 0 && known.fitting.holds(levels) {
                path.to = middle;
            } else {
                return Some(levels.clone());
            }
        }
        None
    }

    /// A path from a state upward as long as the next state is not known to fit.
    fn path(&mut self, levels: &[u8], known: &mut Known) -> Path {
        let mut states = vec![levels.to_vec()];
        if known.fitting.holds(levels) {
            return Path { from: 0, to: 1, states };
        }
        loop {
            let last = &states[states.len() - 1];
            let above = self.problem.lattice.above(last).map(|above| {
                let worth = self.problem.objective.bound(&above).unwrap_or(Score::LEAST);
                (worth, above)
            });
            let Some((_, above)) = above.min() else { break };
            if known.fitting.holds(&above) {
                break;
            }
            states.push(above);
        }
        Path { from: 0, to: states.len(), states }
    }
}
