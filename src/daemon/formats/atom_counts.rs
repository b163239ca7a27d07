//! The permanent record of a tick, as a sealed object (HOUSE 3): the number of rows of each value
//! per atom, and a keyed hash of each person who came.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::aggregates::Aggregates;
use super::label_texts::{Cuts, Steps, labels, recoding, steps};
use super::row_columns::{LabelColumn, other};
use super::sealed_format::SealedFormat;
use crate::daemon::error::Result;
use crate::daemon::wiped_bytes::WipedBytes;
use crate::engine::feed::FixedTick;
use crate::engine::histogram::{Cell, Histogram, Person, SensitiveValues, ValueCode};
use crate::engine::model::{Leaf, Node, Taxonomy};
use crate::engine::policy::{ChainPromise, Policy};

/// The permanent record of a tick.
#[derive(Serialize, Deserialize)]
pub struct AtomCounts {
    tick: u32,
    cut: Option<Cuts>,
    steps: Steps,
    proposed: Option<Cuts>,
    /// Classes of the cut, or leaves.
    nodes: Vec<LabelColumn>,
    #[serde(with = "super::value_table")]
    values: SensitiveValues,
    codes: Vec<ValueCode>,
    counts: Vec<u32>,
    /// Hashes in sorted order, so that they do not show which row is whose.
    people: Vec<[u8; 16]>,
    /// The aggregates of measures, by label; `None` if there are no measures.
    measures: Option<Aggregates>,
}

/// How finely the new people of a release are distinguished for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    /// By atom, each with a label of its own.
    Labels,
    /// People in atoms by leaf tuple.
    Leaves,
    /// The people who wait, by leaf tuple.
    Waiting,
}

impl Grain {
    /// For the promise of a chain.
    pub fn of(policy: &Policy) -> Grain {
        match policy.chain() {
            ChainPromise::Atoms { .. } => Grain::Labels,
            ChainPromise::Disjoint { .. } if policy.forms() => Grain::Leaves,
            ChainPromise::Bcf | ChainPromise::Disjoint { .. } => Grain::Waiting,
        }
    }

    /// Whether a tick decides who is published.
    fn forms(self) -> bool {
        self != Grain::Waiting
    }
}

impl AtomCounts {
    /// From the decisions of a tick and the people who came since the previous one.
    pub fn of(
        fixed: &FixedTick,
        grain: Grain,
        mut people: Vec<Person>,
        trees: &[&Taxonomy],
    ) -> AtomCounts {
        people.sort_unstable();
        let none = Histogram::empty(trees.len(), fixed.waiting.values().width());
        let rows = match (grain, &fixed.formed, &fixed.carving) {
            (Grain::Labels, Some(formed), Some(carving)) => {
                formed.clone().as_one(0).labelled(carving, trees)
            }
            (Grain::Labels | Grain::Leaves, Some(formed), _) => formed.clone().as_one(0),
            (Grain::Waiting, None, _) if fixed.proposed.is_some() => {
                fixed.waiting.clone().as_one(0)
            }
            _ => none,
        };
        let node = |column: usize, leaf: Leaf| match grain {
            Grain::Labels => leaf,
            Grain::Leaves | Grain::Waiting => trees[column].leaf_node(leaf),
        };
        let tuples: Vec<usize> = (0..rows.tuples())
            .flat_map(|tuple| rows.cells_of(tuple).iter().map(move |_| tuple))
            .collect();
        let cells: Vec<Cell> = (0..rows.tuples())
            .flat_map(|tuple| rows.cells_of(tuple).to_vec())
            .collect();
        let column = |at: usize| {
            LabelColumn::of(
                tuples.iter().map(|&tuple| node(at, rows.column(at)[tuple])),
                trees[at],
            )
        };
        AtomCounts {
            tick: fixed.tick,
            cut: fixed.cut.as_ref().map(|cut| labels(cut, trees)),
            steps: fixed
                .steps
                .iter()
                .map(|&(column, node)| (column, trees[column].label(node).into()))
                .collect(),
            proposed: fixed.proposed.as_ref().map(|cut| labels(cut, trees)),
            nodes: (0..trees.len()).map(column).collect(),
            values: rows.values().clone(),
            codes: cells.iter().map(|cell| cell.value).collect(),
            counts: cells.iter().map(|cell| cell.count).collect(),
            people: people.iter().map(|person| person.0.to_le_bytes()).collect(),
            measures: fixed
                .measures
                .as_ref()
                .map(|table| Aggregates::of(table, trees)),
        }
    }

    /// The bytes to be sealed.
    pub fn bytes(&self) -> WipedBytes {
        SealedFormat::AtomCounts.bytes(self)
    }

    /// From the sealed bytes.
    ///
    /// # Errors
    /// They have another version.
    pub fn parse(bytes: &[u8]) -> Result<AtomCounts> {
        SealedFormat::AtomCounts.parse(bytes)
    }

    /// The same for a tick in which these people came.
    #[must_use]
    pub fn with_people(mut self, mut people: Vec<Person>) -> AtomCounts {
        people.sort_unstable();
        self.people = people.iter().map(|person| person.0.to_le_bytes()).collect();
        self
    }

    /// The same without the rows of these labels, and without values that no other row has.
    #[must_use]
    pub fn without_labels(mut self, labels: &BTreeSet<Vec<Box<str>>>) -> AtomCounts {
        let label = |cell: usize| -> Vec<Box<str>> {
            self.nodes
                .iter()
                .map(|column| column.text(cell).into())
                .collect()
        };
        let left: Vec<usize> = (0..self.counts.len())
            .filter(|&cell| !labels.contains(&label(cell)))
            .collect();
        let mut used = vec![false; self.values.len()];
        left.iter()
            .for_each(|&cell| used[self.codes[cell] as usize] = true);
        let (values, codes) = self.values.only(&used);
        self.nodes = self.nodes.iter().map(|column| column.only(&left)).collect();
        self.codes = left
            .iter()
            .map(|&cell| codes[self.codes[cell] as usize])
            .collect();
        self.counts = left.iter().map(|&cell| self.counts[cell]).collect();
        self.values = values;
        self.measures = self.measures.map(|measures| measures.without(labels));
        self
    }

    /// The people who came.
    pub fn people(&self) -> impl Iterator<Item = Person> + '_ {
        self.people
            .iter()
            .map(|bytes| Person(u128::from_le_bytes(*bytes)))
    }

    /// The decisions of a tick, with its atoms from this record.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn completed(
        &self,
        fixed: FixedTick,
        grain: Grain,
        trees: &[&Taxonomy],
    ) -> Result<FixedTick> {
        let counted = self.fixed(grain, trees)?;
        let carving = fixed.carving.filter(|_| grain != Grain::Labels);
        let fixed = FixedTick {
            carving,
            measures: counted.measures,
            ..fixed
        };
        Ok(match grain.forms() {
            true => FixedTick {
                formed: counted.formed,
                ..fixed
            },
            false => FixedTick {
                waiting: counted.waiting,
                ..fixed
            },
        })
    }

    /// The decisions of the tick, as far as they are recorded: without waiting people, except where the rows of a release are those of the people who waited.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn fixed(&self, grain: Grain, trees: &[&Taxonomy]) -> Result<FixedTick> {
        let node_of_grain = |node: Node, tree: &Taxonomy| match grain {
            Grain::Labels => node,
            _ => tree.leaf_range(node).start,
        };
        let columns = self.nodes.iter().zip(trees).map(|(labels, tree)| {
            Ok(labels
                .nodes(tree)?
                .into_iter()
                .map(|node| node_of_grain(node, tree))
                .collect())
        });
        let columns: Vec<Vec<Leaf>> = columns.collect::<Result<_>>()?;
        let sound = columns.len() == trees.len()
            && columns
                .iter()
                .all(|column| column.len() == self.counts.len())
            && self.codes.len() == self.counts.len();
        if !sound {
            return Err(other());
        }
        let cells = self.codes.iter().zip(&self.counts);
        let cells: Vec<Cell> = cells
            .map(|(&value, &count)| Cell {
                increment: 0,
                value,
                count,
            })
            .collect();
        if cells
            .iter()
            .any(|cell| cell.value as usize >= self.values.len())
        {
            return Err(other());
        }
        let rows = Histogram::of_counts(&columns, self.values.clone(), &cells);
        let none = Histogram::empty(trees.len(), self.values.width());
        let (formed, waiting) = if grain.forms() {
            (Some(rows), none.clone())
        } else {
            (None, rows)
        };
        Ok(FixedTick {
            tick: self.tick,
            cut: recoding(self.cut.as_ref(), trees)?,
            steps: steps(&self.steps, trees)?,
            waiting,
            formed: formed.filter(|formed| formed.rows() > 0),
            proposed: recoding(self.proposed.as_ref(), trees)?,
            carving: None,
            turns: None,
            measures: self
                .measures
                .as_ref()
                .map(|measures| measures.table(trees))
                .transpose()?,
        })
    }
}
