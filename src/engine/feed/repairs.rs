//! Repairs of a tick before anything of it is fixed (SCIENCE 6, gate: repair), because readers could
//! exclude people from a class or would know that a class is small: some classes are dissolved, or
//! the recoding becomes one step coarser.
//!
//! No line of this file may look at a sensitive value.

use super::atoms::measures_of_atoms;
use super::parts::{ClosingResult, FeedTickResult};
use super::state::Feed;
use crate::label::{Course, LabellerMemory, RecodedPeople, Recoder, RecodingStep, full_classes};
use crate::model::{Carving, Leaf, Node, Taxonomy};
use crate::policy::{LabellerName, Policy};

/// Dissolves some classes of the last tick, by number; their people wait.
///
/// # Panics
/// If the last tick formed no classes, or no class would remain.
pub fn narrow(
    feed: &mut Feed,
    gone: impl Fn(usize) -> bool + Sync,
    ticked: &mut FeedTickResult,
    policy: &Policy,
    trees: &[&Taxonomy],
) {
    let [increment] = &mut feed.unpublished[..] else {
        panic!("one tick formed classes")
    };
    let labels = increment.labels.take().expect("the rows are kept");
    let finder = labels.finder(trees);
    // A class that was formed later may contain the labels of a person of a dissolved class.
    let stays = |tuple: &[Leaf]| finder.class(tuple).is_some_and(|(at, _)| !gone(at));
    let [rows, _] = increment.rows.divide(|tuple, _| stays(tuple));
    let [people, waiting] = increment.people.divide(stays);
    assert!(rows.rows() > 0, "a release has people");
    increment.measures = measures_of_atoms(&people, &finder, policy);
    increment.labels = Some(labels.without(&gone));
    (increment.rows, increment.people) = (rows, people);
    feed.waiting.append(waiting);
    propose_again(feed, ticked, policy, trees);
}

/// Makes the recoding of the last tick coarser for a class and forms its atoms again. Returns
/// the column of the step; returns `None` and changes nothing if no coarser recoding exists,
/// the recoding is that of an earlier tick, or the paper's algorithm decides.
///
/// # Panics
/// If the tick formed no atoms of one recoding.
pub fn raise(
    feed: &mut Feed,
    class: &[Node],
    ticked: &mut FeedTickResult,
    policy: &Policy,
    trees: &[&Taxonomy],
) -> Option<usize> {
    assert_eq!(class.len(), trees.len(), "one label for each column");
    let stands = policy.has_standing_recoding();
    let is_old = stands && ticked.step != Some(RecodingStep::First);
    if is_old || policy.labeller() == LabellerName::Bcf {
        return None;
    }
    let formed = feed.unpublished.last().expect("atoms formed");
    let course = formed.course.as_ref().expect("atoms of one recoding");
    // The people without a class have no part in the choice, except that those of the first
    // tick of a chain will be labelled by it.
    let pool = feed.waiting_counts().merge(&formed.rows);
    let chosen_for = if stands { &pool } else { &formed.rows };
    let classes = RecodedPeople::of(&chosen_for.headcount(), course.cut());
    let mut people = Vec::with_capacity(classes.people.len());
    for (at, &rows) in classes.people.iter().enumerate() {
        people.push((classes.classes.get(at as u32).to_vec(), rows));
    }
    let recoder = Recoder::of(policy, trees);
    let (column, recoding) = recoder.raise(people, course.cut(), class, trees)?;
    let course = Course::new(recoding, course.steps().to_vec(), trees);
    let labels = full_classes(&pool.headcount(), course.cut(), policy.a());
    if stands {
        feed.memory = LabellerMemory::Recoding(course.clone());
    }
    let formed = feed.unpublished.pop().expect("atoms formed");
    feed.waiting.append(formed.people);
    feed.form(&pool, Some(course), Carving::new(labels), policy, trees);
    propose_again(feed, ticked, policy, trees);
    Some(column)
}

fn propose_again(feed: &Feed, ticked: &mut FeedTickResult, policy: &Policy, trees: &[&Taxonomy]) {
    let formed = feed.unpublished.last().expect("atoms formed");
    ticked.added = formed.rows.rows();
    ticked.closed = ClosingResult::Candidate(Box::new(feed.propose(policy, trees)));
}
