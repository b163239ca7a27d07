//! Under `chain` releases can be finer than atoms (SCIENCE 4): no person may become distinguishable
//! from all other people of the same increment, and the effect of a chain's tests on an attacker's
//! belief is limited.

use super::check_result::{Check, CheckResult, Figure, RejectionReason};
use super::comparison::PreparedCase;
use super::joint_slices::slices;

/// The smallest number of people of a slice.
const FEWEST: u64 = 2;

/// Judges the sizes of all slices, and the number of tests; empty if there are no tests.
pub fn checks(ready: &PreparedCase<'_>) -> Vec<CheckResult> {
    let Some(odds) = ready.case.policy.odds() else {
        return Vec::new();
    };
    let sizes = ready
        .whole()
        .map(|lineage| slices(ready.case, &lineage))
        .unwrap_or_default();
    let smallest = sizes
        .iter()
        .map(|slice| slice.shown.values().sum::<u64>())
        .min();
    let mut together = CheckResult::made(Check::Slices).at_least(smallest, FEWEST);
    if smallest.is_none_or(|smallest| smallest < FEWEST) {
        let text = "the releases together separate a person from all people who arrived with them";
        together
            .reasons
            .push(RejectionReason::plain("all releases", text));
    }
    let tests = ready.case.tests;
    let (value, limit) = (
        Figure::real(odds.after(tests)),
        Figure::real(odds.most.get()),
    );
    let mut worst_odds = CheckResult {
        value,
        limit,
        ..CheckResult::made(Check::MaxOdds)
    };
    if !odds.bear(tests) {
        let text = format!(
            "{tests} tests move the odds of an attacker's belief by more than the policy allows"
        );
        worst_odds.reasons.push(RejectionReason {
            value,
            limit,
            ..RejectionReason::plain("the chain", text)
        });
    }
    vec![together, worst_odds]
}
