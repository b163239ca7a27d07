//! The exact number of candidates of a target in crossing chains (SCIENCE 3), where comparing two
//! releases at a time only gives an upper bound: for every sensitive value, the largest number of
//! records on the target's path in any world, a world being an assignment of records that agrees
//! with all releases, computed by integer programming.
//!
//! Why the answer can be trusted: how it was found does not matter, and floats are used only for
//! finding it. A lower bound is only reported with a world whose every equation was checked; an
//! upper bound only with a sum of multiples of the equations that proves it, checked coefficient by
//! coefficient in whole numbers ([`proof`]); between the two, a variable is split at a whole number
//! and both sides are searched. Bounds from the pair bound are sound by themselves.
//! `tests/engine/brute_force.rs` compares the equations with an enumeration of all worlds.
//!
//! Work is counted in operations against a budget, never in time, so that a run ends the same way
//! everywhere. If the budget is spent, numbers are too large or releases contradict each other, an
//! open figure stays open; it is never invented.

mod budget;
mod headcounts;
mod integral_proof;
mod part;
mod proof;
mod reduction;
mod round;
mod search;
mod simplex;
mod worlds;

use super::{ChainTarget, ComparablePairs, ReleaseChain};
use crate::histogram::{NOWHERE, ValueCode};
pub use budget::ExactBudget;
use budget::OpenReason;
pub use headcounts::{FewestCandidates, Headcounts, PeopleType};
use search::WorldSearch;
use worlds::Worlds;

/// The most numbers that the paths of all values may hold together.
const MOST_PATHS: usize = 20_000_000;
/// The most numbers in vertices that are kept for the next search.
const MOST_KEPT: usize = 20_000_000;

/// The operations for one value of one target: first all targets are examined with the first share,
/// then those that are still open with the next, so that a hard target does not use up what many
/// easy ones need.
const SHARES: [u64; 3] = [20_000_000, 500_000_000, u64::MAX];

/// A target to be examined.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExactTarget {
    /// Σ M(s) of the pair bound.
    pub left: u64,
    /// The increment.
    pub increment: usize,
    /// The release and the class of each view.
    pub seen: Vec<(usize, u32)>,
    /// M(s) of the pair bound, for every value with candidates left.
    pub crowd: Vec<(ValueCode, u64)>,
}

impl ExactTarget {
    /// From a target of an attacker's view.
    pub fn new(sight: &super::AttackerView<'_>, target: &ChainTarget<'_>) -> ExactTarget {
        let seen = sight
            .views
            .iter()
            .zip(target.classes)
            .map(|(view, &class)| (view.release, class));
        ExactTarget {
            left: target.left,
            increment: sight.increment,
            seen: seen.collect(),
            crowd: target.crowd.to_vec(),
        }
    }
}

/// The smallest number of candidates of several targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeastRemaining {
    /// One of the targets has at most this.
    pub left: u64,
    /// The index of that target.
    pub at: usize,
    /// All targets have at least this.
    pub proven: u64,
}

impl LeastRemaining {
    /// Whether `left` is exact.
    pub fn exact(&self) -> bool {
        self.proven >= self.left
    }
}

/// The worlds of a chain, set up on demand.
pub struct ExactWorlds<'c> {
    chain: &'c ReleaseChain<'c>,
    pairs: &'c ComparablePairs,
    /// For each release the number of each of its classes under its recoding.
    id_of: Vec<Vec<u32>>,
    values: Vec<Option<Result<OfValue, OpenReason>>>,
    /// The remainder of [`MOST_PATHS`].
    room: usize,
    /// The used part of [`MOST_KEPT`].
    kept: usize,
}

struct OfValue {
    worlds: Worlds,
    searches: Vec<WorldSearch>,
}

impl<'c> ExactWorlds<'c> {
    /// From a chain whose releases never shrink.
    pub fn new(chain: &'c ReleaseChain<'c>, pairs: &'c ComparablePairs) -> ExactWorlds<'c> {
        let ids = |release: usize| {
            let numbered = &chain.numbered[chain.number[release]];
            let mut ids = vec![NOWHERE; chain.releases[release].classes()];
            for id in 0..numbered.len() as u32 {
                if let Some(class) = numbered.in_release(release, id) {
                    ids[class] = id;
                }
            }
            ids
        };
        let id_of = (0..chain.releases.len()).map(ids).collect();
        ExactWorlds {
            chain,
            pairs,
            id_of,
            values: (0..chain.values).map(|_| None).collect(),
            room: MOST_PATHS,
            kept: 0,
        }
    }

    /// The smallest number of candidates of these targets. They should be in ascending order: the
    /// first ones are examined first, and others are searched only as far as known worlds do not
    /// show that they have more candidates.
    ///
    /// # Panics
    /// If there are no targets.
    pub fn least(&mut self, suspects: &[&ExactTarget], budget: &mut ExactBudget) -> LeastRemaining {
        let first = (0..suspects.len())
            .min_by_key(|&at| (suspects[at].left, at))
            .expect("there are targets");
        let mut least = LeastRemaining {
            left: suspects[first].left,
            at: first,
            proven: u64::MAX,
        };
        let mut open: Vec<(usize, u64)> = (0..suspects.len()).map(|at| (at, 0)).collect();
        for share in SHARES {
            for (at, proven) in &mut open {
                let (from, to) = self.narrow(suspects[*at], least.left, (share, &mut *budget));
                assert!(
                    from <= to,
                    "what a world shows is never more than what is proven"
                );
                if to < least.left {
                    (least.left, least.at) = (to, *at);
                }
                *proven = from;
            }
            open.retain(|&(_, proven)| proven < least.left);
        }
        least.proven = open
            .iter()
            .map(|&(_, proven)| proven)
            .fold(least.left, u64::min);
        assert!(
            least.proven <= least.left && least.at < suspects.len(),
            "what is proven is of a target"
        );
        least
    }

    /// M(s) of a target, exactly; `None` if that remains open.
    pub fn candidates(
        &mut self,
        suspect: &ExactTarget,
        value: ValueCode,
        budget: &mut ExactBudget,
    ) -> Option<u64> {
        let pair = suspect
            .crowd
            .iter()
            .find(|group| group.0 == value)
            .map_or(0, |group| group.1);
        let (from, to) = self.settle(
            &self.path(suspect),
            value,
            (pair, u64::MAX),
            (u64::MAX, budget),
        );
        (from == to).then_some(from)
    }

    /// The smallest and largest possible number of candidates of a target; searched until the first
    /// is `enough` or both are equal.
    fn narrow(
        &mut self,
        suspect: &ExactTarget,
        enough: u64,
        (share, budget): (u64, &mut ExactBudget),
    ) -> (u64, u64) {
        let path = self.path(suspect);
        let mut known: Vec<(u64, u64)> = suspect
            .crowd
            .iter()
            .map(|&(value, pair)| self.known(&path, value, pair))
            .collect();
        let mut open: Vec<usize> = (0..known.len())
            .filter(|&at| known[at].0 < known[at].1)
            .collect();
        open.sort_by_key(|&at| (std::cmp::Reverse(known[at].1 - known[at].0), at));
        let sums = |known: &[(u64, u64)]| {
            known
                .iter()
                .fold((0, 0), |sum, known| (sum.0 + known.0, sum.1 + known.1))
        };
        for at in open {
            let sure = sums(&known).0;
            if sure >= enough {
                break;
            }
            let (value, pair) = suspect.crowd[at];
            known[at] = self.settle(
                &path,
                value,
                (pair, enough - (sure - known[at].0)),
                (share, &mut *budget),
            );
        }
        sums(&known)
    }

    /// The target's path: its release and its class number under each recoding from there on.
    fn path(&self, suspect: &ExactTarget) -> Vec<u32> {
        let mut path = vec![NOWHERE; self.chain.numbered.len() + 1];
        path[0] = suspect.increment as u32;
        for &(release, class) in &suspect.seen {
            path[self.chain.number[release] + 1] = self.id_of[release][class as usize];
        }
        path
    }

    /// The bounds that are known without a search.
    fn known(&self, path: &[u32], value: ValueCode, pair: u64) -> (u64, u64) {
        let Some(Ok(of)) = &self.values[value as usize] else {
            return (0, pair);
        };
        let Some((part, variable)) = of.worlds.find(path) else {
            return (0, 0);
        };
        let (seen, most) = of.searches[part].known(variable);
        assert!(
            seen <= most,
            "what a world shows is never more than what is proven"
        );
        (seen, most.min(pair))
    }

    /// Searches for the exact number of one value, or until a world has enough.
    fn settle(
        &mut self,
        path: &[u32],
        value: ValueCode,
        (pair, enough): (u64, u64),
        (share, budget): (u64, &mut ExactBudget),
    ) -> (u64, u64) {
        let slot = &mut self.values[value as usize];
        let (chain, pairs, room) = (self.chain, self.pairs, &mut self.room);
        let of = slot.get_or_insert_with(|| {
            let worlds = Worlds::of(chain, pairs, value, *room, budget)?;
            *room -= worlds.held();
            let searches = worlds.parts().iter().map(WorldSearch::of).collect();
            Ok(OfValue { worlds, searches })
        });
        if let Ok(of) = of
            && let Some((part, variable)) = of.worlds.find(path)
        {
            let search = &mut of.searches[part];
            self.kept -= search.held();
            let done = search.settle(variable, (pair, enough), (share, budget));
            self.kept += search.held();
            if done == Err(OpenReason::Contradiction) {
                self.kept -= of.searches.iter().map(WorldSearch::held).sum::<usize>();
                *slot = Some(Err(OpenReason::Contradiction));
            }
        }
        if self.kept > MOST_KEPT {
            self.values
                .iter_mut()
                .flatten()
                .flatten()
                .flat_map(|of| &mut of.searches)
                .for_each(WorldSearch::forget);
            self.kept = 0;
        }
        self.known(path, value, pair)
    }
}
