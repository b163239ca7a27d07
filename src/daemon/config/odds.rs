//! A coin and guarded values together (SCIENCE 5): what masking leaves of a belief, moved by all the tests of a chain, must still
//! be at most 1/m, or no release would ever leave.

use super::places::ConfigProblem;
use crate::engine::gate::minimality::masked_from;
use crate::engine::policy::Policy;

/// What is wrong with the cap on odds.
pub fn problem(policy: &Policy) -> Option<ConfigProblem> {
    let (odds, masking) = (policy.odds()?, policy.masking()?);
    let left = masked_from(policy.a(), masking.l(), masking.rate()?);
    if left.moved(odds.most).is_at_most_one_in(masking.m) {
        return None;
    }
    let share = left.value();
    let most = ((1.0 - share) / (share * (masking.m - 1) as f64) * 1000.0).floor() / 1000.0;
    let text = format!(
        "with `m = {}` and classes of {} people the odds of a belief in a guarded value may grow by {most} at most before it is \
         above 1/m: write that or less, and a `rho` of at least 1/max_odds, or raise `k`",
        masking.m,
        policy.a()
    );
    Some(ConfigProblem::new("policy.max_odds", text))
}
