//! The permanent record of a tick, as a sealed object (HOUSE 3): the number of rows of each value
//! per atom, and a keyed hash of each person who came.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::aggregates::Aggregates;
use super::label_texts::CourseTexts;
use super::row_columns::{LabelColumn, other};
use super::sealed_format::SealedFormat;
use crate::engine::feed::{Arrivals, Increment, TickAtoms};
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
    /// From what a tick decided, and the people who came since the previous one; `sensitive`: the
    /// number of sensitive columns.
    pub fn of(
        tick: u32,
        memory: &LabellerMemory,
        people: Vec<Person>,
        sensitive: usize,
        trees: &[&Taxonomy],
    ) -> AtomCounts {
        let no_rows = Histogram::empty(trees.len(), sensitive);
        let counts = AtomCounts {
            tick,
            standing: memory.recoding().map(|of| CourseTexts::of(of, trees)),
            course: None,
            nodes: trees
                .iter()
                .map(|tree| LabelColumn::of(std::iter::empty(), tree))
                .collect(),
            values: no_rows.values().clone(),
            codes: Vec::new(),
            counts: Vec::new(),
            people: Vec::new(),
            measures: None,
        };
        counts.with_people(people)
    }

    /// The same with these atoms, as they are published.
    #[must_use]
    pub fn with_formed(self, formed: &Increment, grain: Grain, trees: &[&Taxonomy]) -> AtomCounts {
        let rows = match grain {
            Grain::Labels => formed.labelled(trees),
            Grain::Leaves => formed.as_published().as_one(0),
        };
        let node = |column: usize, leaf: Leaf| match grain {
            Grain::Labels => leaf,
            Grain::Leaves => trees[column].leaf_node(leaf),
        };
        let cells = (0..rows.tuples()).flat_map(|tuple| {
            let cells = rows.cells_of(tuple).iter();
            cells.map(move |cell| (tuple, cell))
        });
        let column = |at: usize| {
            let nodes = cells
                .clone()
                .map(|(tuple, _)| node(at, rows.column(at)[tuple]));
            LabelColumn::of(nodes, trees[at])
        };
        let course = formed.course.as_ref();
        let measures = formed.measures.as_ref();
        AtomCounts {
            // An erasure leaves the recoding as the tick wrote it, without leaves that came since.
            course: self
                .course
                .or_else(|| course.map(|of| CourseTexts::of(of, trees))),
            nodes: (0..trees.len()).map(column).collect(),
            values: rows.values().clone(),
            codes: cells.clone().map(|(_, cell)| cell.value).collect(),
            counts: cells.clone().map(|(_, cell)| cell.count).collect(),
            measures: measures.map(|table| Aggregates::of(table, trees)),
            ..self
        }
    }

    /// The same without atoms.
    #[must_use]
    pub fn without_formed(self) -> AtomCounts {
        let nodes = self.nodes.iter().map(|column| column.only(&[])).collect();
        let (values, _) = self.values.only(&vec![false; self.values.len()]);
        AtomCounts {
            course: None,
            nodes,
            values,
            codes: Vec::new(),
            counts: Vec::new(),
            measures: None,
            ..self
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

    /// The decisions of the tick, as far as they are recorded: without waiting people.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn read(&self, grain: Grain, trees: &[&Taxonomy]) -> Result<TickAtoms> {
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
            people: Arrivals::default(),
            ledger: None,
            measures,
        };
        let standing = CourseTexts::read(self.standing.as_ref(), trees)?;
        Ok(TickAtoms {
            tick: self.tick,
            memory: standing.map_or(LabellerMemory::Nothing, LabellerMemory::Recoding),
            waiting: Arrivals::default(),
            formed: Some(formed).filter(|formed| formed.rows.rows() > 0),
        })
    }
}
