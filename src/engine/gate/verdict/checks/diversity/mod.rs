//! Diversity after attacks (SCIENCE 4, checks that look at sensitive values; BCF 7.2): judged once,
//! for the one recoding that quasi-identifiers have determined. A failure ends the chain, since
//! readers see that no release appears.

mod remaining_candidates;

use super::super::check_result::{Check, CheckResult, Figure, Finding};
use super::super::comparison::PreparedCase;
use super::super::next_release::NewIncrement;
use crate::diversity::{CandidateValues, DiversityFigures, LimitedFigure, Measures, ValueShares};
use crate::histogram::{Release, SensitiveValues};
use crate::policy;
use remaining_candidates::Measured;

/// Judges the classes of all people of the chain, with a line for each figure that has a limit.
pub(super) fn checks(ready: &PreparedCase<'_>) -> Vec<CheckResult> {
    let limits = ready.case.policy.diversity();
    let Some(limits) = limits.filter(|limits| **limits != policy::DiversityLimits::default())
    else {
        return vec![CheckResult::not_made(Check::Diversity)];
    };
    let l = limits.recursive.map(|both| both.l);
    let measures = Measures::new(ready.case.columns, &ready.values, l);
    let shares = match &ready.crowds {
        Some(crowds) => measures.shares_of_counts(&crowds.growth.sums.by_value(ready.values.len())),
        None => measures.shares(&ready.table),
    };
    let Some(found) = left(ready, &measures, &shares) else {
        let text = "the releases cross, or do not show the people of the chain, so it is not known what attacks leave";
        return vec![CheckResult {
            reasons: vec![Finding::new(Check::Diversity, "all releases", text)],
            ..CheckResult::made(Check::Diversity)
        }];
    };
    found.limited(limits).into_iter().map(line).collect()
}

fn line(limited: LimitedFigure) -> CheckResult {
    let LimitedFigure {
        check,
        value,
        limit,
        rule,
        kept,
    } = limited;
    let (value, limit) = (Figure::real(value), Figure::real(limit));
    let mut found = CheckResult {
        value,
        limit,
        ..CheckResult::made(check)
    };
    if !kept {
        let text = format!(
            "{check} of the worst class that attacks leave is not {rule} the limit of the policy"
        );
        found.reasons.push(Finding {
            value,
            limit,
            ..Finding::new(check, "the worst class", text)
        });
    }
    found
}

/// The worst diversity that attacks leave; `None` if it is not known exactly.
fn left(
    ready: &PreparedCase<'_>,
    measures: &Measures,
    shares: &ValueShares,
) -> Option<DiversityFigures> {
    if ready.case.policy.has_atoms() {
        return of_atoms(ready, measures, shares);
    }
    let Some(lineage) = &ready.lineage else {
        return Some(measures.of_release(&ready.table, shares));
    };
    let of = |crowd: &CandidateValues| {
        measures
            .shape(crowd)
            .worse(measures.distances(crowd, shares))
    };
    let all = Measured {
        none: DiversityFigures::default(),
        of: &of,
        both: DiversityFigures::worse,
    };
    all.all_people(ready, lineage)
}

/// The worst diversity of the new rows: of each label, and of each atom.
fn of_atoms(
    ready: &PreparedCase<'_>,
    measures: &Measures,
    shares: &ValueShares,
) -> Option<DiversityFigures> {
    let worst = measures.of_release(ready.added(), shares);
    let of = |(newest, atoms): (&NewIncrement<'_>, &Option<Release>)| {
        let (_, maps) = SensitiveValues::union(&[&ready.values, newest.rows.values()]);
        Some(measures.of_release(&atoms.clone()?.with_values(&maps[1]), shares))
    };
    let mut all = ready.case.newest.iter().zip(&ready.atoms);
    all.try_fold(worst, |worst, of_one| Some(worst.worse(of(of_one)?)))
}
