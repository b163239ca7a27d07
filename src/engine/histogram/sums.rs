//! Figures of a whole table as sums of whole numbers (SCIENCE 11): a release that only adds rows to the one before it adds them to
//! its sums too, so that no figure of everybody so far needs a look at everybody.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Release, ValueCode, keeps_codes};
use crate::model::Node;

/// What is known of a table without a look at it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    rows: u64,
    /// How many classes there are of each size.
    sizes: BTreeMap<u64, u64>,
    /// Per quasi column the rows of each node that is shown.
    shown: Vec<BTreeMap<Node, u64>>,
    /// The rows of each sensitive value.
    values: BTreeMap<ValueCode, u64>,
}

impl Sums {
    /// Of a whole table.
    pub fn of(table: &Release) -> Sums {
        let mut sums = Sums::default();
        sums.add(table, |_| 0);
        sums
    }

    /// More rows come to a table whose class at a label has so many of them.
    pub fn add(&mut self, more: &Release, size: impl Fn(&[Node]) -> u64) {
        self.shown.resize(more.width(), BTreeMap::new());
        for class in 0..more.classes() {
            let (label, rows) = (more.class(class), more.size(class));
            let before = size(label);
            self.resized(before, before + rows);
            self.rows += rows;
            for (shown, node) in self.shown.iter_mut().zip(label) {
                *shown.entry(*node).or_default() += rows;
            }
        }
        for (value, rows) in more.values().iter().zip(more.counts()) {
            *self.values.entry(*value).or_default() += rows;
        }
    }

    /// Rows leave a table whose class at a label has so many of them.
    ///
    /// # Panics
    /// If the table does not hold them.
    pub fn take(&mut self, rows: &Release, size: impl Fn(&[Node]) -> u64) {
        for class in 0..rows.classes() {
            let (label, gone) = (rows.class(class), rows.size(class));
            let before = size(label);
            self.resized(before, before - gone);
            self.rows -= gone;
            for (shown, node) in self.shown.iter_mut().zip(label) {
                less(shown, node, gone);
            }
        }
        for (value, gone) in rows.values().iter().zip(rows.counts()) {
            less(&mut self.values, value, *gone);
        }
    }

    /// A class has another size.
    fn resized(&mut self, before: u64, after: u64) {
        if let Some(classes) = self.sizes.get_mut(&before) {
            *classes -= 1;
            if *classes == 0 {
                self.sizes.remove(&before);
            }
        }
        if after > 0 {
            *self.sizes.entry(after).or_default() += 1;
        }
    }

    /// The same under a dictionary that holds more values; `map` gives each old code its new one, in order.
    #[must_use]
    pub fn with_values(mut self, map: &[ValueCode]) -> Sums {
        if keeps_codes(map) {
            return self;
        }
        self.values = self.values.into_iter().map(|(value, rows)| (map[value as usize], rows)).collect();
        self
    }

    /// All rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The rows of the smallest class; `None` if there are none.
    pub fn smallest(&self) -> Option<u64> {
        self.sizes.keys().next().copied()
    }

    /// How many classes there are.
    pub fn classes(&self) -> u64 {
        self.sizes.values().sum()
    }

    /// The sizes of classes, ascending, and how many there are of each.
    pub fn sizes(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.sizes.iter().map(|(&size, &classes)| (size, classes))
    }

    /// The rows of each node that is shown in a quasi column.
    pub fn shown(&self, column: usize) -> impl Iterator<Item = (Node, u64)> + '_ {
        self.shown.get(column).into_iter().flatten().map(|(&node, &rows)| (node, rows))
    }

    /// The rows of each value of a dictionary of so many.
    pub fn by_value(&self, values: usize) -> Vec<u64> {
        let mut rows = vec![0; values];
        self.values.iter().for_each(|(&value, &of)| rows[value as usize] = of);
        rows
    }
}

/// Fewer rows; what has none is not listed.
fn less<K: Ord + Copy>(rows: &mut BTreeMap<K, u64>, of: &K, gone: u64) {
    let left = rows.get_mut(of).expect("the table holds these rows");
    *left -= gone;
    if *left == 0 {
        rows.remove(of);
    }
}
