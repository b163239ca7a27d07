//! Recodings of `chain` that cross (SCIENCE 3): comparing two releases at a time then only gives an
//! upper bound on the number of candidates. If the policy allows crossing, the check computes a
//! lower bound for the people in the tables, and solves exactly where that is not enough; what
//! remains open is a reason against the release.

use super::check_result::RejectionReason;
use super::comparison::{Lineage, PreparedCase};
use crate::gate::chain::{
    AttackerView, ChainTarget, ComparablePairs, ExactBudget, ExactTarget, ExactWorlds, Fold,
    ReleaseChain, lower_bounds,
};
use crate::histogram::{NumberedClasses, Slices};
use crate::model::Cut;
use crate::policy::{self, Cuts};

/// The most targets that are examined one by one.
const MOST: usize = 100_000;

/// The reasons against the recodings of the releases.
pub fn against(ready: &PreparedCase<'_>, lineage: &Lineage) -> Option<RejectionReason> {
    let policy::ChainPromise::Tested { cuts, .. } = ready.case.policy.chain() else {
        return None;
    };
    let chain = ReleaseChain::new(
        &lineage.releases,
        &lineage.number,
        &ready.trees,
        ready.values.len(),
    );
    if chain.nested() || only_coarser(lineage) {
        return None;
    }
    match cuts {
        Cuts::Nested => Some(RejectionReason::plain(
            "all releases",
            "two recodings cross, and the policy requires them to be nested",
        )),
        // Two releases leave nothing open.
        Cuts::Crossing if lineage.releases.len() <= 2 => None,
        Cuts::Crossing => (!holds(ready, lineage, &chain)).then(|| {
            let text = "the recodings cross, and it is not proven that every person has enough candidates left";
            RejectionReason::plain("all releases", text)
        }),
    }
}

/// Whether every earlier release has a recoding that refines the newest one. The figures of older
/// people then follow from the previous release, for which they were judged.
fn only_coarser(lineage: &Lineage) -> bool {
    let Some((newest, earlier)) = lineage.releases.split_last() else {
        return true;
    };
    let refines = |cuts: &[Cut]| {
        cuts.iter()
            .zip(newest.recoding())
            .all(|(cut, newest)| cut.refines(newest))
    };
    earlier.iter().all(|release| refines(release.recoding()))
}

/// Whether each person is proved to have k candidates left.
fn holds(ready: &PreparedCase<'_>, lineage: &Lineage, chain: &ReleaseChain<'_>) -> bool {
    let k = ready.case.policy.k();
    let recodings: Vec<&[Cut]> = lineage
        .releases
        .iter()
        .map(|release| release.recoding())
        .collect();
    assert_eq!(
        recodings.len(),
        lineage.number.len(),
        "a recoding of each release"
    );
    if lower_bounds(&lineage.rows, &recodings, &ready.trees)
        .into_iter()
        .flatten()
        .all(|left| left >= k)
    {
        return true;
    }
    let slices = Slices::of(
        &lineage.rows,
        &chain.cuts(),
        &chain.numbered().iter().collect::<Vec<&NumberedClasses>>(),
    );
    let (mut all, mut shown) = (Vec::new(), true);
    let swept = chain.each_sight(|sight| {
        let slices = slices.of_increment(sight.increment);
        shown &= chain.shows(sight, &slices);
        if shown {
            all.extend(chain.realised(sight, &slices, &All(sight)));
        }
    });
    all.sort();
    all.dedup();
    if swept.is_err() || !shown || all.is_empty() || all.len() > MOST {
        return false;
    }
    let (pairs, mut budget) = (ComparablePairs::of(chain), ExactBudget::FULL);
    ExactWorlds::new(chain, &pairs)
        .least(&all.iter().collect::<Vec<_>>(), &mut budget)
        .proven
        >= k
}

/// All targets of a view.
struct All<'s>(&'s AttackerView<'s>);

impl Fold for All<'_> {
    type Sum = Vec<ExactTarget>;

    fn start(&self) -> Vec<ExactTarget> {
        Vec::new()
    }

    fn take(&self, all: &mut Vec<ExactTarget>, target: &ChainTarget<'_>) {
        all.push(ExactTarget::new(self.0, target));
    }

    fn join(&self, mut first: Vec<ExactTarget>, second: Vec<ExactTarget>) -> Vec<ExactTarget> {
        first.extend(second);
        first
    }
}
