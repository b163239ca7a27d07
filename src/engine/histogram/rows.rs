//! Single rows: what a source brings and what waits, as long as it matters who stands behind a row (SCIENCE 3, repeats).
//! Whatever is computed is computed on the counts that rows are turned into.
//!
//! `Debug` shows how many rows there are, nothing else.

use std::fmt;

use super::{Cell, Headcount, Heads, Histogram, ValueCode, Values};
use crate::engine::model::{Leaf, Value};

/// The keyed hash of a person's identifiers; nothing else is kept of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Person(pub u128);

impl fmt::Debug for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Person(..)")
    }
}

/// Rows in columns: leaves of the quasi columns, one code of the sensitive tuple, the person.
#[derive(Clone, PartialEq, Eq)]
pub struct Rows {
    leaves: Vec<Vec<Leaf>>,
    values: Values,
    codes: Vec<ValueCode>,
    people: Option<Vec<Person>>,
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows({})", self.len())
    }
}

impl Rows {
    /// No rows of this many quasi and sensitive columns; `known` = whether rows have a person.
    pub fn empty(quasi: usize, sensitive: usize, known: bool) -> Rows {
        let (values, _) = Values::from_distinct(sensitive, Vec::new());
        Rows { leaves: vec![Vec::new(); quasi], values, codes: Vec::new(), people: known.then(Vec::new) }
    }

    /// Columns of one length: per quasi column the leaves, the code of each row's sensitive tuple, and the people, if the
    /// feed tells them apart.
    ///
    /// # Panics
    /// If the columns differ in length, or a code has no value.
    pub fn new(leaves: Vec<Vec<Leaf>>, values: Values, codes: Vec<ValueCode>, people: Option<Vec<Person>>) -> Rows {
        assert!(leaves.iter().all(|column| column.len() == codes.len()), "columns of one length");
        assert!(people.as_ref().is_none_or(|people| people.len() == codes.len()), "a person behind every row");
        assert!(codes.iter().all(|&code| (code as usize) < values.len()), "codes of the dictionary");
        Rows { leaves, values, codes, people }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The person behind each row, if the feed tells them apart.
    pub fn people(&self) -> Option<&[Person]> {
        self.people.as_deref()
    }

    /// The leaves of a quasi column, one per row.
    pub fn column(&self, column: usize) -> &[Leaf] {
        &self.leaves[column]
    }

    /// The leaves of a row, column by column.
    pub fn tuple_at(&self, row: usize) -> impl Iterator<Item = Leaf> + '_ {
        self.leaves.iter().map(move |column| column[row])
    }

    /// The dictionary of the sensitive tuples.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The code of each row's sensitive tuple.
    pub fn codes(&self) -> &[ValueCode] {
        &self.codes
    }

    /// The rows for which `keep` holds, in their order, with a dictionary of just their values.
    #[must_use]
    pub fn only(&self, keep: impl Fn(usize) -> bool) -> Rows {
        let rows: Vec<usize> = (0..self.len()).filter(|&row| keep(row)).collect();
        let mut used = vec![false; self.values.len()];
        rows.iter().for_each(|&row| used[self.codes[row] as usize] = true);
        let held: Vec<Box<[Value]>> =
            (0..used.len()).filter(|&code| used[code]).map(|code| self.values.get(code as u32).into()).collect();
        let mut code = vec![0; used.len()];
        (0..used.len()).filter(|&code| used[code]).enumerate().for_each(|(rank, old)| code[old] = rank as ValueCode);
        let (values, _) = Values::from_distinct(self.values.width(), held);
        Rows {
            leaves: self.leaves.iter().map(|column| rows.iter().map(|&row| column[row]).collect()).collect(),
            values,
            codes: rows.iter().map(|&row| code[self.codes[row] as usize]).collect(),
            people: self.people.as_ref().map(|people| rows.iter().map(|&row| people[row]).collect()),
        }
    }

    /// These rows and then those.
    ///
    /// # Panics
    /// If they are rows of different feeds.
    #[must_use]
    pub fn and(mut self, more: &Rows) -> Rows {
        assert_eq!(self.leaves.len(), more.leaves.len(), "rows of one feed");
        assert_eq!(self.people.is_some(), more.people.is_some(), "rows of one feed");
        let (values, maps) = Values::union(&[&self.values, &more.values]);
        self.codes.iter_mut().for_each(|code| *code = maps[0][*code as usize]);
        self.codes.extend(more.codes.iter().map(|&code| maps[1][code as usize]));
        self.values = values;
        self.leaves.iter_mut().zip(&more.leaves).for_each(|(column, more)| column.extend_from_slice(more));
        if let (Some(people), Some(more)) = (&mut self.people, &more.people) {
            people.extend_from_slice(more);
        }
        self
    }

    /// Counts of leaf tuples, all of one time.
    pub fn headcount(&self, since: u32) -> Headcount {
        let heads = Heads { since, count: 1 };
        Headcount::of(self.leaves.len(), (0..self.len()).map(|row| (self.tuple_at(row).collect::<Vec<_>>(), heads)))
    }

    /// Counts of leaf tuple and sensitive tuple, all of one increment.
    pub fn histogram(&self, increment: u32) -> Histogram {
        let mut order: Vec<u32> = (0..u32::try_from(self.len()).expect("fewer than 2^32 rows at a time")).collect();
        order.sort_unstable_by(|&a, &b| {
            let [a, b] = [a as usize, b as usize];
            self.tuple_at(a).cmp(self.tuple_at(b)).then(self.codes[a].cmp(&self.codes[b]))
        });
        let mut counted = Histogram { values: self.values.clone(), ..Histogram::empty(self.leaves.len(), 0) };
        let mut pool: Vec<Cell> = Vec::new();
        for (at, &row) in order.iter().enumerate() {
            let row = row as usize;
            pool.push(Cell { increment, value: self.codes[row], count: 1 });
            let next = order.get(at + 1).is_some_and(|&next| self.tuple_at(next as usize).eq(self.tuple_at(row)));
            if !next {
                counted.leaves.iter_mut().zip(&self.leaves).for_each(|(tuples, column)| tuples.push(column[row]));
                counted.push_cells(&pool);
                pool.clear();
            }
        }
        counted
    }
}
