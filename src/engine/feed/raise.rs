//! Makes a recoding one step coarser before anything of its tick is fixed (SCIENCE 6, gate:
//! repair), because readers would know that a class is small. The standing recoding stays that
//! coarse.
//!
//! No line of this file may look at a sensitive value.

use super::blind::rules;
use super::parts::{ClosingResult, FeedTickResult};
use super::state::{Feed, WaitingRelease};
use crate::anonymizer::{Course, Recoder, StandingRecoding, StandingState};
use crate::model::{Node, Taxonomy};
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
            ChainPromise::Blind(standing) => {
                let rules = rules(policy.a(), standing);
                let last = self.unpublished.last().expect("atoms formed");
                let state = std::mem::replace(&mut self.standing, StandingState::new(trees.len()));
                let mut standing =
                    StandingRecoding::resume(rules, state).with(Recoder::of(policy, trees));
                let raised = standing.raise(class, &last.rows.headcount(), trees);
                self.standing = standing.into_state();
                let (column, atoms) = raised?;
                let dissolved = self.unpublished.pop().expect("there is a last one");
                self.waiting = self.waiting.merge(&dissolved.rows);
                ticked.added = self.form(&atoms);
                let recoding = self.standing.cut().expect("atoms formed under a recoding");
                ticked.closed = ClosingResult::Candidate(Box::new(self.atoms_under(recoding)));
                Some(column)
            }
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
            ChainPromise::Disjoint { .. } | ChainPromise::Crowds { .. } | ChainPromise::Bcf => None,
        }
    }
}
