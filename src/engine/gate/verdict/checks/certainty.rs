//! The leakage of a global recoding, to a reader who knows the search (SCIENCE 6, "Global recoding
//! is not immune"): small classes that every reader can infer, and the reduction of possible
//! tables. All of it follows from quasi-identifiers and from the existence of releases, so the
//! findings reveal nothing about sensitive values.
//!
//! A refusal with only one explanation is always a reason against a release. Other certain classes,
//! and the ratio, are reported, and judged if the policy sets `max_global_ratio`.

use std::borrow::Cow;

use super::super::check_result::{Check, CheckResult, Figure, Finding};
use super::super::comparison::PreparedCase;
use super::super::history::History;
use super::super::next_release::NextRelease;
use crate::certainty::{self, Certainty, CertaintyBudget, Fact, FactExtent};
use crate::histogram::{Release, describe};
use crate::model::Taxonomy;
use crate::policy::{ChainKind, Decimal, Inference, Policy};

/// The most reasons that are given.
const NAMED: usize = 12;

/// What a release makes certain whose recoding was searched for its own people; `None` if it was
/// not, so that readers could not replay a search.
pub fn learnt(
    policy: &Policy,
    history: &History,
    table: &Release,
    trees: &[&Taxonomy],
) -> Option<Certainty> {
    let inference = policy.inference();
    // A standing recoding is searched for once. Under `bcf` later refusals depend on sensitive
    // values.
    let searched = policy.kind() == ChainKind::Disjoint || history.is_empty();
    if inference == Inference::Nothing || !searched {
        return None;
    }
    let (a, values) = (policy.a(), policy.refinement().values);
    let budget = CertaintyBudget::FULL;
    Some(certainty::searched(
        table,
        trees,
        inference,
        (a, values),
        budget,
    ))
}

/// The reasons against a release.
pub fn against<'c>(certainty: &'c Certainty, policy: &Policy) -> impl Iterator<Item = &'c Fact> {
    let all = policy.refinement().max_global_ratio.is_some();
    certainty.facts.iter().filter(move |fact| all || fact.sole)
}

/// The reason in words.
pub fn text(a: u64) -> String {
    format!(
        "an attacker who knows the search can infer that a part of the class contains people, but fewer than {a}"
    )
}

/// Judges the refusals of the search; empty if classes have labels of their own.
pub(crate) fn checks(ready: &PreparedCase<'_>) -> Vec<CheckResult> {
    let (case, limits) = (ready.case, ready.case.policy.refinement());
    if case.policy.search().is_local() {
        return Vec::new();
    }
    let learnt_facts = match limits.looks_at_coarseness() && ready.exact.is_none() {
        true => searched(ready)
            .and_then(|table| learnt(case.policy, case.history, &table, &ready.trees)),
        false => None,
    };
    let certain = learnt_facts
        .as_ref()
        .map_or(CheckResult::not_made(Check::Certainty), |learnt_facts| {
            certain(learnt_facts, ready.case)
        });
    let mut checks = vec![certain];
    let learnt = ready.case.learnt.filter(|_| learnt_facts.is_some());
    checks.extend(ratio(
        ready.case,
        learnt.and_then(|learnt| learnt.wholly),
        limits.max_global_ratio,
    ));
    let finally = learnt.and_then(|learnt| learnt.finally);
    checks.extend(finally.map(|log10| CheckResult {
        value: power(log10),
        ..CheckResult::made(Check::Maximality)
    }));
    checks
}

/// The table from which readers can learn how the search went: of a standing recoding the atoms of
/// the tick that found it.
fn searched<'r>(ready: &'r PreparedCase<'_>) -> Option<Cow<'r, Release>> {
    if !ready.case.policy.has_atoms() {
        return Some(Cow::Borrowed(&ready.table));
    }
    let first = ready.atoms.first()?.clone()?;
    // Other labels are a reason of their own.
    let stated = Some(ready.case.recoding).filter(|stated| stated.len() == ready.trees.len())?;
    let table = first.under_recoding(stated).ok()?;
    Some(Cow::Owned(table))
}

fn certain(learnt_facts: &Certainty, case: &NextRelease<'_>) -> CheckResult {
    let found = Some(Figure::Whole(learnt_facts.facts.len() as u64));
    let mut checked = CheckResult {
        value: found,
        ..CheckResult::made(Check::Certainty)
    };
    let reason = |fact: &Fact| {
        Finding::new(
            Check::Certainty,
            describe(&fact.class, case.columns),
            text(case.policy.a()),
        )
    };
    checked.reasons = against(learnt_facts, case.policy)
        .map(reason)
        .take(NAMED)
        .collect();
    if learnt_facts.answer == FactExtent::Open {
        let text =
            "it could not be decided which small classes are certain, which counts as unsafe";
        checked
            .reasons
            .push(Finding::new(Check::Certainty, "the whole release", text));
    }
    checked
}

/// The figure, if it is known or required.
fn ratio(
    case: &NextRelease<'_>,
    log10: Option<f64>,
    limit: Option<Decimal>,
) -> Option<CheckResult> {
    let value = log10.and_then(power);
    let most = limit.and_then(|limit| Figure::real(limit.get()));
    let mut checked = CheckResult {
        value,
        limit: most,
        ..CheckResult::made(Check::MaxGlobalRatio)
    };
    let Some(limit) = limit.map(Decimal::get) else {
        // If the course of a search is not replayed, the figure is unknown, and the report says so.
        let known = matches!(
            case.policy.inference(),
            Inference::Replay | Inference::Nothing
        );
        let silent = known || !case.policy.refinement().looks_at_coarseness();
        return log10
            .map(|_| checked)
            .or_else(|| (!silent).then(|| CheckResult::not_made(Check::MaxGlobalRatio)));
    };
    let text = match log10 {
        // From an unchanged recoding a reader learns nothing.
        None if case.policy.keeps_labels() && !case.history.is_empty() => {
            return Some(CheckResult {
                value: Figure::real(1.0),
                ..checked
            });
        }
        None => format!(
            "the leakage of this recoding is not known, the policy permits a factor of at most {limit}"
        ),
        Some(log10) if log10 <= limit.log10() => return Some(checked),
        Some(log10) => {
            format!(
                "the coarseness of labels reduces the possible tables by a factor of 10^{log10:.2}, the policy permits at most {limit}"
            )
        }
    };
    checked.reasons.push(Finding {
        value,
        limit: most,
        ..Finding::new(Check::MaxGlobalRatio, "the whole release", text)
    });
    Some(checked)
}

fn power(log10: f64) -> Option<Figure> {
    Figure::real(10f64.powf(log10))
}
