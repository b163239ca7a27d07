//! The utility of a release, for the manifest and the report (SCIENCE 8): rows per published label,
//! Loss and discernibility. The gate computes the same figures from the published bytes; it must
//! not use this file.

use std::collections::BTreeMap;

use super::overview::Overview;
use crate::model::{Node, Taxonomy};

/// The number of rows of each label in one column, for labels with rows.
pub(crate) struct LabelCounts {
    rows: BTreeMap<Node, u64>,
    all: u64,
}

impl LabelCounts {
    /// For a quasi column.
    pub(crate) fn of(table: &Overview<'_>, column: usize) -> LabelCounts {
        let counts = LabelCounts {
            rows: table.sums.shown(column).collect(),
            all: table.sums.rows(),
        };
        assert!(
            counts.rows.values().sum::<u64>() == counts.all,
            "each row has one label of a column"
        );
        counts
    }

    /// The number of rows that show exactly this label.
    pub(crate) fn at(&self, node: Node) -> u64 {
        self.rows.get(&node).copied().unwrap_or(0)
    }

    /// The number of rows that show a label from `from` up to, but without, `to` in preorder.
    pub(crate) fn between(&self, from: Node, to: Node) -> u64 {
        assert!(from <= to, "a range of nodes");
        self.rows.range(from..to).map(|(_, rows)| rows).sum()
    }

    /// The number of rows.
    pub(crate) fn all(&self) -> u64 {
        self.all
    }

    /// The mean, over the rows, of the share of the domain that their label hides.
    pub(crate) fn loss(&self, tree: &Taxonomy) -> f64 {
        let domain = tree.values(0);
        if domain < 2 || self.all == 0 {
            return 0.0;
        }
        let hidden =
            |(&node, &rows): (&Node, &u64)| u128::from(rows) * u128::from(tree.values(node) - 1);
        let hidden: u128 = self.rows.iter().map(hidden).sum();
        assert!(
            hidden <= u128::from(self.all) * u128::from(domain - 1),
            "a label hides no more than the root"
        );
        hidden as f64 / (self.all as f64 * (domain - 1) as f64)
    }
}

/// Loss over all columns: the geometric mean of (Loss of the column + 1), minus 1.
pub(crate) fn loss(table: &Overview<'_>, trees: &[&Taxonomy]) -> f64 {
    if trees.is_empty() {
        return 0.0;
    }
    let of = |(column, tree): (usize, &&Taxonomy)| LabelCounts::of(table, column).loss(tree) + 1.0;
    trees
        .iter()
        .enumerate()
        .map(of)
        .product::<f64>()
        .powf(1.0 / trees.len() as f64)
        - 1.0
}

/// Σ|class|² / N²; 0 without rows.
pub(crate) fn discernibility(table: &Overview<'_>) -> f64 {
    let (sizes, all) = (table.sums.sizes(), table.sums.rows());
    let squares: u128 = sizes
        .map(|(size, classes)| u128::from(size).pow(2) * u128::from(classes))
        .sum();
    assert!(
        squares <= u128::from(all).pow(2),
        "one class at most holds all rows"
    );
    if all == 0 {
        0.0
    } else {
        squares as f64 / (all as f64).powi(2)
    }
}
