//! The requirements of the policy that no check of this version judges (CONTRACTS 1): each of them
//! is a reason against every release, so that no release is published under a promise that was not
//! checked. None of this depends on the release.
//!
//! Every key of `[policy]` occurs in this file; a new key does not compile until it does.

use super::super::check_result::{Check, CheckResult, uncovered};
use crate::policy::{Guarantee, Policy, PolicySettings};

/// The checks that are not made, with every reason why one of them would be required.
pub(crate) fn checks(policy: &Policy) -> Vec<CheckResult> {
    let required = required(policy);
    let check = |name: Check| {
        let keys = required.iter().filter(|(of, ..)| *of == name);
        CheckResult {
            reasons: keys.map(|&(_, key)| uncovered(name, key)).collect(),
            ..CheckResult::not_made(name)
        }
    };
    // Releases in forms other than the judged ones. This has no line in a manifest, since none is
    // published.
    let mut checks: Vec<CheckResult> = Some(check(Check::Policy))
        .filter(|form| !form.reasons.is_empty())
        .into_iter()
        .collect();
    if policy.guarantee() == Some(Guarantee::Bcf) {
        checks.push(CheckResult::not_made(Check::Algorithm));
    }
    if policy.search().is_micro() {
        checks.push(CheckResult::not_made(Check::Grouping));
    }
    checks
}

/// The requirements: the check that would be needed, and the key.
fn required(policy: &Policy) -> Vec<(Check, &'static str)> {
    #[rustfmt::skip]
    let PolicySettings {
        m, mask,
        // Given by the kind of chain.
        guarantee: _,
        // Judged by the checks that are made.
        k: _, max_loss: _, diversity: _, output: _, max_ratio: _, min_solutions: _, max_global_ratio: _,
        // About sums; the check of the table of measures says whether it is made.
        dominance: _, p_rule: _, dominance_safe: _,
        // They belong to `m`, to `search`, and to the ratios; no check depends on how often a
        // release was repaired.
        base_rate: _, search: _, outliers: _, values: _, max_repairs: _,
        // They decide who is in a release and what happens after a rejection; they promise nothing
        // about a release.
        publish_every: _, on_repeat: _, set_aside: _, suppression: _,
    } = policy.in_force();
    let is_bcf = policy.guarantee() == Some(Guarantee::Bcf);
    let masks = !is_bcf && *mask != Some(false);
    Some((Check::Policy, "m"))
        .filter(|_| m.is_some() && !masks)
        .into_iter()
        .collect()
}
