//! A tick in which all people who wait are published together under one recoding (SCIENCE 3): with
//! all people of earlier releases under that of the paper's anonymizer, or in a release of their
//! own.

use super::parts::{ClosingResult, FeedTickResult, Increment, ProposedRelease};
use super::state::{Feed, WaitingRelease};
use crate::anonymizer::{Course, Recoder, Refusal, bcf};
use crate::histogram::{Histogram, Release, SensitiveValues};
use crate::model::{Cut, Taxonomy};
use crate::policy::Policy;

impl Feed {
    /// The paper's anonymizer: all people who wait become the increment, once there are `k` of
    /// them.
    pub(super) fn bcf(
        &mut self,
        k: u64,
        trees: &[&Taxonomy],
        refusals: &mut Vec<Refusal>,
    ) -> ClosingResult {
        if self.waiting.rows() < k {
            return ClosingResult::Held;
        }
        let rows = self.whole().merge(&self.waiting.clone().as_one(0));
        let found = match bcf(&rows, &self.earlier(&rows), trees, k) {
            Err(reason) => return ClosingResult::Impossible(reason),
            Ok(found) => found,
        };
        let course = Course::searched(&found, trees);
        refusals.extend(found.refusals);
        self.due_under(course)
    }

    /// The releases of the chain so far, on the dictionary of `all`.
    fn earlier(&self, all: &Histogram) -> Vec<Release> {
        let mut so_far = Histogram::empty(all.width(), 0);
        let mut releases = Vec::with_capacity(self.published.len());
        for published in &self.published {
            so_far = so_far.merge(&Histogram::clone(&published.rows).as_one(0));
            // All people of the chain are in the new table, so the union is its dictionary.
            let (values, maps) = SensitiveValues::union(&[all.values(), so_far.values()]);
            let recoded = so_far.clone().with_values(&values, &maps[1]);
            assert_eq!(recoded.rows(), so_far.rows(), "other codes, the same rows");
            releases.push(Release::under(&recoded, 0..1, &published.recoding));
        }
        releases
    }

    /// A release of its own for all people who wait.
    pub(super) fn disjoint(
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
        if self.waiting.rows() < policy.a() {
            return if self.published.is_empty() {
                ClosingResult::Held
            } else {
                ClosingResult::Waiting
            };
        }
        let found = Recoder::of(policy, trees)
            .find(&self.waiting.headcount(), trees)
            .expect("at least k rows wait");
        ticked.refusals.extend(found.refusals);
        ticked.levels = found.levels;
        self.due_under(found.course)
    }

    /// All people who wait are to be published under this recoding.
    fn due_under(&mut self, course: Course) -> ClosingResult {
        let recoding = course.cut().clone();
        self.alone = Some(WaitingRelease {
            course,
            ledger: None,
            measures: None,
        });
        ClosingResult::Candidate(Box::new(self.all_under(&recoding)))
    }

    /// The release of all people who wait under this recoding, with the people of earlier releases
    /// that are kept.
    pub(super) fn all_under(&self, recoding: &[Cut]) -> ProposedRelease {
        assert_eq!(
            recoding.len(),
            self.waiting.width(),
            "one cut for each column"
        );
        let ledger = self.alone.as_ref().and_then(|alone| alone.ledger.clone());
        let measures = self.alone.as_ref().and_then(|alone| alone.measures.clone());
        // Values are fixed in the classes of the search, whatever recoding they are published
        // under.
        let atoms = self
            .alone
            .as_ref()
            .map_or(recoding, |alone| alone.course.cut());
        let increment = Increment {
            recoding: atoms.to_vec(),
            carving: None,
            rows: self.waiting.clone(),
            ledger,
            measures,
        };
        let rows = self.whole().merge(&increment.as_published().as_one(0));
        let table = Release::under(&rows, 0..1, recoding);
        assert_eq!(
            table.rows(),
            self.whole().rows() + self.waiting.rows(),
            "all who are kept, and all who waited"
        );
        ProposedRelease::of(self.releases + 1, table, rows, vec![increment])
    }
}
