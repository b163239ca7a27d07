//! Rows that state in which release they came (SCIENCE 11). In counts that is their increment. In a
//! table it is a column after the sensitive ones, which counts as one more sensitive value.

use std::collections::BTreeMap;

use super::{Cell, Histogram, Release, SensitiveValues, ValueCode};
use crate::{Leaf, Node, Recoding, Value};

impl Histogram {
    /// The same rows as members of one increment; the number of their own increment becomes one
    /// more sensitive value, the last.
    #[must_use]
    pub fn with_arrival(&self) -> Histogram {
        let said = |tuple: &[Value], increment: u32, cells: &mut Vec<Value>| {
            cells.extend_from_slice(tuple);
            cells.push(Value::Int(increment.into()));
            Some(0)
        };
        self.recounted(self.values.width() + 1, said)
            .expect("every row belongs to an increment")
    }

    /// The same rows as members of the increments whose numbers are their last sensitive value,
    /// which is removed. `None` if one of these is no number of a release.
    #[must_use]
    pub fn by_arrival(&self) -> Option<Histogram> {
        let read = |tuple: &[Value], _: u32, cells: &mut Vec<Value>| {
            let (arrival, others) = tuple.split_last()?;
            let Value::Int(arrival) = arrival else {
                return None;
            };
            cells.extend_from_slice(others);
            u32::try_from(*arrival).ok().filter(|&arrival| arrival > 0)
        };
        self.recounted(self.values.width().checked_sub(1)?, read)
    }

    /// The same rows with `width` other sensitive values, computed from their own.
    #[must_use]
    pub fn map_values(
        &self,
        width: usize,
        map_tuple: impl Fn(&[Value]) -> Vec<Value>,
    ) -> Histogram {
        let mapped = |tuple: &[Value], increment: u32, cells: &mut Vec<Value>| {
            cells.extend(map_tuple(tuple));
            Some(increment)
        };
        self.recounted(width, mapped).expect("every row has values")
    }

    /// The same rows with other sensitive values, in other increments: for each value and increment
    /// `map_tuple` adds the other value to the list, and returns the other increment.
    fn recounted(
        &self,
        width: usize,
        map_tuple: impl Fn(&[Value], u32, &mut Vec<Value>) -> Option<u32>,
    ) -> Option<Histogram> {
        let mut known: Vec<(ValueCode, u32)> = self
            .cells
            .iter()
            .map(|cell| (cell.value, cell.increment))
            .collect();
        known.sort_unstable();
        known.dedup();
        let (mut values, mut increments) = (
            Vec::with_capacity(width * known.len()),
            Vec::with_capacity(known.len()),
        );
        for &(value, increment) in &known {
            increments.push(map_tuple(self.values.get(value), increment, &mut values)?);
        }
        let (values, code) = SensitiveValues::from_repeated(width, known.len(), values);
        let recoded = |cell: &Cell| {
            let at = known
                .binary_search(&(cell.value, cell.increment))
                .expect("a value of the counts");
            Cell {
                increment: increments[at],
                value: code[at],
                ..*cell
            }
        };
        let mut recounted = Histogram {
            values,
            ..Histogram::empty(self.width(), 0)
        };
        recounted.leaves.clone_from(&self.leaves);
        let mut pool: Vec<Cell> = Vec::new();
        for tuple in 0..self.tuples() {
            pool.clear();
            pool.extend(self.cells_of(tuple).iter().map(recoded));
            pool.sort_unstable();
            recounted.push_cells(&pool);
        }
        assert_eq!(
            recounted.rows(),
            self.rows(),
            "other values, and the same rows"
        );
        Some(recounted)
    }
}

impl Release {
    /// The rows of each increment, for counts whose "leaves" are the nodes of labels, where classes
    /// have labels of their own.
    pub fn of_each_increment(labels: &Histogram) -> BTreeMap<u32, Release> {
        let mut all: BTreeMap<u32, Release> = BTreeMap::new();
        let mut nodes: Vec<Node> = vec![0; labels.width()];
        for tuple in 0..labels.tuples() {
            nodes
                .iter_mut()
                .zip(labels.tuple_at(tuple))
                .for_each(|(node, leaf): (&mut Node, Leaf)| *node = leaf);
            for same in labels
                .cells_of(tuple)
                .chunk_by(|a, b| a.increment == b.increment)
            {
                let release = all
                    .entry(same[0].increment)
                    .or_insert_with(|| Release::empty(labels.width(), Recoding::new()));
                release.push_class(
                    &nodes,
                    same.iter().map(|cell| (cell.value, cell.count.into())),
                );
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_arrival_through_a_table() {
        let text = |text: &str| vec![Value::Text(text.into())].into_boxed_slice();
        let (values, _) = SensitiveValues::from_distinct(1, vec![text("a"), text("b")]);
        let cell = |increment, value, count| Cell {
            increment,
            value,
            count,
        };
        let cells = [cell(7, 1, 2), cell(3, 0, 1), cell(7, 0, 4), cell(3, 1, 5)];
        let rows = Histogram::of_counts(&[vec![1, 0, 0, 1]], values, &cells);
        let said = rows.with_arrival();
        assert_eq!((said.values().width(), said.rows()), (2, 12));
        assert!(said.cells.iter().all(|cell| cell.increment == 0));
        assert_eq!(said.by_arrival().as_ref(), Some(&rows));
        let each = Release::of_each_increment(&rows);
        assert_eq!(each.keys().copied().collect::<Vec<_>>(), [3, 7]);
        assert_eq!([&each[&3], &each[&7]].map(Release::rows), [6, 6]);
        for (increment, release) in &each {
            let [own, _] = rows.divide(|_, cell| cell.increment == *increment);
            let (_, maps) = SensitiveValues::union(&[rows.values(), own.values()]);
            assert_eq!(
                *release,
                Release::from_own_labels(&own).with_values(&maps[1])
            );
        }
        assert_eq!(rows.by_arrival(), None, "a text is no number of a release");
    }
}
