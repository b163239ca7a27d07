//! Disjoint chains whose people are divided by random draws (SCIENCE 11): each class is in one
//! release, and no person is in two.

use std::collections::BTreeMap;

use tidegate::engine::feed::{ClosingResult, ProposedRelease};
use tidegate::engine::histogram::Histogram;
use tidegate::engine::model::Node;
use tidegate::engine::policy::{ChainKind, ColumnFacts, Policy};
use tidegate::engine::release::{ReleaseSpan, Tables};

use super::crowd_chain::{columns, lines, people, refused, settings};
use crate::common::chain::{Chain, Offer};
use crate::common::random::{self, Draw};

/// A chain whose releases contain only new classes.
fn disjoint(draw: &mut Draw) -> Chain {
    let columns = columns(draw);
    let m = draw.once_in(2).then_some(2);
    let written = settings(draw.between(2, 4), draw.between(1, 3), m);
    let policy = Policy::new(&written, ChainKind::Disjoint, &ColumnFacts::of(&columns))
        .expect("no contradiction");
    let mut chain = Chain::new(columns, policy);
    chain.chance.0 = draw.clone();
    chain
}

#[test]
fn a_disjoint_chain_publishes_each_crowd_once() {
    random::run("disjoint chains of crowds", 36, |draw| {
        let (mut chain, mut number) = (disjoint(draw), 0);
        let a = chain.policy.a();
        let (mut came, mut out, mut left) = (0, 0, 0);
        for _ in 0..12 {
            let people = people(draw, &chain.columns, &mut number, 40);
            came += people.len() as u64;
            let ticked = chain.tick(&people);
            assert_eq!(
                out + chain.feed.waiting().rows() + chain.feed.pending(),
                came,
                "each person who came is published or waits"
            );
            assert_eq!(chain.feed.whole().rows(), 0, "no person is published twice");
            let ClosingResult::Candidate(candidate) = ticked.closed else {
                continue;
            };
            let offer = chain.offer(&candidate);
            // Atoms of a rejected release are published with the next one.
            if draw.once_in(4) {
                left = candidate.increments.len();
                continue;
            }
            assert!(candidate.increments.len() > left || left == 0);
            left = 0;
            let table = lines(candidate.table(), candidate.rows().values());
            let mut classes: BTreeMap<&Vec<Node>, u64> = BTreeMap::new();
            table
                .iter()
                .for_each(|((label, _), rows)| *classes.entry(label).or_default() += rows);
            let trees = chain.columns.trees();
            let division = chain.policy.division(&trees).expect("small");
            for (label, rows) in classes {
                assert!(rows >= a && division.refused(label, chain.policy.refusals()).is_some());
            }
            let approved = offer.decided(|_| ()).unwrap_or_else(|no| panic!("{no:?}"));
            let checks: Vec<String> = approved
                .verdict()
                .checks
                .iter()
                .map(|check| check.check.to_string())
                .collect();
            assert!(
                ["crowd", "atoms", "refinement"]
                    .iter()
                    .all(|check| checks.iter().any(|made| made == check)),
                "{checks:?}"
            );
            assert!(
                !checks
                    .iter()
                    .any(|check| check == "correspondence" || check == "chain"),
                "{checks:?}"
            );
            out += candidate.rows().rows();
            chain.publish(*candidate, approved);
        }
    });
}

#[test]
fn rows_of_an_earlier_release_are_refused_in_a_disjoint_chain() {
    random::run("disjoint chains that are changed", 24, |draw| {
        let (mut chain, mut number) = (disjoint(draw), 0);
        let mut earlier: Option<ProposedRelease> = None;
        for _ in 0..12 {
            let people = people(draw, &chain.columns, &mut number, 60);
            let ClosingResult::Candidate(candidate) = chain.tick(&people).closed else {
                continue;
            };
            let offer = chain.offer(&candidate);
            let candidate = &*candidate;
            if let Some(earlier) = &earlier {
                let number = candidate.release;
                let both = [candidate, earlier].map(|of| of.rows().clone().as_one(number));
                let both = Histogram::merge_all(both.into()).expect("two");
                let tables = Tables::parts(&[(ReleaseSpan::of(number), both)], &chain.columns);
                refused(
                    &Offer {
                        tables,
                        ..offer.clone()
                    },
                    "growth",
                );
                // Nor in a part of their own.
                let apart = [earlier, candidate].map(|of| {
                    (
                        ReleaseSpan::of(of.release),
                        of.rows().clone().as_one(of.release),
                    )
                });
                refused(
                    &Offer {
                        tables: Tables::parts(&apart, &chain.columns),
                        ..offer
                    },
                    "growth",
                );
                return;
            }
            let approved = offer.decided(|_| ()).expect("a good release");
            earlier = Some(candidate.clone());
            chain.publish(candidate.clone(), approved);
        }
    });
}
