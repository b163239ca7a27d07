//! Refinement attacks (SCIENCE 6, gate): if classes have labels of their own, the order in which
//! they were formed reveals where their rows can be. The gate attacks what it read from the bytes,
//! as an attacker who knows that order. All of it follows from quasi-identifiers, so the findings
//! reveal nothing about sensitive values.

use super::super::check_result::{Check, CheckResult, Figure, Finding};
use super::super::comparison::PreparedCase;
use crate::refinement::{FailedLimit, JointAttack, judge};

/// The most reasons that are given.
const NAMED: usize = 12;

/// Judges every class.
pub(super) fn check(ready: &PreparedCase<'_>) -> CheckResult {
    if ready.case.policy.halves() {
        return halved(ready);
    }
    let (Some(labels), Some(limit)) = (
        ready.case.own_labels(),
        ready.case.policy.refinement().max_ratio,
    ) else {
        return CheckResult::not_made(Check::Refinement);
    };
    let limit = Figure::real(limit.get());
    let mut found = CheckResult {
        limit,
        ..CheckResult::made(Check::Refinement)
    };
    let classes = labels
        .classes()
        .iter()
        .map(|class| (class.as_slice(), ready.table.size_of(class)));
    match judge(
        ready.case.columns,
        classes,
        ready.case.policy,
        (ready.case.release.into(), JointAttack::Not),
    ) {
        Err(text) => found
            .reasons
            .push(Finding::new(Check::Refinement, "data", text)),
        Ok(judged) => {
            found.value = judged
                .found
                .max_log10_ratio()
                .and_then(|log10| Figure::real(10f64.powf(log10)));
            let reason = |against: &FailedLimit| Finding {
                place: against
                    .target
                    .map_or_else(|| "all classes".to_owned(), |_| "a class".to_owned()),
                ..against.finding.clone()
            };
            found.reasons = judged
                .found
                .against
                .iter()
                .map(reason)
                .take(NAMED)
                .collect();
        }
    }
    found
}

/// The leakage of new labels (SCIENCE 11, CRA): a factor of four for each split that may have been
/// refused on the way to one.
fn halved(ready: &PreparedCase<'_>) -> CheckResult {
    let policy = ready.case.policy;
    let limit = policy.refinement().max_ratio;
    let mut found = CheckResult {
        made: limit.is_some(),
        limit: limit.and_then(|limit| Figure::real(limit.get())),
        ..CheckResult::made(Check::Refinement)
    };
    let Some(division) = policy.division(&ready.trees) else {
        found.reasons.push(Finding::new(
            Check::Refinement,
            "data",
            "there are more combinations of values than can be counted",
        ));
        return found;
    };
    let new = ready.added();
    let labels = new.class_labels();
    let unreached = division.unreached(&labels, policy.refusals());
    for &class in unreached.iter().take(NAMED) {
        let place = new.describe(class, ready.case.columns);
        let text = format!("halving under this policy cannot produce the label {place}");
        found
            .reasons
            .push(Finding::new(Check::Refinement, place, text));
    }
    assert!(unreached.is_sorted(), "labels are named in order");
    let reached = labels
        .iter()
        .enumerate()
        .filter(|(class, _)| unreached.binary_search(class).is_err());
    let most = reached
        .map(|(_, label)| division.most_refused(label, policy.refusals()))
        .max();
    let figure = most.map(|refused| 4f64.powi(refused as i32));
    found.value = figure.and_then(Figure::real).filter(|_| found.made);
    if let (Some(figure), Some(limit)) = (figure, limit.map(|limit| limit.get()))
        && figure > limit
    {
        let text = format!(
            "a label changes the odds of where a person is by {figure}, the policy permits at most {limit}"
        );
        found.reasons.push(Finding {
            value: found.value,
            limit: found.limit,
            ..Finding::new(Check::Refinement, "a label", text)
        });
    }
    found
}
