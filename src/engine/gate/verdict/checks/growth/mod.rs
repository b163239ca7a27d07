//! No person is lost and no person is counted twice: the release contains exactly the people of the
//! last one and the new people, with the sensitive values that were accepted, and every row that
//! was ever published in the chain; and the history that this refers to belongs to these people.
//! Two tables show exactly the leaves of their people.
//!
//! Values are compared here, so every finding stops the chain, even if it is only a number of rows.

mod history;

use super::super::check_result::{Check, CheckResult, Finding};
use super::super::comparison::PreparedCase;
use crate::histogram::{Excess, Headcount, JoinCells, Release, describe};
use crate::model::Node;

/// Judges the counts of every class and value.
pub(super) fn check(ready: &PreparedCase<'_>) -> CheckResult {
    let mut found = CheckResult {
        reasons: ready.past(),
        ..CheckResult::made(Check::Growth)
    };
    let differs = match &ready.crowds {
        Some(_) => added_difference(ready),
        None => difference(&ready.table, &ready.labelled(&ready.people)),
    };
    if let Some((nodes, meant)) = differs {
        let shown = ready.table.size_of(&nodes);
        let place = describe(&nodes, ready.case.columns);
        let text = if shown == meant {
            format!("{place} shows other sensitive values than those of its people")
        } else {
            format!("{place} shows {shown} rows, its people are {meant}")
        };
        found
            .reasons
            .push(Finding::count(Check::Growth, place, shown, meant, text));
    }
    found.reasons.extend(others(ready));
    found
        .reasons
        .extend(ready.crowds.iter().flat_map(|known| known.misfits.clone()));
    if let Some(lineage) = &ready.lineage
        && let [.., last, now] = &lineage.releases[..]
    {
        let cells = JoinCells::of(last, now, &ready.trees);
        if let Err(missing) = Excess::of(&cells, last, now, ready.values.len()) {
            let place = describe(&missing.cell, ready.case.columns);
            let text =
                format!("{place} has fewer rows of some sensitive value than the last release");
            found.reasons.push(Finding::new(Check::Growth, place, text));
        }
    }
    found
}

/// The first class in which a table shows other rows than those of these people, and the number of
/// these people.
fn difference(table: &Release, people: &Release) -> Option<(Vec<Node>, u64)> {
    people
        .first_difference(table)
        .map(|nodes| (nodes.to_vec(), people.size_of(nodes)))
}

/// In two tables the quasi columns must show the unmodified values of exactly these people.
fn others(ready: &PreparedCase<'_>) -> Option<Finding> {
    let (shown, meant) = (ready.exact.as_ref()?, ready.people.headcount());
    assert_eq!(
        ready.case.recoding.len(),
        ready.trees.len(),
        "one cut for each column"
    );
    let other = |of: &Headcount, from: &Headcount| {
        of.iter().find(|(leaves, heads)| {
            from.find(leaves)
                .is_none_or(|tuple| from.count(tuple) != u64::from(heads.count))
        })
    };
    let (leaves, _) = other(shown, &meant).or_else(|| other(&meant, shown))?;
    let nodes: Vec<Node> = ready
        .case
        .recoding
        .iter()
        .zip(leaves)
        .map(|(cut, leaf)| cut.at(leaf))
        .collect();
    let place = describe(&nodes, ready.case.columns);
    let text = format!("{place} shows other leaves than those of its people");
    Some(Finding::new(Check::Growth, place, text))
}

/// The first class in which the candidate's new rows do not match its people, and the number of its
/// people.
fn added_difference(ready: &PreparedCase<'_>) -> Option<(Vec<Node>, u64)> {
    let new = Release::from_own_labels(&ready.people);
    let nodes = ready.added().first_difference(&new)?;
    Some((nodes.to_vec(), new.size_of(nodes)))
}
