//! Where recodings cross, an audit computes exact numbers of candidates (SCIENCE 3) as far as the
//! verdict depends on them: first for the people who are in the tables, then for all targets. A
//! figure on which nothing depends is solved only if that is cheap.

use super::findings::{ChainFigures, WeakestTarget};
use super::weak_targets::WeakTargets;
use crate::gate::chain::{
    ComparablePairs, ExactBudget, ExactTarget, ExactWorlds, LeastRemaining, ReleaseChain,
};

/// The targets to be solved.
pub(super) struct SolveInput {
    /// All non-empty targets.
    pub all: WeakTargets,
    /// Those that contain a person, if the people are known.
    pub realised: Option<WeakTargets>,
}

/// Solves what the verdict on `k` needs, within `budget`, and more where that is cheap, and updates
/// the figures.
pub(super) fn solve(
    chain: &ReleaseChain<'_>,
    pairs: &ComparablePairs,
    open: &SolveInput,
    figures: &mut ChainFigures,
    (k, budget): (u64, ExactBudget),
) {
    assert_eq!(
        figures.empty.len(),
        figures.all.len(),
        "each increment is checked, or has no people"
    );
    let mut exact = ExactWorlds::new(chain, pairs);
    let mut full = budget;
    let mut small = budget.min(ExactBudget::SMALL);
    let empty = figures.empty.clone();
    let judged = |increment: usize| !empty[increment];
    let mut needed = true;
    if let (Some(suspects), Some(realised)) = (&open.realised, figures.realised.as_mut()) {
        let lower = realised.lower.iter().flatten().min().copied();
        let upper = realised
            .all
            .iter()
            .flatten()
            .map(|target| target.left)
            .min();
        needed = lower < Some(k) && upper >= Some(k);
        let spent = if needed { &mut full } else { &mut small };
        let mut targets: Vec<Option<&mut WeakestTarget>> =
            realised.all.iter_mut().map(Option::as_mut).collect();
        let least = least(&mut exact, suspects, &mut targets, &judged, spent);
        realised.solved =
            least.is_some_and(|least| least.left == 0 || least.exact() && !suspects.dropped);
        needed &= !realised.solved;
        each(&mut exact, suspects, &mut targets, &mut small);
    }
    let upper = (0..figures.all.len())
        .filter(|&at| judged(at))
        .map(|at| figures.all[at].left)
        .min();
    needed &= upper >= Some(k);
    let spent = if needed { &mut full } else { &mut small };
    let mut targets: Vec<Option<&mut WeakestTarget>> = figures.all.iter_mut().map(Some).collect();
    let least = least(&mut exact, &open.all, &mut targets, &judged, spent);
    let complete = !open.all.dropped && figures.whole;
    figures.solved = least.is_some_and(|least| least.left == 0 || least.exact() && complete);
    each(&mut exact, &open.all, &mut targets, &mut small);
}

/// The minimum over all judged increments.
fn least(
    exact: &mut ExactWorlds<'_>,
    suspects: &WeakTargets,
    targets: &mut [Option<&mut WeakestTarget>],
    judged: &impl Fn(usize) -> bool,
    budget: &mut ExactBudget,
) -> Option<LeastRemaining> {
    let mut of: Vec<&ExactTarget> = suspects
        .iter()
        .filter(|suspect| judged(suspect.increment))
        .collect();
    of.sort();
    lower(exact, &of, targets, budget)
}

/// The minimum of each increment on its own.
fn each(
    exact: &mut ExactWorlds<'_>,
    suspects: &WeakTargets,
    targets: &mut [Option<&mut WeakestTarget>],
    budget: &mut ExactBudget,
) {
    for increment in 0..targets.len() {
        let mut of: Vec<&ExactTarget> = suspects
            .iter()
            .filter(|suspect| suspect.increment == increment)
            .collect();
        of.sort();
        lower(exact, &of, targets, budget);
    }
}

/// Finds the minimum of some targets and updates the figure if it is lower.
fn lower(
    exact: &mut ExactWorlds<'_>,
    suspects: &[&ExactTarget],
    targets: &mut [Option<&mut WeakestTarget>],
    budget: &mut ExactBudget,
) -> Option<LeastRemaining> {
    if suspects.is_empty() {
        return None;
    }
    let least = exact.least(suspects, budget);
    let found = suspects[least.at];
    if let Some(Some(target)) = targets.get_mut(found.increment)
        && least.left < target.left
    {
        let mut seen: Vec<(usize, usize)> = found
            .seen
            .iter()
            .map(|&(release, class)| (release, class as usize))
            .collect();
        seen.sort_unstable();
        assert!(
            least.proven <= least.left,
            "what is proven is never more than what was found"
        );
        **target = WeakestTarget {
            left: least.left,
            seen,
        };
    }
    Some(least)
}
