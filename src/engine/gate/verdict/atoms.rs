//! Atoms (SCIENCE 4): releases never distinguish people whose atoms formed together. Every atom of
//! the newest increment has at least a people, and the release splits no atom of any increment.
//!
//! The size of the smallest atom stays private: a class of the release can consist of several
//! atoms, and readers do not learn which.

use super::check_result::{Check, CheckResult, RejectionReason};
use super::comparison::PreparedCase;
use super::crowds;
use super::next_release::{NewIncrement, OlderIncrement};
use crate::histogram::{Release, Tuples, describe};
use crate::model::{Leaf, Node, Taxonomy};
use crate::policy::ChainPromise;

/// The most places that are named.
const NAMED: usize = 12;

/// Judges all atoms.
pub fn check(ready: &PreparedCase<'_>) -> CheckResult {
    if crowds::are_halved(ready.case.policy) {
        return crowds::atoms(ready);
    }
    if !matches!(ready.case.policy.chain(), ChainPromise::Blind(_)) {
        return CheckResult::not_made(Check::Atoms);
    }
    let a = ready.case.policy.a();
    let mut smallest = None;
    let mut reasons = Vec::new();
    for newest in ready.case.newest {
        for (place, people) in small(ready, newest, a, &mut smallest) {
            let text = format!("the atom {place} has {people} people, it must have at least {a}");
            reasons.push(RejectionReason::crowd(place, people, a, text));
        }
        split(ready, newest, &mut reasons);
    }
    for older in ready.case.older {
        known(ready, older, &mut reasons);
    }
    reasons.truncate(NAMED);
    CheckResult {
        reasons,
        ..CheckResult::made(Check::Atoms).at_least(smallest, a)
    }
}

/// Atoms with fewer than a people.
fn small(
    ready: &PreparedCase<'_>,
    newest: &NewIncrement<'_>,
    a: u64,
    smallest: &mut Option<u64>,
) -> Vec<(String, u64)> {
    let atoms = Release::under(newest.rows, 0..u32::MAX, newest.atoms);
    let mut found = Vec::new();
    for atom in 0..atoms.classes() {
        let people = atoms.size(atom);
        *smallest = Some(smallest.map_or(people, |least: u64| least.min(people)));
        if people < a {
            found.push((atoms.describe(atom, ready.case.columns), people));
        }
    }
    found
}

/// Atoms in which the release distinguishes two people: in some column the lowest node above all
/// its people is above the recoding's node there.
fn split(ready: &PreparedCase<'_>, newest: &NewIncrement<'_>, reasons: &mut Vec<RejectionReason>) {
    let rows = newest.rows;
    let (mut atoms, mut above) = (Tuples::new(rows.width()), Vec::<Vec<Node>>::new());
    let mut nodes = vec![0; rows.width()];
    for tuple in 0..rows.tuples() {
        let leaves: Vec<Leaf> = rows.tuple_at(tuple).collect();
        nodes
            .iter_mut()
            .zip(newest.atoms.iter().zip(&leaves))
            .for_each(|(node, (cut, &leaf))| *node = cut.at(leaf));
        let atom = atoms.number(&nodes) as usize;
        let own: Vec<Node> = ready
            .trees
            .iter()
            .zip(&leaves)
            .map(|(tree, &leaf)| tree.leaf_node(leaf))
            .collect();
        match above.get_mut(atom) {
            None => above.push(own),
            Some(above) => join(above, &own, &ready.trees),
        }
    }
    assert_eq!(
        above.len(),
        atoms.len(),
        "one label above the people of each atom"
    );
    for (atom, above) in above.iter().enumerate() {
        let held = |column: usize, node: Node| {
            let tree = ready.trees[column];
            tree.covers(
                ready.case.recoding[column].at(tree.leaf_range(node).start),
                node,
            )
        };
        if !above
            .iter()
            .enumerate()
            .all(|(column, &node)| held(column, node))
        {
            let place = describe(atoms.get(atom as u32), ready.case.columns);
            let text = format!("the release separates people of the atom {place}");
            reasons.push(RejectionReason::plain(place, text));
        }
    }
}

fn join(above: &mut [Node], own: &[Node], trees: &[&Taxonomy]) {
    for ((above, &own), tree) in above.iter_mut().zip(own).zip(trees) {
        *above = tree.common(*above, own);
    }
}

/// Increments of the history are known as far as they were published; the release must not
/// distinguish more of them.
fn known(ready: &PreparedCase<'_>, older: &OlderIncrement<'_>, reasons: &mut Vec<RejectionReason>) {
    for tuple in 0..older.rows.tuples() {
        let leaves: Vec<Leaf> = older.rows.tuple_at(tuple).collect();
        let coarser = |(column, &leaf): (usize, &Leaf)| {
            ready.case.recoding[column].at(leaf) <= older.known[column].at(leaf)
        };
        if !leaves.iter().enumerate().all(coarser) {
            let nodes: Vec<Node> = older
                .known
                .iter()
                .zip(&leaves)
                .map(|(cut, &leaf)| cut.at(leaf))
                .collect();
            let place = describe(&nodes, ready.case.columns);
            let text =
                format!("the release separates people who were published together as {place}");
            reasons.push(RejectionReason::plain(place, text));
            return;
        }
    }
}
