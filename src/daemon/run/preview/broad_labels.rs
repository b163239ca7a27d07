//! Columns whose taxonomy is too coarse for a sample: most of its rows share one of the finest
//! labels.

use super::answer::BroadLabel;
use crate::engine::histogram::Headcount;
use crate::engine::model::{Columns, Leaf, Role};

/// The share of the rows above which one label says too little about them.
const MOST: f64 = 0.5;

/// Finest labels that stand for several values and that more than half of these people have.
pub(super) fn find(columns: &Columns, people: &Headcount) -> Vec<BroadLabel> {
    let trees = columns.trees();
    let named = columns.of(Role::Quasi).enumerate();
    let broad = named.filter_map(|(at, column)| {
        let tree = trees[at];
        let mut rows = vec![0; tree.leaves()];
        for (tuple, &leaf) in people.column(at).iter().enumerate() {
            rows[leaf as usize] += people.count(tuple);
        }
        let (leaf, rows) = rows.into_iter().enumerate().max_by_key(|(_, rows)| *rows)?;
        let share = rows as f64 / people.rows() as f64;
        let node = tree.leaf_node(leaf as Leaf);
        let is_broad = share > MOST && tree.values(node) > 1;
        is_broad.then(|| BroadLabel {
            column: column.name.to_string(),
            label: tree.label(node).to_owned(),
            values: tree.values(node),
            share,
        })
    });
    broad.collect()
}
