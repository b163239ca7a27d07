//! The same rows in another form: reduced to what some recoding, or the labels of single classes,
//! distinguish (SCIENCE 1), so that later questions about coarser recodings involve far fewer leaf
//! tuples; and rows that state in which release they came (SCIENCE 11), in counts as their increment,
//! in a table as one more sensitive value.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{Cell, Histogram, Release, SensitiveValues, Tuples, ValueCode};
use crate::{Carving, Cut, Leaf, Node, Recoding, Taxonomy, Value};

/// The number of leaf tuples that are processed together.
const CHUNK: usize = 1 << 16;

impl Histogram {
    /// The same rows with every leaf replaced by the first leaf below the same node of the
    /// recoding.
    #[must_use]
    pub fn coarsened(&self, recoding: &[Cut], trees: &[&Taxonomy]) -> Histogram {
        assert_eq!(recoding.len(), trees.len(), "one cut for each column");
        let first = |cut: &Cut, tree: &Taxonomy| -> Vec<Leaf> {
            (0..tree.leaves() as Leaf)
                .map(|leaf| tree.leaf_range(cut.at(leaf)).start)
                .collect()
        };
        let firsts: Vec<Vec<Leaf>> = recoding
            .iter()
            .zip(trees)
            .map(|(cut, tree)| first(cut, tree))
            .collect();
        self.keyed_by(|tuple, key| {
            for (slot, (first, leaf)) in key.iter_mut().zip(firsts.iter().zip(self.tuple_at(tuple)))
            {
                *slot = first[leaf as usize];
            }
        })
    }

    /// The same rows with the nodes of their class in the place of leaves.
    ///
    /// # Panics
    /// If a person is in no class.
    #[must_use]
    pub fn labelled(&self, carving: &Carving, trees: &[&Taxonomy]) -> Histogram {
        self.labelled_if_held(carving, trees)
            .expect("each tuple is in a class")
    }

    /// The same rows with the nodes of their class in the place of leaves; `None` if some person is
    /// in no class.
    pub fn labelled_if_held(&self, carving: &Carving, trees: &[&Taxonomy]) -> Option<Histogram> {
        let (finder, lost) = (carving.finder(trees), AtomicBool::new(false));
        let labelled = self.keyed_by(|tuple, key| {
            key.iter_mut()
                .zip(self.tuple_at(tuple))
                .for_each(|(slot, leaf)| *slot = leaf);
            match finder.class(key) {
                Some((_, class)) => key.copy_from_slice(class),
                None => lost.store(true, Ordering::Relaxed),
            }
        });
        (!lost.into_inner()).then_some(labelled)
    }

    /// The rows of people who are in a class, and the others.
    #[must_use]
    pub fn divide_by(&self, carving: &Carving, trees: &[&Taxonomy]) -> [Histogram; 2] {
        let finder = carving.finder(trees);
        let holds = |leaves: &mut Vec<Leaf>, tuple: usize| {
            leaves.clear();
            leaves.extend(self.tuple_at(tuple));
            finder.class(leaves).is_some()
        };
        let held: Vec<bool> = (0..self.tuples())
            .into_par_iter()
            .map_init(Vec::new, holds)
            .collect();
        let part = || Histogram {
            values: self.values().clone(),
            ..Histogram::empty(self.width(), 0)
        };
        let mut parts = [part(), part()];
        for (tuple, held) in held.into_iter().enumerate() {
            let part = &mut parts[usize::from(!held)];
            part.leaves
                .iter_mut()
                .zip(self.tuple_at(tuple))
                .for_each(|(column, leaf)| column.push(leaf));
            part.push_cells(self.cells_of(tuple));
        }
        let rows = parts[0].rows() + parts[1].rows();
        assert_eq!(rows, self.rows(), "each row is in one of both parts");
        parts.map(Histogram::with_values_in_use)
    }

    /// The same rows with their increment as one more leaf, the last: rows of one leaf tuple and
    /// two increments are separate.
    #[must_use]
    pub fn by_increment(&self) -> Histogram {
        let mut apart = Histogram {
            values: self.values().clone(),
            ..Histogram::empty(self.width() + 1, 0)
        };
        for tuple in 0..self.tuples() {
            for cells in self
                .cells_of(tuple)
                .chunk_by(|a, b| a.increment == b.increment)
            {
                let leaves = self.tuple_at(tuple).chain([cells[0].increment]);
                apart
                    .leaves
                    .iter_mut()
                    .zip(leaves)
                    .for_each(|(column, leaf)| column.push(leaf));
                apart.push_cells(cells);
            }
        }
        assert_eq!(apart.rows(), self.rows(), "the same rows, further apart");
        apart
    }

    /// The same rows with this in the place of their leaf tuple.
    fn keyed_by(&self, key: impl Fn(usize, &mut [u32]) + Sync) -> Histogram {
        let starts: Vec<usize> = (0..self.tuples()).step_by(CHUNK).collect();
        let part =
            |&start: &usize| self.keyed_in_part(&key, start..(start + CHUNK).min(self.tuples()));
        let parts: Vec<Histogram> = starts.par_iter().map(part).collect();
        let coarser_rows = Histogram::merge_all(parts).unwrap_or_else(|| self.clone());
        assert_eq!(
            coarser_rows.rows(),
            self.rows(),
            "the same rows under other labels"
        );
        coarser_rows
    }

    fn keyed_in_part(
        &self,
        key_of: impl Fn(usize, &mut [u32]),
        tuples: std::ops::Range<usize>,
    ) -> Histogram {
        let (mut known, mut cells) = (Tuples::new(self.width()), Vec::<(u32, Cell)>::new());
        let mut key = vec![0; self.width()];
        for tuple in tuples {
            key_of(tuple, &mut key);
            let number = known.number(&key);
            cells.extend(self.cells_of(tuple).iter().map(|&cell| (number, cell)));
        }
        let order = known.sorted();
        let mut rank = vec![0u32; order.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(at, &number)| rank[number as usize] = at as u32);
        cells
            .iter_mut()
            .for_each(|(number, _)| *number = rank[*number as usize]);
        cells.sort_unstable();
        let empty = Histogram::empty(self.width(), 0);
        let mut coarse = Histogram {
            values: self.values().clone(),
            ..empty
        };
        let mut pool: Vec<Cell> = Vec::new();
        for of_tuple in cells.chunk_by(|a, b| a.0 == b.0) {
            let leaves = known.get(order[of_tuple[0].0 as usize]);
            coarse
                .leaves
                .iter_mut()
                .zip(leaves)
                .for_each(|(column, &leaf)| column.push(leaf));
            pool.clear();
            pool.extend(of_tuple.iter().map(|&(_, cell)| cell));
            coarse.push_cells(&pool);
        }
        coarse
    }

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
