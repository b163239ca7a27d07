//! Figures of a whole table as sums of whole numbers (SCIENCE 11): a release that only adds rows to
//! the one before it adds them to its sums, so that figures over all rows need not read all rows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Release, ValueCode, keeps_codes};
use crate::Node;

/// Sums over a table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSums {
    rows: u64,
    /// The number of classes of each size.
    sizes: BTreeMap<u64, u64>,
    /// The same if rows of one label that came in different releases are separate classes.
    together: BTreeMap<u64, u64>,
    /// For each quasi column the number of rows that show each node.
    shown: Vec<BTreeMap<Node, u64>>,
    /// The number of rows of each sensitive value.
    values: BTreeMap<ValueCode, u64>,
}

impl TableSums {
    /// Of a whole table.
    pub fn of(table: &Release) -> TableSums {
        let mut sums = TableSums::default();
        sums.add(table, |_| 0);
        sums
    }

    /// Adds rows that come together; `size` gives the size of the table's class with a label.
    pub fn add(&mut self, more: &Release, size: impl Fn(&[Node]) -> u64) {
        let before_all = self.rows;
        self.shown.resize(more.width(), BTreeMap::new());
        for class in 0..more.classes() {
            let (label, rows) = (more.class(class), more.size(class));
            let before = size(label);
            resize(&mut self.sizes, before, before + rows);
            resize(&mut self.together, 0, rows);
            self.rows += rows;
            for (shown, node) in self.shown.iter_mut().zip(label) {
                *shown.entry(*node).or_default() += rows;
            }
        }
        for (value, rows) in more.values().iter().zip(more.counts()) {
            *self.values.entry(*value).or_default() += rows;
        }
        assert!(
            self.rows == before_all + more.rows(),
            "the rows of the table and those that are added"
        );
        assert!(self.are_in_classes(), "each row is in one class");
    }

    /// Removes rows; `size` gives the size of the table's class with a label. For each label, the
    /// rows must be all those that came together.
    ///
    /// # Panics
    /// If the table does not contain them.
    pub fn take(&mut self, rows: &Release, size: impl Fn(&[Node]) -> u64) {
        for class in 0..rows.classes() {
            let (label, gone) = (rows.class(class), rows.size(class));
            let before = size(label);
            assert!(before >= gone, "a class holds the rows that leave it");
            resize(&mut self.sizes, before, before - gone);
            resize(&mut self.together, gone, 0);
            self.rows -= gone;
            for (shown, node) in self.shown.iter_mut().zip(label) {
                less(shown, node, gone);
            }
        }
        for (value, gone) in rows.values().iter().zip(rows.counts()) {
            less(&mut self.values, value, *gone);
        }
        assert!(self.are_in_classes(), "each row is in one class");
    }

    /// Whether the sizes of classes add up to the number of rows.
    fn are_in_classes(&self) -> bool {
        let rows = |sizes: &BTreeMap<u64, u64>| {
            sizes
                .iter()
                .map(|(size, classes)| size * classes)
                .sum::<u64>()
        };
        [&self.sizes, &self.together]
            .into_iter()
            .all(|sizes| rows(sizes) == self.rows)
    }

    /// The same under a dictionary that contains more values; `map` gives the new code of each old
    /// code, in order.
    #[must_use]
    pub fn with_values(mut self, map: &[ValueCode]) -> TableSums {
        if keeps_codes(map) {
            return self;
        }
        self.values = self
            .values
            .into_iter()
            .map(|(value, rows)| (map[value as usize], rows))
            .collect();
        self
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The number of rows of the smallest class; `None` if there are none.
    pub fn smallest(&self) -> Option<u64> {
        self.sizes.keys().next().copied()
    }

    /// The number of classes.
    pub fn classes(&self) -> u64 {
        self.sizes.values().sum()
    }

    /// The sizes of classes, ascending, and how many classes have each size.
    pub fn sizes(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.sizes.iter().map(|(&size, &classes)| (size, classes))
    }

    /// The same for classes of rows that came together.
    pub fn together(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.together
            .iter()
            .map(|(&size, &classes)| (size, classes))
    }

    /// The number of rows that show each node of a quasi column.
    pub fn shown(&self, column: usize) -> impl Iterator<Item = (Node, u64)> + '_ {
        self.shown
            .get(column)
            .into_iter()
            .flatten()
            .map(|(&node, &rows)| (node, rows))
    }

    /// The number of rows of each value of a dictionary with this many values.
    pub fn by_value(&self, values: usize) -> Vec<u64> {
        let mut rows = vec![0; values];
        self.values
            .iter()
            .for_each(|(&value, &of)| rows[value as usize] = of);
        rows
    }
}

/// Changes the size of one class.
fn resize(sizes: &mut BTreeMap<u64, u64>, before: u64, after: u64) {
    if let Some(classes) = sizes.get_mut(&before) {
        *classes -= 1;
        if *classes == 0 {
            sizes.remove(&before);
        }
    }
    if after > 0 {
        *sizes.entry(after).or_default() += 1;
    }
}

/// Subtracts rows; entries that reach 0 are removed.
fn less<K: Ord + Copy>(rows: &mut BTreeMap<K, u64>, of: &K, gone: u64) {
    let left = rows.get_mut(of).expect("the table holds these rows");
    *left -= gone;
    if *left == 0 {
        rows.remove(of);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{Cell, Histogram, SensitiveValues};

    /// Rows of some labels.
    fn rows(of: &[(u32, u32)]) -> Release {
        let (values, _) = SensitiveValues::from_distinct(0, vec![Vec::new().into()]);
        let (labels, counts): (Vec<u32>, Vec<u32>) = of.iter().copied().unzip();
        let cells: Vec<Cell> = counts
            .iter()
            .map(|&count| Cell {
                increment: 0,
                value: 0,
                count,
            })
            .collect();
        Release::from_own_labels(&Histogram::of_counts(&[labels], values, &cells))
    }

    fn both(sums: &TableSums) -> [Vec<(u64, u64)>; 2] {
        [sums.sizes().collect(), sums.together().collect()]
    }

    #[test]
    fn rows_that_came_together_are_counted_apart() {
        let mut sums = TableSums::of(&rows(&[(1, 5), (2, 7)]));
        assert_eq!(both(&sums), [vec![(5, 1), (7, 1)], vec![(5, 1), (7, 1)]]);
        sums.add(
            &rows(&[(2, 5), (3, 6)]),
            |label| if label == [2] { 7 } else { 0 },
        );
        assert_eq!(
            both(&sums),
            [vec![(5, 1), (6, 1), (12, 1)], vec![(5, 2), (6, 1), (7, 1)]]
        );
        sums.take(&rows(&[(2, 7)]), |_| 12);
        assert_eq!(both(&sums), [vec![(5, 2), (6, 1)], vec![(5, 2), (6, 1)]]);
        assert_eq!((sums.rows(), sums.classes()), (16, 3));
    }
}
