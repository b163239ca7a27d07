//! The search of Flash, for comparison: it takes all states in the order of their ranks, and from
//! each undecided one a path to the top, on which it finds the first fitting state by bisection. It
//! visits the whole lattice, so it is only for lattices that can be enumerated.

use super::lattice::{Levels, rank};
use super::objective::Score;
use super::paths::FittingStates;
use super::search::{LevelsResult, LevelsSearch};

/// Searches all states.
pub fn flash(mut search: LevelsSearch<'_>) -> LevelsResult {
    let LevelsSearch { problem, .. } = search;
    let mut known = FittingStates::nothing(problem);
    let mut states: Vec<(u32, Score, Levels)> = Vec::new();
    let mut open = vec![problem.lattice.bottom()];
    while let Some(levels) = open.pop() {
        open.extend(problem.lattice.children(&levels));
        let worth = problem.objective.bound(&levels).unwrap_or(Score::LEAST);
        states.push((rank(&levels), worth, levels));
    }
    states.sort_unstable();
    for (_, worth, levels) in states {
        if known.was_checked(&levels)
            || search.quality.holds(&levels)
            || search.protection.holds(&levels)
        {
            continue;
        }
        if search.is_worse(worth) {
            search.quality.insert(&levels);
            continue;
        }
        search.decide(&[levels], &mut known);
    }
    search.end(None)
}
