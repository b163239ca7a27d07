//! State = fold of the log, after every step of random feeds under every kind of chain.

use std::sync::Arc;

use tidegate::daemon::feed_writer::past;
use tidegate::daemon::journal::KeyRing;
use tidegate::daemon::journal::store::{Memory, Store};

use crate::common::is_long as long;

use super::draw::{
    CARVED, CROWDS, Draw, GROUPED, HALVED, LEVELS, POLICIES, SUPPRESSED, TWO_TABLES, disjoint,
};
use super::feed::{crowd, feed, key, open, packed, step};

#[test]
fn the_state_is_the_fold_of_the_log() {
    for (number, policy) in POLICIES
        .iter()
        .chain(&[
            TWO_TABLES, CARVED, GROUPED, HALVED, CROWDS, LEVELS, SUPPRESSED,
        ])
        .enumerate()
    {
        let feed = feed(policy);
        // All of them in long runs.
        for seed in 0..if long() { 8 } else { 1 } {
            let (private, public) = (Memory::default(), Memory::default());
            let (mut draw, mut known) = (Draw(seed * 10 + number as u64), 0);
            let stores = || -> (Arc<dyn Store>, Arc<dyn Store>) {
                (Arc::new(private.clone()), Arc::new(public.clone()))
            };
            let (mine, public_root) = stores();
            let mut writer = open(&feed, mine, public_root, seed, false).expect("a feed");
            for tick in 0..25 {
                step(&mut writer, tick, &crowd(&mut draw, &mut known)).expect("a tick");
                let whole = packed(&private);
                let ring = KeyRing::open(&whole, &key()).expect("keys").expect("keys");
                let past = past(&whole, &public, &ring).expect("a log");
                let state = past.state.expect("a chain");
                assert!(
                    state.bytes() == writer.state().bytes(),
                    "{policy}, seed {seed}, tick {tick}: {:#?} against {:#?}",
                    state,
                    writer.state()
                );
            }
            assert!(
                !writer.state().releases.is_empty(),
                "{policy}, seed {seed}: something was published"
            );
            let kept: u64 = writer.state().feed.people().len() as u64;
            let feed = &writer.state().feed;
            let releases = &writer.state().releases;
            let newest = releases.last().map_or(0, |line| line.rows);
            // Disjoint releases count together.
            let all = releases.iter().map(|line| line.rows).sum();
            let published: u64 = if disjoint(policy) { all } else { newest };
            let sum = published + feed.waiting().rows() + feed.pending() + feed.new_rows();
            // People of a release that stopped its chain count as published for ever.
            let stopped = writer.state().feed.stopped();
            assert!(
                if stopped { sum <= kept } else { sum == kept },
                "no person is lost or counted twice"
            );
        }
    }
}
