//! The same log and the same random bytes give the same files: they depend on nothing else, neither
//! a clock, nor an order of threads, nor a hash map.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidegate::daemon::journal::store::Memory;

use super::draw::{
    CARVED, CROWDS, Draw, GROUPED, HALVED, LEVELS, POLICIES, SUPPRESSED, TWO_TABLES, drawn,
};
use super::feed::{crowd, feed, open, step};

type Objects = BTreeMap<String, Vec<u8>>;

/// Continues from these objects for some ticks; returns the objects in both roots then.
fn continues(
    policy: &str,
    from: &[Objects; 2],
    ticks: std::ops::Range<usize>,
    people: u64,
    chance: u64,
) -> [Objects; 2] {
    let [private, public] = from.clone().map(Memory::with);
    let (feed, mut draw, mut known) = (feed(policy), Draw(people), ticks.start as u128 * 1000);
    let mut writer = open(
        &feed,
        Arc::new(private.clone()),
        Arc::new(public.clone()),
        chance,
        false,
    )
    .expect("a feed");
    for tick in ticks {
        step(&mut writer, tick, &crowd(&mut draw, &mut known)).expect("a tick");
        writer.checkpoint().expect("a checkpoint");
    }
    [private.objects(), public.objects()]
}

#[test]
fn the_same_log_and_chance_give_the_same_bytes() {
    // A third as many ticks in everyday runs: each tick is computed in the same way.
    let ticks = if crate::common::is_long() { 12 } else { 4 };
    for (seed, policy) in (1..).zip(POLICIES.into_iter().chain([
        TWO_TABLES, CARVED, GROUPED, HALVED, CROWDS, LEVELS, SUPPRESSED,
    ])) {
        let nothing = [Objects::new(), Objects::new()];
        let begun = continues(policy, &nothing, 0..ticks, seed, seed);
        assert!(!begun[1].is_empty(), "{policy}: something was published");
        assert!(
            begun == continues(policy, &nothing, 0..ticks, seed, seed),
            "{policy}: from the beginning"
        );
        // A restart, from an existing log, whole or after a checkpoint.
        let further = continues(policy, &begun, ticks..2 * ticks, seed + 1, seed + 1);
        assert!(
            further == continues(policy, &begun, ticks..2 * ticks, seed + 1, seed + 1),
            "{policy}: going on"
        );
        if drawn(policy) {
            // Other random bytes make other releases.
            continue;
        }
        let without = begun.clone().map(|mut objects| {
            objects.retain(|path, _| !path.starts_with("checkpoint/"));
            objects
        });
        // Only the log decides what is published: with other random bytes, or bytes drawn in other
        // places, private names and keys differ, but tables, taxonomies and reports are the same;
        // manifests name the decision, which names them.
        let again = continues(policy, &without, ticks..2 * ticks, seed + 1, seed + 1);
        let other = continues(policy, &begun, ticks..2 * ticks, seed + 1, seed + 7);
        let tables = |[_, public]: &[Objects; 2]| -> Objects {
            let mut public = public.clone();
            public.retain(|path, _| {
                ["data/", "sensitive/", "taxonomy/", "report/"]
                    .iter()
                    .any(|folder| path.starts_with(folder))
            });
            public
        };
        assert!(
            tables(&again) == tables(&further),
            "{policy}: without a checkpoint"
        );
        assert!(
            other[0] != further[0] && tables(&other) == tables(&further),
            "{policy}: another chance"
        );
    }
}
