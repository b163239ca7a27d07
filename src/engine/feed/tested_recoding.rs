//! The recoding that is tested under `chain` (SCIENCE 4), which a tick fixes beside the standing
//! one.
//!
//! No line of this file may look at a sensitive value.

use std::collections::BTreeMap;

use super::state::Feed;
use crate::anonymizer::{LeafPeople, finer};
use crate::model::{Cut, Leaf, Node, Recoding, Taxonomy};
use crate::policy::{ChainPromise, Cuts, Policy};

/// What distinguishes people so far: the release in which they came, and their class in that one
/// and each later one.
type Slice = (usize, Vec<Node>);

impl Feed {
    /// The number of tests in this chain.
    pub fn tests(&self) -> u32 {
        self.tests
    }

    /// Counts a test, whose coin is drawn.
    pub fn tested(&mut self) {
        self.tests += 1;
    }

    /// The finer recoding, if there is one and one more test is allowed.
    pub fn finer(&self, policy: &Policy, trees: &[&Taxonomy]) -> Option<Recoding> {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let ChainPromise::Tested { cuts, .. } = policy.chain() else {
            return None;
        };
        if self.coarsest || !policy.odds()?.bear(self.tests + 1) {
            return None;
        }
        let standing = self.standing.cut()?;
        let recodings: Vec<&[Cut]> = self
            .published
            .iter()
            .map(|published| &published.recoding[..])
            .collect();
        let (mut slices, mut people) = (
            BTreeMap::<Slice, u32>::new(),
            BTreeMap::<(Vec<Leaf>, u32, usize), u64>::new(),
        );
        let mut take = |release: usize, leaves: Vec<Leaf>, rows: u64| {
            let class = |cuts: &&[Cut]| {
                cuts.iter()
                    .zip(&leaves)
                    .map(|(cut, &leaf)| cut.at(leaf))
                    .collect::<Vec<_>>()
            };
            let classes: Vec<Node> = recodings[release..].iter().flat_map(class).collect();
            let next = slices.len() as u32;
            let slice = *slices.entry((release, classes)).or_insert(next);
            *people.entry((leaves, slice, release)).or_default() += rows;
        };
        for (release, published) in self.published.iter().enumerate() {
            published
                .rows
                .headcount()
                .iter()
                .for_each(|(leaves, heads)| take(release, leaves, heads.count.into()));
        }
        for increment in &self.unpublished {
            let heads = increment.rows.headcount();
            heads
                .iter()
                .for_each(|(leaves, heads)| take(recodings.len(), leaves, heads.count.into()));
        }
        let known = people
            .into_iter()
            .map(|((leaves, slice, release), people)| LeafPeople {
                leaves,
                slice,
                release,
                people,
            });
        let earlier = if *cuts == Cuts::Nested {
            &recodings[..]
        } else {
            &[]
        };
        let found = finer(
            &known.collect::<Vec<_>>(),
            standing,
            earlier,
            trees,
            policy.k(),
        );
        (found != *standing).then_some(found)
    }
}
