//! What a release shows, from its public files.

use std::collections::BTreeMap;

use super::answer::{Column, CountFigures, LabelSize, Uniform};
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::opened_release::Opened;
use crate::engine::counting::{Countable, RandomCounts};
use crate::engine::histogram::Release;
use crate::engine::model::{Node, Role, Taxonomy};
use crate::engine::release::CheckLine;

/// The figures of a release.
#[derive(Default)]
pub struct Figures {
    /// Its rows.
    pub rows: u64,
    /// Loss of its manifest.
    pub loss: f64,
    /// Detail by column.
    pub columns: Vec<Column>,
    /// How far counts lie off.
    pub count_error: Option<CountFigures>,
    /// Classes of one sensitive value.
    pub uniform_classes: Uniform,
    /// What was checked.
    pub checks: Vec<CheckLine>,
}

impl Figures {
    /// Of a release. `place` is where a column that counts were drawn over is in it.
    pub fn of(opened: &Opened, place: impl Fn(usize) -> Option<usize>, counts: &RandomCounts) -> Result<Figures> {
        let trees = opened.columns.trees();
        let names = opened.columns.of(Role::Quasi).map(|column| column.name.to_string());
        let column = |(at, name): (usize, String)| column(name, &shown(&opened.tables, at), trees[at]);
        let countable = Countable::learn(&opened.tables, &trees, opened.method());
        let too_many = |error| Error::new(Kind::Internal, format!("{error}"));
        let error = counts.error(&countable, opened.values.len(), place).map_err(too_many)?;
        Ok(Figures {
            rows: opened.manifest.rows,
            loss: opened.manifest.loss,
            columns: names.enumerate().map(column).collect(),
            count_error: error.map(|error| CountFigures { mean: error.mean, median: error.median }),
            uniform_classes: uniform(&opened.tables),
            checks: opened.manifest.checks.clone(),
        })
    }
}

impl Figures {
    /// Loss of some of the columns.
    pub fn loss_of<'n>(&self, names: impl Iterator<Item = &'n String>) -> f64 {
        let (mut product, mut number) = (1.0, 0u32);
        for column in names.filter_map(|name| self.columns.iter().find(|column| column.name == *name)) {
            product *= column.loss + 1.0;
            number += 1;
        }
        if number == 0 { 0.0 } else { product.powf(1.0 / f64::from(number)) - 1.0 }
    }
}

/// Rows by the label that they show in a column.
fn shown(tables: &[Release], column: usize) -> BTreeMap<Node, u64> {
    let mut rows = BTreeMap::new();
    for table in tables {
        for class in 0..table.classes() {
            *rows.entry(table.class(class)[column]).or_default() += table.size(class);
        }
    }
    rows
}

fn column(name: String, shown: &BTreeMap<Node, u64>, tree: &Taxonomy) -> Column {
    let domain = tree.values(0);
    let (all, mut hidden, mut by_values) = (shown.values().sum::<u64>(), 0u128, BTreeMap::<u64, u64>::new());
    for (&node, &rows) in shown {
        let values = tree.values(node);
        hidden += u128::from(values - 1) * u128::from(rows);
        *by_values.entry(values).or_default() += rows;
    }
    let loss = if domain < 2 || all == 0 { 0.0 } else { hidden as f64 / (all as f64 * (domain - 1) as f64) };
    let size = |(values, rows): (u64, u64)| LabelSize { values, share_of_domain: values as f64 / domain as f64, rows };
    Column { name, loss, labels: by_values.into_iter().map(size).collect() }
}

/// Classes in which all rows have the same sensitive values.
fn uniform(tables: &[Release]) -> Uniform {
    let (mut rows, mut all) = (0, 0);
    for table in tables {
        all += table.rows();
        let one = (0..table.classes()).filter(|&class| table.range(class).len() == 1);
        rows += one.map(|class| table.size(class)).sum::<u64>();
    }
    Uniform { rows, share: if all == 0 { 0.0 } else { rows as f64 / all as f64 } }
}
