//! The floor of usefulness (SCIENCE 8): a release whose Loss is above the policy's limit is not worth what it risks.

use super::case::Ready;
use super::verdict::{Checked, Figure, Reason};
use crate::gate::utility;
use crate::policy::Chain;

/// What the last bits of a sum of floats may differ by.
const ROUNDING: f64 = 1e-12;

/// Judges the Loss of the release.
pub fn check(ready: &Ready<'_>) -> Checked {
    let limit = ready.case.policy.max_loss().get();
    let loss = match &ready.crowds {
        Some(crowds) => utility::loss_of_sums(&crowds.growth.sums, &ready.trees),
        None => utility::loss(&ready.table, &ready.trees),
    };
    let figures = Checked { value: Figure::real(loss), limit: Figure::real(limit), ..Checked::made("utility") };
    if loss <= limit + ROUNDING {
        return figures;
    }
    // The standing recoding never gets finer, so no later release of the chain can have less.
    let cure =
        if matches!(ready.case.policy.chain(), Chain::Blind(_)) { "; only a new chain can be finer" } else { "" };
    let text = format!("Loss is {loss:.4}, the policy's floor of usefulness is {limit}{cure}");
    let reason = Reason { value: figures.value, limit: figures.limit, ..Reason::plain("the whole release", text) };
    Checked { reasons: vec![reason], ..figures }
}
