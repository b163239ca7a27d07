//! Wrong clocks: times of a feed never go back, and a clock that jumps ahead leads to no deletion
//! until an operator accepts it.

use std::fs;

use serde_json::Value as Json;

use super::place::{NEVER, PLANTED, Place, answer, people};
use crate::common::shim::Shim;

/// Two days, and some years.
const BACK: i64 = -2 * 86_400;
const AHEAD: i64 = 14 * 365 * 86_400;

/// One tick with a clock that is wrong by this many seconds; the answer, and the log.
fn once(shim: &Shim, place: &Place, by: i64, more: &[&str]) -> (Json, String) {
    let mut command = place.command(&[&["run", "--once", "--json", "feed.toml"], more].concat());
    command
        .env("LD_PRELOAD", shim.path())
        .env("CLOCK_BY", by.to_string());
    let output = command.output().expect("the program starts");
    let (code, found) = answer(&output);
    assert_eq!(code, 0, "{found}");
    (
        found["ticks"][0].clone(),
        String::from_utf8(output.stderr).expect("text"),
    )
}

/// The number of messages that are set aside.
fn aside(place: &Place) -> u64 {
    place.done(&["quarantine", "feed.toml"])["messages"]
        .as_u64()
        .expect("a number")
}

/// The times of all releases.
fn times(place: &Place) -> Vec<String> {
    let manifest =
        |number: usize| fs::read(place.public().join(format!("manifest/{number:010}.json"))).ok();
    let time = |bytes: Vec<u8>| {
        serde_json::from_slice::<Json>(&bytes).expect("JSON")["time"]
            .as_str()
            .map(str::to_owned)
    };
    (1..)
        .map_while(|number| manifest(number).map(|bytes| time(bytes).expect("a time")))
        .collect()
}

#[test]
fn a_clock_that_is_wrong_does_no_harm() {
    let Some(shim) = Shim::of("clock.c") else {
        return;
    };
    let place = Place::new(NEVER);
    place.offer(
        "0.csv",
        people(0..200) + &format!("{}x,99,A1,{}x\n", PLANTED[0], PLANTED[1]),
    );
    let (tick, said) = once(&shim, &place, 0, &[]);
    assert!(
        tick["outcome"] == "published" && !said.contains("clock_"),
        "{tick} {said}"
    );
    assert_eq!(aside(&place), 1);
    // Back: no tick closes, and nothing is lost.
    place.offer("1.csv", people(200..300));
    let (tick, said) = once(&shim, &place, BACK, &[]);
    assert!(
        tick["outcome"] == "postponed" && tick["new"] == 100 && said.contains("warn  clock_behind"),
        "{tick} {said}"
    );
    place.verified();
    // Ahead: releases continue, and no data is old.
    for (file, from) in [("2.csv", 300), ("3.csv", 400)] {
        place.offer(file, people(from..from + 100));
        let (tick, said) = once(&shim, &place, AHEAD, &[]);
        assert!(
            tick["outcome"] == "published" && said.contains("warn  clock_ahead"),
            "{tick} {said}"
        );
        assert!(!said.contains("forgotten") && aside(&place) == 1, "{said}");
    }
    place.verified();
    // The right clock is now behind it.
    place.offer("4.csv", people(500..600));
    assert_eq!(once(&shim, &place, 0, &[]).0["outcome"], "postponed");
    let (tick, said) = once(&shim, &place, AHEAD + 60, &["--accept-clock"]);
    assert!(
        tick["outcome"] == "published" && said.contains("forgotten"),
        "{tick} {said}"
    );
    assert_eq!((aside(&place), tick["rows"].as_u64()), (0, Some(600)));
    assert!(
        !once(&shim, &place, AHEAD + 120, &[]).1.contains("clock_"),
        "it is believed from now on"
    );
    let times = times(&place);
    assert!(times.is_sorted() && times.len() == 4, "{times:?}");
    place.verified();
}
