//! A bucket that does not answer for longer than a minute: the feed halts and is tried again by the
//! same process, and continues by itself when the bucket answers. Requests of this time are
//! performed then, and nothing may be lost or published twice because of them.

use std::thread::sleep;
use std::time::Duration;

use serde_json::Value as Json;

use super::place::{Daemon, PER_FILE, Place, people, until};
use super::public::releases;
use crate::common::is_long;
use crate::common::random::{self, Draw};
use crate::common::server::Server;
use crate::common::shim::Shim;
use crate::kills::roots::Roots;

/// The factor by which time passes faster for the daemon: it gives up a bucket after three seconds.
const FASTER: &str = "20";
/// How often the bucket stops answering.
const TIMES: u64 = 2;

fn health(daemon: &Daemon) -> Json {
    let page = daemon.page("/health/ready");
    serde_json::from_str(page.split_once("\r\n\r\n").expect("a head").1).expect("JSON")
}

fn is_halted(daemon: &Daemon) -> bool {
    health(daemon)["feeds"]["t"] == "halted"
}

#[test]
fn a_bucket_that_is_silent_halts_a_feed_until_it_answers() {
    let (Some(server), Some(shim)) = (Server::start(), Shim::of("fast.c")) else {
        return;
    };
    let roots = Roots::buckets(&server, Place::new(PER_FILE));
    let mut command = roots.command(&["run", "feed.toml"]);
    let daemon = roots.place.started({
        command
            .env("LD_PRELOAD", shim.path())
            .env("CLOCK_FASTER", FASTER);
        command
    });
    roots.place.offer("0.csv", people(0..40));
    daemon.says("published feed=t", 1);
    let seed = random::seed();
    println!("silent: the same again: TIDEGATE_SEED={seed}");
    let mut draw = Draw::new(seed, 0);
    for at in 1..=TIMES {
        // In the middle of handling the file, or before it.
        roots
            .place
            .offer(&format!("{at}.csv"), people(at * 40..at * 40 + 40));
        sleep(Duration::from_millis(draw.between(0, 400)));
        server.stops();
        until(|| is_halted(&daemon), || daemon.said());
        let why = health(&daemon)["halted"]["t"].clone();
        let reason = why["reason"].as_str().expect("a reason");
        assert!(
            reason.contains("the store at s3://bucket/") && reason.contains("cannot be"),
            "{why}"
        );
        assert!(
            why["what_to_do"]
                .as_str()
                .is_some_and(|what| what.contains("retried automatically")),
            "{why}"
        );
        assert!(
            daemon
                .page("/metrics")
                .contains("tidegate_halted{feed=\"t\"} 1.0")
        );
        assert!(
            daemon.page("/health/live").contains(" 200 "),
            "the process lives"
        );
        if is_long() {
            // For several more attempts.
            sleep(Duration::from_secs(10));
        }
        server.continues();
        until(|| !is_halted(&daemon), || daemon.said());
        daemon.says("resumed feed=t", at as usize);
        until(|| newest(&daemon) == at + 1, || daemon.said());
        assert!(
            daemon
                .page("/metrics")
                .contains("tidegate_halted{feed=\"t\"} 0.0")
        );
    }
    assert_eq!(daemon.end(), Some(0));
    let (code, verified) = roots.json(&["verify", "feed.toml"]);
    assert_eq!(
        (code, verified["intact"].as_bool()),
        (0, Some(true)),
        "{verified}"
    );
    let published = releases(&roots.public());
    let mut came = published.last().expect("a release").diagnoses.clone();
    let rows = came.len();
    came.sort();
    came.dedup();
    assert_eq!(
        (published.len() as u64, rows, came.len()),
        (TIMES + 1, 120, 120),
        "each person is there once"
    );
}

/// The number of the newest release.
fn newest(daemon: &Daemon) -> u64 {
    let metrics = daemon.page("/metrics");
    let line = metrics
        .lines()
        .find_map(|line| line.strip_prefix("tidegate_newest_release{feed=\"t\"} "));
    line.and_then(|number| number.parse::<f64>().ok())
        .map_or(0, |number| number as u64)
}
