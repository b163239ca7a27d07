//! Taxonomies that list hardly more than the values of a sample, most of them rare: releases
//! publish all leaves of a taxonomy, so such a list may name people. Counts only; no value.

use super::answer::SampleList;
use crate::config::FeedConfig;
use crate::engine::histogram::Headcount;
use crate::engine::model::{Column, Role};

/// A list is close to the sample if it has at most this many leaves for each value of the sample.
const LEAVES_PER_VALUE: u64 = 2;
/// It may name people if more than one leaf in this many occurs once.
const RARE: u64 = 3;
/// With fewer leaves that occur once, the list is one of categories.
const FEWEST: u64 = 10;

/// The taxonomies of a feed file that may be lists of the people of a sample.
pub(super) fn find(feed: &FeedConfig, people: &Headcount) -> Vec<SampleList> {
    let trees = feed.columns.trees();
    let mut found = Vec::new();
    for (at, column) in feed.columns.of(Role::Quasi).enumerate() {
        if !feed.listed.iter().any(|name| **name == *column.name) {
            continue;
        }
        let tree = trees[at];
        let mut rows = vec![0; tree.leaves()];
        for (tuple, &leaf) in people.column(at).iter().enumerate() {
            rows[leaf as usize] += people.count(tuple);
        }
        // Leaves for missing and unknown values are no values.
        for label in [
            column.optional.then_some(Column::MISSING),
            column.unknown.as_deref(),
        ]
        .into_iter()
        .flatten()
        {
            if let Some(leaf) = tree.find_leaf(label) {
                rows[leaf as usize] = 0;
            }
        }
        let leaves = rows.len() as u64;
        let values = rows.iter().filter(|&&rows| rows > 0).count() as u64;
        let once = rows.iter().filter(|&&rows| rows == 1).count() as u64;
        if once >= FEWEST && once * RARE > leaves && leaves <= values * LEAVES_PER_VALUE {
            found.push(SampleList {
                column: column.name.to_string(),
                leaves,
                values,
                once,
            });
        }
    }
    found
}
