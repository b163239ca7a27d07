//! Repairs (SCIENCE 6, gate): as soon as a tick has made a release, the feed attacks it as the gate
//! will. If classes have labels of their own, the first class that fails is dissolved, with all
//! classes that were formed together with it, and its people wait; the rest is judged again: people
//! in other classes are treated as if those had not existed, so that the rest is a release of its
//! own. A recoding that makes a small class certain becomes one step coarser for its class.
//!
//! This module uses only quasi-identifiers, and approves nothing.

use crate::engine::feed::{ClosingResult, Feed, FeedTickResult, narrow, raise};
use crate::engine::gate::refinement::{AttackedRows, JointAttack, RefinementVerdict, judge};
use crate::engine::gate::verdict::{History, against, learnt, text};
use crate::engine::histogram::describe;
use crate::engine::model::{Columns, Role};
use crate::engine::policy::{Output, Policy};
use crate::formats::Repaired;

/// Repairs the release of a tick, as often as the policy allows.
pub(in crate::feed_writer) fn repair(
    feed: &mut Feed,
    ticked: &mut FeedTickResult,
    history: &History,
    policy: &Policy,
    columns: &Columns,
) -> Vec<Repaired> {
    match &ticked.closed {
        ClosingResult::Candidate(candidate) if candidate.own_labels().is_some() => {
            carved(feed, ticked, policy, columns)
        }
        ClosingResult::Candidate(_) => coarsened(feed, ticked, history, policy, columns),
        _ => Vec::new(),
    }
}

/// Makes the recoding of a tick coarser if it makes a small class certain.
fn coarsened(
    feed: &mut Feed,
    ticked: &mut FeedTickResult,
    history: &History,
    policy: &Policy,
    columns: &Columns,
) -> Vec<Repaired> {
    let (limits, mut repairs) = (policy.refinement(), Vec::new());
    // Classes that keep their labels cannot be repaired.
    let local = policy.search().is_local();
    if local || !limits.looks_at_coarseness() || policy.output() == Output::TwoTable {
        return repairs;
    }
    let trees = columns.trees();
    while (repairs.len() as u64) < limits.max_repairs {
        let ClosingResult::Candidate(candidate) = &ticked.closed else {
            break;
        };
        let searched = candidate.searched();
        let Some(certainty) = searched.and_then(|table| learnt(policy, history, &table, &trees))
        else {
            break;
        };
        let Some(fact) = against(&certainty, policy).next() else {
            break;
        };
        let Some(column) = raise(feed, &fact.class, ticked, policy, &trees) else {
            break;
        };
        let place = describe(&fact.class, columns);
        let column = columns
            .of(Role::Quasi)
            .nth(column)
            .map(|column| column.name.to_string());
        repairs.push(Repaired {
            classes: 0,
            column,
            place,
            text: text(policy.a()),
        });
    }
    repairs
}

/// Repairs the classes of a tick.
fn carved(
    feed: &mut Feed,
    ticked: &mut FeedTickResult,
    policy: &Policy,
    columns: &Columns,
) -> Vec<Repaired> {
    let (limits, mut repairs) = (policy.refinement(), Vec::new());
    let ClosingResult::Candidate(candidate) = &ticked.closed else {
        return repairs;
    };
    let own_labels = candidate.own_labels();
    let Some(labels) = own_labels.filter(|_| limits.max_ratio.is_some()) else {
        return repairs;
    };
    let mut left: Vec<usize> = (0..labels.classes().len()).collect();
    while (repairs.len() as u64) < limits.max_repairs {
        let class = |&at: &usize| {
            (
                labels.classes()[at].as_slice(),
                candidate.table().size_of(&labels.classes()[at]),
            )
        };
        // The gate reports what cannot be judged; the same holds for the leakage of all classes
        // together, which removing a class does not reduce.
        let judged = judge(
            columns,
            left.iter().map(class),
            policy,
            (candidate.release.into(), JointAttack::Not),
        );
        let Some((place, text)) = judged.as_ref().ok().and_then(first) else {
            break;
        };
        let judged = judged.expect("a candidate was judged");
        let gone = together(&judged, place, left.len());
        if gone.len() == left.len() {
            break;
        }
        let failed = match place {
            AttackedRows::Class(at) => at,
            AttackedRows::Outliers => left.len() - 1,
        };
        let place = describe(&labels.classes()[left[failed]], columns);
        repairs.push(Repaired {
            classes: gone.len() as u64,
            column: None,
            place,
            text,
        });
        left = (0..left.len())
            .filter(|at| !gone.contains(at))
            .map(|at| left[at])
            .collect();
    }
    if !repairs.is_empty() {
        narrow(
            feed,
            |at| left.binary_search(&at).is_err(),
            ticked,
            policy,
            &columns.trees(),
        );
    }
    repairs
}

/// The first class in the order of formation with a reason against it, and the reason.
fn first(judged: &RefinementVerdict) -> Option<(AttackedRows, String)> {
    let against = judged
        .found
        .against
        .iter()
        .filter_map(|against| Some((against.target?, against)));
    against
        .min_by_key(|(place, _)| *place)
        .map(|(place, against)| (place, against.finding.text.clone()))
}

/// The classes that were formed together with one; the outliers count as the last class.
fn together(judged: &RefinementVerdict, place: AttackedRows, all: usize) -> Vec<usize> {
    let classes = judged.release.classes();
    match place {
        AttackedRows::Class(at) => (0..classes.len())
            .filter(|&other| classes[other].state == classes[at].state)
            .collect(),
        AttackedRows::Outliers => vec![all - 1],
    }
}
