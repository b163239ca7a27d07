//! Full-domain search for the next release of a chain (SCIENCE 3 and 8): in place of k, the states
//! have to satisfy the chain's own validity on targets that occur. Nothing is suppressed. For a
//! person of increment i with leaf tuple t, and releases j < i ≤ l, N_jl(s) counts the rows with
//! value s that came after release j and up to release l and are in the same join cell of both
//! releases as t. A = Σ_s min N_jl(s), and a state is valid iff A ≥ k for each person. A coarser
//! recoding can only increase every N_jl, so all generalisations of a valid state are valid, and
//! all specialisations of an invalid one are invalid.
//!
//! The search looks at sensitive values, as in the paper, so it is not safe against an attacker who
//! knows that.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::checker::Checker;
use super::lattice::{Lattice, Levels};
use super::objective::Objective;
use super::state_figures::StateFigures;
use crate::histogram::{Histogram, ValueCode};
use crate::model::cut::join;
use crate::model::{Cut, Recoding, Taxonomy};

/// Rows per sensitive value, ascending.
type Groups = Vec<(ValueCode, u64)>;

/// The earlier releases of a chain, and all rows of the next one.
pub struct EarlierReleases<'c> {
    all: &'c Histogram,
    earlier: &'c [Recoding],
    trees: &'c [&'c Taxonomy],
    k: u64,
    /// The people for whom A ≥ k has to hold.
    targets: Vec<Target>,
}

/// People of one increment with one leaf tuple.
struct Target {
    tuple: usize,
    increment: usize,
    /// The bound that the earlier releases set for them; `None` if no earlier release holds them.
    left: Option<Groups>,
}

/// Rows of some increments, grouped by join cell.
struct Cells {
    of_tuple: Vec<u32>,
    groups: Vec<Groups>,
}

impl<'c> EarlierReleases<'c> {
    /// Rows of increment i were first published in the i-th of the earlier releases, counted from
    /// 0, or will be in the next release.
    ///
    /// # Panics
    /// If rows belong to an increment after that of the next release.
    pub fn new(
        all: &'c Histogram,
        earlier: &'c [Recoding],
        trees: &'c [&'c Taxonomy],
        k: u64,
    ) -> EarlierReleases<'c> {
        assert!(
            earlier.iter().all(|recoding| recoding.len() == trees.len()),
            "one cut for each column"
        );
        assert_eq!(all.width(), trees.len(), "one taxonomy for each column");
        let mut chain = EarlierReleases {
            all,
            earlier,
            trees,
            k,
            targets: Vec::new(),
        };
        for tuple in 0..all.tuples() {
            let mut increments: Vec<usize> = all
                .cells_of(tuple)
                .iter()
                .map(|cell| cell.increment as usize)
                .collect();
            increments.dedup();
            assert!(
                increments
                    .iter()
                    .all(|&increment| increment <= earlier.len()),
                "increments of these releases"
            );
            chain
                .targets
                .extend(increments.into_iter().map(|increment| Target {
                    tuple,
                    increment,
                    left: None,
                }));
        }
        for (later, recoding) in earlier.iter().enumerate() {
            let before = chain.cells(recoding, later);
            for target in chain
                .targets
                .iter_mut()
                .filter(|target| target.increment <= later)
            {
                target.narrow(&before);
            }
        }
        chain
    }

    /// N_jl of every release j before a release l with this recoding: first that of no release,
    /// then those of the earlier ones.
    fn cells(&self, recoding: &[Cut], later: usize) -> Vec<Cells> {
        let of = |before: usize| {
            let joined = match before {
                0 => recoding.to_vec(),
                _ => join(recoding, &self.earlier[before - 1]),
            };
            let mut of_tuple = vec![0u32; self.all.tuples()];
            for (column, cut) in joined.iter().enumerate() {
                let mut numbers = BTreeMap::new();
                for (number, &leaf) in of_tuple.iter_mut().zip(self.all.column(column)) {
                    let next = numbers.len() as u32;
                    *number = *numbers.entry((*number, cut.at(leaf))).or_insert(next);
                }
            }
            let mut rows: Vec<(u32, ValueCode, u64)> = Vec::new();
            for (tuple, &number) in of_tuple.iter().enumerate() {
                let came = |increment: usize| before <= increment && increment <= later;
                let cells = self
                    .all
                    .cells_of(tuple)
                    .iter()
                    .filter(|cell| came(cell.increment as usize));
                rows.extend(cells.map(|cell| (number, cell.value, u64::from(cell.count))));
            }
            rows.sort_unstable();
            let mut groups =
                vec![Groups::new(); of_tuple.iter().max().map_or(0, |&most| most as usize + 1)];
            for same in rows.chunk_by(|one, next| (one.0, one.1) == (next.0, next.1)) {
                groups[same[0].0 as usize]
                    .push((same[0].1, same.iter().map(|&(.., count)| count).sum()));
            }
            Cells { of_tuple, groups }
        };
        (0..=later).map(of).collect()
    }

    /// The figures of a recoding of the next release.
    fn check(&self, recoding: &[Cut]) -> Result<StateFigures, u64> {
        assert_eq!(recoding.len(), self.trees.len(), "one cut for each column");
        let cells = self.cells(recoding, self.earlier.len());
        for target in &self.targets {
            let mut left = target.left.clone();
            cells
                .iter()
                .take(target.increment + 1)
                .for_each(|cells| lessen(&mut left, cells.of(target.tuple)));
            if rows(left.iter().flatten()) < self.k {
                return Err(self.all.rows());
            }
        }
        let sizes = cells[0].groups.iter().map(rows).filter(|&rows| rows > 0);
        let (published, squares) = sizes.fold((0, 0), |(classes, squares), rows| {
            (classes + 1, squares + u128::from(rows).pow(2))
        });
        Ok(StateFigures {
            published,
            squares,
            published_squares: squares,
            ..StateFigures::default()
        })
    }
}

fn rows<'g>(groups: impl IntoIterator<Item = &'g (ValueCode, u64)>) -> u64 {
    groups.into_iter().map(|&(_, rows)| rows).sum()
}

/// Lowers each count to the smaller of both, value by value.
fn lessen(left: &mut Option<Groups>, other: &Groups) {
    let Some(left) = left else {
        *left = Some(other.clone());
        return;
    };
    left.retain_mut(|(value, rows)| {
        let at = other.binary_search_by_key(value, |&(value, _)| value);
        *rows = at.map_or(0, |at| other[at].1.min(*rows));
        *rows > 0
    });
}

impl Cells {
    fn of(&self, tuple: usize) -> &Groups {
        &self.groups[self.of_tuple[tuple] as usize]
    }
}

impl Target {
    /// Adds one more release to the bounds; only releases before a target's increment count on the
    /// earlier side.
    fn narrow(&mut self, cells: &[Cells]) {
        cells
            .iter()
            .take(self.increment + 1)
            .for_each(|cells| lessen(&mut self.left, cells.of(self.tuple)));
    }
}

/// Checks states by the validity of a chain.
pub(super) struct InChain<'c> {
    pub chain: &'c EarlierReleases<'c>,
    pub lattice: &'c Lattice,
    pub objective: &'c Objective,
}

impl Checker for InChain<'_> {
    fn check(&mut self, states: &[Levels]) -> Vec<StateFigures> {
        let one = |levels: &Levels| match self
            .chain
            .check(&self.lattice.recoding(self.chain.trees, levels))
        {
            Ok(checked) => StateFigures {
                extra: vec![0; self.objective.figures(self.lattice)],
                ..checked
            },
            Err(rows) => StateFigures {
                suppressed: rows,
                lost: rows,
                ..StateFigures::default()
            },
        };
        states.par_iter().map(one).collect()
    }

    /// Each state is checked by itself.
    fn prepare(&mut self, _levels: &[u8]) {}

    fn bytes(&self) -> usize {
        0
    }
}
