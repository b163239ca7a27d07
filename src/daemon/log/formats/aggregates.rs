//! The aggregates of measures in sealed objects, with labels by their names, so that they can be
//! found in taxonomies that have grown since.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::row_columns::{LabelColumn, other};
use crate::engine::histogram::{Cell, Histogram, SensitiveValues, ValueCode};
use crate::engine::model::{Node, Taxonomy};
use crate::error::Result;

/// The aggregates of measures: labels, and the values of each.
#[derive(Serialize, Deserialize)]
pub(super) struct Aggregates {
    nodes: Vec<LabelColumn>,
    #[serde(with = "super::value_table")]
    values: SensitiveValues,
    codes: Vec<ValueCode>,
}

impl Aggregates {
    /// From labels, with their nodes in the place of leaves.
    pub(super) fn of(table: &Histogram, trees: &[&Taxonomy]) -> Aggregates {
        let column = |at: usize| LabelColumn::of(table.column(at).iter().copied(), trees[at]);
        let codes = (0..table.tuples())
            .flat_map(|tuple| table.cells_of(tuple))
            .map(|cell| cell.value)
            .collect();
        Aggregates {
            nodes: (0..trees.len()).map(column).collect(),
            values: table.values().clone(),
            codes,
        }
    }

    /// The same labels and values.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub(super) fn table(&self, trees: &[&Taxonomy]) -> Result<Histogram> {
        let columns = self
            .nodes
            .iter()
            .zip(trees)
            .map(|(labels, tree)| labels.nodes(tree));
        let columns: Vec<Vec<Node>> = columns.collect::<Result<_>>()?;
        let is_sound = columns.len() == trees.len()
            && columns
                .iter()
                .all(|column| column.len() == self.codes.len())
            && self
                .codes
                .iter()
                .all(|&code| (code as usize) < self.values.len());
        if !is_sound {
            return Err(other());
        }
        let cells: Vec<Cell> = self
            .codes
            .iter()
            .map(|&value| Cell {
                increment: 0,
                value,
                count: 1,
            })
            .collect();
        Ok(Histogram::of_counts(&columns, self.values.clone(), &cells))
    }

    /// The aggregates without some labels.
    pub(super) fn without(&self, labels: &BTreeSet<Vec<Box<str>>>) -> Aggregates {
        let label = |at: usize| -> Vec<Box<str>> {
            self.nodes
                .iter()
                .map(|column| column.text(at).into())
                .collect()
        };
        let left: Vec<usize> = (0..self.codes.len())
            .filter(|&at| !labels.contains(&label(at)))
            .collect();
        let mut used = vec![false; self.values.len()];
        left.iter()
            .for_each(|&label| used[self.codes[label] as usize] = true);
        let (values, codes) = self.values.only(&used);
        Aggregates {
            nodes: self.nodes.iter().map(|column| column.only(&left)).collect(),
            values,
            codes: left
                .iter()
                .map(|&label| codes[self.codes[label] as usize])
                .collect(),
        }
    }
}
