//! Atoms (SCIENCE 4 and 11): the people of a tick who get labels, and the release with them. In a
//! chain that keeps labels a release consists of the previous one, without atoms that were erased
//! since, and the rows of unpublished atoms. Under `bcf` it has all people so far under one
//! recoding; in a disjoint chain it has the newest atoms alone, and people of a release that is not
//! published wait again.
//!
//! No line of this file may look at a sensitive value.

use std::collections::BTreeSet;

use super::arrivals::Arrivals;
use super::ledger::Ledger;
use super::parts::{Increment, ProposedRelease};
use super::state::Feed;
use crate::histogram::{Histogram, Person, Release};
use crate::label::Course;
use crate::measures::SumSuppression;
use crate::model::{Carving, ClassFinder, Cut, Leaf, Node, Recoding, Taxonomy};
use crate::policy::{ChainKind, Policy};

impl Feed {
    /// People in atoms that were not published wait again.
    pub fn again(&mut self) {
        for increment in std::mem::take(&mut self.unpublished) {
            self.waiting.append(increment.people);
        }
    }

    /// Forms atoms of the waiting people whom these labels hold; the others go on waiting. Returns
    /// the number of people in them.
    pub(super) fn form(
        &mut self,
        waiting: &Histogram,
        course: Option<Course>,
        labels: Carving,
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> u64 {
        let [rows, _] = waiting.divide_by(&labels, trees);
        let finder = labels.finder(trees);
        let [people, others] = self.waiting.divide(|leaves| finder.class(leaves).is_some());
        assert_eq!(rows.rows(), people.rows(), "each row that forms is counted");
        let (formed, measures) = (rows.rows(), measures_of_atoms(&people, &finder, policy));
        self.waiting = others;
        self.unpublished.push(Increment {
            course,
            labels: Some(labels),
            rows,
            people,
            ledger: None,
            measures,
        });
        formed
    }

    /// The release of the atoms that are not published, with the people of earlier releases that
    /// are kept.
    pub fn propose(&self, policy: &Policy, trees: &[&Taxonomy]) -> ProposedRelease {
        if policy.has_atoms() {
            return self.in_parts(trees);
        }
        let increment = self.unpublished.last().expect("a tick formed atoms");
        let new = increment.as_published().as_one(0);
        let rows = match policy.kind() {
            ChainKind::Cumulative => self.whole().merge(&new),
            ChainKind::Disjoint => new,
        };
        let table = match (&increment.course, &increment.labels) {
            (Some(course), _) => Release::under(&rows, 0..1, course.cut()),
            (None, Some(labels)) => Release::carved(&rows, 0..1, labels, trees),
            // Of an earlier release whose classes are not kept, only the number of people is used.
            (None, None) => Release::under(&rows, 0..1, &everything(trees)),
        };
        let increments = vec![increment.clone()];
        ProposedRelease {
            recoding: increment.recoding(),
            ..ProposedRelease::of(self.releases() + 1, table, rows, increments)
        }
    }

    /// The release of all people in atoms: new people are added to those of the last release, whose
    /// rows are not read.
    fn in_parts(&self, trees: &[&Taxonomy]) -> ProposedRelease {
        let new: Vec<Histogram> = self
            .unpublished
            .iter()
            .map(|increment| increment.labelled(trees))
            .collect();
        let rows = self.whole.and(new.iter().cloned());
        let recoding = self
            .standing()
            .map_or_else(Recoding::new, |standing| standing.cut().clone());
        let atoms = self.unpublished.clone();
        ProposedRelease::of_labels(self.releases() + 1, recoding, (rows, new), atoms)
    }

    /// The rows that some releases of this chain added, by the number of the release, with the
    /// nodes of their labels in the place of leaves, without atoms that were erased since.
    pub fn rows_of(&self, releases: std::ops::RangeInclusive<u32>) -> Histogram {
        assert!(!releases.is_empty(), "releases in their order");
        let held = self
            .published
            .iter()
            .filter(|published| releases.contains(&published.release));
        let rows =
            held.map(|published| Histogram::clone(&published.rows).as_one(published.release));
        Histogram::merge_all(rows.collect()).unwrap_or_else(|| Histogram::empty(self.columns.0, 0))
    }

    /// The aggregates of the measures of these rows, one row for each label and release.
    pub fn measures_of(&self, releases: std::ops::RangeInclusive<u32>) -> Option<Histogram> {
        assert!(!releases.is_empty(), "releases in their order");
        let held = self
            .published
            .iter()
            .filter(|published| releases.contains(&published.release));
        let tables =
            held.filter_map(|published| Some((published.release, published.measures.as_deref()?)));
        Histogram::merge_all(
            tables
                .map(|(release, table)| table.clone().as_one(release))
                .collect(),
        )
    }

    /// Dissolves the atoms of some people that a tick formed, by the number of the increment; the
    /// other people of these atoms wait again, as of their arrival. Returns the number of atoms.
    pub(super) fn dissolve(
        &mut self,
        at: usize,
        people: &BTreeSet<Person>,
        trees: &[&Taxonomy],
    ) -> u64 {
        let increment = &mut self.unpublished[at];
        if !increment.people.hold(people) {
            return 0;
        }
        let labels = increment.labels.take().expect("the rows are kept");
        let finder = labels.finder(trees);
        let class = |tuple: &[Leaf]| finder.class(tuple).map(|(class, _)| class);
        let mut gone: BTreeSet<usize> = BTreeSet::new();
        for (_, rows) in increment.people.iter() {
            for (row, person) in rows.people().unwrap_or_default().iter().enumerate() {
                if people.contains(person) {
                    gone.extend(class(&rows.tuple_at(row).collect::<Vec<_>>()));
                }
            }
        }
        let leaves = |tuple: &[Leaf]| class(tuple).is_some_and(|class| gone.contains(&class));
        let [atoms, rest] = increment.people.divide(leaves);
        let [_, rows] = increment.rows.divide(|tuple, _| leaves(tuple));
        (increment.people, increment.rows) = (rest, rows);
        if let Some(measures) = &mut increment.measures {
            let is_gone = |label: &[Node]| gone.iter().any(|&at| labels.classes()[at] == label);
            let [_, rest] = measures.divide(|label, _| is_gone(label));
            *measures = rest;
        }
        if let Some(ledger) = &mut increment.ledger {
            *ledger = ledger.among(&increment.rows);
        }
        increment.labels = Some(labels.without(|class| gone.contains(&class)));
        self.waiting.append(atoms);
        gone.len() as u64
    }

    /// The increment whose values are not fixed yet, and the unpublished increments before it.
    pub(super) fn fresh(&self) -> Option<(&Histogram, &[Increment])> {
        let (formed, earlier) = self.unpublished.split_last()?;
        formed.ledger.is_none().then_some((&formed.rows, earlier))
    }

    /// Fixes the published values as this ledger says.
    ///
    /// # Panics
    /// If there are no people.
    pub fn masked(&mut self, ledger: Ledger) {
        assert!(self.fresh().is_some(), "values of a person are fixed once");
        let formed = self.unpublished.last_mut().expect("atoms formed");
        formed.ledger = Some(ledger);
    }
}

/// The aggregates of the measures of these people, by the labels of their atoms; `None` if their
/// rows have no measures.
pub(super) fn measures_of_atoms(
    people: &Arrivals,
    finder: &ClassFinder<'_>,
    policy: &Policy,
) -> Option<Histogram> {
    let rows = people
        .together()
        .filter(|rows| !rows.measures().is_empty())?;
    let label = |leaves: &[Leaf]| finder.class(leaves).map(|(_, label)| label.to_vec());
    Some(SumSuppression::of(policy).aggregates(&rows, label))
}

impl Increment {
    /// Atoms with these labels and rows, read back; `None` without rows.
    pub fn of_rows(
        course: Option<Course>,
        labels: Carving,
        people: Arrivals,
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> Option<Increment> {
        let rows = people.histogram()?;
        let measures = measures_of_atoms(&people, &labels.finder(trees), policy);
        Some(Increment {
            course,
            labels: Some(labels),
            rows,
            people,
            ledger: None,
            measures,
        })
    }

    /// The rows as they are published, with the nodes of their labels in the place of leaves. This
    /// is also the form of rows of which nothing else is kept.
    pub fn labelled(&self, trees: &[&Taxonomy]) -> Histogram {
        let masked = self
            .ledger
            .as_ref()
            .map(|ledger| ledger.applied(&self.rows));
        let masked = masked.as_ref().unwrap_or(&self.rows);
        let labelled = match &self.labels {
            Some(labels) => masked.labelled(labels, trees),
            None => masked.clone(),
        };
        labelled.as_one(0)
    }
}

/// The recoding with `*` in all columns.
fn everything(trees: &[&Taxonomy]) -> Recoding {
    trees.iter().map(|tree| Cut::root(tree)).collect()
}
