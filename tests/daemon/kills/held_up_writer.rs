//! A writer is held up at each point of the list, another one takes over and continues, and then
//! the first one continues as well: it finds what the other has appended, ends with an error that
//! says so, and has done no harm. No lock keeps them apart.

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};

use super::feed_life::{Life, Who, at_each, finished, in_memory, scene};
use super::place::people;
use super::points::{POINTS, Point};
use super::scenes::{Does, behind};
use super::shim::Shim;
use super::shimmed_program::Side::{self, After, Before};
use super::shimmed_program::{Ends, Notes};
use crate::common::wait::until;
use crate::common::{is_long, random};

/// The error of a writer that was taken over.
pub const LOST: &str = "another tidegate has taken over this feed";

/// A writer that is held up; it is killed when the test drops it.
struct Held(Child);

impl Drop for Held {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// One is held up, another takes over.
fn check(life: &Life<'_>, side: Side, point: &Point) {
    let (place, mut kept) = (life.place(point.scene), life.published(point.scene));
    let args = match scene(point.scene).does {
        Does::Once => &["run", "--once", "feed.toml"][..],
        Does::Asks(args) | Does::Asked(args) => args,
    };
    let mut command = place.command(&[args, &["--json"]].concat());
    let notes = Notes::of(
        life.shim,
        &place,
        &mut command,
        Some((Ends::Held, side, point)),
    );
    let child = command
        .env("UNLOCK", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut held = Held(child);
    let (at, done) = until(|| "that it comes by", || notes.read().died);
    assert!(
        at == side && point.is(&done),
        "it is held up elsewhere: {done:?}"
    );
    let before = place.log().len();

    place.offer("99.csv", people(1000..1040));
    if args[0] != "run" {
        life.done(&place, args, Who::Unlocked);
    }
    behind(point.scene, &place);
    life.done(&place, &["run", "--once", "feed.toml"], Who::Unlocked);
    kept.check(&place.public());
    let after = fs::read_to_string(place.public().join("LATEST")).unwrap_or_default();
    assert!(place.log().len() > before, "the other one has done nothing");

    kill_process(Pid::from_child(&held.0), Signal::CONT).expect("it was started");
    let status = until(|| "its end", || held.0.try_wait().expect("it was started"));
    lost(&mut held.0, status.code());
    assert_eq!(status.signal(), None);
    kept.check(&place.public());
    assert_eq!(
        fs::read_to_string(place.public().join("LATEST")).unwrap_or_default(),
        after,
        "LATEST has gone back"
    );
    life.done(&place, &["run", "--once", "feed.toml"], Who::Alone);
    finished(life, &place, &mut kept);
}

/// Checks that it was taken over, or had nothing more to append.
fn lost(child: &mut Child, code: Option<i32>) {
    let mut stdout = String::new();
    child
        .stdout
        .take()
        .expect("it is piped")
        .read_to_string(&mut stdout)
        .expect("text");
    let lost = code == Some(2) && stdout.contains(LOST);
    assert!(lost || matches!(code, Some(0 | 1)), "{code:?}: {stdout}");
}

/// Writers are held up on this side of every step that they make without a request; everyday runs
/// visit one point in this many, chosen by the seed.
const EVERY: u64 = 6;

fn everywhere(side: Side) {
    let Some(shim) = Shim::build() else { return };
    in_memory();
    let begun = Instant::now();
    let seed = random::seed();
    let life = Life::play(&shim);
    let places = POINTS
        .iter()
        .filter(|point| !matches!(scene(point.scene).does, Does::Asked(_)));
    let places = places
        .enumerate()
        .filter(|(at, _)| is_long() || *at as u64 % EVERY == seed % EVERY);
    let places: Vec<_> = places.map(|(_, point)| (side, point)).collect();
    let wrong = at_each(&places, |side, point| check(&life, side, point));
    println!(
        "held up at {} named places, {:?}; the same again: TIDEGATE_SEED={seed}",
        places.len(),
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
fn a_writer_that_is_held_up_before_a_step_does_no_harm() {
    everywhere(Before);
}

#[test]
#[ignore = "slow, and a writer that is held up after a step finds the same as one that is held up before its next step"]
fn a_writer_that_is_held_up_after_a_step_does_no_harm() {
    everywhere(After);
}
