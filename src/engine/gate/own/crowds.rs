//! Chains of crowds (SCIENCE 11): rows keep their label for ever, so that all a reader can compute by comparing releases is which rows
//! are new. From the bytes alone: every earlier row is there unchanged, but for whole atoms that the notice of the release names; the
//! new rows of a label are none or an atom's at least, and halving comes to each label. From private tables: which people are in which atom, and that the labels of their atoms hold them.
//!
//! An attacker who compares releases, all of them together, has the new rows of a label for everybody who is in one of them: no
//! fewer than its atoms have people.

use super::case::{Newest, Ready};
use super::crowd_history::fewest;
use super::verdict::{Checked, Figure, Reason};
use crate::gate::diversity::{Diversity, Measures, Shares};
use crate::histogram::{Release, Values, describe};
use crate::model::Leaf;
use crate::policy::{Chain, Policy};

/// Places that are named at most.
const NAMED: usize = 12;

/// Whether a policy asks for a chain of crowds.
pub fn judges(policy: &Policy) -> bool {
    matches!(policy.chain(), Chain::Crowds { .. })
}

/// The last release without the atoms that the candidate leaves out, on the dictionary of the candidate.
fn last(ready: &Ready<'_>) -> Option<Release> {
    let (shown, values) = ready.crowds();
    let (_, maps) = Values::union(&[&ready.values, values]);
    shown.newest().map(|newest| newest.clone().with_values(&maps[1]))
}

/// What is new in the candidate, label by label, as its bytes tell; `None` if it does not hold the release before it.
fn added(ready: &Ready<'_>) -> Option<Release> {
    last(ready).map_or_else(|| Some(ready.table.clone()), |last| ready.table.without(&last))
}

/// What speaks against the history: private tables that are not of the people of the releases.
pub fn past(ready: &Ready<'_>) -> Vec<Reason> {
    let (case, mut reasons) = (ready.case, Vec::new());
    let (shown, values) = ready.crowds();
    let (_, maps) = Values::union(&[values, case.before.values()]);
    let before = Release::from_own_labels(&case.before.clone().as_one(0)).with_values(&maps[1]);
    let newest = shown.newest().map(|newest| newest.clone().with_values(&maps[0]));
    let same = newest.map_or(before.rows() == 0, |newest| newest.first_difference(&before).is_none());
    if !same {
        let text = "those who are said to be published are not the people of the last release";
        reasons.push(Reason::plain("everybody so far", text));
    }
    let older = case.older.iter().map(|older| older.rows.rows());
    if !shown.rows().eq(older) {
        let text = "its private tables are not of the people whom its releases show";
        reasons.push(Reason::plain("the chain", text));
    }
    reasons
}

/// Every row of the release before is there unchanged; nothing else of a release that lost one is judged.
pub fn kept(ready: &Ready<'_>) -> Option<Reason> {
    let text = "a row of the release before is missing, or has another label or sensitive value";
    added(ready).is_none().then(|| Reason::plain("the whole release", text))
}

/// What comparing the release with earlier ones leaves of anybody (SCIENCE 2): the rows of a label that came together.
pub fn correspondence(ready: &Ready<'_>) -> Checked {
    let a = ready.case.policy.a();
    let Some(new) = added(ready) else { return lost("correspondence") };
    let (shown, _) = ready.crowds();
    let before = shown.newest().and_then(fewest);
    let mut found = Checked::made("correspondence").secret().at_least(before.into_iter().chain(fewest(&new)).min(), a);
    for class in (0..new.classes()).filter(|&class| new.size(class) < a).take(NAMED) {
        let (place, rows) = (new.describe(class, ready.case.columns), new.size(class));
        let text = format!("{rows} rows of {place} are new, an atom has at least {a} people");
        found.reasons.push(Reason::crowd(place, rows, a, text));
    }
    found
}

/// What comparing all releases leaves of anybody (SCIENCE 3).
pub fn chain(ready: &Ready<'_>) -> Checked {
    let a = ready.case.policy.a();
    let Some(new) = added(ready) else { return lost("chain") };
    let (shown, _) = ready.crowds();
    let ever = shown.fewest().chain(fewest(&new)).min();
    let mut found = Checked::made("chain").secret().at_least(ever, a);
    if ever.is_some_and(|ever| ever < a) {
        let text = format!("all releases together leave somebody fewer than {a} rows");
        found.reasons.push(Reason::plain("all releases", text));
    }
    found
}

/// A release that lost rows is not compared.
fn lost(check: &str) -> Checked {
    let text = "the release does not hold the one before it, so nothing shows that both are safe";
    Checked { reasons: vec![Reason::plain("all releases", text)], ..Checked::not_made(check).secret() }
}

/// Atoms have enough people, their labels hold them, and the new rows are theirs.
pub fn atoms(ready: &Ready<'_>) -> Checked {
    let (a, columns) = (ready.case.policy.a(), ready.case.columns);
    let (mut smallest, mut reasons) = (None::<u64>, Vec::new());
    for newest in ready.case.newest {
        let Some(carving) = newest.carving else {
            reasons.push(Reason::plain("data", "an increment has no labels of its own"));
            continue;
        };
        let finder = carving.finder(&ready.trees);
        let held = (0..newest.rows.tuples()).all(|tuple| {
            let leaves: Vec<Leaf> = newest.rows.tuple_at(tuple).collect();
            finder.class(&leaves).is_some()
        });
        if !held {
            reasons.push(Reason::plain("data", "somebody is in no atom of their increment"));
            continue;
        }
        let people = Release::carved(newest.rows, 0..u32::MAX, carving, &ready.trees);
        for atom in carving.classes() {
            let size = people.size_of(atom);
            smallest = Some(smallest.map_or(size, |least| least.min(size)));
            if size < a {
                let place = describe(atom, columns);
                let text = format!("the atom {place} holds {size} people, it must hold at least {a}");
                reasons.push(Reason::crowd(place, size, a, text));
            }
        }
    }
    reasons.truncate(NAMED);
    Checked { reasons, ..Checked::made("atoms").private().at_least(smallest, a) }
}

/// What new labels tell (SCIENCE 11, CRA): a factor of four for each split that may have been refused on the way to one.
pub fn refinement(ready: &Ready<'_>) -> Checked {
    let policy = ready.case.policy;
    let limit = policy.refinement().max_ratio;
    let mut found = Checked {
        made: limit.is_some(),
        limit: limit.and_then(|limit| Figure::real(limit.get())),
        ..Checked::made("refinement")
    };
    let Some(division) = policy.division(&ready.trees) else {
        found.reasons.push(Reason::plain("data", "there are more combinations of values than can be counted"));
        return found;
    };
    let Some(new) = added(ready) else {
        found.reasons.push(Reason::plain("all releases", "what is new cannot be told, so nothing shows what it tells"));
        return found;
    };
    let mut most: Option<u32> = None;
    for class in 0..new.classes() {
        match division.refused(new.class(class), policy.refusals()) {
            Some(refused) => most = most.max(Some(refused)),
            None => {
                let place = new.describe(class, ready.case.columns);
                let text = format!("halving by this policy does not come to the label {place}");
                found.reasons.push(Reason::plain(place, text));
            }
        }
    }
    found.reasons.truncate(NAMED);
    let figure = most.map(|refused| 4f64.powi(refused as i32));
    found.value = figure.and_then(Figure::real).filter(|_| found.made);
    if let (Some(figure), Some(limit)) = (figure, limit.map(|limit| limit.get()))
        && figure > limit
    {
        let text =
            format!("a label moves the odds of where a person lies by {figure}, the policy wants at most {limit}");
        found.reasons.push(Reason { value: found.value, limit: found.limit, ..Reason::plain("a label", text) });
    }
    found
}

/// The worst of the sensitive values of what is new: of each label, and of each atom.
pub fn diversity(ready: &Ready<'_>, measures: &Measures, shares: &Shares) -> Option<Diversity> {
    let worst = measures.of_release(&added(ready)?, shares);
    let of = |newest: &Newest<'_>| {
        let people = newest.rows.clone().as_one(0).labelled(newest.carving?, &ready.trees);
        let (_, maps) = Values::union(&[&ready.values, people.values()]);
        Some(measures.of_release(&Release::from_own_labels(&people).with_values(&maps[1]), shares))
    };
    ready.case.newest.iter().try_fold(worst, |worst, newest| Some(worst.worse(of(newest)?)))
}
