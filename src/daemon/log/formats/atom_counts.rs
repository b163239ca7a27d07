//! The permanent record of a tick, as a sealed object (HOUSE 3): the number of rows of each value
//! per atom, and a keyed hash of each person who came.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::aggregates::Aggregates;
use super::label_texts::CourseTexts;
use super::row_columns::{LabelColumn, other};
use super::sealed_format::SealedFormat;
use crate::engine::feed::{FixedTick, Increment};
use crate::engine::histogram::{Cell, Histogram, Person, SensitiveValues, ValueCode};
use crate::engine::label::LabellerMemory;
use crate::engine::model::{Leaf, Node, Taxonomy};
use crate::engine::policy::Policy;
use crate::error::Result;
use crate::wiped_bytes::WipedBytes;

/// The permanent record of a tick.
#[derive(Serialize, Deserialize)]
pub struct AtomCounts {
    tick: u32,
    /// The recoding that labels all ticks; `None` until it is found, and with other labellers.
    standing: Option<CourseTexts>,
    /// The recoding whose classes the atoms are; `None` if they have labels of their own.
    course: Option<CourseTexts>,
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
    /// By atom: labels are kept for ever.
    Labels,
    /// By leaf tuple.
    Leaves,
}

impl Grain {
    /// For the labeller of a chain.
    pub fn of(policy: &Policy) -> Grain {
        if policy.has_atoms() {
            Grain::Labels
        } else {
            Grain::Leaves
        }
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
        let formed = fixed.formed.as_ref();
        let rows = match formed {
            Some(atoms) => atoms.rows.clone().as_one(0),
            None => Histogram::empty(trees.len(), fixed.waiting.values().width()),
        };
        let labels = formed.and_then(|atoms| atoms.labels.as_ref());
        let rows = match labels.filter(|_| grain == Grain::Labels) {
            Some(labels) => rows.labelled(labels, trees),
            None => rows,
        };
        let node = |column: usize, leaf: Leaf| match grain {
            Grain::Labels => leaf,
            Grain::Leaves => trees[column].leaf_node(leaf),
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
            standing: fixed.memory.recoding().map(|of| CourseTexts::of(of, trees)),
            course: formed
                .and_then(|atoms| atoms.course.as_ref())
                .map(|of| CourseTexts::of(of, trees)),
            nodes: (0..trees.len()).map(column).collect(),
            values: rows.values().clone(),
            codes: cells.iter().map(|cell| cell.value).collect(),
            counts: cells.iter().map(|cell| cell.count).collect(),
            people: people.iter().map(|person| person.0.to_le_bytes()).collect(),
            measures: formed
                .and_then(|atoms| atoms.measures.as_ref())
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
        let mut formed = self.fixed(grain, trees)?.formed;
        if let (Some(counted), Some(atoms), Grain::Leaves) = (&mut formed, fixed.formed, grain) {
            counted.labels = atoms.labels;
        }
        Ok(FixedTick { formed, ..fixed })
    }

    /// The decisions of the tick, as far as they are recorded: without waiting people.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn fixed(&self, grain: Grain, trees: &[&Taxonomy]) -> Result<FixedTick> {
        let node_of_grain = |node: Node, tree: &Taxonomy| match grain {
            Grain::Labels => node,
            Grain::Leaves => tree.leaf_range(node).start,
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
        let measures = self
            .measures
            .as_ref()
            .map(|measures| measures.table(trees))
            .transpose()?;
        let formed = Increment {
            course: CourseTexts::read(self.course.as_ref(), trees)?,
            labels: None,
            rows,
            ledger: None,
            measures,
        };
        let standing = CourseTexts::read(self.standing.as_ref(), trees)?;
        Ok(FixedTick {
            tick: self.tick,
            memory: standing.map_or(LabellerMemory::Nothing, LabellerMemory::Recoding),
            waiting: Histogram::empty(trees.len(), self.values.width()),
            formed: Some(formed).filter(|formed| formed.rows.rows() > 0),
        })
    }
}
