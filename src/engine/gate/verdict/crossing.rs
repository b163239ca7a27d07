//! Recodings of `chain` that cross (SCIENCE 3): comparing releases two by two then only bounds what is left from above. Where
//! the policy allows them, what people who are there have left is bounded from below, and solved as far as that is not
//! enough; what stays open speaks against the release.

use super::check_result::RejectionReason;
use super::comparison::{Lineage, PreparedCase};
use crate::gate::chain::{
    AttackerView, ChainTarget, ComparablePairs, ExactBudget, ExactTarget, ExactWorlds, Fold, ReleaseChain, lower_bounds,
};
use crate::histogram::{NumberedClasses, Slices};
use crate::model::Cut;
use crate::policy::{self, Cuts};

/// Targets that are looked at one by one at most.
const MOST: usize = 100_000;

/// What speaks against the recodings of the releases.
pub fn against(ready: &PreparedCase<'_>, lineage: &Lineage) -> Option<RejectionReason> {
    let policy::ChainPromise::Tested { cuts, .. } = ready.case.policy.chain() else { return None };
    let chain = ReleaseChain::new(&lineage.releases, &lineage.number, &ready.trees, ready.values.len());
    if chain.nested() || only_coarser(lineage) {
        return None;
    }
    match cuts {
        Cuts::Nested => {
            Some(RejectionReason::plain("all releases", "two recodings cross, and the policy wants them nested"))
        }
        // Of two releases nothing is left open.
        Cuts::Crossing if lineage.releases.len() <= 2 => None,
        Cuts::Crossing => (!holds(ready, lineage, &chain)).then(|| {
            let text = "the recodings cross, and it is not proven that every person has enough candidates left";
            RejectionReason::plain("all releases", text)
        }),
    }
}

/// Whether every earlier release is under a recoding that refines the newest one. What that tells of older people follows from
/// the release before, and they were judged then.
fn only_coarser(lineage: &Lineage) -> bool {
    let Some((newest, earlier)) = lineage.releases.split_last() else { return true };
    let refines = |cuts: &[Cut]| cuts.iter().zip(newest.recoding()).all(|(cut, newest)| cut.refines(newest));
    earlier.iter().all(|release| refines(release.recoding()))
}

/// Whether each person who is there is shown to have k candidates left.
fn holds(ready: &PreparedCase<'_>, lineage: &Lineage, chain: &ReleaseChain<'_>) -> bool {
    let k = ready.case.policy.k();
    let recodings: Vec<&[Cut]> = lineage.releases.iter().map(|release| release.recoding()).collect();
    assert_eq!(recodings.len(), lineage.number.len(), "a recoding of each release");
    if lower_bounds(&lineage.rows, &recodings, &ready.trees).into_iter().flatten().all(|left| left >= k) {
        return true;
    }
    let slices = Slices::of(&lineage.rows, &chain.cuts(), &chain.numbered().iter().collect::<Vec<&NumberedClasses>>());
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
    ExactWorlds::new(chain, &pairs).least(&all.iter().collect::<Vec<_>>(), &mut budget).proven >= k
}

/// All targets of a sight.
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
