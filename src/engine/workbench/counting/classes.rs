//! The classes of a table as counting needs them: which cells of each column a label covers, and
//! which splits of halving were refused on the way to it. A cell is a run of leaves of a column
//! that no label and no split distinguishes.

use std::ops::Range;

use super::question::Method;
use crate::histogram::Release;
use crate::model::{Node, Taxonomy};

/// The rows of a label that were published together.
pub(super) struct CountedClass {
    /// The cells of the label in each column.
    pub cells: Vec<Range<usize>>,
    /// The first cell of the second part, in columns whose split was refused; the end of the label
    /// in all others.
    pub middle: Vec<usize>,
    /// The number of rows.
    pub rows: u64,
    /// The rows of each sensitive value.
    pub values: Vec<(usize, u64)>,
}

/// All classes of a table.
pub(super) struct CountedClasses {
    pub all: Vec<CountedClass>,
    /// For each column the first leaf of each cell, and the end of the last cell.
    pub cells: Vec<Vec<usize>>,
    /// The number of sensitive values.
    pub values: usize,
}

impl CountedClasses {
    /// The classes of tables, each of which was published as a whole.
    pub(super) fn of(tables: &[Release], trees: &[&Taxonomy], method: Method) -> CountedClasses {
        assert!(
            tables.iter().all(|table| table.width() == trees.len()),
            "one taxonomy for each column"
        );
        let refusals = match method {
            Method::Em { refusals, .. } => refusals as usize,
            Method::Uniform => 0,
        };
        let labels = || {
            tables
                .iter()
                .flat_map(|table| (0..table.classes()).map(|class| table.class(class)))
        };
        let splits: Vec<Vec<Option<usize>>> = labels()
            .map(|label| refused(label, trees, refusals))
            .collect();
        let cells: Vec<Vec<usize>> = (0..trees.len())
            .map(|column| {
                let tree = trees[column];
                let mut starts = vec![false; tree.leaves() + 1];
                (starts[0], starts[tree.leaves()]) = (true, true);
                for (label, splits) in labels().zip(&splits) {
                    let leaves = range(tree, label[column]);
                    (starts[leaves.start], starts[leaves.end]) = (true, true);
                    splits[column].iter().for_each(|&leaf| starts[leaf] = true);
                }
                (0..starts.len()).filter(|&leaf| starts[leaf]).collect()
            })
            .collect();
        let cell = |column: usize, leaf: usize| {
            cells[column]
                .binary_search(&leaf)
                .expect("cells begin where labels do")
        };
        let all_of = |(table, class): (&Release, usize), splits: &Vec<Option<usize>>| {
            let leaves = trees
                .iter()
                .zip(table.class(class))
                .map(|(tree, &node)| range(tree, node));
            let leaves: Vec<Range<usize>> = leaves.collect();
            let ends = leaves
                .iter()
                .zip(splits)
                .map(|(leaves, split)| split.unwrap_or(leaves.end));
            CountedClass {
                middle: ends
                    .enumerate()
                    .map(|(column, leaf)| cell(column, leaf))
                    .collect(),
                cells: leaves
                    .iter()
                    .enumerate()
                    .map(|(at, of)| cell(at, of.start)..cell(at, of.end))
                    .collect(),
                rows: table.size(class),
                values: table
                    .range(class)
                    .map(|at| (table.values()[at] as usize, table.counts()[at]))
                    .collect(),
            }
        };
        let classes = tables
            .iter()
            .flat_map(|table| (0..table.classes()).map(move |class| (table, class)));
        let all: Vec<CountedClass> = classes
            .zip(&splits)
            .map(|(class, splits)| all_of(class, splits))
            .collect();
        let values = all
            .iter()
            .flat_map(|class| &class.values)
            .map(|(value, _)| value + 1)
            .max()
            .unwrap_or(0);
        CountedClasses { all, cells, values }
    }
}

/// For each column the first leaf of the second part, if halving refused to split the label
/// (SCIENCE 11): splits are tried in the order of the columns' losses, and a refused one closes its
/// column. So the refused splits are those of the columns with the largest losses among the columns
/// whose node has parts, as many as halving may refuse.
fn refused(label: &[Node], trees: &[&Taxonomy], most: usize) -> Vec<Option<usize>> {
    assert_eq!(label.len(), trees.len(), "one taxonomy for each column");
    let lost = |column: usize| {
        let (tree, node) = (trees[column], label[column]);
        (
            u128::from(tree.values(node) - 1),
            u128::from(tree.values(0) - 1),
        )
    };
    let mut splits: Vec<(usize, usize)> = (0..label.len())
        .filter_map(|column| Some((column, middle(trees[column], label[column])?)))
        .filter(|_| most > 0)
        .collect();
    splits.sort_by(|(one, _), (other, _)| {
        let ((lost_one, of_one), (lost_other, of_other)) = (lost(*one), lost(*other));
        (lost_other * of_one).cmp(&(lost_one * of_other))
    });
    let mut refused = vec![None; label.len()];
    splits
        .into_iter()
        .take(most)
        .for_each(|(column, leaf)| refused[column] = Some(leaf));
    refused
}

/// The first leaf of the second part of a node; `None` if the node does not have two parts.
fn middle(tree: &Taxonomy, node: Node) -> Option<usize> {
    let parts: Vec<Node> = tree.children(tree.lowest(node)).collect();
    match parts[..] {
        [first, _] => Some(tree.leaf_range(first).end as usize),
        _ => None,
    }
}

fn range(tree: &Taxonomy, node: Node) -> Range<usize> {
    let leaves = tree.leaf_range(node);
    leaves.start as usize..leaves.end as usize
}
