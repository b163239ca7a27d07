//! Atoms (SCIENCE 4 and 11): every atom of the new increments has at least a people, and its label
//! covers them. If there is a standing recoding, all labels of the table are its labels.
//!
//! The size of the smallest atom stays private: the rows of a label that came with one release can
//! be several atoms, and readers do not learn which.

use super::super::check_result::{Check, CheckResult, Finding};
use super::super::comparison::PreparedCase;
use crate::histogram::describe;
use crate::model::{Column, Cut, Role};

/// The most places that are named.
const NAMED: usize = 12;

/// Judges the atoms of the new increments.
pub(super) fn check(ready: &PreparedCase<'_>) -> CheckResult {
    if !ready.case.policy.has_atoms() {
        return CheckResult::not_made(Check::Atoms);
    }
    let (a, columns) = (ready.case.policy.a(), ready.case.columns);
    let (mut smallest, mut reasons) = (None::<u64>, Vec::new());
    assert_eq!(
        ready.case.newest.len(),
        ready.atoms.len(),
        "atoms of each increment"
    );
    for (newest, people) in ready.case.newest.iter().zip(&ready.atoms) {
        let Some(people) = people else {
            reasons.push(Finding::new(
                Check::Atoms,
                "data",
                "a person is in no atom of their increment",
            ));
            continue;
        };
        assert!(
            people.classes() <= newest.labels.classes().len(),
            "people are in atoms of the increment"
        );
        for atom in newest.labels.classes() {
            let size = people.size_of(atom);
            smallest = Some(smallest.map_or(size, |least| least.min(size)));
            if size < a {
                let place = describe(atom, columns);
                let text = format!("the atom {place} has {size} people, it must have at least {a}");
                reasons.push(Finding::count(Check::Atoms, place, size, a, text));
            }
        }
    }
    reasons.extend(foreign_labels(ready));
    reasons.truncate(NAMED);
    CheckResult {
        reasons,
        ..CheckResult::made(Check::Atoms).at_least(smallest, a)
    }
}

/// The columns in which a label of the table is not one of the standing recoding.
fn foreign_labels(ready: &PreparedCase<'_>) -> Vec<Finding> {
    let stated = ready.case.recoding;
    if ready.case.policy.halves() {
        return Vec::new();
    }
    if stated.len() != ready.trees.len() {
        let text = "the release has no standing recoding";
        return vec![Finding::new(Check::Atoms, "recoding", text)];
    }
    let sums = &ready.compared().growth.sums;
    let columns = ready.case.columns.of(Role::Quasi).zip(stated).enumerate();
    let foreign = columns.filter(|(at, (_, cut))| {
        let mut shown = sums.shown(*at);
        shown.any(|(node, _)| cut.nodes().binary_search(&node).is_err())
    });
    let reason = |(_, (column, _)): (usize, (&Column, &Cut))| {
        let text = "a label is not one of the recoding that the manifest states";
        Finding::new(Check::Atoms, format!("column {}", column.name), text)
    };
    foreign.map(reason).collect()
}
