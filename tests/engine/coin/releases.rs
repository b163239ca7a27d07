//! The limits of a finer release, release by release.

use std::sync::atomic::{AtomicU64, Ordering};

use tidegate::engine::audit::{AuditFigures, AuditSubject, RowsLeftOut};
use tidegate::engine::feed::ClosingResult;
use tidegate::engine::gate::verdict::Verdict;
use tidegate::engine::histogram::Histogram;
use tidegate::engine::policy::{ChainKind, Cuts};

use super::chain::Chain;
use super::world::{World, tested};
use crate::common::random::{self, Draw};

/// The figures of a finer release.
#[derive(Default)]
struct Seen {
    published: AtomicU64,
    refused: AtomicU64,
    crossing: AtomicU64,
}

fn against(verdict: &Verdict) -> Vec<&str> {
    verdict
        .reasons()
        .map(|(check, _)| check.check.name())
        .collect()
}

/// The results of an audit that knows who was added in which release: a person is shown to have
/// fewer than k candidates, or enough.
fn audited(chain: &Chain, seen: &Seen) {
    let rows: Vec<Histogram> = chain
        .feed
        .published()
        .iter()
        .map(|published| Histogram::clone(&published.rows))
        .collect();
    let tables = chain.tables.clone();
    let none_left_out = RowsLeftOut::default();
    let subject = AuditSubject::of_chain(
        &chain.columns,
        ChainKind::Cumulative,
        tables,
        Some(rows),
        &none_left_out,
    );
    let subject = subject.expect("its own people");
    let figures = AuditFigures::of(&subject, &chain.columns, &chain.policy)
        .expect("supersets")
        .chain
        .expect("a chain");
    seen.crossing
        .fetch_add(u64::from(!figures.tight), Ordering::Relaxed);
    let exact = figures.exact_realised();
    let realised = figures.realised.expect("people are known");
    let least = realised
        .all
        .iter()
        .flatten()
        .map(|weakest| weakest.left)
        .min();
    let lower = realised.lower.iter().flatten().min().copied();
    let k = Some(chain.policy.k());
    assert!(
        lower >= k || exact && least >= k,
        "{lower:?} and {least:?}, exact: {exact}"
    );
}

/// A chain whose random draw publishes everything that passes. Every published release is safe by
/// an audit; rejected ones fail only because of values.
fn whatever_passes(world: &World, cuts: Cuts, draw: &mut Draw, seen: &Seen) {
    let mut chain = Chain::new(world.columns.clone(), tested(3, Some(cuts)));
    for tick in 0..world.ticks.len() {
        let having = |group: &(Vec<u32>, u64), draw: &mut Draw| draw.between(0, group.1);
        let assigned = world
            .ticks
            .iter()
            .map(|groups| groups.iter().map(|group| having(group, draw)).collect());
        let ticked = chain.tick(&world.people(tick, &assigned.collect()));
        let ClosingResult::Candidate(proposed) = ticked.closed else {
            continue;
        };
        let standing = proposed.recoding.clone();
        let mut out = *proposed;
        if let Some(recoding) = ticked.finer {
            assert!(
                recoding
                    .iter()
                    .zip(&standing)
                    .all(|(finer, cut)| finer.refines(cut))
            );
            chain.feed.tested();
            let candidate = chain
                .feed
                .propose(&recoding, &chain.policy, &chain.columns.trees());
            match chain.offer(&candidate).decided(|_| ()) {
                Ok(_) => {
                    out = candidate;
                    seen.published.fetch_add(1, Ordering::Relaxed);
                }
                Err(verdict) => {
                    let against = against(&verdict);
                    assert!(
                        against
                            .iter()
                            .all(|check| ["chain", "correspondence"].contains(check)),
                        "{against:?}"
                    );
                    seen.refused.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        let approved = chain
            .offer(&out)
            .decided(|_| ())
            .unwrap_or_else(|verdict| panic!("{verdict:?}"));
        chain.publish(out, approved);
        audited(&chain, seen);
    }
}

/// Chains of one kind: random ones, and then the same ones in every run until `enough` was seen.
fn chains(name: &str, cuts: Cuts, enough: impl Fn([u64; 3]) -> bool) {
    let seen = Seen::default();
    let chain = |draw: &mut Draw| {
        let world = World::long(draw, 5, 12, 3);
        whatever_passes(&world, cuts, draw, &seen);
    };
    random::run(name, 40, |draw| chain(draw));
    let counts = || {
        [&seen.published, &seen.refused, &seen.crossing].map(|count| count.load(Ordering::Relaxed))
    };
    (0..1000)
        .take_while(|_| !enough(counts()))
        .for_each(|case| chain(&mut Draw::new(9, case)));
    println!("{name}: {:?} published, refused, crossing", counts());
    assert!(enough(counts()), "{:?}", counts());
}

#[test]
fn nested_finer_releases_keep_to_everything() {
    chains(
        "nested finer releases",
        Cuts::Nested,
        |[published, refused, crossing]| {
            assert_eq!(crossing, 0);
            published > 0 && refused > 0
        },
    );
}

#[test]
fn crossing_finer_releases_keep_to_everything() {
    let enough = |counts: [u64; 3]| counts.iter().all(|count| *count > 0);
    chains("crossing finer releases", Cuts::Crossing, enough);
}
