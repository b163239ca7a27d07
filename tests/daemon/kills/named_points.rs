//! Each point of the list is reached, the program is killed there, before and after, and continues
//! as if nothing had happened. A real process each time: the daemon, or the command that does the
//! work.

use std::collections::BTreeSet;
use std::fs;
use std::time::Instant;

use serde_json::Value as Json;

use super::feed_life::{Life, Who, at_each, finished, in_memory, scene};
use super::place::Place;
use super::points::{POINTS, Point};
use super::scenes::{Does, REKEYS, behind};
use super::shim::Shim;
use super::shimmed_program::Call;
use super::shimmed_program::Side::{self, After, Before};
use crate::common::random::{self, Draw};
use crate::common::{cases, is_long};

/// A process is killed at a point, and another one continues.
fn check(life: &Life<'_>, side: Side, point: &Point) {
    let (place, mut kept) = (life.killed(side, point), life.published(point.scene));
    if point.scene != REKEYS {
        untouched(&place);
    }
    life.balance(&place, &mut kept);
    if let Does::Asks(args) | Does::Asked(args) = scene(point.scene).does {
        life.done(&place, args, Who::Alone);
        kept.check(&place.public());
    }
    behind(point.scene, &place);
    life.done(&place, &["run", "--once", "feed.toml"], Who::Alone);
    finished(life, &place, &mut kept);
    if !per_file(&place) {
        let lost = tables(&life.end[point.scene])
            .difference(&tables(&place))
            .cloned()
            .collect::<Vec<_>>();
        assert!(lost.is_empty(), "another table was published: {lost:?}");
    }
}

/// Checks that a command that only reads changes nothing, whatever a kill leaves half done.
fn untouched(place: &Place) {
    let (code, verified) = place.json(&["verify", "feed.toml"]);
    // Before the first entry there is nothing to read.
    let findings = verified["findings"].as_array().cloned().unwrap_or_default();
    // Objects that a killed writer has not named stay until the next start removes them.
    let unnamed = |finding: &Json| {
        finding["text"]
            .as_str()
            .is_some_and(|text| text.contains("the next start removes it"))
    };
    assert!(code == 2 || findings.iter().all(unnamed), "{verified}");
}

/// The names of tables, which contain their hashes.
fn tables(place: &Place) -> BTreeSet<String> {
    let folder = fs::read_dir(place.public().join("data"))
        .into_iter()
        .flatten();
    folder
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect()
}

/// If each file is a tick, a file whose tick was lost by a kill joins the next file.
fn per_file(place: &Place) -> bool {
    fs::read_to_string(place.path("feed.toml"))
        .expect("a feed file")
        .contains("per_file")
}

#[test]
fn a_kill_at_any_named_place_does_no_harm() {
    let Some(shim) = Shim::build() else { return };
    in_memory();
    let begun = Instant::now();
    let life = Life::play(&shim);
    // In everyday runs on one side of each: after a step is before the next one.
    let sides = |at: usize| {
        if is_long() {
            vec![Before, After]
        } else {
            vec![[Before, After][at / 2 % 2]]
        }
    };
    let places = POINTS
        .iter()
        .enumerate()
        .flat_map(|(at, point)| sides(at).into_iter().map(move |side| (side, point)));
    // In everyday runs at every second place, chosen by the seed.
    let seed = random::seed();
    let places = places
        .enumerate()
        .filter(|(at, _)| is_long() || *at as u64 % 2 == seed % 2);
    let places: Vec<_> = places.map(|(_, place)| place).collect();
    let wrong = at_each(&places, |side, point| check(&life, side, point));
    let taken = begun.elapsed();
    println!(
        "{} kills at {} named places, {taken:?}; the same again: TIDEGATE_SEED={seed}",
        places.len(),
        POINTS.len()
    );
    assert!(
        wrong.is_empty(),
        "{} of {} are wrong:\n{}",
        wrong.len(),
        places.len(),
        wrong.join("\n")
    );
}

/// The steps of a scene, by a command that needs no other process.
fn steps(life: &Life<'_>) -> Vec<Point> {
    let mut steps = Vec::new();
    for (&scene, did) in life
        .did
        .iter()
        .filter(|(name, _)| !matches!(scene(name).does, Does::Asked(_)))
    {
        for call in [Call::Link, Call::Rename, Call::Unlink] {
            let times = did.iter().filter(|done| done.call == call).count() as u64;
            let step = |nth| Point {
                name: "any",
                call,
                path: "*",
                word: "-",
                scene,
                nth,
            };
            steps.extend((1..=times).map(step));
        }
    }
    steps
}

#[test]
#[ignore = "slow: any of some thousand steps, not the first of each name alone"]
fn a_kill_at_any_step_does_no_harm() {
    let Some(shim) = Shim::build() else { return };
    in_memory();
    let (seed, begun) = (random::seed(), Instant::now());
    println!("kills at any step: seed {seed}; the same again: TIDEGATE_SEED={seed}");
    let life = Life::play(&shim);
    let (all, mut draw) = (steps(&life), Draw::new(seed, 0));
    let one = |_| {
        let side = if draw.once_in(2) { Before } else { After };
        (side, &all[draw.between(0, all.len() as u64 - 1) as usize])
    };
    let places: Vec<_> = (0..cases(10)).map(one).collect();
    let wrong = at_each(&places, |side, point| check(&life, side, point));
    println!(
        "{} kills at any of {} steps, {:?}",
        places.len(),
        all.len(),
        begun.elapsed()
    );
    assert!(
        wrong.is_empty(),
        "{} of {} are wrong:\n{}",
        wrong.len(),
        places.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_kind_of_entry_has_a_name() {
    let schema = fs::read_to_string("schemas/v1/entry.schema.json").expect("a schema");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    let kinds = schema["oneOf"].as_array().expect("kinds").iter();
    let kinds = kinds.map(|kind| {
        kind["properties"]["kind"]["const"]
            .as_str()
            .expect("a kind")
    });
    let named: BTreeSet<&str> = POINTS
        .iter()
        .filter_map(|point| point.word.split(':').next())
        .collect();
    let missing: Vec<&str> = kinds.filter(|kind| !named.contains(kind)).collect();
    assert!(missing.is_empty(), "entries without a name: {missing:?}");
}
