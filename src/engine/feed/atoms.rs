//! Atoms (SCIENCE 4 and 11): the people of a tick who get labels, and the release with them. In a
//! chain that keeps labels a release consists of the previous one, without atoms that were erased
//! since, and the rows of unpublished atoms. Under `bcf` it has all people so far under one
//! recoding; in a disjoint chain it has the newest atoms alone, and people of a release that is not
//! published wait again.
//!
//! No line of this file may look at a sensitive value.

use super::parts::{Increment, ProposedRelease};
use super::state::Feed;
use crate::histogram::{Histogram, Release};
use crate::label::Course;
use crate::model::{Carving, Cut, Leaf, Recoding, Taxonomy};
use crate::policy::{ChainKind, Policy};

impl Feed {
    /// People in atoms that were not published wait again.
    pub fn again(&mut self) {
        let mut rows = vec![self.waiting.clone()];
        for increment in std::mem::take(&mut self.unpublished) {
            rows.push(increment.rows);
        }
        self.waiting = Histogram::merge_all(rows).expect("one at least");
    }

    /// Forms atoms of the waiting people whom these labels hold; the others go on waiting. Returns
    /// the number of people in them.
    pub(super) fn form(
        &mut self,
        course: Option<Course>,
        labels: Carving,
        trees: &[&Taxonomy],
    ) -> u64 {
        let [rows, waiting] = self.waiting.divide_by(&labels, trees);
        let formed = rows.rows();
        self.waiting = waiting;
        self.unpublished.push(Increment {
            course,
            labels: Some(labels),
            rows,
            ledger: None,
            measures: None,
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
        Histogram::merge_all(rows.collect())
            .unwrap_or_else(|| Histogram::empty(self.waiting.width(), 0))
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

    /// Sets the aggregates of the measures of the people whose atoms the last tick formed.
    /// Candidates that are built from now on contain them.
    pub fn measured(&mut self, measures: Histogram) {
        if let Some(increment) = self.unpublished.last_mut() {
            increment.measures = Some(measures);
        }
    }

    /// Dissolves the unpublished atom of a person: its people wait again, as of their arrival.
    /// `false` if no person of this leaf tuple and arrival is in such an atom.
    pub(super) fn dissolve_crowd(
        &mut self,
        leaves: &[Leaf],
        since: u32,
        trees: &[&Taxonomy],
    ) -> bool {
        assert_eq!(leaves.len(), trees.len(), "one leaf for each column");
        let holds = |increment: &Increment| {
            let [found, _] = increment
                .rows
                .divide(|tuple, cell| tuple == leaves && cell.increment == since);
            found.rows() > 0
        };
        let Some(at) = self.unpublished.iter().position(holds) else {
            return false;
        };
        let increment = &mut self.unpublished[at];
        let labels = increment.labels.take().expect("the rows are kept");
        let finder = labels.finder(trees);
        let class = |tuple: &[Leaf]| finder.class(tuple).map(|(class, _)| class);
        let gone = class(leaves);
        let [atom, rest] = increment.rows.divide(|tuple, _| class(tuple) == gone);
        increment.labels = Some(labels.without(|class| Some(class) == gone));
        increment.rows = rest;
        let label = gone.map(|gone| labels.classes()[gone].clone());
        if let Some(measures) = &mut increment.measures {
            *measures = measures.divide(|tuple, _| Some(tuple) != label.as_deref())[0].clone();
        }
        if increment.rows.rows() == 0 {
            self.unpublished.remove(at);
        }
        self.waiting = self.waiting.merge(&atom);
        true
    }
}

impl Increment {
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
