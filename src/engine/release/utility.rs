//! What a release is still worth, for the manifest and the report (SCIENCE 8): rows per published label, Loss and
//! discernibility. The gate computes the same figures from the published bytes; nothing of this file may be used there.

use std::collections::BTreeMap;

use crate::histogram::Release;
use crate::model::{Node, Taxonomy};

/// What one column shows: how many rows there are under each published label that has any.
pub struct Shown {
    rows: BTreeMap<Node, u64>,
    all: u64,
}

impl Shown {
    /// Of a quasi column.
    pub fn of(table: &Release, column: usize) -> Shown {
        let mut rows = BTreeMap::new();
        for class in 0..table.classes() {
            *rows.entry(table.class(class)[column]).or_default() += table.size(class);
        }
        Shown { rows, all: table.rows() }
    }

    /// Rows that show this very label.
    pub fn at(&self, node: Node) -> u64 {
        self.rows.get(&node).copied().unwrap_or(0)
    }

    /// Rows that show a label from `from` up to, but without, `to` in preorder.
    pub fn between(&self, from: Node, to: Node) -> u64 {
        self.rows.range(from..to).map(|(_, rows)| rows).sum()
    }

    /// All rows.
    pub fn all(&self) -> u64 {
        self.all
    }

    /// The mean, over the rows, of the share of the domain that their label hides.
    pub fn loss(&self, tree: &Taxonomy) -> f64 {
        let domain = tree.values(0);
        if domain < 2 || self.all == 0 {
            return 0.0;
        }
        let hidden = |(&node, &rows): (&Node, &u64)| u128::from(rows) * u128::from(tree.values(node) - 1);
        let hidden: u128 = self.rows.iter().map(hidden).sum();
        hidden as f64 / (self.all as f64 * (domain - 1) as f64)
    }
}

/// Loss over all columns: the geometric mean of (Loss of the column + 1), minus 1.
pub fn loss(table: &Release, trees: &[&Taxonomy]) -> f64 {
    if trees.is_empty() {
        return 0.0;
    }
    let of = |(column, tree): (usize, &&Taxonomy)| Shown::of(table, column).loss(tree) + 1.0;
    trees.iter().enumerate().map(of).product::<f64>().powf(1.0 / trees.len() as f64) - 1.0
}

/// Σ|class|² / N²; 0 without rows.
pub fn discernibility(table: &Release) -> f64 {
    let sizes: Vec<u128> = (0..table.classes()).map(|class| u128::from(table.size(class))).collect();
    let all: u128 = sizes.iter().sum();
    if all == 0 { 0.0 } else { sizes.iter().map(|size| size * size).sum::<u128>() as f64 / (all as f64).powi(2) }
}
