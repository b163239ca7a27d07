//! What a reader believes of single values, where a requirement looks at all of them at once (SCIENCE 5; MIN 5). The belief about a
//! person is asked what the requirement asks of a class. For groups of a few people and values; of others nothing is known.

use super::groups::{Equals, Group};
use super::numbers::Numbers;
use super::requirement::Requirement;
use super::tie::{Figure, Tie};
use crate::gate::minimality::belief::Belief;
use crate::gate::minimality::requirement::{Share, close_to, k_e, recursive};
use crate::gate::minimality::spread::within;
use crate::gate::minimality::values::{Part, Ties, free, ties};
use crate::gate::minimality::{Counted, Credibility};
use crate::histogram::Release;

/// A release, its people, and a requirement.
pub struct Table<'t> {
    release: &'t Release,
    people: &'t [Equals],
    /// Rows of each value in the whole release.
    whole: Vec<u64>,
    numbers: &'t Numbers,
    asked: Requirement,
}

/// Whether people with so many rows of each value satisfy a requirement.
type Admits<'a> = Box<dyn Fn(usize, &[u64]) -> bool + 'a>;

/// Counts, and per people the most different values that are left and that were possible.
type Left = (Counted, Option<Vec<[usize; 2]>>);

impl<'t> Table<'t> {
    /// Of so many values.
    pub fn new(
        release: &'t Release,
        people: &'t [Equals],
        values: usize,
        numbers: &'t Numbers,
        asked: Requirement,
    ) -> Table<'t> {
        let mut table = Table { release, people, whole: vec![0; values], numbers, asked };
        for class in 0..release.classes() {
            let counts = table.counts(Some(class));
            table.whole.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        table
    }

    /// The ties of everybody in a group, one each to the likeliest value; what is counted is taken off the work.
    pub fn ties(&self, group: &Group, work: &mut u64) -> Vec<Tie> {
        let people = || group.people.iter().map(|&of| &self.people[of]);
        match self.left(group, work) {
            None => people().map(|equals| Tie::unknown(equals, None)).collect(),
            Some(None) => people().map(|equals| Tie::of(equals, None, None)).collect(),
            Some(Some((counted, distinct))) => people()
                .enumerate()
                .map(|(at, equals)| {
                    let shown = self.counts(equals.shown);
                    match Belief::of(&counted, at, &shown, equals.people) {
                        Some(belief) => self.tie(equals, &belief, distinct.as_ref().map(|distinct| distinct[at])),
                        None => Tie::of(equals, None, None),
                    }
                })
                .collect(),
        }
    }

    /// Of people all of whose rows everybody sees.
    pub fn seen(&self, equals: &Equals) -> Tie {
        self.tie(equals, &Belief::seen(&self.counts(equals.shown)), None)
    }

    /// Rows of a class by value.
    fn counts(&self, class: Option<usize>) -> Vec<u64> {
        let mut counts = vec![0; self.whole.len()];
        for at in class.into_iter().flat_map(|class| self.release.range(class)) {
            counts[self.release.values()[at] as usize] += self.release.counts()[at];
        }
        counts
    }

    /// What is left of a group's assignments, and for one class how many different values its people have; nothing where no class
    /// can have been generalised for the requirement, `None` where it is too much work.
    fn left(&self, group: &Group, work: &mut u64) -> Option<Option<Left>> {
        let tables = group.tables.as_ref()?;
        let admits = self.admits();
        let shown: Vec<Vec<u64>> = group.people.iter().map(|&of| self.counts(self.people[of].shown)).collect();
        let values: Vec<Vec<u64>> = group.classes.iter().map(|&class| self.counts(Some(class))).collect();
        let parts = |rows: &[u64]| -> Vec<Part> {
            within(rows).map(|at| Part { rows: rows[at], shown: shown[at].clone() }).collect()
        };
        let mut found: Vec<Vec<Ties>> = Vec::with_capacity(tables.len());
        for table in tables {
            let of = table.iter().zip(&values).map(|(rows, values)| ties(&parts(rows), values, &admits, work));
            found.push(of.collect::<Option<_>>()?);
        }
        let nothing = |ties: &Ties| ties.counted.left == Default::default();
        let possible: Vec<bool> = (0..group.classes.len()).map(|at| found.iter().any(|of| !nothing(&of[at]))).collect();
        if !possible.contains(&true) {
            return Some(None);
        }
        let one = tables.len() == 1 && group.classes.len() == 1;
        let distinct = one.then(|| found[0][0].distinct.clone());
        let counted: Vec<Vec<Counted>> = found
            .into_iter()
            .zip(tables)
            .map(|(found, table)| {
                let of = found.into_iter().zip(&possible).enumerate();
                // A class that shows no reason why it was generalised excludes nothing.
                of.map(|(at, (ties, possible))| match possible {
                    true => ties.counted,
                    false => free(&parts(&table[at]), &values[at]),
                })
                .collect()
            })
            .collect();
        Some(Some((group.spread.mixed(tables, &counted), distinct)))
    }

    /// Whether a class with these rows satisfies the requirement.
    fn admits(&self) -> Admits<'_> {
        match self.asked {
            Requirement::Recursive { c, l } => {
                let admits = recursive(c.into(), l as usize);
                Box::new(move |_, counts| admits(counts))
            }
            Requirement::Close { t } => {
                let admits = close_to(t.into(), self.whole.clone());
                Box::new(move |_, counts| admits(counts))
            }
            Requirement::Range { k, .. } => {
                let admits = k_e(k, self.numbers.e, self.numbers.of.clone());
                Box::new(move |_, counts| admits(counts))
            }
            Requirement::Diverse { .. } | Requirement::Alpha { .. } => {
                let (most, least) = (self.asked.of_sets().expect("a share of sets"), self.asked.least());
                Box::new(move |_, counts| {
                    let people = counts.iter().sum();
                    people >= least && counts.iter().all(|&count| most.holds(count, people))
                })
            }
        }
    }

    /// Asks a belief what the requirement asks.
    fn tie(&self, equals: &Equals, belief: &Belief, distinct: Option<[usize; 2]>) -> Tie {
        let strongest = belief.strongest();
        let (kept, figure) = match self.asked {
            Requirement::Recursive { c, l } => {
                let l = l as usize;
                let [left, any] = distinct.unwrap_or([l; 2]);
                let few = (left < l && l <= any).then_some(left);
                (few.is_none() && belief.is_recursive(c.into(), l), Figure::Recursive { c: belief.recursive(l), few })
            }
            Requirement::Close { t } => {
                let (distance, t) = (belief.distance(&self.whole), Share::from(t));
                (distance.is_at_most(t.part, t.of), Figure::Distance(distance.value()))
            }
            Requirement::Range { .. } => {
                let Numbers { of, e, scale } = self.numbers;
                let span = belief.span(of);
                (span >= *e, Figure::Span(span as f64 / 10f64.powi((*scale).into())))
            }
            Requirement::Diverse { .. } | Requirement::Alpha { .. } => {
                let most = self.asked.of_sets().expect("a share of sets");
                (strongest.is_at_most(most.part, most.of), Figure::Share)
            }
        };
        Tie { kept, figure, ..Tie::of(equals, None, Some(Credibility::Exact(strongest))) }
    }
}
