//! A histogram, reduced to what some recoding, or the labels of single classes, distinguish
//! (SCIENCE 1). All later questions about coarser recodings then involve far fewer leaf tuples.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{Cell, Histogram, Tuples};
use crate::{Carving, Cut, Leaf, Taxonomy};

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
}
