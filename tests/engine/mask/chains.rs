//! Whole chains of masked increments, from arrivals to the gate's decision.

use std::sync::atomic::{AtomicU64, Ordering};

use tidegate::engine::feed::{ClosingResult, ProposedRelease};
use tidegate::engine::model::{Columns, Role, Value};
use tidegate::engine::policy::{ChainKind, ColumnFacts, Policy, PolicySettings, Search};

use super::chain::{Chain, Human, Offer};
use crate::common::columns;
use crate::common::random::{self, Draw};

const MOST: u64 = 8;

/// Some columns with the guarded values `s1` (and `s2`).
fn guarded(draw: &mut Draw) -> Columns {
    let trees = (0..draw.between(1, 2))
        .map(|column| random::tree(draw, column as usize, 2))
        .collect();
    let mut all: Vec<_> = columns(trees).iter().cloned().collect();
    let sets = if draw.once_in(2) {
        vec![vec!["s1".into()], vec!["s2".into()]]
    } else {
        vec![vec!["s1".into()]]
    };
    all.last_mut().expect("a sensitive column").guarded = sets;
    Columns::new(all)
}

fn policy(draw: &mut Draw, columns: &Columns) -> Policy {
    let written = PolicySettings {
        k: Some(draw.between(2, 9)),
        m: Some(2),
        search: draw.once_in(2).then_some(Search::Levels),
        ..PolicySettings::default()
    };
    let sets = columns
        .of(Role::Sensitive)
        .map(|column| column.guarded.len())
        .sum();
    let facts = ColumnFacts {
        guarded_sets: sets,
        sensitive: 1,
        ..ColumnFacts::default()
    };
    Policy::new(&written, ChainKind::Cumulative, &facts).expect("no contradiction")
}

/// People, many of whom have a guarded value in some ticks.
fn people(draw: &mut Draw, columns: &Columns, first: u128) -> Vec<Human> {
    let (trees, many) = (columns.trees(), draw.between(2, 12));
    let human = |at: u64, draw: &mut Draw| {
        let leaves = trees
            .iter()
            .map(|tree| draw.between(0, tree.leaves() as u64 - 1) as u32)
            .collect();
        let value = if draw.between(0, many) > 1 {
            draw.between(3, MOST)
        } else {
            draw.between(1, 2)
        };
        Human {
            number: first + u128::from(at),
            leaves,
            values: vec![text(value)],
        }
    };
    (0..draw.between(0, 40)).map(|at| human(at, draw)).collect()
}

/// A policy that guards the sets of these columns.
fn guarding(written: &PolicySettings, kind: ChainKind, columns: &Columns) -> Policy {
    let sets = columns
        .of(Role::Sensitive)
        .map(|column| column.guarded.len())
        .sum();
    Policy::new(
        written,
        kind,
        &ColumnFacts {
            guarded_sets: sets,
            sensitive: 1,
            ..ColumnFacts::default()
        },
    )
    .expect("no contradiction")
}

/// Disjoint releases are masked like increments: the gate approves each if a person has another
/// value.
#[test]
fn masked_disjoint_releases_are_approved() {
    let seen: [AtomicU64; 2] = Default::default();
    random::run("masked releases of their own", 120, |draw| {
        let columns = guarded(draw);
        let written = PolicySettings {
            k: Some(draw.between(2, 9)),
            m: Some(2),
            ..PolicySettings::default()
        };
        let mut chain = Chain::new(
            columns.clone(),
            guarding(&written, ChainKind::Disjoint, &columns),
        );
        chain.chance.0 = draw.clone();
        let mut first = 0;
        for _ in 0..draw.between(1, 4) {
            let people = people(draw, &chain.columns, first);
            first += people.len() as u128;
            let ClosingResult::Candidate(candidate) = chain.tick(&people).closed else {
                continue;
            };
            if !can_be_masked(&candidate, &columns) {
                return;
            }
            let ledger = candidate.increments[0]
                .ledger
                .as_ref()
                .expect("it is masked");
            let offer = chain.offer(&candidate);
            let approved = offer
                .decided(|_| ())
                .unwrap_or_else(|verdict| panic!("{verdict:?}"));
            for (seen, is) in seen.iter().zip([true, !ledger.changed.is_empty()]) {
                seen.fetch_add(u64::from(is), Ordering::Relaxed);
            }
            chain.publish(*candidate, approved);
        }
    });
    let seen = seen.map(AtomicU64::into_inner);
    println!("{seen:?}");
    assert!(seen.iter().all(|times| *times > 10), "{seen:?}");
}

/// If all people have a guarded value there is no replacement: the chain ends.
#[test]
fn a_chain_of_guarded_values_alone_is_stopped() {
    let draw = &mut Draw::new(7, 7);
    let columns = guarded(draw);
    let policy = policy(draw, &columns);
    let mut chain = Chain::new(columns, policy);
    let human = |number| Human {
        number,
        leaves: vec![0; chain.columns.trees().len()],
        values: vec![text(1)],
    };
    let people: Vec<Human> = (0..20).map(human).collect();
    let candidate = chain.proposed(&people);
    let verdict = chain
        .offer(&candidate)
        .decided(|_| ())
        .expect_err("they would all show it");
    assert!(verdict.stops());
}

fn text(value: u64) -> Value {
    Value::Text(format!("s{value}").into())
}

/// Whether a person has a value that can replace those of others.
fn can_be_masked(candidate: &ProposedRelease, columns: &Columns) -> bool {
    let sets = candidate.rows().values().guarded(columns);
    (0..candidate.rows().values().len()).any(|value| !sets.iter().any(|set| set[value]))
}

/// The time and the recoding of releases do not depend on values.
#[test]
fn when_masked_releases_come_depends_on_no_value() {
    random::run("values that are permuted", 90, |draw| {
        let columns = guarded(draw);
        let policy = policy(draw, &columns);
        let mut chains = [0; 2].map(|_| Chain::new(columns.clone(), policy.clone()));
        let mut first = 0;
        for _ in 0..draw.between(2, 6) {
            let people = people(draw, &columns, first);
            first += people.len() as u128;
            let mut permuted = people.clone();
            for at in (1..permuted.len()).rev() {
                let other = draw.between(0, at as u64) as usize;
                let value = permuted[at].values.clone();
                permuted[at].values = std::mem::replace(&mut permuted[other].values, value);
            }
            let mut came = Vec::new();
            for (chain, people) in chains.iter_mut().zip([&people, &permuted]) {
                let ticked = chain.tick(people);
                let seen = (
                    ticked.tick,
                    ticked.added,
                    ticked.step,
                    format!("{:?}", ticked.refusals),
                );
                let ClosingResult::Candidate(candidate) = ticked.closed else {
                    came.push((seen, None));
                    continue;
                };
                if !can_be_masked(&candidate, &columns) {
                    return;
                }
                let offer = chain.offer(&candidate);
                let sizes: Vec<u64> = (0..candidate.table().classes())
                    .map(|class| candidate.table().size(class))
                    .collect();
                came.push((seen, Some((candidate.table().recoding().to_vec(), sizes))));
                let approved = offer
                    .decided(|_| ())
                    .unwrap_or_else(|verdict| panic!("{verdict:?}"));
                chain.publish(*candidate, approved);
            }
            assert_eq!(came[0], came[1]);
        }
    });
}

/// The gate's decision on a chain that was masked incorrectly.
#[test]
fn the_gate_sees_what_was_not_masked() {
    let seen = AtomicU64::new(0);
    random::run("spoiled masks", 90, |draw| {
        let columns = guarded(draw);
        let policy = policy(draw, &columns);
        let mut chain = Chain::new(columns, policy);
        chain.chance.0 = draw.clone();
        let people = people(draw, &chain.columns, 0);
        let ClosingResult::Candidate(candidate) = chain.tick(&people).closed else {
            return;
        };
        if !can_be_masked(&candidate, &chain.columns) {
            return;
        }
        let good = chain.offer(&candidate);
        let ledger = candidate.increments[0]
            .ledger
            .clone()
            .expect("it is masked");
        assert!(good.decided(|_| ()).is_ok());
        let minimality = |offer: &Offer| {
            let judged = offer.judged();
            let found = judged
                .verdict()
                .checks
                .iter()
                .find(|check| check.check.name() == "minimality")
                .expect("it is made")
                .clone();
            (
                found.made,
                found.sensitive,
                found
                    .reasons
                    .into_iter()
                    .map(|reason| reason.text)
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(minimality(&good), (true, true, vec![]));
        assert_eq!(
            minimality(&Offer {
                raw: vec![None],
                ..good.clone()
            })
            .2
            .len(),
            1
        );
        if !ledger.changed.is_empty() {
            seen.fetch_add(1, Ordering::Relaxed);
            // As if nothing had been changed, with the table for it.
            let raw = candidate.increments[0].rows.clone();
            let mut plain = good.clone();
            plain.newest[0].1 = raw;
            let text = &minimality(&plain).2[0];
            assert!(text.contains("more than one in 4 of its people"), "{text}");
        }
    });
    let seen = seen.into_inner();
    println!("{seen} had values to change");
    assert!(seen > 0, "some have to be changed");
}
