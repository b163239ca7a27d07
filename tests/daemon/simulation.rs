//! The daemon's own loop (`run::keep`) in a simulated world (HOUSE 3): its processes die, its
//! stores are full, silent and late, another process takes over, brokers stop answering, clocks are
//! set, and people make requests. The same seed always leads to the same run.
//!
//! The run of one seed, with its events: `TIDEGATE_SEED=<seed> cargo test --test daemon
//! simulation::one_seed -- --ignored --nocapture`

mod books;
mod commands;
mod feed_files;
mod mutants;
mod nature;
mod person;
mod process_world;
mod promises;
mod run;
mod stores;
mod topic;
mod turns;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use feed_files::Places;
use mutants::MUTANTS;
use run::{Outcome, play, play_of};

use crate::common::{draw, place, public, random};

#[test]
#[ignore = "plays the run of one seed again"]
fn one_seed() {
    let outcome = play(random::seed(), &mut Places::default(), None);
    println!("{outcome:?}");
}

#[test]
fn a_feed_keeps_its_promises_whatever_fails() {
    // The same seeds in every everyday run, so that a change is judged by itself; a long run draws
    // others.
    let (first, seeds) = (
        std::env::var_os("TIDEGATE_SEED").map_or(1, |_| random::seed()),
        seeds(),
    );
    println!(
        "{seeds} seeds from {first} on; one of them again: TIDEGATE_SEED=<seed> and the test `one_seed`"
    );
    let (next, begun) = (AtomicU64::new(0), Instant::now());
    let plays = || {
        let mut places = Places::default();
        let at = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < seeds);
        let played =
            std::iter::from_fn(at).map(|at| play(first.wrapping_add(at), &mut places, None));
        played.fold(Outcome::default(), Outcome::and)
    };
    // In a run one process works at a time, and the next one wakes slowly: with as many runs as
    // cores these would be idle in between.
    let threads = 2 * std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let all = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(plays)).collect();
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|fault| resume_unwind(fault)));
        joined.fold(Outcome::default(), Outcome::and)
    });
    let Outcome {
        changes,
        releases,
        deaths,
        kinds,
        ..
    } = all;
    println!(
        "{changes} changes, {releases} releases, {deaths} deaths in {:?}; entries: {kinds:?}",
        begun.elapsed()
    );
    assert!(
        releases > seeds && deaths > seeds / 2,
        "most runs publish something, and many processes die"
    );
    for kind in KINDS {
        assert!(
            kinds.contains_key(kind),
            "no run wrote an entry of the kind {kind}"
        );
    }
}

/// The kinds of entries that simulated feeds write: all kinds.
const KINDS: [&str; 18] = [
    "Fence",
    "Chain",
    "Config",
    "Ingest",
    "Retry",
    "Closed",
    "Masked",
    "Coins",
    "Decision",
    "Approve",
    "Published",
    "Erase",
    "Withdraw",
    "Retire",
    "Expire",
    "Cleaned",
    "Forgotten",
    "Rekey",
];

/// The number of runs: `TIDEGATE_SEEDS`, or the everyday number.
fn seeds() -> u64 {
    std::env::var("TIDEGATE_SEEDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1_000)
}

/// A pack that another writer joined while it was written again without forgotten objects; a fence
/// with the number of a packed entry; withdrawals in a disjoint chain while the next release waits
/// for a person; a manifest that a late write restored.
#[test]
fn runs_that_failed_once_are_played_again() {
    let mut places = Places::default();
    for seed in [
        10_999_829_898_304_320_286,
        10_999_829_898_304_320_336,
        1_000_293,
        1_002_313,
        1_004_558,
    ] {
        play_of(1, seed, &mut places);
    }
    // Late writes restored a commit of a Delta log behind its checkpoint, and let `LATEST` name a
    // withdrawn release. The same for a checkpoint that a withdrawal had removed.
    for seed in [40_085, 2_000_777, 12_012_268] {
        play_of(2, seed, &mut places);
    }
    // Withheld people, an erasure of others after the beginning of a new chain, and the next tick.
    play_of(2, 10_013_025, &mut places);
    // A writer that reads the log again when another one has taken over.
    play_of(2, 12_061_084, &mut places);
    // Manifests of an earlier chain beside one of a later chain that has expired.
    play_of(3, 16_045_250, &mut places);
    // A page of all releases that is written again while one of them waits because a disk is full.
    play_of(2, 11_004_564, &mut places);
    // `verify` when a withdrawal is half done, and with a fence that came too late; an object that
    // another writer removed while it was packed; files of a repaired release, deleted late; a
    // stopped chain.
    for seed in [
        5_000_095, 7_014_052, 6_003_702, 6_004_146, 7_005_078, 7_011_249, 7_011_887, 7_015_815,
    ] {
        play_of(2, seed, &mut places);
    }
    // `LATEST` names a withdrawn release, from a writer that was held up until no process was
    // running: `verify` says which start repairs it.
    play_of(5, 20_190_950, &mut places);
    // A writer that publishes an approved release, while another one has taken over and published
    // it.
    play_of(5, 20_292_592, &mut places);
}

#[test]
fn every_mutant_is_found() {
    let mut places = Places::default();
    for mutant in MUTANTS {
        let found = (0..200).find_map(|seed| {
            let played = catch_unwind(AssertUnwindSafe(|| play(seed, &mut places, Some(mutant))));
            played
                .err()
                .map(|fault| (seed, fault.downcast::<String>().expect("a text")))
        });
        let (_, text) =
            found.unwrap_or_else(|| panic!("nothing finds a program that {}", mutant.name));
        println!(
            "a program that {}: {}",
            mutant.name,
            text.lines().next().unwrap_or_default()
        );
    }
}

#[test]
fn what_follows_from_a_seed_is_always_the_same() {
    let mut places = Places::default();
    for seed in 0..20 {
        assert_eq!(
            play(seed, &mut places, None),
            play(seed, &mut Places::default(), None),
            "seed {seed}"
        );
    }
}
