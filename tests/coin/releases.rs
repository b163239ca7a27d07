//! What a finer release must keep to, release by release.

use tidegate::engine::feed::Closed;
use tidegate::engine::policy::Cuts;

use crate::chain::Chain;
use crate::common::random;
use crate::world::{World, tested};

/// Every chain that is made with the coin always letting out what passes, and what of it there was to see.
#[test]
fn finer_releases_come_out_and_keep_to_everything() {
    for cuts in [Cuts::Nested, Cuts::Crossing] {
        let finer = std::sync::atomic::AtomicU64::new(0);
        random::run("finer releases", 100, |draw| {
            let world = World::draw(draw);
            let mut chain = Chain::new(world.columns.clone(), tested(3, Some(cuts)));
            for tick in 0..world.ticks.len() {
                let assigned = world.ticks.iter().map(|groups| groups.iter().map(|group| group.1 / 2).collect());
                let ticked = chain.tick(&world.people(tick, &assigned.collect()));
                let Closed::Candidate(proposed) = ticked.closed else { continue };
                let standing = proposed.table.recoding().to_vec();
                let mut out = *proposed;
                if let Some(recoding) = ticked.finer {
                    assert!(recoding.iter().zip(&standing).all(|(finer, cut)| finer.refines(cut)));
                    chain.feed.tested();
                    let candidate = chain.feed.propose(&recoding, &chain.policy);
                    let offer = chain.offer(&candidate);
                    let verdict = offer.judged().verdict().clone();
                    let against: Vec<&str> = verdict.reasons().map(|(check, _)| check.check.as_str()).collect();
                    // Fixed from quasi-identifiers, it can fail for what values show alone.
                    assert!(
                        !against.iter().any(|check| ["crowd", "slices", "max_odds", "form", "growth"].contains(check))
                    );
                    if against.is_empty() {
                        out = candidate;
                        finer.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    }
                }
                let approved = chain.offer(&out).decided(|_| ()).unwrap_or_else(|verdict| panic!("{verdict:?}"));
                chain.publish(out, approved);
            }
        });
        assert!(finer.into_inner() > 0, "some are finer");
    }
}
