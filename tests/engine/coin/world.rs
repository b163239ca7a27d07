//! Small populations, and every possible course of their releases: what is tested, what is
//! published, and how probable that is.

use std::collections::BTreeMap;

use tidegate::engine::feed::{ClosingResult, ProposedRelease};
use tidegate::engine::model::{Columns, Leaf, Value};
use tidegate::engine::policy::{ChainKind, Cuts, Decimal, Guarantee, Policy, PolicySettings};

use super::chain::{Chain, Human, policy};
use crate::common::columns;
use crate::common::random::{self, Draw};

/// The probability of the random draw in these tests.
pub const RHO: f64 = 0.5;

/// A policy with a random draw.
pub fn tested(k: u64, cuts: Option<Cuts>) -> Policy {
    let number = |text: &str| Decimal::parse(text);
    let written = PolicySettings {
        k: Some(k),
        guarantee: Some(Guarantee::Chain),
        rho: number("0.5"),
        max_odds: number("32"),
        max_wait: Some(0),
        max_withheld: number("0"),
        cuts,
        ..PolicySettings::default()
    };
    policy(&written, ChainKind::Cumulative)
}

/// People tick by tick: leaf tuples, and how many have each.
pub struct World {
    pub columns: Columns,
    pub ticks: Vec<Vec<(Vec<Leaf>, u64)>>,
}

/// How many of each have the one value, the others having the other.
pub type Assigned = Vec<Vec<u64>>;

impl World {
    /// A random one.
    pub fn draw(draw: &mut Draw) -> World {
        let mut world = World::long(draw, 1, 7, 2);
        let more = World::crowd(&world.columns, draw, 5);
        world.ticks.push(more);
        world
    }

    /// One of this many ticks, with at most this many people.
    pub fn long(draw: &mut Draw, ticks: u64, most: u64, columns_at_most: u64) -> World {
        let trees = (0..draw.between(1, columns_at_most))
            .map(|column| random::tree(draw, column as usize, 2))
            .collect();
        let columns = columns(trees);
        let ticks = (0..ticks)
            .map(|_| World::crowd(&columns, draw, most))
            .collect();
        World { columns, ticks }
    }

    fn crowd(columns: &Columns, draw: &mut Draw, most: u64) -> Vec<(Vec<Leaf>, u64)> {
        let mut groups: BTreeMap<Vec<Leaf>, u64> = BTreeMap::new();
        for _ in 0..draw.between(3, most) {
            let leaf =
                |leaves: usize, draw: &mut Draw| draw.between(0, leaves.min(3) as u64 - 1) as Leaf;
            let leaves = columns
                .trees()
                .iter()
                .map(|tree| leaf(tree.leaves(), draw))
                .collect();
            *groups.entry(leaves).or_default() += 1;
        }
        groups.into_iter().collect()
    }

    /// All assignments, each with the number of ways in which people can have it.
    pub fn assignments(&self) -> Vec<(Assigned, f64)> {
        let mut all: Vec<(Assigned, f64)> = vec![(Vec::new(), 1.0)];
        for groups in &self.ticks {
            all.iter_mut()
                .for_each(|(assigned, _)| assigned.push(Vec::new()));
            for &(_, people) in groups {
                let more = |(assigned, ways): &(Assigned, f64)| -> Vec<(Assigned, f64)> {
                    let with = |having: u64| {
                        let mut assigned = assigned.clone();
                        assigned.last_mut().expect("a tick").push(having);
                        let of: f64 = (0..having)
                            .map(|at| (people - at) as f64 / (at + 1) as f64)
                            .product();
                        (assigned, ways * of)
                    };
                    (0..=people).map(with).collect()
                };
                all = all.iter().flat_map(more).collect();
            }
        }
        all
    }

    /// The people of a tick.
    pub fn people(&self, tick: usize, assigned: &Assigned) -> Vec<Human> {
        let mut people = Vec::new();
        for ((leaves, count), having) in self.ticks[tick].iter().zip(&assigned[tick]) {
            for at in 0..*count {
                let value = if at < *having { "y" } else { "x" };
                let number = (tick * 1000 + people.len()) as u128;
                people.push(Human {
                    number,
                    leaves: leaves.clone(),
                    values: vec![Value::Text(value.into())],
                });
            }
        }
        people
    }
}

/// An observation: for each tick whether the finer release was published, if one was tested, and
/// the published bytes.
pub type Seen = Vec<(Option<bool>, Vec<u8>)>;

/// One course of releases up to some tick.
pub struct Course {
    pub seen: Seen,
    /// The probability that the draws and the tests lead here.
    pub likely: f64,
    /// The same without the random draw: what passes is published.
    pub certain: bool,
    /// Tests so far.
    pub tests: u32,
}

/// Every course of a population, and each beginning of one.
pub fn courses(world: &World, assigned: &Assigned, policy: &Policy) -> Vec<Course> {
    let mut found = Vec::new();
    let begun = (
        Chain::new(world.columns.clone(), policy.clone()),
        Vec::new(),
        1.0,
        true,
    );
    let mut open: Vec<(Chain, Seen, f64, bool)> = vec![begun];
    for tick in 0..world.ticks.len() {
        let mut next = Vec::new();
        for (mut chain, seen, likely, certain) in open {
            let ticked = chain.tick(&world.people(tick, assigned));
            let ClosingResult::Candidate(proposed) = ticked.closed else {
                next.push((chain, seen, likely, certain));
                continue;
            };
            let mut step = |chain: &Chain,
                            out: Option<bool>,
                            candidate: ProposedRelease,
                            share: f64,
                            sure: bool| {
                let offer = chain.offer(&candidate);
                let mut seen = seen.clone();
                seen.push((out, offer.data().to_vec()));
                let (likely, certain, tests) =
                    (likely * share, certain && sure, chain.feed.tests());
                found.push(Course {
                    seen: seen.clone(),
                    likely,
                    certain,
                    tests,
                });
                if share > 0.0 {
                    let approved = offer
                        .decided(|_| ())
                        .unwrap_or_else(|verdict| panic!("{out:?}: {verdict:?}"));
                    let mut chain = chain.clone();
                    chain.publish(candidate, approved);
                    next.push((chain, seen, likely, certain));
                }
            };
            let Some(finer) = ticked.finer else {
                step(&chain, None, *proposed, 1.0, true);
                continue;
            };
            chain.feed.tested();
            let candidate = chain
                .feed
                .propose(&finer, &chain.policy, &chain.columns.trees());
            let passes = chain.offer(&candidate).decided(|_| ()).is_ok();
            step(
                &chain,
                Some(true),
                candidate,
                if passes { 1.0 - RHO } else { 0.0 },
                passes,
            );
            step(
                &chain,
                Some(false),
                *proposed,
                if passes { RHO } else { 1.0 },
                !passes,
            );
        }
        open = next;
    }
    found
}
