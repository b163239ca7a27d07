//! A forecast (SCIENCE 4 and 11): who waits and for how long, what the next tick would do if no
//! person came, and what a new chain would publish of those who wait. It changes nothing.

use std::collections::BTreeMap;

use super::state::Feed;
use crate::histogram::{CodedRows, Headcount};
use crate::label::{Course, NextHalvingTicks, RecodingStep};
use crate::model::{Node, Recoding, Taxonomy};
use crate::policy::Policy;

/// For each number of ticks waited, the number of rows.
type Ages = Vec<(u32, u64)>;
/// Classes with waiting rows, and how many.
type Crowds = Vec<(Vec<Node>, u64)>;

/// The forecast of a feed.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// For each number of ticks waited, the number of rows; the longest first.
    pub ages: Ages,
    /// Classes with waiting rows, and how many; the largest first. Empty if halving divides people,
    /// since there are no classes before that.
    pub crowds: Crowds,
    /// What the next tick does if no other person comes; `None` if that depends on draws.
    pub next: Option<EmptyTick>,
    /// What a new chain would publish of those who wait, if a standing recoding keeps them waiting;
    /// `None` if it could not publish any of them either.
    pub new_chain: Option<NewChain>,
    /// When halving is due next; `None` with other searches.
    pub turns: Option<NextHalvingTicks>,
}

/// The effect of a tick without arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmptyTick {
    /// What it does to the standing recoding.
    pub step: Option<RecodingStep>,
    /// Rows whose atoms form, including those that an attack of the gate would make wait again.
    pub added: u64,
}

/// The first release of a new chain, with the people who wait now.
#[derive(Debug, Clone, PartialEq)]
pub struct NewChain {
    /// Its standing recoding.
    pub recoding: Recoding,
    /// Rows whose atoms would form.
    pub added: u64,
}

/// Computes the forecast.
pub fn outlook(feed: &Feed, policy: &Policy, trees: &[&Taxonomy]) -> Outlook {
    assert_eq!(feed.columns.0, trees.len(), "one taxonomy for each column");
    if policy.halves() {
        // The next halving divides waiting people and people added since the last halving.
        let [waiting, new] = [&feed.waiting, &feed.new].map(|of| of.headcount(feed.columns.0));
        let people = waiting.merge(&new);
        let (ages, _) = who_waits(feed, &people);
        return Outlook {
            ages,
            crowds: Vec::new(),
            next: None,
            new_chain: None,
            turns: Some(feed.memory.ticks().ahead(policy.publish_every())),
        };
    }
    let (ages, crowds) = who_waits(feed, &feed.waiting.headcount(feed.columns.0));
    let standing = feed.standing().is_some();
    Outlook {
        ages,
        crowds,
        next: Some(without_arrivals(feed, policy, trees)),
        new_chain: standing.then(|| begun_again(feed, policy, trees)).flatten(),
        turns: None,
    }
}

fn without_arrivals(feed: &Feed, policy: &Policy, trees: &[&Taxonomy]) -> EmptyTick {
    let no_rows = CodedRows::empty(feed.columns.0, feed.columns.1, true);
    let ticked = feed.clone().tick(no_rows, policy, trees);
    EmptyTick {
        step: ticked.step,
        added: ticked.added,
    }
}

/// What the first tick of a new chain would do with the people who wait.
fn begun_again(feed: &Feed, policy: &Policy, trees: &[&Taxonomy]) -> Option<NewChain> {
    let mut other = feed.clone();
    other.begin_chain(feed.waiting.clone(), feed.columns);
    let no_rows = CodedRows::empty(feed.columns.0, feed.columns.1, true);
    let ticked = other.tick(no_rows, policy, trees);
    let recoding = other.standing()?.cut().clone();
    Some(NewChain {
        recoding,
        added: ticked.added,
    })
}

/// How long people wait, and in which classes of the standing recoding; without one, in a
/// single class.
fn who_waits(feed: &Feed, people: &Headcount) -> (Ages, Crowds) {
    let mut ages: BTreeMap<u32, u64> = BTreeMap::new();
    let mut crowds: BTreeMap<Vec<Node>, u64> = BTreeMap::new();
    for (leaves, heads) in people.iter() {
        // The last tick is the one before `ticks`.
        *ages
            .entry(feed.ticks().saturating_sub(heads.since + 1))
            .or_default() += u64::from(heads.count);
        let cut = feed.standing().map(Course::cut);
        let class = |cut: &Recoding| {
            cut.iter()
                .zip(&leaves)
                .map(|(cut, &leaf)| cut.at(leaf))
                .collect()
        };
        *crowds
            .entry(cut.map(class).unwrap_or_else(|| vec![0; leaves.len()]))
            .or_default() += u64::from(heads.count);
    }
    let mut crowds: Crowds = crowds.into_iter().collect();
    crowds.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    (ages.into_iter().rev().collect(), crowds)
}
