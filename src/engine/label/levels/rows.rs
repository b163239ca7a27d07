//! The rows that a search generalises: distinct tuples of leaves with their counts, and their
//! sensitive values if those are needed.

use crate::histogram::{Headcount, Histogram};
use crate::model::Leaf;

/// Rows, with equal ones counted together.
pub struct DistinctRows {
    /// For each column, the leaf of each entry.
    pub(super) columns: Vec<Vec<Leaf>>,
    /// The number of rows of each entry.
    pub(super) counts: Vec<u32>,
    /// The number of each entry's sensitive value; empty if values are not needed.
    pub(super) values: Vec<u32>,
    /// The number of rows.
    all: u64,
}

impl DistinctRows {
    /// From people, without their sensitive values.
    ///
    /// # Panics
    /// If there are 2^32 people or more.
    pub fn of_people(people: &Headcount) -> DistinctRows {
        let columns = (0..people.width())
            .map(|column| people.column(column).to_vec())
            .collect();
        let counts = (0..people.tuples()).map(|tuple| people.count(tuple));
        let counts = counts
            .map(|count| u32::try_from(count).expect("fewer than 2^32 people"))
            .collect();
        DistinctRows {
            columns,
            counts,
            values: Vec::new(),
            all: 0,
        }
        .counted()
    }

    /// From rows with their sensitive values, for privacy models that need them.
    ///
    /// # Panics
    /// If there are 2^32 rows or more.
    pub fn with_values(rows: &Histogram) -> DistinctRows {
        let mut found = DistinctRows {
            columns: vec![Vec::new(); rows.width()],
            counts: Vec::new(),
            values: Vec::new(),
            all: 0,
        };
        for tuple in 0..rows.tuples() {
            for cell in rows.cells_of(tuple) {
                found
                    .columns
                    .iter_mut()
                    .zip(rows.tuple_at(tuple))
                    .for_each(|(column, leaf)| column.push(leaf));
                found.counts.push(cell.count);
                found.values.push(cell.value);
            }
        }
        found.counted()
    }

    fn counted(mut self) -> DistinctRows {
        self.all = self.counts.iter().map(|&count| u64::from(count)).sum();
        assert!(u32::try_from(self.all).is_ok(), "fewer than 2^32 rows");
        assert!(
            self.columns
                .iter()
                .all(|column| column.len() == self.counts.len()),
            "a leaf of each column for each tuple"
        );
        assert!(
            self.values.is_empty() || self.values.len() == self.counts.len(),
            "a value for each tuple, or none at all"
        );
        self
    }

    /// The number of rows.
    pub fn all(&self) -> u64 {
        self.all
    }

    /// Whether the rows have sensitive values.
    pub fn have_values(&self) -> bool {
        !self.values.is_empty()
    }
}
