//! The baseline of the minimality paper, (α,k)-anonymity by top-down local recoding, which the
//! product does not have. A class begins with all rows at the roots; the column that moves the most
//! rows to its children is specialised, rows of children that fail stay behind, and if the rows
//! that stay fail, the smallest children join them.

use std::collections::BTreeMap;

use tidegate::engine::histogram::Histogram;
use tidegate::engine::model::{Node, Taxonomy};
use tidegate::engine::safeguards::mask::EqualRows;

/// Rows with the taxonomies of their quasi columns and one guarded set of values.
pub struct Table<'a> {
    pub rows: &'a Histogram,
    pub trees: &'a [&'a Taxonomy],
    pub set: &'a [bool],
}

/// A class: its labels, its tuples and its rows.
pub struct Class {
    pub nodes: Vec<Node>,
    pub tuples: Vec<u32>,
    pub rows: u64,
}

impl Table<'_> {
    /// The people of a tuple.
    pub fn count(&self, tuple: usize) -> Count {
        self.rows
            .cells_of(tuple)
            .iter()
            .fold(Count::default(), |sum, cell| {
                let rows = u64::from(cell.count);
                sum.plus(Count {
                    rows,
                    guarded: if self.set[cell.value as usize] {
                        rows
                    } else {
                        0
                    },
                })
            })
    }

    /// The values of a class.
    pub fn values(&self, class: &Class) -> Vec<EqualRows> {
        let cells = class.tuples.iter().zip(0..).flat_map(|(&tuple, cell)| {
            let cells = self.rows.cells_of(tuple as usize).iter();
            cells.map(move |held| EqualRows {
                cell,
                value: held.value,
                rows: u64::from(held.count),
            })
        });
        cells.collect()
    }
}

/// Rows, and how many of them are in the set.
#[derive(Clone, Copy, Default)]
pub struct Count {
    pub rows: u64,
    pub guarded: u64,
}

impl Count {
    fn plus(self, other: Count) -> Count {
        Count {
            rows: self.rows + other.rows,
            guarded: self.guarded + other.guarded,
        }
    }
}

/// The requirements of classes.
struct Search<'a> {
    trees: &'a [&'a Taxonomy],
    counts: Vec<Count>,
    /// Per column, the leaf node of each tuple.
    leaves: Vec<Vec<Node>>,
    k: u64,
    share: Option<u64>,
}

/// Tuples of a child, and their count.
type Part = (Node, Vec<u32>, Count);

/// A specialisation of a class.
struct Split {
    column: usize,
    rows: u64,
    kept: Vec<Part>,
    rest: Vec<u32>,
}

/// Classes of at least k rows of which at most one in `share` is in the set; without a share, of at
/// least k rows.
pub fn alpha_k(table: &Table<'_>, k: u64, share: Option<u64>) -> Vec<Class> {
    let column = |(at, tree): (usize, &&Taxonomy)| {
        table
            .rows
            .column(at)
            .iter()
            .map(|&leaf| tree.leaf_node(leaf))
            .collect::<Vec<Node>>()
    };
    let search = Search {
        trees: table.trees,
        counts: (0..table.rows.tuples())
            .map(|tuple| table.count(tuple))
            .collect(),
        leaves: table.trees.iter().enumerate().map(column).collect(),
        k,
        share,
    };
    let mut open = vec![(
        vec![0; table.trees.len()],
        (0..table.rows.tuples() as u32).collect::<Vec<u32>>(),
    )];
    let mut classes = Vec::new();
    while let Some((nodes, tuples)) = open.pop() {
        let splits = (0..nodes.len()).filter_map(|column| search.split(&nodes, &tuples, column));
        // Among equal ones the first column.
        let best = splits.reduce(|best, next| if next.rows > best.rows { next } else { best });
        let Some(Split {
            column, kept, rest, ..
        }) = best
        else {
            classes.push(search.class(nodes, tuples));
            continue;
        };
        for (child, tuples, _) in kept {
            let mut nodes = nodes.clone();
            nodes[column] = child;
            open.push((nodes, tuples));
        }
        if !rest.is_empty() {
            classes.push(search.class(nodes, rest));
        }
    }
    classes
}

impl Search<'_> {
    fn class(&self, nodes: Vec<Node>, tuples: Vec<u32>) -> Class {
        let rows = tuples
            .iter()
            .map(|&tuple| self.counts[tuple as usize].rows)
            .sum();
        Class {
            nodes,
            tuples,
            rows,
        }
    }

    fn holds(&self, count: Count) -> bool {
        count.rows >= self.k && self.share.is_none_or(|m| count.guarded * m <= count.rows)
    }

    /// The rows of a class under the children of its node in a column; None if none can be moved.
    fn split(&self, nodes: &[Node], tuples: &[u32], column: usize) -> Option<Split> {
        let (tree, node) = (self.trees[column], nodes[column]);
        if tree.is_leaf(node) {
            return None;
        }
        let mut parts: BTreeMap<Node, (Vec<u32>, Count)> = BTreeMap::new();
        for &tuple in tuples {
            let mut child = self.leaves[column][tuple as usize];
            while let Some(above) = tree.parent(child).filter(|&above| above != node) {
                child = above;
            }
            let (tuples, count) = parts.entry(child).or_default();
            tuples.push(tuple);
            *count = count.plus(self.counts[tuple as usize]);
        }
        let parts = parts
            .into_iter()
            .map(|(child, (tuples, count))| (child, tuples, count));
        let (mut kept, failed): (Vec<Part>, Vec<Part>) =
            parts.partition(|(_, _, count)| self.holds(*count));
        kept.sort_by_key(|(child, _, count)| (std::cmp::Reverse(count.rows), *child));
        let mut left = failed
            .iter()
            .fold(Count::default(), |sum, (_, _, count)| sum.plus(*count));
        let mut rest: Vec<u32> = failed
            .into_iter()
            .flat_map(|(_, tuples, _)| tuples)
            .collect();
        while left.rows > 0 && !self.holds(left) {
            let (_, tuples, count) = kept.pop()?;
            left = left.plus(count);
            rest.extend(tuples);
        }
        let rows = kept.iter().map(|(_, _, count)| count.rows).sum();
        (rows > 0).then_some(Split {
            column,
            rows,
            kept,
            rest,
        })
    }
}
