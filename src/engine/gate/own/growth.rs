//! Nobody is lost and nobody is counted twice: the release holds exactly the people of the last one and those who are new,
//! with the sensitive values that were accepted, and every row that was ever published in the chain; and the history that
//! this is said of is the one of these people. Two tables show the very leaves of their people.
//!
//! Values are compared here, so whatever is found stops the chain, even where it is only a number of rows.

use super::case::Ready;
use super::crowds;
use super::verdict::{Checked, Reason};
use crate::histogram::{Excess, Headcount, JoinCells, describe};
use crate::model::Node;

/// Judges the counts of every class and value.
pub fn check(ready: &Ready<'_>) -> Checked {
    let mut found = Checked { reasons: ready.past(), ..Checked::made("growth").secret() };
    let made = ready.labelled(&ready.everybody);
    if let Some(nodes) = made.first_difference(&ready.table) {
        let [shown, meant] = [&ready.table, &made].map(|release| release.size_of(nodes));
        let place = describe(nodes, ready.case.columns);
        let text = if shown == meant {
            format!("{place} shows other sensitive values than those of its people")
        } else {
            format!("{place} shows {shown} rows, its people are {meant}")
        };
        found.reasons.push(Reason::crowd(place, shown, meant, text));
    }
    found.reasons.extend(others(ready));
    found.reasons.extend(lost(ready));
    if crowds::judges(ready.case.policy) {
        found.reasons.extend(crowds::kept(ready));
    }
    if let Some(lineage) = &ready.lineage
        && let [.., last, now] = &lineage.releases[..]
    {
        let cells = JoinCells::of(last, now, &ready.trees);
        if let Err(missing) = Excess::of(&cells, last, now, ready.values.len()) {
            let place = describe(&missing.cell, ready.case.columns);
            let text = format!("{place} has fewer rows of some sensitive value than the last release");
            found.reasons.push(Reason::plain(place, text));
        }
    }
    found
}

/// In two tables quasi columns are shown as they are, and as they are of these very people.
fn others(ready: &Ready<'_>) -> Option<Reason> {
    let (shown, meant) = (ready.exact.as_ref()?, ready.everybody.headcount());
    let other = |of: &Headcount, from: &Headcount| {
        of.iter()
            .find(|(leaves, heads)| from.find(leaves).is_none_or(|tuple| from.count(tuple) != u64::from(heads.count)))
    };
    let (leaves, _) = other(shown, &meant).or_else(|| other(&meant, shown))?;
    let nodes: Vec<Node> = ready.case.recoding.iter().zip(leaves).map(|(cut, leaf)| cut.at(leaf)).collect();
    let place = describe(&nodes, ready.case.columns);
    let text = format!("{place} shows other leaves than those of its people");
    Some(Reason::plain(place, text))
}

/// Whoever came into the chain is in the release, waits, or is withheld.
fn lost(ready: &Ready<'_>) -> Option<Reason> {
    let census = ready.case.census?;
    let known = ready.everybody.rows() + census.waiting + ready.case.withheld;
    let text = format!("{} people came into the chain, and {known} are published, wait or are withheld", census.came);
    (known != census.came).then(|| Reason::plain("everybody so far", text))
}
