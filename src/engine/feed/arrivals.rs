//! Rows that are not published, each with its person, by the tick of their arrival (SCIENCE 3). A
//! row keeps its person until it is published: until then the person may be erased, and the row may
//! have to wait for another atom.
//!
//! `Debug` shows only the number of rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;

use crate::histogram::{CodedRows, Headcount, Histogram, Person};
use crate::model::{Leaf, TreeGrowth};

/// Rows with their people, by the tick of their arrival, in parts as they came.
#[derive(Clone, Default)]
pub struct Arrivals(BTreeMap<u32, Vec<Arc<CodedRows>>>);

impl fmt::Debug for Arrivals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arrivals({} rows)", self.rows())
    }
}

impl Arrivals {
    /// Adds rows that arrived before this tick.
    pub fn add(&mut self, since: u32, rows: CodedRows) {
        self.add_part(since, Arc::new(rows));
    }

    fn add_part(&mut self, since: u32, mut rows: Arc<CodedRows>) {
        if rows.is_empty() {
            return;
        }
        let parts = self.0.entry(since).or_default();
        // Each part is larger than all after it, so that a row is copied few times.
        while let Some(last) = parts.pop_if(|last| last.len() <= 2 * rows.len()) {
            rows = Arc::new(Arc::unwrap_or_clone(last).and(&rows));
        }
        parts.push(rows);
    }

    /// Adds the rows of others.
    pub fn append(&mut self, others: Arrivals) {
        for (since, parts) in others.0 {
            for part in parts {
                self.add_part(since, part);
            }
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.iter().map(|(_, rows)| rows.len() as u64).sum()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rows in parts, by the tick of their arrival.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &CodedRows)> {
        let of_tick = |(&since, parts)| {
            let parts: &Vec<Arc<CodedRows>> = parts;
            parts.iter().map(move |rows| (since, &**rows))
        };
        self.0.iter().flat_map(of_tick)
    }

    /// The rows, all of one tick together.
    pub fn by_tick(&self) -> impl Iterator<Item = (u32, CodedRows)> + '_ {
        self.0.iter().filter_map(|(&since, parts)| {
            let (first, others) = parts.split_first()?;
            let all = others
                .iter()
                .fold(CodedRows::clone(first), |all, part| all.and(part));
            Some((since, all))
        })
    }

    /// All rows; `None` if there are none.
    pub fn together(&self) -> Option<CodedRows> {
        let (_, first) = self.iter().next()?;
        let others = self.iter().skip(1).map(|(_, rows)| rows);
        Some(others.fold(first.clone(), CodedRows::and))
    }

    /// The rows as counts, by the tick of their arrival; `None` if there are none.
    pub fn histogram(&self) -> Option<Histogram> {
        let parts = self.iter().map(|(since, rows)| rows.histogram(since));
        Histogram::merge_all(parts.collect()).map(Histogram::with_values_in_use)
    }

    /// The number of rows by leaf tuple and tick of arrival.
    pub fn headcount(&self, quasi: usize) -> Headcount {
        self.histogram()
            .map_or_else(|| Headcount::empty(quasi), |rows| rows.headcount())
    }

    /// The people of the rows that arrived after a tick; `None`: of all rows.
    pub fn people_after(&self, tick: Option<u32>) -> impl Iterator<Item = Person> + '_ {
        self.iter()
            .filter(move |(since, _)| Some(*since) > tick)
            .flat_map(|(_, rows)| rows.people().unwrap_or_default().iter().copied())
    }

    /// Whether a row belongs to one of these people.
    pub fn hold(&self, people: &BTreeSet<Person>) -> bool {
        self.people_after(None)
            .any(|person| people.contains(&person))
    }

    /// The rows whose leaf tuples satisfy a condition, and the others.
    pub fn divide(&self, holds: impl Fn(&[Leaf]) -> bool + Sync) -> [Arrivals; 2] {
        let parts = self.divide_rows(|rows| {
            let of_row = |leaves: &mut Vec<Leaf>, row: usize| {
                leaves.clear();
                leaves.extend(rows.tuple_at(row));
                holds(leaves)
            };
            let rows = (0..rows.len()).into_par_iter();
            rows.map_init(Vec::new, of_row).collect()
        });
        let rows = parts[0].rows() + parts[1].rows();
        assert_eq!(rows, self.rows(), "each row is in one of both parts");
        parts
    }

    /// Removes the rows of these people; returns them, with the ticks of their arrival.
    pub(super) fn take_out(&mut self, people: &BTreeSet<Person>) -> Vec<(Person, u32)> {
        if people.is_empty() || !self.hold(people) {
            return Vec::new();
        }
        let [gone, rest] = self.divide_rows(|rows| {
            let persons = rows.people().unwrap_or_default().iter();
            persons.map(|person| people.contains(person)).collect()
        });
        *self = rest;
        let rows = gone.iter().flat_map(|(since, rows)| {
            let persons = rows.people().unwrap_or_default().iter();
            persons.map(move |&person| (person, since))
        });
        rows.collect()
    }

    /// The marked rows, and the others.
    fn divide_rows(&self, marks: impl Fn(&CodedRows) -> Vec<bool>) -> [Arrivals; 2] {
        let mut parts = [Arrivals::default(), Arrivals::default()];
        for (&since, rows) in &self.0 {
            for rows in rows {
                let marked = marks(rows);
                assert_eq!(marked.len(), rows.len(), "a mark for each row");
                let [yes, no] = &mut parts;
                if marked.iter().all(|marked| *marked) {
                    yes.add_part(since, Arc::clone(rows));
                } else if !marked.contains(&true) {
                    no.add_part(since, Arc::clone(rows));
                } else {
                    yes.add(since, rows.only(|row| marked[row]));
                    no.add(since, rows.only(|row| !marked[row]));
                }
            }
        }
        parts
    }

    /// Adapts the rows to taxonomies that have new leaves.
    pub(super) fn grow(&mut self, growth: &[TreeGrowth]) {
        let parts = self.0.values_mut().flatten();
        parts.for_each(|rows| Arc::make_mut(rows).grow(growth));
    }

    /// The rows in an order that does not depend on how they came.
    fn sorted(&self) -> Vec<impl PartialEq> {
        let row = |(since, rows): (u32, &CodedRows)| {
            let row = |row: usize| {
                let person = rows.people().map(|people| people[row]);
                let leaves: Vec<Leaf> = rows.tuple_at(row).collect();
                let value = rows.values().get(rows.codes()[row]).to_vec();
                let numbers: Vec<Option<i64>> =
                    rows.measures().iter().map(|column| column[row]).collect();
                (since, person, leaves, value, numbers)
            };
            (0..rows.len()).map(row).collect::<Vec<_>>()
        };
        let mut all: Vec<_> = self.iter().flat_map(row).collect();
        all.sort();
        all
    }
}

/// Equal if the rows are the same, in whatever parts and order.
impl PartialEq for Arrivals {
    fn eq(&self, other: &Arrivals) -> bool {
        self.sorted() == other.sorted()
    }
}

impl Eq for Arrivals {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::SensitiveValues;

    /// Rows of these people, each with a leaf that is its number modulo 3.
    fn rows(people: impl Iterator<Item = u128> + Clone) -> CodedRows {
        let leaves = people.clone().map(|person| (person % 3) as Leaf).collect();
        let (values, _) = SensitiveValues::from_distinct(0, vec![Box::from([])]);
        let codes = people.clone().map(|_| 0).collect();
        CodedRows::new(
            vec![leaves],
            values,
            codes,
            Some(people.map(Person).collect()),
        )
    }

    #[test]
    fn no_row_is_lost_however_rows_come() {
        let (mut all, mut some) = (Arrivals::default(), Arrivals::default());
        for from in 0..40 {
            all.add(2, rows(10 * from..10 * from + 10));
        }
        some.add(2, rows(0..400));
        assert_eq!((all.rows(), &all), (400, &some));
        let parts = all.iter().count();
        assert!(parts < 9, "{parts} parts");
        all.append(some.clone());
        assert_eq!(all.rows(), 800);
        assert!(all != some);
    }

    #[test]
    fn rows_are_divided_with_their_people() {
        let mut all = Arrivals::default();
        all.add(0, rows(0..30));
        all.add(1, rows(30..45));
        let [ones, others] = all.divide(|leaves| leaves == [1]);
        assert_eq!((ones.rows(), others.rows()), (15, 30));
        assert!(ones.people_after(None).all(|person| person.0 % 3 == 1));
        assert_eq!(others.people_after(Some(0)).count(), 10);
        let gone = BTreeSet::from([Person(3), Person(33), Person(99)]);
        assert_eq!(all.take_out(&gone), [(Person(3), 0), (Person(33), 1)]);
        assert_eq!((all.rows(), all.hold(&gone)), (43, false));
    }
}
