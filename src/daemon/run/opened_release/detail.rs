//! How much detail the columns of a release show.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::Opened;
use crate::engine::histogram::Release;
use crate::engine::model::{Node, Role, Taxonomy};

/// Detail of a quasi column.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ColumnDetail {
    /// Its name.
    pub name: String,
    /// The mean share of the domain that a label covers: 0 if each value is published, 1 if each
    /// row shows the root.
    pub loss: f64,
    /// Rows by the size of their label, the smallest first.
    pub labels: Vec<LabelSize>,
}

/// Rows whose label stands for a given number of values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct LabelSize {
    /// The number of values.
    pub values: u64,
    /// Their share of all values of the column.
    pub share_of_domain: f64,
    /// The number of rows.
    pub rows: u64,
}

impl Opened {
    /// Detail by quasi column.
    pub fn detail(&self) -> Vec<ColumnDetail> {
        let (columns, trees) = (self.columns.of(Role::Quasi), self.columns.trees());
        let named = columns.map(|column| column.name.to_string()).enumerate();
        named
            .map(|(at, name)| detail(name, &shown(&self.tables, at), trees[at]))
            .collect()
    }
}

/// Rows by their label in a column.
fn shown(tables: &[Release], column: usize) -> BTreeMap<Node, u64> {
    let mut rows = BTreeMap::new();
    for table in tables {
        for class in 0..table.classes() {
            *rows.entry(table.class(class)[column]).or_default() += table.size(class);
        }
    }
    rows
}

fn detail(name: String, shown: &BTreeMap<Node, u64>, tree: &Taxonomy) -> ColumnDetail {
    let domain = tree.values(0);
    let (all, mut hidden, mut by_values) = (
        shown.values().sum::<u64>(),
        0u128,
        BTreeMap::<u64, u64>::new(),
    );
    for (&node, &rows) in shown {
        let values = tree.values(node);
        hidden += u128::from(values - 1) * u128::from(rows);
        *by_values.entry(values).or_default() += rows;
    }
    let loss = if domain < 2 || all == 0 {
        0.0
    } else {
        hidden as f64 / (all as f64 * (domain - 1) as f64)
    };
    let size = |(values, rows): (u64, u64)| LabelSize {
        values,
        share_of_domain: values as f64 / domain as f64,
        rows,
    };
    ColumnDetail {
        name,
        loss,
        labels: by_values.into_iter().map(size).collect(),
    }
}
