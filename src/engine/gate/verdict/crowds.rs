//! Chains of crowds (SCIENCE 11): rows keep their labels for ever, so that comparing releases only
//! shows a reader which rows are new. From the bytes alone the gate checks: every earlier row is
//! there unchanged, except for whole atoms that the notice of the release names; the new rows of a
//! label are none, or at least as many as an atom has; and halving can produce each label. From
//! private tables: which people are in which atom, and that the labels of their atoms cover them.
//!
//! All of it is computed from the rows that the candidate adds and from sums over the rest (HOUSE
//! 2): published files are known by their digests, and new files were compared with the earlier
//! releases when they were read.
//!
//! For an attacker who compares releases, even all of them together, the candidates of a person are
//! the new rows of the person's label: at least as many as its atoms have people.

use super::check_result::{Check, CheckResult, Figure, RejectionReason};
use super::comparison::PreparedCase;
use super::crowd_history::fewest;
use super::next_release::{NewIncrement, OlderIncrement};
use super::read_candidate::Compared;
use crate::gate::diversity::{DiversityFigures, Measures, ValueShares};
use crate::histogram::{Release, SensitiveValues, describe};
use crate::model::Node;
use crate::policy::{ChainPromise, Policy};

/// The most places that are named.
const NAMED: usize = 12;

/// Whether the people of a policy's releases are divided by a coin.
pub fn are_halved(policy: &Policy) -> bool {
    matches!(policy.chain(), ChainPromise::Crowds { .. })
}

/// Whether each release contains other people, so that no release is compared with another.
fn alone(policy: &Policy) -> bool {
    matches!(policy.chain(), ChainPromise::Crowds { alone: true, .. })
}

/// What was published, and what is new.
fn known<'r, 'a>(ready: &'r PreparedCase<'a>) -> &'r Compared<'a> {
    ready
        .crowds
        .as_ref()
        .expect("the policy asks for a chain of crowds")
}

/// The new rows of the candidate by label, as its bytes show them.
fn added<'r>(ready: &'r PreparedCase<'_>) -> &'r Release {
    &known(ready).growth.added
}

/// The reasons against the history: private tables that do not belong to the people of the
/// releases. Each release is compared separately, so that together they match the last release,
/// which contains exactly these rows.
pub fn past(ready: &PreparedCase<'_>, known: &Compared<'_>) -> Vec<RejectionReason> {
    if alone(ready.case.policy) {
        return Vec::new();
    }
    let (older, history) = (ready.case.older, &known.history);
    let of_them = |(at, older): (usize, &OlderIncrement<'_>)| {
        history.are_of(at, older.rows, &ready.case.history.values)
    };
    if older.len() == history.len() && older.iter().enumerate().all(of_them) {
        return Vec::new();
    }
    vec![RejectionReason::plain(
        "the chain",
        "its private tables do not hold the people of its releases",
    )]
}

/// The first class in which the candidate's new rows do not match its people, and the number of its
/// people.
pub fn difference(ready: &PreparedCase<'_>) -> Option<(Vec<Node>, u64)> {
    let new = Release::from_own_labels(&ready.people);
    let nodes = added(ready).first_difference(&new)?;
    Some((nodes.to_vec(), new.size_of(nodes)))
}

/// The smallest number of candidates after comparing the release with earlier ones (SCIENCE 2): the
/// rows of a label that came together.
pub fn correspondence(ready: &PreparedCase<'_>) -> CheckResult {
    if alone(ready.case.policy) {
        return CheckResult::not_made(Check::Correspondence);
    }
    let a = ready.case.policy.a();
    let new = added(ready);
    let before = known(ready).history.sums().smallest();
    let mut found = CheckResult::made(Check::Correspondence)
        .at_least(before.into_iter().chain(fewest(new)).min(), a);
    for class in (0..new.classes())
        .filter(|&class| new.size(class) < a)
        .take(NAMED)
    {
        let (place, rows) = (new.describe(class, ready.case.columns), new.size(class));
        let text = format!("{rows} rows of {place} are new, an atom has at least {a} people");
        found
            .reasons
            .push(RejectionReason::crowd(place, rows, a, text));
    }
    found
}

/// The smallest number of candidates after comparing all releases (SCIENCE 3).
pub fn chain(ready: &PreparedCase<'_>) -> CheckResult {
    if alone(ready.case.policy) {
        return CheckResult::not_made(Check::Chain);
    }
    let a = ready.case.policy.a();
    let new = added(ready);
    let ever = known(ready).history.fewest().chain(fewest(new)).min();
    let mut found = CheckResult::made(Check::Chain).at_least(ever, a);
    if ever.is_some_and(|ever| ever < a) {
        let text = format!("all releases together leave a person fewer than {a} rows");
        found
            .reasons
            .push(RejectionReason::plain("all releases", text));
    }
    found
}

/// Checks that atoms have enough people, that their labels cover them, and that the new rows are
/// theirs.
pub fn atoms(ready: &PreparedCase<'_>) -> CheckResult {
    let (a, columns) = (ready.case.policy.a(), ready.case.columns);
    let (mut smallest, mut reasons) = (None::<u64>, Vec::new());
    assert_eq!(
        ready.case.newest.len(),
        ready.atoms.len(),
        "atoms of each increment"
    );
    for (newest, people) in ready.case.newest.iter().zip(&ready.atoms) {
        let Some(carving) = newest.carving else {
            reasons.push(RejectionReason::plain(
                "data",
                "an increment has no labels of its own",
            ));
            continue;
        };
        let Some(people) = people else {
            reasons.push(RejectionReason::plain(
                "data",
                "a person is in no atom of their increment",
            ));
            continue;
        };
        assert!(
            people.classes() <= carving.classes().len(),
            "people are in atoms of the increment"
        );
        for atom in carving.classes() {
            let size = people.size_of(atom);
            smallest = Some(smallest.map_or(size, |least| least.min(size)));
            if size < a {
                let place = describe(atom, columns);
                let text = format!("the atom {place} has {size} people, it must have at least {a}");
                reasons.push(RejectionReason::crowd(place, size, a, text));
            }
        }
    }
    reasons.truncate(NAMED);
    CheckResult {
        reasons,
        ..CheckResult::made(Check::Atoms).at_least(smallest, a)
    }
}

/// The leakage of new labels (SCIENCE 11, CRA): a factor of four for each split that may have been
/// refused on the way to one.
pub fn refinement(ready: &PreparedCase<'_>) -> CheckResult {
    let policy = ready.case.policy;
    let limit = policy.refinement().max_ratio;
    let mut found = CheckResult {
        made: limit.is_some(),
        limit: limit.and_then(|limit| Figure::real(limit.get())),
        ..CheckResult::made(Check::Refinement)
    };
    let Some(division) = policy.division(&ready.trees) else {
        found.reasons.push(RejectionReason::plain(
            "data",
            "there are more combinations of values than can be counted",
        ));
        return found;
    };
    let new = added(ready);
    let labels = new.class_labels();
    let unreached = division.unreached(&labels, policy.refusals());
    for &class in unreached.iter().take(NAMED) {
        let place = new.describe(class, ready.case.columns);
        let text = format!("halving under this policy cannot produce the label {place}");
        found.reasons.push(RejectionReason::plain(place, text));
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
        found.reasons.push(RejectionReason {
            value: found.value,
            limit: found.limit,
            ..RejectionReason::plain("a label", text)
        });
    }
    found
}

/// The worst diversity of the new rows: of each label, and of each atom.
pub fn diversity(
    ready: &PreparedCase<'_>,
    measures: &Measures,
    shares: &ValueShares,
) -> Option<DiversityFigures> {
    let worst = measures.of_release(added(ready), shares);
    let of = |(newest, atoms): (&NewIncrement<'_>, &Option<Release>)| {
        let (_, maps) = SensitiveValues::union(&[&ready.values, newest.rows.values()]);
        Some(measures.of_release(&atoms.clone()?.with_values(&maps[1]), shares))
    };
    let mut all = ready.case.newest.iter().zip(&ready.atoms);
    all.try_fold(worst, |worst, of_one| Some(worst.worse(of(of_one)?)))
}
