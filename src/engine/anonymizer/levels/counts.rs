//! Counting queries as an objective: how far counts from the published table are from those of the
//! rows, over the queries that are expected. A published row is spread evenly over the leaves of
//! its label, a suppressed one over all leaves. The error of a query is
//! |answer − count| / max(count, 1), and the value of a state is the mean error.
//!
//! More generalisation may improve an answer, so no figure is monotonic by itself. But without
//! suppression an answer depends only on the levels of the query's own columns: the least error of
//! all higher states is known in advance, and each suppressed row changes it by at most 1.

use std::collections::BTreeMap;

use super::lattice::{Lattice, Levels};
use super::rows::DistinctRows;
use crate::model::Leaf;

/// A count of the rows whose leaves are wanted; columns that are not named do not matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The columns, each once, and for each of their leaves whether it is wanted.
    pub columns: Vec<(usize, Vec<bool>)>,
}

/// Counting queries over the rows, prepared for all states.
pub struct CountingQueries {
    queries: Vec<Prepared>,
    /// The most rows that may be suppressed.
    limit: u64,
}

/// A query that has been prepared.
struct Prepared {
    columns: Vec<Column>,
    /// The number of rows that match.
    count: u64,
    /// For each combination of levels, the answer without suppression, in units of a row.
    answers: Vec<u128>,
    /// For each combination of levels, the least distance between the count and an answer at these
    /// or higher levels, in units of a row.
    least: Vec<u128>,
    /// The contribution of a suppressed row, in units of a row.
    root: u64,
}

struct Column {
    column: usize,
    /// Whether the query wants each leaf.
    wanted: Vec<bool>,
    /// For each level and code, the share of the label's leaves that the query wants.
    shares: Vec<Vec<f64>>,
    /// The distance of two levels in tables of combinations.
    step: usize,
}

/// The units into which a row is divided, so that sums do not depend on their order.
const ROW: u64 = 1 << 50;
/// The units in which errors are counted, so that equal errors do not differ by rounding.
const ERROR: f64 = (1u64 << 20) as f64;

impl CountingQueries {
    /// Prepares queries over the rows of a lattice, of which at most `limit` may be suppressed.
    ///
    /// # Panics
    /// If there is no query, or a query names a column twice.
    pub fn of(
        rows: &DistinctRows,
        lattice: &Lattice,
        queries: &[Query],
        limit: u64,
    ) -> CountingQueries {
        assert!(!queries.is_empty(), "there are queries");
        CountingQueries {
            queries: queries
                .iter()
                .map(|query| Prepared::of(rows, lattice, query))
                .collect(),
            limit,
        }
    }

    /// The number of queries.
    pub(super) fn len(&self) -> usize {
        self.queries.len()
    }

    /// The contribution of a published class to the answer of a query, in units of a row.
    pub(super) fn adds(&self, query: usize, levels: &[u8], code: impl Fn(usize) -> u32) -> u64 {
        let columns = &self.queries[query].columns;
        columns_share(columns, levels, |at| code(columns[at].column))
    }

    /// The bound of a state and all its generalisations.
    pub(super) fn bound(&self, levels: &[u8]) -> f64 {
        let may = u128::from(self.limit) * u128::from(ROW);
        self.mean(|query| query.least[query.place(levels)].saturating_sub(may))
    }

    /// The value of a state that suppresses this many rows, which would have contributed `adds` to
    /// the answers.
    pub(super) fn value(&self, levels: &Levels, suppressed: u64, extra: &[u128]) -> f64 {
        assert_eq!(extra.len(), self.queries.len(), "a figure for each query");
        let mut extra = extra.iter();
        self.mean(|query| {
            let without = extra.next().expect("a figure for each query");
            let answer = query.answers[query.place(levels)] - without;
            (answer + u128::from(query.root) * u128::from(suppressed))
                .abs_diff(query.count_in_units())
        })
    }

    fn mean(&self, mut distance: impl FnMut(&Prepared) -> u128) -> f64 {
        let error =
            |query: &Prepared| distance(query) as f64 / ROW as f64 / query.count.max(1) as f64;
        (self.queries.iter().map(error).sum::<f64>() / self.queries.len() as f64 * ERROR).round()
            / ERROR
    }
}

/// The share of a class that a query wants, in units of a row.
fn columns_share(columns: &[Column], levels: &[u8], code: impl Fn(usize) -> u32) -> u64 {
    let share = |(at, column): (usize, &Column)| {
        column.shares[usize::from(levels[column.column])][code(at) as usize]
    };
    in_units(columns.iter().enumerate().map(share))
}

/// The product of the shares of columns, in units of a row.
fn in_units(shares: impl Iterator<Item = f64>) -> u64 {
    (shares.product::<f64>() * ROW as f64).round() as u64
}

impl Column {
    fn of(lattice: &Lattice, column: usize, wanted: &[bool], step: usize) -> Column {
        assert_eq!(
            lattice.codes(column, 0).len(),
            wanted.len(),
            "each leaf is asked for or is not"
        );
        let shares = (0..lattice.height(column))
            .map(|level| shares(lattice, column, level, wanted))
            .collect();
        Column {
            column,
            wanted: wanted.to_vec(),
            shares,
            step,
        }
    }

    /// The share of the leaves of `*` that the query wants.
    fn of_all(&self) -> f64 {
        self.wanted.iter().filter(|&&wanted| wanted).count() as f64 / self.wanted.len() as f64
    }
}

impl Prepared {
    fn of(rows: &DistinctRows, lattice: &Lattice, query: &Query) -> Prepared {
        let mut combinations = 1;
        let mut columns: Vec<Column> = Vec::new();
        for (column, wanted) in &query.columns {
            assert!(
                columns.iter().all(|other| other.column != *column),
                "a query names a column once"
            );
            columns.push(Column::of(lattice, *column, wanted, combinations));
            combinations *= usize::from(lattice.height(*column));
        }
        let mut tuples: BTreeMap<Vec<Leaf>, u64> = BTreeMap::new();
        for (at, &count) in rows.counts.iter().enumerate() {
            let tuple = columns
                .iter()
                .map(|column| rows.columns[column.column][at])
                .collect();
            *tuples.entry(tuple).or_default() += u64::from(count);
        }
        let is_asked_for = |tuple: &&Vec<Leaf>| {
            columns
                .iter()
                .zip(*tuple)
                .all(|(column, &leaf)| column.wanted[leaf as usize])
        };
        let count = tuples
            .keys()
            .filter(is_asked_for)
            .map(|tuple| tuples[tuple])
            .sum();
        let mut levels = lattice.bottom();
        let answers: Vec<u128> = (0..combinations)
            .map(|combination| {
                for column in &columns {
                    let height = usize::from(lattice.height(column.column));
                    levels[column.column] = (combination / column.step % height) as u8;
                }
                let codes: Vec<&[u32]> = columns
                    .iter()
                    .map(|column| lattice.codes(column.column, levels[column.column]))
                    .collect();
                let of_tuple = |(tuple, &rows): (&Vec<Leaf>, &u64)| {
                    u128::from(columns_share(&columns, &levels, |at| {
                        codes[at][tuple[at] as usize]
                    })) * u128::from(rows)
                };
                tuples.iter().map(of_tuple).sum()
            })
            .collect();
        let mut least: Vec<u128> = answers
            .iter()
            .map(|answer| answer.abs_diff(u128::from(count) * u128::from(ROW)))
            .collect();
        for column in &columns {
            let height = usize::from(lattice.height(column.column));
            for at in (0..combinations)
                .rev()
                .filter(|at| at / column.step % height + 1 < height)
            {
                least[at] = least[at].min(least[at + column.step]);
            }
        }
        assert!(
            least
                .iter()
                .zip(&answers)
                .all(|(least, answer)| *least
                    <= answer.abs_diff(u128::from(count) * u128::from(ROW))),
            "the least error is no larger than a state's own"
        );
        let root = in_units(columns.iter().map(Column::of_all));
        assert!(root <= ROW, "at most the whole row");
        Prepared {
            columns,
            count,
            answers,
            least,
            root,
        }
    }

    fn place(&self, levels: &[u8]) -> usize {
        self.columns
            .iter()
            .map(|column| column.step * usize::from(levels[column.column]))
            .sum()
    }

    fn count_in_units(&self) -> u128 {
        u128::from(self.count) * u128::from(ROW)
    }
}

/// For each code of a level, the share of the label's leaves that are wanted.
fn shares(lattice: &Lattice, column: usize, level: u8, wanted: &[bool]) -> Vec<f64> {
    let mut inside = vec![0u32; lattice.nodes(column, level).len()];
    let mut all = inside.clone();
    for (&wanted, &code) in wanted.iter().zip(lattice.codes(column, level)) {
        all[code as usize] += 1;
        inside[code as usize] += u32::from(wanted);
    }
    inside
        .into_iter()
        .zip(all)
        .map(|(inside, all)| f64::from(inside) / f64::from(all))
        .collect()
}
