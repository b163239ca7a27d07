//! Numbers of people with their leaf tuples and arrival times, and nothing else (SCIENCE 4:
//! quasi-identifiers alone decide what may be published). Code that decides recodings under `blind`
//! receives only this.
//!
//! This file must never hold a sensitive value, in whatever form.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Histogram, place};
use crate::{Leaf, TreeGrowth};

/// People of one leaf tuple who came at the same time. They are interchangeable: a decision about
/// one of them applies to all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Heads {
    /// The increment they belong to, or the tick they arrived in.
    pub since: u32,
    /// The number of people.
    pub count: u32,
}

/// Counts by leaf tuple and time, in columnar arrays and canonical order.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Headcount {
    /// For each quasi column the leaf of each distinct leaf tuple; tuples ascend lexicographically.
    leaves: Vec<Vec<Leaf>>,
    /// Heads of leaf tuple t: `start[t]..start[t + 1]`, ascending by time.
    start: Vec<u32>,
    heads: Vec<Heads>,
}

impl fmt::Debug for Headcount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Headcount({} leaf tuples, {} people)",
            self.tuples(),
            self.rows()
        )
    }
}

impl Headcount {
    /// No people, under this many quasi columns.
    pub fn empty(width: usize) -> Headcount {
        Headcount {
            leaves: vec![Vec::new(); width],
            start: vec![0],
            heads: Vec::new(),
        }
    }

    /// Counts people in any order; those with the same leaf tuple and time are added up.
    ///
    /// # Panics
    /// If a leaf tuple does not have one leaf per quasi column.
    pub fn of<L: AsRef<[Leaf]>>(
        width: usize,
        rows: impl IntoIterator<Item = (L, Heads)>,
    ) -> Headcount {
        let (mut flat, mut heads) = (Vec::new(), Vec::new());
        for (leaves, of) in rows.into_iter().filter(|(_, of)| of.count > 0) {
            assert_eq!(leaves.as_ref().len(), width, "one leaf per quasi column");
            flat.extend_from_slice(leaves.as_ref());
            heads.push(of);
        }
        let tuple = |row: u32| &flat[row as usize * width..][..width];
        let mut order: Vec<u32> =
            (0..u32::try_from(heads.len()).expect("fewer than 2^32 entries")).collect();
        order.sort_unstable_by_key(|&row| (tuple(row), heads[row as usize].since));
        let mut counted = Headcount::empty(width);
        let mut last = None;
        for row in order {
            if last.is_none_or(|last| tuple(last) != tuple(row)) {
                counted
                    .leaves
                    .iter_mut()
                    .zip(tuple(row))
                    .for_each(|(column, &leaf)| column.push(leaf));
                counted.start.push(counted.heads.len() as u32);
            }
            counted.push(heads[row as usize]);
            last = Some(row);
        }
        counted
    }

    /// Adds people to the last leaf tuple.
    fn push(&mut self, heads: Heads) {
        assert!(self.start.len() >= 2, "people of a leaf tuple");
        let tuple = self.start.len() - 2;
        match self.heads[self.start[tuple] as usize..].last_mut() {
            Some(last) if last.since == heads.since => {
                last.count = last
                    .count
                    .checked_add(heads.count)
                    .expect("fewer than 2^32 equal rows");
            }
            _ => self.heads.push(heads),
        }
        self.start[tuple + 1] = self.heads.len() as u32;
    }

    /// Number of quasi columns.
    pub fn width(&self) -> usize {
        self.leaves.len()
    }

    /// Number of distinct leaf tuples.
    pub fn tuples(&self) -> usize {
        self.start.len() - 1
    }

    /// Whether there are no people.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Number of people.
    pub fn rows(&self) -> u64 {
        self.heads.iter().map(|heads| u64::from(heads.count)).sum()
    }

    /// The leaves of one quasi column, one per distinct leaf tuple.
    pub fn column(&self, column: usize) -> &[Leaf] {
        &self.leaves[column]
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

    /// The people of a leaf tuple, by time.
    pub fn heads_of(&self, tuple: usize) -> &[Heads] {
        &self.heads[self.start[tuple] as usize..self.start[tuple + 1] as usize]
    }

    /// The number of people of a leaf tuple.
    pub fn count(&self, tuple: usize) -> u64 {
        self.heads_of(tuple)
            .iter()
            .map(|heads| u64::from(heads.count))
            .sum()
    }

    /// All people: leaf tuples with their heads.
    pub fn iter(&self) -> impl Iterator<Item = (Vec<Leaf>, Heads)> + '_ {
        (0..self.tuples()).flat_map(|tuple| {
            let leaves: Vec<Leaf> = self.tuple_at(tuple).collect();
            self.heads_of(tuple)
                .iter()
                .map(move |&heads| (leaves.clone(), heads))
        })
    }

    /// The people of both.
    #[must_use]
    pub fn merge(&self, other: &Headcount) -> Headcount {
        assert_eq!(self.width(), other.width(), "headcounts of one feed");
        Headcount::of(self.width(), self.iter().chain(other.iter()))
    }

    /// The people for whom `keep` (number of the leaf tuple, heads) holds, and the others.
    pub fn divide(&self, keep: impl Fn(usize, Heads) -> bool) -> [Headcount; 2] {
        [true, false].map(|wanted| {
            let of = |tuple: usize| {
                let heads = self
                    .heads_of(tuple)
                    .iter()
                    .filter(|&&heads| keep(tuple, heads) == wanted);
                heads.map(move |&heads| (tuple, heads)).collect::<Vec<_>>()
            };
            let some = (0..self.tuples()).flat_map(of);
            Headcount::of(
                self.width(),
                some.map(|(tuple, heads)| (self.tuple_at(tuple).collect::<Vec<_>>(), heads)),
            )
        })
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
}

impl Histogram {
    /// The number of people per leaf tuple and increment: what remains when sensitive values are
    /// removed.
    pub fn headcount(&self) -> Headcount {
        let mut counted = Headcount::empty(self.width());
        counted.leaves.clone_from(&self.leaves);
        for tuple in 0..self.tuples() {
            counted.start.push(counted.heads.len() as u32);
            for cell in self.cells_of(tuple) {
                counted.push(Heads {
                    since: cell.increment,
                    count: cell.count,
                });
            }
        }
        assert_eq!(counted.rows(), self.rows(), "a person for each row");
        counted
    }
}
