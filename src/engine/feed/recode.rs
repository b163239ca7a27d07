//! A tick of a disjoint chain whose releases have one recoding for all rows, and leave rows waiting
//! that have no class under it (SCIENCE 8 and 9): by suppression, or because a column has a floor.
//! The rows of a release that is not published wait again.
//!
//! No line of this file may look at a sensitive value.

use super::parts::{ClosingResult, FeedTickResult, Increment};
use super::state::Feed;
use crate::anonymizer::{RecodedPeople, Recoder};
use crate::histogram::Histogram;
use crate::model::{Leaf, Node, Recoding, Taxonomy};
use crate::policy::Policy;

impl Feed {
    /// Searches a recoding for the people who wait, and forms the release of those in a class of at
    /// least `a` people.
    pub(super) fn recode(
        &mut self,
        policy: &Policy,
        trees: &[&Taxonomy],
        ticked: &mut FeedTickResult,
    ) -> ClosingResult {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let none = if self.published.is_empty() {
            ClosingResult::Held
        } else {
            ClosingResult::Waiting
        };
        let Some(found) = Recoder::of(policy, trees).find(&self.waiting.headcount(), trees) else {
            return none;
        };
        ticked.refusals.extend(found.refusals);
        ticked.levels = found.levels;
        self.form_under(found.course.cut().clone(), policy.a());
        ClosingResult::Candidate(Box::new(self.carved(None, trees)))
    }

    /// Makes the recoding of the release coarser for a class; waiting people may find a class under
    /// it. Returns the column.
    pub(super) fn raise_some(
        &mut self,
        class: &[Node],
        ticked: &mut FeedTickResult,
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> Option<usize> {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let last = self.unpublished.last().expect("a release is due");
        let classes = RecodedPeople::of(&last.rows.headcount(), &last.recoding);
        let people = classes.people.iter().enumerate();
        let people = people
            .map(|(at, &people)| (classes.classes.get(at as u32).to_vec(), people))
            .collect();
        let (column, recoding) =
            Recoder::of(policy, trees).raise(people, &last.recoding, class, trees)?;
        self.again();
        self.form_under(recoding, policy.a());
        let candidate = self.carved(None, trees);
        ticked.added = candidate.rows().rows();
        ticked.closed = ClosingResult::Candidate(Box::new(candidate));
        Some(column)
    }

    /// The waiting people in a class of at least `a` people form the release.
    fn form_under(&mut self, recoding: Recoding, a: u64) {
        assert_eq!(
            recoding.len(),
            self.waiting.width(),
            "one cut for each column"
        );
        let heads = self.waiting.headcount();
        let classes = RecodedPeople::of(&heads, &recoding);
        let forms = |tuple: &[Leaf]| {
            let at = heads.find(tuple).expect("a leaf tuple of these people");
            classes.people[classes.of_tuple[at]] >= a
        };
        let [rows, waiting]: [Histogram; 2] = self.waiting.divide(|tuple, _| forms(tuple));
        self.waiting = waiting;
        self.unpublished.push(Increment {
            recoding,
            carving: None,
            rows,
            ledger: None,
            measures: None,
        });
    }
}
