//! A greedy search, for comparison: it goes up from the state in which nothing is generalised, each
//! time by the column after which the fewest rows are suppressed, until a state fits. It does not
//! find the optimum and proves nothing.

use super::lattice::Levels;
use super::objective::Score;
use super::search::{LevelsResult, LevelsSearch};

/// Searches until a state fits.
pub fn greedy(mut search: LevelsSearch<'_>) -> LevelsResult {
    let LevelsSearch { problem, .. } = search;
    let mut levels = problem.lattice.bottom();
    let mut checked = search.check(&[levels.clone()]);
    while !checked[0].fits {
        let above: Vec<Levels> = problem.lattice.above(&levels).collect();
        if above.is_empty() {
            break;
        }
        let found = search.check(&above);
        let fewest =
            (0..above.len()).min_by_key(|&at| (found[at].suppressed, found[at].worth, &above[at]));
        let fewest = fewest.expect("there is one above");
        levels.clone_from(&above[fewest]);
        checked = vec![found[fewest]];
    }
    let bound = problem
        .objective
        .bound(&problem.lattice.bottom())
        .unwrap_or(Score::LEAST);
    search.end(Some(bound))
}
