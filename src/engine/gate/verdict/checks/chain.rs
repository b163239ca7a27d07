//! All releases of the chain together (SCIENCE 3): the pair bound for every person who is in the
//! tables; under `bcf` for all people who could be.

use super::super::check_result::{Check, CheckResult, Finding};
use super::super::comparison::{Lineage, PreparedCase};
use crate::chain::{ChainTarget, ComparablePairs, Fold, ReleaseChain};

/// Judges all targets.
pub(super) fn check(ready: &PreparedCase<'_>) -> CheckResult {
    if ready.case.policy.keeps_labels() {
        return kept_labels(ready);
    }
    let found = CheckResult::made(Check::Chain);
    let Some(lineage) = &ready.lineage else {
        return CheckResult {
            made: false,
            ..found
        };
    };
    let Some((weakest, whole)) = weakest(ready, lineage) else {
        let text = "a release does not show the people of the chain, so it cannot be shown that all releases together \
            are safe";
        return CheckResult {
            made: false,
            reasons: vec![Finding::new(Check::Chain, "all releases", text)],
            ..found
        };
    };
    let k = ready.case.policy.k();
    let mut found = found.at_least(weakest.iter().map(|weak| weak.left).min(), k);
    for weak in weakest.iter().filter(|weak| weak.left < k) {
        let place = format!("people of increment {} of the chain", weak.increment + 1);
        let text = format!(
            "all releases together leave one of them {} candidates, fewer than {k}",
            weak.left
        );
        found
            .reasons
            .push(Finding::count(Check::Chain, place, weak.left, k, text));
    }
    if !whole {
        let text = "the releases cross in too many ways, so it cannot be shown that they are safe";
        found
            .reasons
            .push(Finding::new(Check::Chain, "all releases", text));
    }
    found
}

/// Rows that keep their labels: the smallest number of candidates after comparing all releases.
fn kept_labels(ready: &PreparedCase<'_>) -> CheckResult {
    let a = ready.case.policy.a();
    let new = ready.added();
    let added = (0..new.classes()).map(|class| new.size(class)).min();
    let ever = added
        .into_iter()
        .chain(ready.compared().history.fewest())
        .min();
    let mut found = CheckResult::made(Check::Chain).at_least(ever, a);
    if ever.is_some_and(|ever| ever < a) {
        let text = format!("all releases together leave a person fewer than {a} rows");
        found
            .reasons
            .push(Finding::new(Check::Chain, "all releases", text));
    }
    found
}

/// The target of an increment with the fewest candidates.
struct WeakTarget {
    increment: usize,
    left: u64,
}

/// One per examined increment, and whether all targets were examined; `None` if a release lost rows
/// or people.
fn weakest(ready: &PreparedCase<'_>, lineage: &Lineage) -> Option<(Vec<WeakTarget>, bool)> {
    let chain = ReleaseChain::new(
        &lineage.releases,
        &lineage.number,
        &ready.trees,
        ready.values.len(),
    );
    let last = lineage.releases.len() - 1;
    if lineage.releases[last].rows() != ready.people.rows() {
        return None;
    }
    let (mut found, mut whole) = (Vec::new(), true);
    let comparable = ComparablePairs::of(&chain);
    let swept = chain.each_sight(|sight| {
        let (left, complete) = chain.all(sight, &comparable, &FewestCandidates);
        whole &= complete;
        found.extend(left.map(|left| WeakTarget {
            increment: sight.increment,
            left,
        }));
    });
    assert!(
        found.iter().all(|weak| weak.increment <= last),
        "people of an increment of the chain"
    );
    swept.ok().map(|()| (found, whole))
}

/// The smallest number of candidates over all targets.
struct FewestCandidates;

impl Fold for FewestCandidates {
    type Sum = Option<u64>;

    fn start(&self) -> Option<u64> {
        None
    }

    fn take(&self, least: &mut Option<u64>, target: &ChainTarget<'_>) {
        *least = Some(least.map_or(target.left, |least| least.min(target.left)));
    }

    fn join(&self, first: Option<u64>, second: Option<u64>) -> Option<u64> {
        first.into_iter().chain(second).min()
    }
}
