//! Refinement attacks (SCIENCE 6, gate): if classes have labels of their own, the order in which
//! they were formed reveals where their rows can be. The gate attacks what it read from the bytes,
//! as an attacker who knows that order. All of it follows from quasi-identifiers, so the findings
//! reveal nothing about sensitive values.

use super::check_result::{Check, CheckResult, Figure, RejectionReason};
use super::comparison::PreparedCase;
use super::crowds;
use crate::gate::refinement::{FailedLimit, JointAttack, judge};

/// The most reasons that are given.
const NAMED: usize = 12;

/// Judges every class.
pub fn check(ready: &PreparedCase<'_>) -> CheckResult {
    if crowds::are_halved(ready.case.policy) {
        return crowds::refinement(ready);
    }
    let (Some(carving), Some(limit)) =
        (ready.case.carving, ready.case.policy.refinement().max_ratio)
    else {
        return CheckResult::not_made(Check::Refinement);
    };
    let limit = Figure::real(limit.get());
    let mut found = CheckResult {
        limit,
        ..CheckResult::made(Check::Refinement)
    };
    let classes = carving
        .classes()
        .iter()
        .map(|class| (class.as_slice(), ready.table.size_of(class)));
    match judge(
        ready.case.columns,
        classes,
        ready.case.policy,
        (ready.case.release.into(), JointAttack::Not),
    ) {
        Err(text) => found.reasons.push(RejectionReason::plain("data", text)),
        Ok(judged) => {
            found.value = judged
                .found
                .max_log10_ratio()
                .and_then(|log10| Figure::real(10f64.powf(log10)));
            let figure = |figure: Option<f64>| figure.and_then(Figure::real);
            let reason = |against: &FailedLimit| RejectionReason {
                place: against
                    .place
                    .map_or_else(|| "all classes".to_owned(), |_| "a class".to_owned()),
                value: figure(against.found),
                limit: figure(against.limit),
                text: against.text.clone(),
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
