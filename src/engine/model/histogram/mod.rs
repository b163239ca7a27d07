//! Counts by (leaf QID, increment, sensitive value): every computation uses these counts, never
//! single rows (SCIENCE 1). From them follow releases as their readers see them, the join of two
//! releases, and partitions that are refined in place.
//!
//! This room knows nothing about policies and attacks, and its results never depend on the order of
//! rows or on threads.

mod build;
mod cells;
mod coarsen;
mod encode;
mod finest_recoding;
mod headcount;
mod join;
mod labelled_rows;
mod measure;
mod partition;
mod reading;
mod release;
mod rows;
mod slices;
mod sums;
mod tuples;
mod values;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Leaf, TreeGrowth};

pub use build::Builder;
pub use cells::{
    MOST_TEXT, MisfitKind, RawCell, ReadableColumn, parse_text as parse_value,
    parse_value as value_of,
};
pub use encode::{Dictionary, EncodedBatch, Encoder, Misfit};
pub use finest_recoding::finest_unsplit;
pub use headcount::{Headcount, Heads};
pub use join::{Excess, JoinCells, NotSuperset};
pub use labelled_rows::{LabelledRows, RowGroup};
pub use partition::Partition;
pub use reading::CellReading;
pub use release::{Release, describe, number_recodings};
pub use rows::{CodedRows, Person};
pub use slices::{NOWHERE, NumberedClasses, Slices};
pub use sums::TableSums;
pub use tuples::Tuples;
pub use values::{SensitiveValues, ValueCode, keeps_codes};

/// Rows that are equal in everything that matters: their increment, their sensitive value, and
/// their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell {
    /// The increment they belong to, counted from 0.
    pub increment: u32,
    /// Their sensitive value.
    pub value: ValueCode,
    /// The number of rows.
    pub count: u32,
}

/// Counts by (leaf QID, increment, sensitive value), in columnar arrays and canonical order: two
/// histograms of the same rows are equal, in whatever order the rows came.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    values: SensitiveValues,
    /// For each quasi column the leaf of each distinct leaf tuple; tuples ascend lexicographically.
    leaves: Vec<Vec<Leaf>>,
    /// Cells of leaf tuple t: `start[t]..start[t + 1]`, ascending by increment, then value.
    start: Vec<u32>,
    cells: Vec<Cell>,
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Histogram({} leaf tuples, {} cells, {:?})",
            self.tuples(),
            self.cells.len(),
            self.values
        )
    }
}

impl Histogram {
    /// No rows, for this many quasi and sensitive columns.
    pub fn empty(quasi: usize, sensitive: usize) -> Histogram {
        let (values, _) = SensitiveValues::from_distinct(sensitive, Vec::new());
        Histogram {
            values,
            leaves: vec![Vec::new(); quasi],
            start: vec![0],
            cells: Vec::new(),
        }
    }

    /// From counts in any order: for each quasi column the leaves, and a cell for each tuple.
    ///
    /// # Panics
    /// If the columns differ in length, or a cell has no value.
    pub fn of_counts(leaves: &[Vec<Leaf>], values: SensitiveValues, cells: &[Cell]) -> Histogram {
        assert!(
            leaves.iter().all(|column| column.len() == cells.len()),
            "columns of one length"
        );
        assert!(
            cells
                .iter()
                .all(|cell| (cell.value as usize) < values.len()),
            "codes of the dictionary"
        );
        let tuple = |at: usize| leaves.iter().map(move |column| column[at]);
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_unstable_by(|&a, &b| {
            tuple(a).cmp(tuple(b)).then_with(|| cells[a].cmp(&cells[b]))
        });
        let mut counted = Histogram {
            values,
            ..Histogram::empty(leaves.len(), 0)
        };
        let mut pool: Vec<Cell> = Vec::new();
        for same in order.chunk_by(|&a, &b| tuple(a).eq(tuple(b))) {
            counted
                .leaves
                .iter_mut()
                .zip(tuple(same[0]))
                .for_each(|(column, leaf)| column.push(leaf));
            pool.clear();
            pool.extend(same.iter().map(|&at| cells[at]));
            counted.push_cells(&pool);
        }
        let rows: u64 = cells.iter().map(|cell| u64::from(cell.count)).sum();
        assert_eq!(
            counted.rows(),
            rows,
            "no row is lost, and none is counted twice"
        );
        counted.with_values_in_use()
    }

    /// Number of quasi columns.
    pub fn width(&self) -> usize {
        self.leaves.len()
    }

    /// Number of distinct leaf tuples.
    pub fn tuples(&self) -> usize {
        self.start.len() - 1
    }

    /// Number of distinct (leaf tuple, increment, value).
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.cells.iter().map(|cell| u64::from(cell.count)).sum()
    }

    /// The sensitive dictionary.
    pub fn values(&self) -> &SensitiveValues {
        &self.values
    }

    /// The leaves of one quasi column, one per distinct leaf tuple.
    pub fn column(&self, column: usize) -> &[Leaf] {
        &self.leaves[column]
    }

    /// Adapts to taxonomies that have new leaves; old leaves keep their order, and so do the
    /// tuples.
    pub fn grow(&mut self, growth: &[TreeGrowth]) {
        assert_eq!(growth.len(), self.width(), "one growth for each column");
        let moved = |(column, growth): (&mut Vec<Leaf>, &TreeGrowth)| {
            column
                .iter_mut()
                .for_each(|leaf| *leaf = growth.leaf(*leaf))
        };
        self.leaves.iter_mut().zip(growth).for_each(moved);
    }

    /// The same if the nodes of labels are in the place of leaves.
    pub fn grow_labels(&mut self, growth: &[TreeGrowth]) {
        assert_eq!(growth.len(), self.width(), "one growth for each column");
        let moved = |(column, growth): (&mut Vec<Leaf>, &TreeGrowth)| {
            column
                .iter_mut()
                .for_each(|node| *node = growth.node(*node))
        };
        self.leaves.iter_mut().zip(growth).for_each(moved);
    }

    /// The cells of a leaf tuple.
    pub fn cells_of(&self, tuple: usize) -> &[Cell] {
        &self.cells[self.start[tuple] as usize..self.start[tuple + 1] as usize]
    }

    /// The number of bytes in the arrays, without the sensitive dictionary.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.start)
            + size_of_val(&*self.cells)
            + self.leaves.iter().map(|l| size_of_val(&**l)).sum::<usize>()
    }

    /// The same counts under a dictionary that contains more values; `map` gives the new code of
    /// each old code, in order.
    #[must_use]
    pub fn with_values(mut self, values: &SensitiveValues, map: &[ValueCode]) -> Histogram {
        if !keeps_codes(map) {
            self.cells
                .iter_mut()
                .for_each(|cell| cell.value = map[cell.value as usize]);
        }
        self.values = values.clone();
        self
    }

    /// The same rows as members of another increment.
    ///
    /// # Panics
    /// If the rows already belong to several increments.
    #[must_use]
    pub fn as_increment(mut self, increment: u32) -> Histogram {
        let first = self.cells.first().map(|cell| cell.increment);
        assert!(
            self.cells.iter().all(|cell| Some(cell.increment) == first),
            "rows of one increment"
        );
        self.cells
            .iter_mut()
            .for_each(|cell| cell.increment = increment);
        self
    }

    /// The same rows as members of one increment, whichever they were in.
    #[must_use]
    pub fn as_one(mut self, increment: u32) -> Histogram {
        if self
            .cells
            .windows(2)
            .all(|pair| pair[0].increment == pair[1].increment)
        {
            return self.as_increment(increment);
        }
        let (cells, start) = (
            std::mem::take(&mut self.cells),
            std::mem::replace(&mut self.start, vec![0]),
        );
        let mut pool: Vec<Cell> = Vec::new();
        for range in start.windows(2) {
            pool.clear();
            pool.extend(
                cells[range[0] as usize..range[1] as usize]
                    .iter()
                    .map(|&cell| Cell { increment, ..cell }),
            );
            pool.sort_unstable();
            self.push_cells(&pool);
        }
        self
    }

    /// The rows for which `keep` (leaf tuple, cell) holds, and the others.
    pub fn divide(&self, keep: impl Fn(&[Leaf], &Cell) -> bool) -> [Histogram; 2] {
        let part = || Histogram {
            values: self.values.clone(),
            ..Histogram::empty(self.width(), 0)
        };
        let (mut parts, mut pools) = ([part(), part()], [Vec::new(), Vec::new()]);
        let mut leaves = vec![0; self.width()];
        for tuple in 0..self.tuples() {
            leaves
                .iter_mut()
                .zip(self.tuple_at(tuple))
                .for_each(|(slot, leaf)| *slot = leaf);
            for &cell in self.cells_of(tuple) {
                pools[usize::from(!keep(&leaves, &cell))].push(cell);
            }
            for (part, pool) in parts
                .iter_mut()
                .zip(&mut pools)
                .filter(|(_, pool)| !pool.is_empty())
            {
                part.leaves
                    .iter_mut()
                    .zip(&leaves)
                    .for_each(|(column, &leaf)| column.push(leaf));
                part.push_cells(pool);
                pool.clear();
            }
        }
        parts.map(Histogram::with_values_in_use)
    }

    /// The same rows with a dictionary of only their values, so that nothing shows values of
    /// removed rows.
    #[must_use]
    pub fn with_values_in_use(mut self) -> Histogram {
        let mut used = vec![false; self.values.len()];
        self.cells
            .iter()
            .for_each(|cell| used[cell.value as usize] = true);
        let (values, code) = self.values.only(&used);
        self.cells
            .iter_mut()
            .for_each(|cell| cell.value = code[cell.value as usize]);
        self.values = values;
        self
    }

    /// The rows of both.
    ///
    /// # Panics
    /// If they do not have the same number of quasi columns.
    #[must_use]
    pub fn merge(&self, other: &Histogram) -> Histogram {
        assert_eq!(self.width(), other.width(), "histograms of one feed");
        let (values, maps) = SensitiveValues::union(&[&self.values, &other.values]);
        let sides = [(self, &maps[0]), (other, &maps[1])];
        let mut merged = Histogram {
            values,
            ..Histogram::empty(self.width(), 0)
        };
        let mut at = [0usize; 2];
        let mut pool: Vec<Cell> = Vec::new();
        while at[0] < self.tuples() || at[1] < other.tuples() {
            let order = match (at[0] < self.tuples(), at[1] < other.tuples()) {
                (true, true) => self.tuple_at(at[0]).cmp(other.tuple_at(at[1])),
                (true, false) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            let take = [order.is_le(), order.is_ge()];
            let from = usize::from(!take[0]);
            merged
                .leaves
                .iter_mut()
                .zip(sides[from].0.tuple_at(at[from]))
                .for_each(|(column, leaf)| column.push(leaf));
            pool.clear();
            for side in 0..2 {
                if take[side] {
                    let (histogram, map) = sides[side];
                    let recoded = |cell: &Cell| Cell {
                        value: map[cell.value as usize],
                        ..*cell
                    };
                    pool.extend(histogram.cells_of(at[side]).iter().map(recoded));
                    at[side] += 1;
                }
            }
            pool.sort_unstable();
            merged.push_cells(&pool);
        }
        assert_eq!(
            merged.rows(),
            self.rows() + other.rows(),
            "no row is lost, and none is counted twice"
        );
        merged
    }

    /// The leaves of one distinct tuple, column by column.
    pub fn tuple_at(&self, tuple: usize) -> impl Iterator<Item = Leaf> + '_ {
        self.leaves.iter().map(move |column| column[tuple])
    }

    /// The number of a leaf tuple, if some person has it.
    pub fn find(&self, leaves: &[Leaf]) -> Option<usize> {
        assert_eq!(leaves.len(), self.width(), "one leaf for each column");
        place(self.tuples(), |tuple| self.tuple_at(tuple), leaves)
    }

    /// The same without spare capacity.
    #[must_use]
    pub fn fitted(mut self) -> Histogram {
        self.leaves.iter_mut().for_each(Vec::shrink_to_fit);
        self.start.shrink_to_fit();
        self.cells.shrink_to_fit();
        self
    }

    /// Ends the last leaf tuple with these cells (sorted); equal ones are added up.
    fn push_cells(&mut self, cells: &[Cell]) {
        assert!(cells.is_sorted(), "cells in their order");
        let from = self.cells.len();
        for cell in cells {
            match self.cells[from..].last_mut() {
                Some(last) if (last.increment, last.value) == (cell.increment, cell.value) => {
                    last.count = last
                        .count
                        .checked_add(cell.count)
                        .expect("fewer than 2^32 equal rows");
                }
                _ => self.cells.push(*cell),
            }
        }
        self.start.push(
            u32::try_from(self.cells.len())
                .expect("fewer than 2^32 distinct cells fit into memory"),
        );
    }
}

/// The position of a leaf tuple among ascending ones.
fn place<I: Iterator<Item = Leaf>>(
    tuples: usize,
    at: impl Fn(usize) -> I,
    leaves: &[Leaf],
) -> Option<usize> {
    let (mut from, mut to) = (0, tuples);
    while from < to {
        let middle = from.midpoint(to);
        match at(middle).cmp(leaves.iter().copied()) {
            std::cmp::Ordering::Less => from = middle + 1,
            std::cmp::Ordering::Equal => return Some(middle),
            std::cmp::Ordering::Greater => to = middle,
        }
    }
    None
}
