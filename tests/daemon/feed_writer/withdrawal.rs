//! A writer dies at every write of a withdrawal and of the release after it: everything visible is
//! whole at every instant, and in the end everything is as if no writer had died.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::feed_writer::{FeedWriter, Request, RequestKind, past};
use tidegate::daemon::journal::KeyRing;
use tidegate::daemon::journal::store::Memory;
use tidegate::engine::release::{Layout, Manifest, Sha256};

use super::crash::Dying;
use super::draw::{CROWDS, Draw, HALVED};
use super::feed::{crowd, feed, key, open, packed, step, time};
use super::rows::{Roots, begun};
use crate::common::is_long as long;

/// Checks that each visible manifest lists files that are as it says.
fn visible_is_whole(public: &Memory, why: &str) {
    let objects = public.objects();
    let manifests = objects
        .iter()
        .filter(|(path, _)| Layout::Root.release(path).is_some());
    for (path, bytes) in manifests {
        for file in Manifest::parse(bytes).expect("a manifest").files {
            let there = objects.get(&file.path).map(|bytes| Sha256::of(bytes));
            assert_eq!(
                there,
                Some(file.sha256),
                "{why}: {path} lists {}",
                file.path
            );
        }
    }
}

/// Tables, logs and notices; names of manifests follow from them, and their bytes name decisions.
fn shown(roots: &Roots) -> BTreeMap<String, Vec<u8>> {
    let kinds = ["data/", "withdrawn/", "taxonomy/"];
    let objects = roots.public.objects().into_iter();
    objects
        .filter(|(path, _)| kinds.iter().any(|kind| path.starts_with(kind)))
        .collect()
}

fn manifests(roots: &Roots) -> Vec<u32> {
    roots
        .public
        .objects()
        .keys()
        .filter_map(|path| Layout::Root.release(path))
        .collect()
}

fn a_writer_may_die(republish: bool) {
    let (roots, ticks) = begun(4, 6);
    let writer = roots.copy().open(&key(), 9, false);
    let last = writer.state().releases.last().expect("a release").release;
    assert!(last > 2, "a few releases are published");
    let ask = RequestKind::Withdraw {
        release: last - 1,
        republish,
    };
    let wanted = Some("a reason".to_owned());
    let request = Request::new(
        ask,
        "me".to_owned(),
        time(0),
        wanted,
        writer.log().place(),
        &mut Seeded::new(6),
    );
    // It was made before the writers that handle it began.
    let request = Request {
        after: roots.head(),
        ..request.expect("a request")
    };
    let tick = ticks.len();
    let all = |writer: &mut FeedWriter| -> tidegate::daemon::error::Result<()> {
        let answer = writer.carry_out(&request, &|| Ok(feed(CROWDS)), &time(0))?;
        assert!(answer.done, "{answer:?}");
        if republish {
            step(writer, tick, &[])
        } else {
            Ok(())
        }
    };
    let meant = roots.copy();
    let mut writer = meant.open(&key(), 10, false);
    all(&mut writer).expect("no writer dies");
    meant.whole(&writer, &key(), "no writer died");
    assert_eq!(manifests(&meant).contains(&(last + 1)), republish);
    let parts: Vec<(u32, u32)> = writer
        .state()
        .parts()
        .iter()
        .map(|part| (part.span.first, part.span.last))
        .collect();
    // Rows that are published again are in one file, whichever releases they were added in.
    assert_eq!(parts.contains(&(last - 1, last)), republish, "{parts:?}");
    assert!(!manifests(&meant).contains(&last) && !manifests(&meant).contains(&(last - 1)));
    for at in 1.. {
        let mut died = false;
        for after in [false, true]
            .into_iter()
            .filter(|&after| long() || after == (at % 2 == 0))
        {
            let here = roots.copy();
            let left = Arc::new(AtomicU64::new(at));
            let store = |of: &Memory| {
                Arc::new(Dying {
                    store: of.clone(),
                    left: left.clone(),
                    after,
                })
            };
            let run = open(
                &feed(CROWDS),
                store(&here.private),
                store(&here.public),
                10 + at,
                false,
            )
            .and_then(|mut writer| all(&mut writer));
            died |= run.is_err();
            assert!(run.is_ok() == (left.load(Ordering::SeqCst) > 0));
            let why = format!("write {at}, after it: {after}");
            visible_is_whole(&here.public, &why);
            let mut writer = here.open(&key(), 1000 + at, false);
            visible_is_whole(&here.public, &why);
            all(&mut writer).expect("no writer dies");
            here.whole(&writer, &key(), &why);
            assert!(manifests(&here) == manifests(&meant), "{why}");
            if !republish {
                assert!(shown(&here) == shown(&meant), "{why}");
            }
        }
        if !died {
            break;
        }
    }
}

#[test]
fn a_writer_may_die_at_every_write_of_a_withdrawal() {
    a_writer_may_die(false);
}

#[test]
fn a_writer_may_die_at_every_write_of_a_withdrawal_and_of_what_follows() {
    a_writer_may_die(true);
}

/// The one that waits becomes void with the others, in a disjoint chain too: a start reads the same
/// state.
#[test]
fn a_release_that_waits_is_void_when_another_one_is_withdrawn() {
    let (private, public, mut draw, mut known) = (Memory::default(), Memory::default(), Draw(7), 0);
    let begun = |seed: u64, manual: bool| {
        open(
            &feed(HALVED),
            Arc::new(private.clone()),
            Arc::new(public.clone()),
            seed,
            manual,
        )
        .expect("a feed")
    };
    let mut writer = begun(1, false);
    let mut tick = 0;
    let mut next = |writer: &mut FeedWriter| {
        step(writer, tick, &crowd(&mut draw, &mut known)).expect("a tick");
        tick += 1;
    };
    while writer.state().releases.len() < 2 {
        next(&mut writer);
    }
    drop(writer);
    let mut writer = begun(2, true);
    while writer.state().held.is_none() {
        next(&mut writer);
    }
    let release = writer.state().releases.last().expect("a release").release;
    let ask = RequestKind::Withdraw {
        release,
        republish: false,
    };
    let request = Request::new(
        ask,
        "me".to_owned(),
        time(0),
        None,
        writer.log().place(),
        &mut Seeded::new(6),
    )
    .expect("a request");
    let answer = writer
        .carry_out(&request, &|| Ok(feed(HALVED)), &time(0))
        .expect("an answer");
    assert!(answer.done && answer.text.contains("is void"), "{answer:?}");
    let store = packed(&private);
    let ring = KeyRing::open(&store, &key()).expect("keys").expect("keys");
    let whole = past(&store, &public, &ring)
        .expect("a log")
        .state
        .expect("a chain");
    assert!(whole.held.is_none() && whole.sha256() == writer.state().sha256());
    drop(writer);
    let mut writer = begun(3, true);
    while writer.state().held.is_none() {
        next(&mut writer);
    }
}
