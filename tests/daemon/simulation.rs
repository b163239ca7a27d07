//! The daemon's own loop (`run::keep`) in a simulated world (HOUSE 3): its processes die, its stores are full, silent and late, another process
//! takes over, brokers go away, clocks are set, and people ask. What follows from one seed is always the same.
//!
//! The run of one seed, with what happened: `TIDEGATE_SEED=<seed> cargo test --test daemon simulation::one_seed -- --ignored --nocapture`

mod books;
mod here;
mod mutants;
mod nature;
mod person;
mod promises;
mod run;
mod stores;
mod topic;
mod turns;

use run::{Places, play};

use crate::common::{draw, place, public, random};

#[test]
#[ignore = "plays the run of one seed again"]
fn one_seed() {
    let outcome = play(random::seed(), &mut Places::default(), None);
    println!("{outcome:?}");
}

#[test]
fn a_feed_keeps_its_promises_whatever_fails() {
    let (seed, cases) = (random::seed(), crate::common::cases(200));
    println!("{cases} seeds from {seed} on");
    let mut places = Places::default();
    let begun = std::time::Instant::now();
    let (mut changes, mut releases, mut deaths) = (0, 0, 0);
    for at in 0..u64::from(cases) {
        let outcome = play(seed.wrapping_add(at), &mut places, None);
        changes += outcome.changes;
        releases += outcome.releases;
        deaths += outcome.deaths;
    }
    println!("{changes} changes, {releases} releases, {deaths} deaths in {:?}", begun.elapsed());
}

#[test]
fn what_follows_from_a_seed_is_always_the_same() {
    let mut places = Places::default();
    for seed in 0..20 {
        assert_eq!(play(seed, &mut places, None), play(seed, &mut Places::default(), None), "seed {seed}");
    }
}
