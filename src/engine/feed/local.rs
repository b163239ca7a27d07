//! A tick of a disjoint chain in which every class gets labels of its own (SCIENCE 6 and 9): the
//! search divides the whole pool into classes; the release publishes the people of each class, and
//! people in no class wait. Rows of a release that is not published wait again at the next tick,
//! which divides them by new draws: the old classes are not kept.
//!
//! No line of this file may look at a sensitive value.

use super::parts::{ClosingResult, FeedTickResult, Increment, ProposedRelease};
use super::state::{Feed, everything};
use crate::anonymizer::{Grouping, HiddenSums, StateClass, arx_lr, grouped};
use crate::histogram::{Histogram, Release};
use crate::model::{Carving, Leaf, Node, Recoding, Taxonomy};
use crate::policy::{ChainPromise, Outliers, Policy, Search};

impl Feed {
    /// People in classes that were not published wait again.
    pub fn again(&mut self) {
        let back = std::mem::take(&mut self.unpublished)
            .into_iter()
            .map(|increment| increment.rows);
        self.waiting =
            Histogram::merge_all([self.waiting.clone()].into_iter().chain(back).collect())
                .expect("one at least");
    }

    /// Divides the pool into classes.
    pub(super) fn local(&mut self, policy: &Policy, trees: &[&Taxonomy]) -> ClosingResult {
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
        if self.waiting.rows() < policy.a() {
            return none;
        }
        let carving = match policy.search() {
            Search::Mondrian => self.grouped(policy, trees, Grouping::Mondrian),
            Search::Mdav => self.grouped(policy, trees, Grouping::Mdav),
            _ => Carving::new(self.carved_out(policy, trees)),
        };
        if carving.is_empty() {
            return none;
        }
        self.form_carved(Recoding::new(), carving, trees);
        ClosingResult::Candidate(Box::new(self.carved(None, trees)))
    }

    /// The labels of the classes that ARX-LR forms from the pool.
    fn carved_out(&self, policy: &Policy, trees: &[&Taxonomy]) -> Vec<Vec<Node>> {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let heads = self.waiting.headcount();
        let carved = arx_lr(&heads, trees, policy.a()).expect("the feed file was checked");
        let mut classes: Vec<Vec<Node>> = carved
            .classes
            .into_iter()
            .map(|StateClass { nodes, .. }| nodes)
            .collect();
        let left: u64 = carved
            .outliers
            .iter()
            .map(|&tuple| heads.count(tuple as usize))
            .sum();
        let publish = matches!(
            policy.chain(),
            ChainPromise::Disjoint {
                outliers: Some(Outliers::Publish),
                ..
            }
        );
        if publish && left >= policy.a() {
            classes.push(vec![0; trees.len()]);
        }
        classes
    }

    /// The groups of neighbours that the pool is divided into.
    fn grouped(&self, policy: &Policy, trees: &[&Taxonomy], by: Grouping) -> Carving {
        let hidden = self
            .numbers
            .as_ref()
            .map(|numbers| |tuples: &[Vec<Leaf>]| numbers.are_hidden(tuples));
        let hidden = hidden.as_ref().map(|hidden| hidden as HiddenSums<'_>);
        grouped(
            &self.waiting.headcount(),
            trees,
            (policy.a(), &policy.refinement()),
            by,
            hidden,
        )
    }

    /// Removes some classes from the release of the last tick; their people wait.
    ///
    /// # Panics
    /// If the last tick formed no classes, or no class would remain.
    pub fn narrow(
        &mut self,
        gone: impl Fn(usize) -> bool,
        ticked: &mut FeedTickResult,
        trees: &[&Taxonomy],
    ) {
        let [increment] = &mut self.unpublished[..] else {
            panic!("one tick carves")
        };
        let carving = increment.carving.take().expect("classes were carved");
        let finder = carving.finder(trees);
        // A class that was formed later may contain the labels of a person of a removed class.
        let stays = |tuple: &[Leaf]| finder.class(tuple).is_some_and(|(at, _)| !gone(at));
        let [rows, waiting] = increment.rows.divide(|tuple, _| stays(tuple));
        increment.carving = Some(carving.without(&gone));
        increment.rows = rows;
        self.waiting = self.waiting.merge(&waiting);
        let candidate = self.carved(None, trees);
        assert!(candidate.rows().rows() > 0, "a release has people");
        ticked.added = candidate.rows().rows();
        ticked.closed = ClosingResult::Candidate(Box::new(candidate));
    }

    /// Moves people in a class out of the pool.
    pub(super) fn form_carved(
        &mut self,
        recoding: Recoding,
        carving: Carving,
        trees: &[&Taxonomy],
    ) {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let [rows, waiting] = self.waiting.divide_by(&carving, trees);
        self.waiting = waiting;
        self.unpublished.push(Increment {
            recoding,
            carving: Some(carving),
            rows,
            ledger: None,
            measures: None,
        });
    }

    /// The release of the people in classes, or of the same people under one recoding.
    pub(super) fn carved(&self, under: Option<&Recoding>, trees: &[&Taxonomy]) -> ProposedRelease {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let increment = self
            .unpublished
            .last()
            .expect("an increment has formed")
            .clone();
        let rows = increment.as_published().as_one(0);
        let recoding = under.unwrap_or(&increment.recoding);
        let carving = increment.carving.clone().filter(|_| recoding.is_empty());
        let table = match &carving {
            Some(carving) => Release::carved(&rows, 0..1, carving, trees),
            // Of an earlier release whose classes are not kept, only the number of people is used.
            None if recoding.is_empty() => Release::under(&rows, 0..1, &everything(trees)),
            None => Release::under(&rows, 0..1, recoding),
        };
        let recoding = recoding.clone();
        ProposedRelease {
            carving,
            recoding,
            ..ProposedRelease::of(self.releases + 1, table, rows, vec![increment])
        }
    }
}
