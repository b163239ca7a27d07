//! Makes a recoding one step coarser before anything of its tick is fixed (SCIENCE 6, gate:
//! repair), because readers would know that a class is small. The standing recoding stays that
//! coarse.
//!
//! No line of this file may look at a sensitive value.

use super::parts::{ClosingResult, FeedTickResult};
use super::state::{Feed, WaitingRelease};
use crate::anonymizer::{Course, RecodedPeople, Recoder, RecodingStep, full_classes};
use crate::model::{Carving, Node, Taxonomy};
use crate::policy::{ChainPromise, Policy};

impl Feed {
    /// Makes the recoding of the last tick coarser for a class and builds its release again.
    /// Returns the column of the step; returns `None` and changes nothing if no coarser recoding
    /// exists or the paper's algorithm decides.
    ///
    /// # Panics
    /// If the tick proposed no release.
    pub fn raise(
        &mut self,
        class: &[Node],
        ticked: &mut FeedTickResult,
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> Option<usize> {
        assert_eq!(class.len(), trees.len(), "one label for each column");
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        match policy.chain() {
            ChainPromise::Atoms { .. } => self.raise_standing(class, ticked, policy, trees),
            ChainPromise::Disjoint { .. } if policy.recodes_some() => {
                self.raise_some(class, ticked, policy, trees)
            }
            ChainPromise::Disjoint { .. } if !policy.search().is_local() => {
                let course = &self.alone.as_ref().expect("a release is due").course;
                let release = self.waiting.headcount();
                let people = (0..release.tuples()).map(|tuple| {
                    let nodes = course
                        .cut()
                        .iter()
                        .zip(release.tuple_at(tuple))
                        .map(|(cut, leaf)| cut.at(leaf));
                    (nodes.collect(), release.count(tuple))
                });
                let recoder = Recoder::of(policy, trees);
                let (column, recoding) =
                    recoder.raise(people.collect(), course.cut(), class, trees)?;
                let course = Course::new(recoding.clone(), course.steps().to_vec(), trees);
                self.alone = Some(WaitingRelease {
                    course,
                    ledger: None,
                    measures: None,
                });
                ticked.closed = ClosingResult::Candidate(Box::new(self.all_under(&recoding)));
                Some(column)
            }
            ChainPromise::Disjoint { .. } | ChainPromise::Bcf => None,
        }
    }

    /// Makes the standing recoding coarser, if it was found in this tick, and forms its atoms again.
    fn raise_standing(
        &mut self,
        class: &[Node],
        ticked: &mut FeedTickResult,
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> Option<usize> {
        if ticked.step != Some(RecodingStep::First) {
            return None;
        }
        let standing = self.standing.as_ref().expect("it was found in this tick");
        let formed = self.unpublished.last().expect("atoms formed");
        let pool = self.waiting.merge(&formed.rows);
        let classes = RecodedPeople::of(&pool.headcount(), standing.cut());
        let people = (0..).zip(&classes.people);
        let people = people.map(|(at, &people)| (classes.classes.get(at).to_vec(), people));
        let (column, recoding) =
            Recoder::of(policy, trees).raise(people.collect(), standing.cut(), class, trees)?;
        let steps = standing.steps().to_vec();
        let labels = full_classes(&pool.headcount(), &recoding, policy.a());
        self.standing = Some(Course::new(recoding, steps, trees));
        self.unpublished.pop();
        self.waiting = pool;
        self.form_carved(self.standing_cut(), Carving::new(labels), trees);
        let candidate = self.in_crowds(trees);
        ticked.added = candidate.new_rows().rows();
        ticked.closed = ClosingResult::Candidate(Box::new(candidate));
        Some(column)
    }
}
