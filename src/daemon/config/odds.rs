//! A coin together with guarded values (SCIENCE 5): the belief that masking leaves, changed by all
//! tests of a chain, must still be at most 1/m, or no release could ever be published.

use super::places::ConfigProblem;
use crate::engine::gate::minimality::masked_from;
use crate::engine::policy::Policy;

/// The problem with the limit on odds, if there is one.
pub fn problem(policy: &Policy) -> Option<ConfigProblem> {
    let (odds, masking) = (policy.odds()?, policy.masking()?);
    let left = masked_from(policy.a(), masking.l(), masking.rate()?);
    if left.moved(odds.most).is_at_most_one_in(masking.m) {
        return None;
    }
    let share = left.value();
    let most = ((1.0 - share) / (share * (masking.m - 1) as f64) * 1000.0).floor() / 1000.0;
    let text = format!(
        "with `m = {}` and classes of {} people the odds of a belief in a guarded value may grow by a factor of at \
         most {most} before it is above 1/m: write that or less, and a `rho` of at least 1/max_odds, or raise `k`",
        masking.m,
        policy.a()
    );
    Some(ConfigProblem::new("policy.max_odds", text))
}
