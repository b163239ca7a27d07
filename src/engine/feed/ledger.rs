//! The rows of an increment that are published with another value than their own (SCIENCE 5, MASK
//! inside a chain), fixed once and for ever. As secret as the values, and deleted with the rows.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::histogram::{Cell, Histogram, SensitiveValues, ValueCode};
use crate::model::{Leaf, TreeGrowth};

/// Equal rows, and the value that is published for them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChangedRows {
    /// Their leaves.
    pub leaves: Vec<Leaf>,
    /// The tick of their arrival.
    pub since: u32,
    /// Their own value.
    pub from: ValueCode,
    /// The published value.
    pub to: ValueCode,
    /// The number of rows.
    pub rows: u32,
}

/// All changed rows of an increment.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// The dictionary of the codes.
    pub values: SensitiveValues,
    /// The rows, in order.
    pub changed: Vec<ChangedRows>,
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ledger({} lines)", self.changed.len())
    }
}

impl Ledger {
    /// The rows as they are published.
    ///
    /// Lines about people who were removed since, with all other people of their atom, match no
    /// row.
    ///
    /// # Panics
    /// If the ledger does not belong to these rows.
    pub fn applied(&self, rows: &Histogram) -> Histogram {
        let mut lines: BTreeMap<&[Leaf], Vec<&ChangedRows>> = BTreeMap::new();
        self.changed
            .iter()
            .for_each(|line| lines.entry(&line.leaves).or_default().push(line));
        let [touched, rest] = rows.divide(|leaves, _| lines.contains_key(leaves));
        if touched.rows() == 0 {
            return rest;
        }
        let (values, maps) = SensitiveValues::union(&[touched.values(), &self.values]);
        let touched = touched.with_values(&values, &maps[0]);
        let mut columns = vec![Vec::new(); rows.width()];
        let mut cells = Vec::new();
        for tuple in 0..touched.tuples() {
            let leaves: Vec<Leaf> = touched.tuple_at(tuple).collect();
            let mut counts: BTreeMap<(u32, ValueCode), u32> = BTreeMap::new();
            for cell in touched.cells_of(tuple) {
                counts.insert((cell.increment, cell.value), cell.count);
            }
            for line in &lines[leaves.as_slice()] {
                let [from, to] = [line.from, line.to].map(|code| maps[1][code as usize]);
                let held = counts
                    .get_mut(&(line.since, from))
                    .expect("a line is of rows that there are");
                *held = held
                    .checked_sub(line.rows)
                    .expect("a line is of no more rows than there are");
                *counts.entry((line.since, to)).or_default() += line.rows;
            }
            for ((increment, value), count) in counts.into_iter().filter(|(_, count)| *count > 0) {
                columns
                    .iter_mut()
                    .zip(&leaves)
                    .for_each(|(column, leaf)| column.push(*leaf));
                cells.push(Cell {
                    increment,
                    value,
                    count,
                });
            }
        }
        let applied = rest.merge(&Histogram::of_counts(&columns, values, &cells));
        assert_eq!(
            applied.rows(),
            rows.rows(),
            "values are replaced, and no row is lost"
        );
        applied
    }

    /// The lines about people who are among these rows.
    #[must_use]
    pub fn among(&self, rows: &Histogram) -> Ledger {
        let heads = rows.headcount();
        let there = |line: &&ChangedRows| {
            let found = heads.find(&line.leaves);
            found.is_some_and(|at| {
                heads
                    .heads_of(at)
                    .iter()
                    .any(|heads| heads.since == line.since)
            })
        };
        let changed = self.changed.iter().filter(there).cloned().collect();
        Ledger {
            values: self.values.clone(),
            changed,
        }
        .with_values_in_use()
    }

    /// The same ledger, with only the values that its lines use.
    pub(super) fn with_values_in_use(mut self) -> Ledger {
        let mut used = vec![false; self.values.len()];
        self.changed.iter().for_each(|line| {
            [line.from, line.to]
                .into_iter()
                .for_each(|code| used[code as usize] = true)
        });
        let (values, codes) = self.values.only(&used);
        assert_eq!(
            values.len(),
            used.iter().filter(|used| **used).count(),
            "values that lines have, and no others"
        );
        for line in &mut self.changed {
            (line.from, line.to) = (codes[line.from as usize], codes[line.to as usize]);
        }
        self.values = values;
        self
    }

    /// Adapts the ledger to taxonomies that have new leaves.
    pub(super) fn grow(&mut self, growth: &[TreeGrowth]) {
        for line in &mut self.changed {
            line.leaves
                .iter_mut()
                .zip(growth)
                .for_each(|(leaf, growth)| *leaf = growth.leaf(*leaf));
        }
    }
}
