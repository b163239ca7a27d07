//! Single rows: the rows of a source and those that wait, as long as their person matters (SCIENCE
//! 3, repeats). All computations use the counts into which rows are converted.
//!
//! `Debug` shows only the number of rows.

use std::fmt;

use rayon::prelude::*;

use super::{Cell, Histogram, SensitiveValues, Tuples, ValueCode};
use crate::{Leaf, TreeGrowth};

/// The number of rows that are counted together.
const CHUNK: usize = 1 << 16;

/// The keyed hash of a person's identifiers; nothing else of them is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Person(pub u128);

impl fmt::Debug for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Person(..)")
    }
}

/// Rows in columns: leaves of the quasi columns, a code of the sensitive tuple, the values of the
/// measures, the person.
#[derive(Clone, PartialEq, Eq)]
pub struct CodedRows {
    leaves: Vec<Vec<Leaf>>,
    values: SensitiveValues,
    codes: Vec<ValueCode>,
    /// For each measure the value of each row in units of its last decimal, if it has one.
    measures: Vec<Vec<Option<i64>>>,
    people: Option<Vec<Person>>,
}

impl fmt::Debug for CodedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows({})", self.len())
    }
}

impl CodedRows {
    /// No rows, with these numbers of quasi and sensitive columns; `known` = whether rows have a
    /// person.
    pub fn empty(quasi: usize, sensitive: usize, known: bool) -> CodedRows {
        let (values, _) = SensitiveValues::from_distinct(sensitive, Vec::new());
        let (leaves, people) = (vec![Vec::new(); quasi], known.then(Vec::new));
        CodedRows {
            leaves,
            values,
            codes: Vec::new(),
            measures: Vec::new(),
            people,
        }
    }

    /// Columns of one length: for each quasi column the leaves, the code of each row's sensitive
    /// tuple, and the people, if the feed identifies them.
    ///
    /// # Panics
    /// If the columns differ in length, or a code has no value.
    pub fn new(
        leaves: Vec<Vec<Leaf>>,
        values: SensitiveValues,
        codes: Vec<ValueCode>,
        people: Option<Vec<Person>>,
    ) -> CodedRows {
        assert!(
            codes.iter().all(|&code| (code as usize) < values.len()),
            "codes of the dictionary"
        );
        assert!(
            leaves.iter().all(|column| column.len() == codes.len()),
            "columns of one length"
        );
        assert!(
            people
                .as_ref()
                .is_none_or(|people| people.len() == codes.len()),
            "a person behind every row"
        );
        CodedRows {
            leaves,
            values,
            codes,
            measures: Vec::new(),
            people,
        }
    }

    /// The same with the values of measures: for each measure one per row, in units of its last
    /// decimal, if the row has one.
    ///
    /// # Panics
    /// If a column has another length.
    #[must_use]
    pub fn with_measures(self, measures: Vec<Vec<Option<i64>>>) -> CodedRows {
        assert!(
            measures.iter().all(|column| column.len() == self.len()),
            "columns of one length"
        );
        CodedRows { measures, ..self }
    }

    /// For each measure the value of each row in units of its last decimal, if it has one.
    pub fn measures(&self) -> &[Vec<Option<i64>>] {
        &self.measures
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Number of quasi columns.
    pub fn width(&self) -> usize {
        self.leaves.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The person of each row, if the feed identifies people.
    pub fn people(&self) -> Option<&[Person]> {
        self.people.as_deref()
    }

    /// The leaves of a quasi column, one per row.
    pub fn column(&self, column: usize) -> &[Leaf] {
        &self.leaves[column]
    }

    /// The leaves of a row, column by column.
    pub fn tuple_at(&self, row: usize) -> impl Iterator<Item = Leaf> + '_ {
        self.leaves.iter().map(move |column| column[row])
    }

    /// The dictionary of the sensitive tuples.
    pub fn values(&self) -> &SensitiveValues {
        &self.values
    }

    /// The code of each row's sensitive tuple.
    pub fn codes(&self) -> &[ValueCode] {
        &self.codes
    }

    /// The rows for which `keep` holds, in order, with a dictionary of only their values.
    #[must_use]
    pub fn only(&self, keep: impl Fn(usize) -> bool) -> CodedRows {
        let rows: Vec<usize> = (0..self.len()).filter(|&row| keep(row)).collect();
        let mut used = vec![false; self.values.len()];
        rows.iter()
            .for_each(|&row| used[self.codes[row] as usize] = true);
        let (values, code) = self.values.only(&used);
        CodedRows {
            leaves: self
                .leaves
                .iter()
                .map(|column| rows.iter().map(|&row| column[row]).collect())
                .collect(),
            values,
            codes: rows
                .iter()
                .map(|&row| code[self.codes[row] as usize])
                .collect(),
            measures: self
                .measures
                .iter()
                .map(|column| rows.iter().map(|&row| column[row]).collect())
                .collect(),
            people: self
                .people
                .as_ref()
                .map(|people| rows.iter().map(|&row| people[row]).collect()),
        }
    }

    /// These rows followed by others.
    ///
    /// # Panics
    /// If they are rows of different feeds.
    #[must_use]
    pub fn and(mut self, more: &CodedRows) -> CodedRows {
        assert_eq!(self.leaves.len(), more.leaves.len(), "rows of one feed");
        assert_eq!(
            self.people.is_some(),
            more.people.is_some(),
            "rows of one feed"
        );
        assert_eq!(self.measures.len(), more.measures.len(), "rows of one feed");
        let (values, maps) = SensitiveValues::union(&[&self.values, &more.values]);
        self.codes
            .iter_mut()
            .for_each(|code| *code = maps[0][*code as usize]);
        self.codes
            .extend(more.codes.iter().map(|&code| maps[1][code as usize]));
        self.values = values;
        self.leaves
            .iter_mut()
            .zip(&more.leaves)
            .for_each(|(column, more)| column.extend_from_slice(more));
        self.measures
            .iter_mut()
            .zip(&more.measures)
            .for_each(|(column, more)| column.extend_from_slice(more));
        if let (Some(people), Some(more)) = (&mut self.people, &more.people) {
            people.extend_from_slice(more);
        }
        self
    }

    /// Adapts the rows to taxonomies that have new leaves.
    pub fn grow(&mut self, growth: &[TreeGrowth]) {
        assert_eq!(growth.len(), self.width(), "one growth for each column");
        for (column, growth) in self.leaves.iter_mut().zip(growth) {
            for leaf in column {
                *leaf = growth.leaf(*leaf);
            }
        }
    }

    /// Counts of leaf tuple and sensitive tuple, all of one increment.
    pub fn histogram(&self, increment: u32) -> Histogram {
        let starts: Vec<usize> = (0..self.len()).step_by(CHUNK).collect();
        let part = |&start: &usize| self.count(start..(start + CHUNK).min(self.len()), increment);
        let parts: Vec<Histogram> = starts.par_iter().map(part).collect();
        let none = Histogram {
            values: self.values.clone(),
            ..Histogram::empty(self.leaves.len(), 0)
        };
        let counted = Histogram::merge_all(parts).unwrap_or(none);
        assert_eq!(
            counted.rows(),
            self.len() as u64,
            "no row is lost, and none is counted twice"
        );
        counted
    }

    fn count(&self, rows: std::ops::Range<usize>, increment: u32) -> Histogram {
        let quasi = self.leaves.len();
        let (mut keys, mut counts) = (Tuples::new(quasi + 1), Vec::<u32>::new());
        let mut key = vec![0; quasi + 1];
        for row in rows {
            key.iter_mut()
                .zip(self.tuple_at(row))
                .for_each(|(slot, leaf)| *slot = leaf);
            key[quasi] = self.codes[row];
            let number = keys.number(&key) as usize;
            counts.resize(counts.len().max(number + 1), 0);
            counts[number] += 1;
        }
        let mut counted = Histogram {
            values: self.values.clone(),
            ..Histogram::empty(quasi, 0)
        };
        let mut pool: Vec<Cell> = Vec::new();
        for tuple in keys
            .sorted()
            .chunk_by(|&a, &b| keys.get(a)[..quasi] == keys.get(b)[..quasi])
        {
            counted
                .leaves
                .iter_mut()
                .zip(keys.get(tuple[0]))
                .for_each(|(column, &leaf)| column.push(leaf));
            let cell = |&number: &u32| Cell {
                increment,
                value: keys.get(number)[quasi],
                count: counts[number as usize],
            };
            pool.clear();
            pool.extend(tuple.iter().map(cell));
            counted.push_cells(&pool);
        }
        counted
    }
}
