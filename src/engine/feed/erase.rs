//! Erases a person from everything unpublished, as if they had never come (SCIENCE 3, erasure). The
//! other people of their atom wait again. Published rows stay, except where rows keep their labels: a
//! request can erase whole atoms from all later releases (SCIENCE 11).

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::state::Feed;
use crate::histogram::{Histogram, Person, Release};
use crate::model::{Node, Taxonomy};
use crate::policy::Policy;

/// The people who were erased from everything that is not published.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErasedPeople {
    /// The people.
    pub people: BTreeSet<Person>,
    /// The ticks before which they arrived.
    pub arrived: BTreeSet<u32>,
    /// The number of atoms that were dissolved because of them. All atoms that were formed together
    /// and wait again together count as one.
    pub dissolved: u64,
    /// How many of them came since the last closed tick.
    pub new: u64,
    /// The unpublished increments of which nobody is left, by their number before.
    pub emptied: BTreeSet<usize>,
}

impl Feed {
    /// Erases all rows of these people that are not published; they may come again afterwards.
    pub fn erase(
        &mut self,
        people: &BTreeSet<Person>,
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> ErasedPeople {
        assert_eq!(self.columns.0, trees.len(), "one taxonomy for each column");
        let mut gone = self.new.take_out(people);
        let new = gone.len() as u64;
        let all = 0..self.unpublished.len();
        let (mut dissolved, mut emptied) = (0, BTreeSet::new());
        if policy.has_atoms() {
            dissolved = all.clone().map(|at| self.dissolve(at, people, trees)).sum();
            emptied.extend(all.filter(|&at| self.unpublished[at].rows.rows() == 0));
            self.unpublished.retain(|formed| formed.rows.rows() > 0);
        } else if self
            .unpublished
            .iter()
            .any(|formed| formed.people.hold(people))
        {
            // These atoms were formed together.
            (dissolved, emptied) = (1, all.collect());
            self.again();
        }
        gone.extend(self.waiting.take_out(people));
        for (person, _) in &gone {
            self.people.forget(*person);
        }
        let (people, arrived) = gone.into_iter().unzip();
        ErasedPeople {
            people,
            arrived,
            dissolved,
            new,
            emptied,
        }
    }

    /// Erases the rows of a label that came with a release of this chain from all later releases.
    /// All rows of the atom are erased, since a part of them would show whose they were. Their
    /// people stay known. Returns the number of rows; for chains of crowds.
    pub fn erase_rows(&mut self, release: u32, label: &[Node]) -> u64 {
        assert_eq!(label.len(), self.columns.0, "one label for each column");
        let Some(published) = self
            .published
            .iter_mut()
            .find(|published| published.release == release)
        else {
            return 0;
        };
        let [atom, others] = published.rows.divide(|nodes, _| nodes == label);
        if atom.rows() == 0 {
            return 0;
        }
        published.rows = Arc::new(others);
        // A release without any rows left has no table of measures.
        published.measures = published.measures.take().and_then(|measures| {
            let [_, others] = measures.divide(|nodes, _| nodes == label);
            (others.tuples() > 0).then(|| Arc::new(others))
        });
        self.put_together();
        self.owe_release();
        atom.rows()
    }

    /// The labels of the rows that some releases of this chain have added, by the number of the
    /// release; for chains of crowds.
    pub fn labels_of(&self, releases: RangeInclusive<u32>) -> Vec<(u32, Vec<Node>)> {
        assert!(!releases.is_empty(), "releases in their order");
        let of = self
            .published
            .iter()
            .filter(|published| releases.contains(&published.release));
        let labels =
            of.map(|published| (published.release, Release::from_own_labels(&published.rows)));
        labels
            .flat_map(|(release, rows)| {
                (0..rows.classes())
                    .map(move |class| (release, rows.class(class).to_vec()))
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// Erases all rows that some releases of this chain added from all later releases. Their people
    /// stay known. Returns the number of rows; for chains of crowds.
    pub fn drop_rows(&mut self, releases: RangeInclusive<u32>) -> u64 {
        assert!(!releases.is_empty(), "releases in their order");
        let mut gone = 0;
        for published in self
            .published
            .iter_mut()
            .filter(|published| releases.contains(&published.release))
        {
            gone += published.rows.rows();
            published.rows = Arc::new(Histogram::empty(
                published.rows.width(),
                published.rows.values().width(),
            ));
            published.measures = None;
        }
        if gone > 0 {
            self.put_together();
        }
        gone
    }

    fn put_together(&mut self) {
        let left = self
            .published
            .iter()
            .map(|published| Histogram::clone(&published.rows).as_one(0));
        self.whole = Histogram::merge_all(left.collect())
            .expect("a release is published")
            .into();
    }

    /// Published rows were removed: the next tick makes a release without them, whether it has new
    /// people or not.
    pub fn owe_release(&mut self) {
        self.rows_left = true;
    }

    /// Says whether the next tick has another reason to make a release, even without new people.
    /// This is asked before each tick and not stored.
    pub fn set_due(&mut self, is_due: bool) {
        self.is_due = is_due;
    }

    /// Whether the next tick makes a release even without new people. Without any rows it makes
    /// none.
    pub fn owes_release(&self) -> bool {
        (self.rows_left || self.is_due) && !self.stopped && self.whole().rows() + self.pending() > 0
    }
}
