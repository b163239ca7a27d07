//! The power fails while a feed is written. The writer works on real folders in a process of its
//! own, and every change that it makes to them is recorded in order (`common/shim.c`). From that,
//! disks are made as a power cut at any moment may leave them (`power/disk.rs`), and on each the
//! feed is opened again and continues (`power/checks.rs`): it must be as if nothing had happened.
//!
//! A seed leads to the same plan again; threads of the store may still take their steps in another
//! order.

use crate::common;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;

use super::power::checks::{self, Meant, WriterMessages};
use super::power::disk::{Disk, Objects};
use super::power::draw::{Draw, POLICIES};
use super::power::requests::{ASKED, TICKS};
use super::power::trace::{Op, Trace};
use super::power::writer::{Place, Script, Shim};

/// Disks that are made from the traces of one round.
const ROUND: u32 = 1000;
/// Disks of an everyday run, and of one with requests.
const EVERYDAY: u32 = 400;
const EVERYDAY_ASKED: u32 = 90;

/// Random numbers for one of many.
fn drawn(seed: u64, one: u64) -> Draw {
    let mut draw = Draw(seed.wrapping_add(one).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed);
    draw.below(2);
    draw
}

/// The changes of writers in a script, and what was known before.
#[derive(Clone)]
struct Run {
    trace: Trace,
    meant: Meant,
    reported: WriterMessages,
    seen: Objects,
}

impl Run {
    /// From the beginning; writers before the last are killed before these changes.
    fn new(shim: &Shim, script: &Script, killed: &[u64]) -> Run {
        let place = Place::new();
        let begun = Trace::begin(&place);
        let faults = killed
            .iter()
            .map(|at| format!("die {at} 0"))
            .chain([String::new()]);
        for (chance, fault) in faults.enumerate() {
            let ended = shim.run(&place, script, chance as u64, &fault);
            assert!(
                ended.done || ended.killed && !fault.is_empty(),
                "{}",
                ended.output
            );
        }
        Run {
            trace: begun.end(&place),
            meant: Meant::of(script),
            reported: WriterMessages::default(),
            seen: Objects::new(),
        }
    }

    /// The number of changes and syncs.
    fn changes(&self) -> u64 {
        self.trace.ops.iter().filter(|op| op.changes()).count() as u64
    }

    /// A change before which the power fails.
    fn end(&self, draw: &mut Draw) -> usize {
        let Trace { ops, before } = &self.trace;
        before + draw.below((ops.len() - before) as u64 + 1) as usize
    }

    /// The state before a change: the disk, the messages, and the visible part of the public root.
    fn until(&self, end: usize) -> (Disk, WriterMessages, Objects) {
        let (mut disk, mut reported) = (Disk::new(), self.reported.clone());
        for op in &self.trace.ops[..end] {
            match op {
                Op::Said(line) => reported.hear(line),
                op => disk.apply(op),
            }
        }
        let mut seen = self.seen.clone();
        seen.extend(disk.seen().public);
        (disk, reported, seen)
    }

    /// The power fails somewhere, and another writer continues with the disk.
    fn again(&self, shim: &Shim, draw: &mut Draw) -> Run {
        let (disk, reported, seen) = self.until(self.end(draw));
        let place = Place::with(&disk.left(draw));
        let begun = Trace::begin(&place);
        let ended = shim.run(&place, &self.meant.script, 1000 + draw.below(1000), "");
        assert!(ended.done, "{}", ended.output);
        Run {
            trace: begun.end(&place),
            meant: self.meant.clone(),
            reported,
            seen,
        }
    }

    /// The power fails somewhere: checks that everything that must exist does.
    fn cut(&self, mut draw: Draw) -> Result<(), String> {
        let (steps, chance, end) = (
            self.trace.ops.len(),
            draw.below(1 << 30),
            self.end(&mut draw),
        );
        let (disk, reported, seen) = self.until(end);
        let left = disk.left(&mut draw);
        let looked = catch_unwind(AssertUnwindSafe(|| {
            checks::look(&left, &seen, &reported, &self.meant, chance)
        }));
        let looked = looked.unwrap_or_else(|_| Err("panicked".to_owned()));
        looked.map_err(|wrong| format!("cut before step {end} of {steps}: {wrong}"))
    }
}

/// How many of the disks after power cuts are wrong, and what is wrong with the first.
fn cuts(runs: &[Run], seed: u64, disks: Range<u64>) -> (usize, String) {
    let one = |disk: u64| {
        let run = &runs[disk as usize % runs.len()];
        let wrong = run.cut(drawn(seed, disk)).err();
        wrong.map(|wrong| format!("disk {disk}, {}: {wrong}", run.meant.script.policy()))
    };
    let wrong: Vec<String> = disks.into_par_iter().filter_map(one).collect();
    (wrong.len(), wrong.into_iter().next().unwrap_or_default())
}

/// Writers of all kinds: undisturbed, killed somewhere, killed while the feed begins, and stopped
/// by a power cut.
fn runs(shim: &Shim, draw: &mut Draw) -> Vec<Run> {
    let mut runs = Vec::new();
    for policy in 0..POLICIES.len() {
        let drawn = || Script {
            policy,
            seed: draw.below(1 << 30),
            ticks: 4,
            asked: false,
        };
        let script = std::iter::repeat_with(drawn)
            .find(|script| Meant::if_published(script).is_some())
            .expect("one of them");
        let whole = Run::new(shim, &script, &[]);
        let killed = [draw.below(whole.changes()), draw.below(40)].map(|before| before + 1);
        runs.push(Run::new(shim, &script, &killed[..1]));
        runs.push(Run::new(shim, &script, &killed[1..]));
        let again = whole.again(shim, draw);
        runs.push(again.again(shim, draw));
        runs.push(again);
        runs.push(whole);
    }
    runs
}

/// Checks this many disks after power cuts in such runs.
fn look_at(everyday: u32, runs: fn(&Shim, &mut Draw) -> Vec<Run>) {
    let Some(shim) = Shim::build() else { return };
    let (seed, disks) = (common::random::seed(), common::cases(everyday));
    println!(
        "{disks} disks after a power cut: seed {seed}; the same plan again: TIDEGATE_SEED={seed}"
    );
    for from in (0..disks).step_by(ROUND as usize).map(u64::from) {
        let runs = runs(&shim, &mut drawn(seed, from << 32));
        let (wrong, first) = cuts(
            &runs,
            seed,
            from..(from + u64::from(ROUND)).min(u64::from(disks)),
        );
        assert_eq!(wrong, 0, "seed {seed}: {first}");
    }
}

#[test]
fn the_feed_continues_after_any_power_cut() {
    look_at(EVERYDAY, runs);
}

/// Writers of feeds with requests.
fn runs_asked(shim: &Shim, draw: &mut Draw) -> Vec<Run> {
    let mut runs = Vec::new();
    for policy in 0..ASKED.len() {
        let drawn = || Script {
            policy,
            seed: draw.below(1 << 30),
            ticks: TICKS,
            asked: true,
        };
        let script = std::iter::repeat_with(drawn)
            .find(|script| Meant::if_published(script).is_some())
            .expect("one of them");
        let whole = Run::new(shim, &script, &[]);
        let killed = draw.below(whole.changes()) + 1;
        runs.push(Run::new(shim, &script, &[killed]));
        runs.push(whole.again(shim, draw));
        runs.push(whole);
    }
    runs
}

#[test]
fn the_feed_continues_after_any_power_cut_in_a_request() {
    look_at(EVERYDAY_ASKED, runs_asked);
}

#[test]
fn a_store_that_does_not_wait_is_found_out() {
    let Some(shim) = Shim::build() else { return };
    let whole = Run::new(
        &shim,
        &Script {
            policy: 0,
            seed: 1,
            ticks: 3,
            asked: false,
        },
        &[],
    );
    for (what, folders) in [("folders", true), ("files", false)] {
        let mut broken = whole.clone();
        broken
            .trace
            .forget(|op| matches!(op, Op::Sync { folder, .. } if *folder == folders));
        let (wrong, first) = cuts(&[broken], 7, 0..100);
        println!("a store that does not wait for {what}: {wrong} of 100 disks are wrong. {first}");
        assert!(wrong > 10, "a store that does not wait for {what} passes");
    }
}

#[test]
fn a_store_that_trusts_the_writer_before_is_found_out() {
    let Some(shim) = Shim::build() else { return };
    let script = Script {
        policy: 0,
        seed: 1,
        ticks: 1,
        asked: false,
    };
    // Until the first wrong disk is found.
    let found = (1..=40).find_map(|before| {
        let mut broken = Run::new(&shim, &script, &[before]);
        broken.trace.forget(|op| matches!(op, Op::SyncAll));
        let (wrong, first) = cuts(&[broken], 7, 0..40);
        (wrong > 0)
            .then(|| format!("{wrong} of 40 disks are wrong after {before} changes. {first}"))
    });
    println!(
        "a store that trusts the writer before it: {}",
        found.as_deref().unwrap_or("no disk is wrong")
    );
    assert!(
        found.is_some(),
        "a store that trusts the writer before it passes"
    );
}
