//! The limit on information loss (SCIENCE 8): a release whose Loss is above the policy's limit is
//! not useful enough for its risk.

use super::super::check_result::{Check, CheckResult, Figure, Finding};
use super::super::comparison::PreparedCase;
use crate::model::Role;
use crate::utility;

/// The largest rounding error of a sum of floats.
const ROUNDING: f64 = 1e-12;

/// Judges the Loss of the release.
pub(super) fn check(ready: &PreparedCase<'_>) -> CheckResult {
    let limit = ready.case.policy.max_loss().get();
    let loss = match &ready.crowds {
        Some(crowds) => utility::loss_of_sums(&crowds.growth.sums, &ready.trees),
        None => utility::loss(&ready.table, &ready.trees),
    };
    let mut figures = CheckResult {
        value: Figure::real(loss),
        limit: Figure::real(limit),
        ..CheckResult::made(Check::Utility)
    };
    figures.reasons = above_floors(ready);
    if loss <= limit + ROUNDING {
        return figures;
    }
    // Of a standing recoding no later release of the chain can have much less loss.
    let standing = ready.case.policy.keeps_labels() && !ready.case.policy.search().is_local();
    let cure = if standing {
        "; only a new chain can be finer"
    } else {
        ""
    };
    let text = format!("Loss is {loss:.4}, the policy's floor of usefulness is {limit}{cure}");
    let reason = Finding {
        value: figures.value,
        limit: figures.limit,
        ..Finding::new(Check::Utility, "the whole release", text)
    };
    figures.reasons.push(reason);
    figures
}

/// Labels above the floor of their column, one for each column.
fn above_floors(ready: &PreparedCase<'_>) -> Vec<Finding> {
    let details = ready
        .case
        .policy
        .details()
        .iter()
        .zip(&ready.trees)
        .zip(ready.case.columns.of(Role::Quasi));
    let mut reasons = Vec::new();
    for (at, ((detail, tree), column)) in details
        .enumerate()
        .filter(|(_, ((detail, _), _))| detail.floor().is_some())
    {
        let coarsest = detail.coarsest(tree);
        let node = (0..ready.table.classes()).map(|class| ready.table.class(class)[at]);
        let above = node
            .filter(|&node| coarsest.at(tree.leaf_range(node).start) > node)
            .min();
        reasons.extend(above.map(|node| {
            let text = format!(
                "the label `{}` is above the `floor` of the column",
                tree.label(node)
            );
            Finding::new(Check::Utility, format!("column {}", column.name), text)
        }));
    }
    reasons
}
