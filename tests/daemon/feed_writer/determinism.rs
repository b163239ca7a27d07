//! The same log and the same chance give the same bytes: nothing else has a say in what is written, no clock, no order of
//! threads, no hash map.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidegate::daemon::journal::store::Memory;

use super::draw::{CARVED, CROWDS, Draw, GROUPED, HALVED, LEVELS, POLICIES, SUPPRESSED, TWO_TABLES, drawn};
use super::feed::{crowd, feed, open, step};

type Objects = BTreeMap<String, Vec<u8>>;

/// Goes on from what lies there for some ticks; what lies there then, in both roots.
fn goes_on(policy: &str, from: &[Objects; 2], ticks: std::ops::Range<usize>, people: u64, chance: u64) -> [Objects; 2] {
    let [private, public] = from.clone().map(Memory::with);
    let (feed, mut draw, mut known) = (feed(policy), Draw(people), ticks.start as u128 * 1000);
    let mut writer = open(&feed, Arc::new(private.clone()), Arc::new(public.clone()), chance, false).expect("a feed");
    for tick in ticks {
        step(&mut writer, tick, &crowd(&mut draw, &mut known)).expect("a tick");
        writer.checkpoint().expect("a checkpoint");
    }
    [private.objects(), public.objects()]
}

#[test]
fn the_same_log_and_chance_give_the_same_bytes() {
    // A third as many ticks every day: each tick is computed in the same way.
    let ticks = if crate::common::is_long() { 12 } else { 4 };
    for (seed, policy) in
        (1..).zip(POLICIES.into_iter().chain([TWO_TABLES, CARVED, GROUPED, HALVED, CROWDS, LEVELS, SUPPRESSED]))
    {
        let nothing = [Objects::new(), Objects::new()];
        let begun = goes_on(policy, &nothing, 0..ticks, seed, seed);
        assert!(!begun[1].is_empty(), "{policy}: something was published");
        assert!(begun == goes_on(policy, &nothing, 0..ticks, seed, seed), "{policy}: from the beginning");
        // A restart, from a log that is there, whole or behind a checkpoint.
        let further = goes_on(policy, &begun, ticks..2 * ticks, seed + 1, seed + 1);
        assert!(further == goes_on(policy, &begun, ticks..2 * ticks, seed + 1, seed + 1), "{policy}: going on");
        if drawn(policy) {
            // Another chance makes other releases.
            continue;
        }
        let without = begun.clone().map(|mut objects| {
            objects.retain(|path, _| !path.starts_with("checkpoint/"));
            objects
        });
        // What is published is decided by the log alone: another chance, or one that was drawn upon in other places, writes
        // other names and keys aside, and the same tables, taxonomies and reports; manifests name the decision, which
        // names them.
        let again = goes_on(policy, &without, ticks..2 * ticks, seed + 1, seed + 1);
        let other = goes_on(policy, &begun, ticks..2 * ticks, seed + 1, seed + 7);
        let tables = |[_, public]: &[Objects; 2]| -> Objects {
            let mut public = public.clone();
            public.retain(|path, _| {
                ["data/", "sensitive/", "taxonomy/", "report/"].iter().any(|folder| path.starts_with(folder))
            });
            public
        };
        assert!(tables(&again) == tables(&further), "{policy}: without a checkpoint");
        assert!(other[0] != further[0] && tables(&other) == tables(&further), "{policy}: another chance");
    }
}
