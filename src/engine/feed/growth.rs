//! Adapts a feed to taxonomies that have grown (CONTRACTS 1): everything that it stores is
//! renumbered. No person moves, since the new leaves have no people yet.

use std::sync::Arc;

use super::state::Feed;
use crate::histogram::Histogram;
use crate::model::{Cut, Recoding, Taxonomy, TreeGrowth};
use crate::policy::Policy;

/// Adapts the feed to taxonomies with new leaves; one growth per quasi column.
pub fn grow(feed: &mut Feed, growth: &[TreeGrowth], policy: &Policy, trees: &[&Taxonomy]) {
    assert_eq!(growth.len(), trees.len(), "one growth for each column");
    assert_eq!(feed.columns.0, trees.len(), "one taxonomy for each column");
    let recoding = |old: &[Cut]| -> Recoding {
        old.iter()
            .zip(growth)
            .zip(trees)
            .map(|((cut, growth), tree)| growth.cut(cut, tree))
            .collect()
    };
    let labels = policy.has_atoms();
    feed.new.grow(growth);
    feed.waiting.grow(growth);
    let grow = |rows: &mut Histogram, labels: bool| match labels {
        true => rows.grow_labels(growth),
        false => rows.grow(growth),
    };
    let mut whole = feed.whole().clone();
    grow(&mut whole, labels);
    feed.whole = whole.into();
    feed.memory.grow(growth, trees);
    for increment in &mut feed.unpublished {
        increment
            .course
            .iter_mut()
            .for_each(|course| course.grow(growth, trees));
        increment
            .labels
            .iter_mut()
            .for_each(|labels| labels.grow(growth));
        // Atoms of which only the counts are kept have the nodes of their labels.
        grow(&mut increment.rows, labels && increment.labels.is_none());
        increment.people.grow(growth);
        increment
            .ledger
            .iter_mut()
            .for_each(|ledger| ledger.grow(growth));
        increment
            .measures
            .iter_mut()
            .for_each(|measures| measures.grow_labels(growth));
    }
    for published in &mut feed.published {
        published.recoding = recoding(&published.recoding);
        published
            .measures
            .iter_mut()
            .for_each(|measures| Arc::make_mut(measures).grow_labels(growth));
        grow(Arc::make_mut(&mut published.rows), labels);
    }
}
