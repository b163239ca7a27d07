//! Rows with their people, as in sealed objects. Leaves are stored by their labels, so that they
//! can be found in taxonomies that have grown since. They are followed by the values of measures,
//! in columns of the same form: whole numbers in units of the last decimal, and empty texts for
//! rows without a value.
//!
//! `Debug` shows only the number of rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::sealed_format::SealedFormat;
use crate::engine::histogram::{CodedRows, Person, SensitiveValues, ValueCode};
use crate::engine::model::{Leaf, Node, Taxonomy};
use crate::error::{Error, ErrorCategory, Result};
use crate::wiped_bytes::WipedBytes;

/// Rows in columns.
#[derive(Clone, Serialize, Deserialize)]
pub struct RowColumns {
    labels: Vec<LabelColumn>,
    #[serde(with = "super::value_table")]
    values: SensitiveValues,
    codes: Vec<ValueCode>,
    people: Option<Vec<[u8; 16]>>,
}

/// A column of labels.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct LabelColumn {
    known: Vec<Box<str>>,
    rows: Vec<u32>,
}

impl fmt::Debug for RowColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowColumns({} rows)", self.codes.len())
    }
}

impl LabelColumn {
    /// From nodes of a taxonomy.
    pub(super) fn of(nodes: impl Iterator<Item = Node>, tree: &Taxonomy) -> LabelColumn {
        let (mut number, mut known) = (BTreeMap::new(), Vec::new());
        let rows = nodes.map(|node| {
            *number.entry(node).or_insert_with(|| {
                known.push(tree.label(node).into());
                known.len() as u32 - 1
            })
        });
        let rows = rows.collect();
        LabelColumn { known, rows }
    }

    /// The label of a row.
    pub(super) fn text(&self, row: usize) -> &str {
        self.rows
            .get(row)
            .and_then(|&known| self.known.get(known as usize))
            .map_or("", |label| label)
    }

    /// The labels of some rows, and no others.
    pub(super) fn only(&self, rows: &[usize]) -> LabelColumn {
        let (mut number, mut known) = (BTreeMap::new(), Vec::new());
        let row = |&row: &usize| {
            *number.entry(self.text(row)).or_insert_with(|| {
                known.push(self.text(row).into());
                known.len() as u32 - 1
            })
        };
        let rows = rows.iter().map(row).collect();
        LabelColumn { known, rows }
    }

    /// The values of a measure.
    ///
    /// # Errors
    /// They are no numbers.
    fn numbers(&self) -> Result<Vec<Option<i64>>> {
        let number = |text: &str| {
            if text.is_empty() {
                Some(None)
            } else {
                text.parse().ok().map(Some)
            }
        };
        let found: Option<Vec<Option<i64>>> = self.known.iter().map(|text| number(text)).collect();
        let found = found.ok_or_else(other)?;
        self.rows
            .iter()
            .map(|&row| found.get(row as usize).copied().ok_or_else(other))
            .collect()
    }

    /// The nodes of a taxonomy with these labels.
    ///
    /// # Errors
    /// It lacks one of them.
    pub(super) fn nodes(&self, tree: &Taxonomy) -> Result<Vec<Node>> {
        let found: Option<Vec<Node>> = self.known.iter().map(|label| tree.find(label)).collect();
        let found = found.ok_or_else(other)?;
        self.rows
            .iter()
            .map(|&row| found.get(row as usize).copied().ok_or_else(other))
            .collect()
    }
}

/// A column of a measure.
fn numbers(values: &[Option<i64>]) -> LabelColumn {
    let (mut number, mut known) = (BTreeMap::new(), Vec::new());
    let rows = values.iter().map(|value| {
        *number.entry(*value).or_insert_with(|| {
            known.push(
                value
                    .map_or_else(String::new, |value| value.to_string())
                    .into(),
            );
            known.len() as u32 - 1
        })
    });
    let rows = rows.collect();
    LabelColumn { known, rows }
}

impl RowColumns {
    /// The bytes of a batch of rows, to be sealed.
    pub fn bytes(&self) -> WipedBytes {
        SealedFormat::Rows.bytes(self)
    }

    /// A batch of rows from the sealed bytes.
    ///
    /// # Errors
    /// They have another version.
    pub fn parse(bytes: &[u8]) -> Result<RowColumns> {
        SealedFormat::Rows.parse(bytes)
    }

    /// From rows.
    pub fn of(rows: &CodedRows, trees: &[&Taxonomy]) -> RowColumns {
        let column = |(at, tree): (usize, &&Taxonomy)| {
            LabelColumn::of(
                rows.column(at).iter().map(|&leaf| tree.leaf_node(leaf)),
                tree,
            )
        };
        RowColumns {
            labels: trees
                .iter()
                .enumerate()
                .map(column)
                .chain(rows.measures().iter().map(|of| numbers(of)))
                .collect(),
            values: rows.values().clone(),
            codes: rows.codes().to_vec(),
            people: rows
                .people()
                .map(|people| people.iter().map(|person| person.0.to_le_bytes()).collect()),
        }
    }

    /// The rows of other people; `None` if none of these people is among them.
    pub fn without(&self, people: &BTreeSet<Person>) -> Option<RowColumns> {
        let persons: Vec<Person> = self.people().collect();
        let stays = |row: &usize| !people.contains(&persons[*row]);
        let rows: Vec<usize> = (0..persons.len()).filter(stays).collect();
        if rows.len() == persons.len() {
            return None;
        }
        let mut used = vec![false; self.values.len()];
        rows.iter()
            .for_each(|&row| used[self.codes[row] as usize] = true);
        let (values, codes) = self.values.only(&used);
        Some(RowColumns {
            labels: self
                .labels
                .iter()
                .map(|column| column.only(&rows))
                .collect(),
            values,
            codes: rows
                .iter()
                .map(|&row| codes[self.codes[row] as usize])
                .collect(),
            people: self
                .people
                .as_ref()
                .map(|people| rows.iter().map(|&row| people[row]).collect()),
        })
    }

    /// The number of rows.
    pub fn count(&self) -> usize {
        self.codes.len()
    }

    /// The people of the rows.
    pub fn people(&self) -> impl Iterator<Item = Person> + '_ {
        self.people
            .iter()
            .flatten()
            .map(|bytes| Person(u128::from_le_bytes(*bytes)))
    }

    /// The rows.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn rows(&self, trees: &[&Taxonomy]) -> Result<CodedRows> {
        let leaves = |(labels, tree): (&LabelColumn, &&Taxonomy)| -> Result<Vec<Leaf>> {
            Ok(labels
                .nodes(tree)?
                .into_iter()
                .map(|node| tree.leaf_range(node).start)
                .collect())
        };
        let columns = self
            .labels
            .iter()
            .zip(trees)
            .map(leaves)
            .collect::<Result<Vec<_>>>()?;
        let measures = self
            .labels
            .iter()
            .skip(trees.len())
            .map(LabelColumn::numbers)
            .collect::<Result<Vec<_>>>()?;
        let sound = columns.len() == trees.len()
            && measures
                .iter()
                .all(|column| column.len() == self.codes.len())
            && columns
                .iter()
                .all(|column| column.len() == self.codes.len())
            && self
                .people
                .as_ref()
                .is_none_or(|people| people.len() == self.codes.len())
            && self
                .codes
                .iter()
                .all(|&code| (code as usize) < self.values.len());
        if !sound {
            return Err(other());
        }
        let people = self.people.is_some().then(|| self.people().collect());
        Ok(
            CodedRows::new(columns, self.values.clone(), self.codes.clone(), people)
                .with_measures(measures),
        )
    }
}

/// The error for an object that cannot be read.
pub fn other() -> Error {
    Error::new(
        ErrorCategory::Input,
        "an object of the private root was written by another version of tidegate: use that version",
    )
}
