//! Correspondence attacks (SCIENCE 2) on the release with every earlier one: all possible classes
//! under `bcf`, as in the paper. If rows keep their labels, comparing releases shows which rows are
//! new, and nothing else.

use rayon::prelude::*;

use super::super::check_result::{Check, CheckResult, Figure, Finding};
use super::super::comparison::{Lineage, PreparedCase};
use crate::correspondence::{Anonymity, Correspondence};
use crate::histogram::{Excess, JoinCells};

/// The most places that are named.
const NAMED: usize = 12;

/// Judges every pair that includes the candidate.
pub(super) fn check(ready: &PreparedCase<'_>) -> CheckResult {
    if ready.case.policy.keeps_labels() {
        return kept_labels(ready);
    }
    relabelled(ready)
}

/// Rows that keep their labels: the smallest number of candidates after comparing the release with
/// earlier ones is that of rows of a label that came together.
fn kept_labels(ready: &PreparedCase<'_>) -> CheckResult {
    let a = ready.case.policy.a();
    let new = ready.added();
    let before = ready.compared().history.sums().smallest();
    let smallest = new.smallest().map(|(rows, _)| rows);
    let mut found = CheckResult::made(Check::Correspondence)
        .at_least(before.into_iter().chain(smallest).min(), a);
    for class in (0..new.classes())
        .filter(|&class| new.size(class) < a)
        .take(NAMED)
    {
        let (place, rows) = (new.describe(class, ready.case.columns), new.size(class));
        let text = format!("{rows} rows of {place} are new, an atom has at least {a} people");
        found
            .reasons
            .push(Finding::count(Check::Correspondence, place, rows, a, text));
    }
    found
}

/// Rows that are labelled again: the figures of SCIENCE 2.
fn relabelled(ready: &PreparedCase<'_>) -> CheckResult {
    let found = CheckResult::made(Check::Correspondence);
    let Some(lineage) = &ready.lineage else {
        return CheckResult {
            made: false,
            ..found
        };
    };
    let Some(pairs) = pairs(ready, lineage) else {
        let text = "the release does not show the people of an earlier one, so it cannot be shown that the two are safe";
        return CheckResult {
            made: false,
            reasons: vec![Finding::new(
                Check::Correspondence,
                "all pairs of releases",
                text,
            )],
            ..found
        };
    };
    let k = ready.case.policy.k();
    let least = pairs
        .iter()
        .flat_map(|(_, anonymity)| figures(anonymity))
        .map(|(_, left)| left)
        .min();
    let mut found = found.at_least(least, k);
    for (earlier, anonymity) in &pairs {
        for (attack, left) in figures(anonymity).filter(|(_, left)| *left < k) {
            let place = format!("{attack} with release {} of the chain", earlier + 1);
            let text = format!(
                "an {attack}-attack with an earlier release leaves {left} candidates, fewer than {k}"
            );
            found.reasons.push(Finding {
                value: Some(Figure::Whole(left)),
                limit: Some(Figure::Whole(k)),
                ..Finding::new(Check::Correspondence, place, text)
            });
        }
    }
    found
}

fn figures(anonymity: &Anonymity) -> impl Iterator<Item = (&'static str, u64)> {
    [
        ("F", anonymity.fa),
        ("C", anonymity.ca),
        ("B", anonymity.ba),
    ]
    .into_iter()
    .filter_map(|(attack, left)| Some((attack, left?)))
}

/// The pairs of the candidate with each earlier release; `None` if it lacks their rows or their
/// people.
fn pairs(ready: &PreparedCase<'_>, lineage: &Lineage) -> Option<Vec<(usize, Anonymity)>> {
    let (candidate, earlier) = lineage.releases.split_last()?;
    let pair = |(at, release)| {
        let cells = JoinCells::of(release, candidate, &ready.trees);
        let excess = Excess::of(&cells, release, candidate, ready.values.len()).ok()?;
        let attack = Correspondence::new(release, candidate, &cells, &excess);
        Some((at, attack.all()))
    };
    earlier.par_iter().enumerate().map(pair).collect()
}
