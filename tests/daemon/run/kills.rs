//! A feed at work is killed at any moment, again and again, while files appear: everybody who was put into the folder is
//! accounted for exactly once, and nothing that was ever published changes.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use super::place::{HEADER, NEVER, OFTEN, PER_FILE, PLANTED, Place, person};
use super::public::{Kept, releases};
use crate::common::random::{self, Draw};

/// Kills of a long run: enough is enough.
const MOST: u32 = 500;
/// Kills of one feed.
const KILLS: u32 = 6;
/// Feeds of a short run.
const FEEDS: u32 = 5;
const POLICIES: [(&str, &str); 4] = [
    ("k = 3\n", ""),
    ("k = 3\nguarantee = \"bcf\"\n", ""),
    ("k = 3\n", "chain = \"disjoint\"\n"),
    ("k = 3\noutput = \"two-table\"\n", "chain = \"disjoint\"\n"),
];

/// A feed that is killed, and who was put into its folder.
struct Feed {
    place: Place,
    kept: Kept,
    files: u32,
    came: BTreeSet<u64>,
    disjoint: bool,
    schedule: &'static str,
}

impl Feed {
    /// Puts another file into the folder: new people, and some who have come before with something else to tell.
    fn offer(&mut self, draw: &mut Draw) {
        let first = self.came.len() as u64;
        let new = first..first + draw.between(0, 25);
        let mut text = HEADER.to_owned() + &new.clone().map(person).collect::<String>();
        for _ in 0..draw.between(0, first.min(8)) {
            let again = draw.between(0, first - 1);
            text.push_str(&person(again).replace(PLANTED[1], "again"));
        }
        self.came.extend(new);
        self.place.offer(&format!("{:04}.csv", self.files), text);
        self.files += 1;
    }

    /// Starts it, and ends it somehow; whether it was killed at work.
    fn disturbed(&mut self, draw: &mut Draw, longest: u64) -> bool {
        let mut daemon = self.place.start();
        for _ in 0..draw.between(0, 3) {
            sleep(Duration::from_millis(draw.between(0, longest / 3)));
            self.offer(draw);
        }
        sleep(Duration::from_millis(draw.between(0, longest / 3)));
        let gently = draw.once_in(4);
        if gently {
            daemon.says("recovered", 1);
            daemon.term();
        }
        let killed = if gently && draw.once_in(2) {
            assert_eq!(daemon.ended(), Some(0), "{}", daemon.said());
            false
        } else {
            sleep(Duration::from_micros(if gently { draw.between(0, 20_000) } else { 0 }));
            daemon.kill()
        };
        self.kept.check(&self.place.public());
        releases(&self.place.public());
        assert!(!daemon.said().contains("halted"), "{}", daemon.said());
        killed
    }

    /// Everybody is in one place.
    fn accounted(mut self) {
        let schedule = self.schedule;
        self.place.edit(schedule, NEVER);
        let tick = self.place.once();
        self.kept.check(&self.place.public());
        let releases = releases(&self.place.public());
        let newest = releases.iter().rev().take(if self.disjoint { usize::MAX } else { 1 });
        let out: Vec<&String> = newest.flat_map(|release| &release.diagnoses).collect();
        let distinct: BTreeSet<&String> = out.iter().copied().collect();
        assert_eq!(out.len(), distinct.len(), "somebody is published twice");
        let known: BTreeSet<String> = self.came.iter().map(|number| format!("{}{number}", PLANTED[1])).collect();
        assert!(distinct.iter().all(|one| known.contains(*one)), "the row of somebody who had come before");
        let elsewhere = ["waiting", "withheld", "pending", "new"].map(|name| tick[name].as_u64().expect("a number"));
        let all = out.len() as u64 + elsewhere.iter().sum::<u64>();
        assert_eq!(all, self.came.len() as u64, "{} published; {tick}", out.len());
        assert_eq!(tick["rows"], releases.last().map_or(0, |release| release.rows));
        assert_eq!(self.place.verified()["releases"], releases.len());
    }
}

#[test]
fn kills_lose_nobody_and_count_nobody_twice() {
    let (kills, at) = (AtomicU32::new(0), AtomicU32::new(0));
    random::run("kills", FEEDS, |draw| {
        if kills.load(Ordering::Relaxed) >= MOST {
            return;
        }
        let at = at.fetch_add(1, Ordering::Relaxed);
        let (policy, more) = POLICIES[at as usize % POLICIES.len()];
        let (schedule, longest) = if at.is_multiple_of(2) { (PER_FILE, 600) } else { (OFTEN, 1500) };
        let place = Place::with(schedule, policy, more);
        let came = BTreeSet::new();
        let mut feed = Feed { place, kept: Kept::default(), files: 0, came, disjoint: !more.is_empty(), schedule };
        let mut of_feed = 0;
        while of_feed < KILLS {
            of_feed += u32::from(feed.disturbed(draw, longest));
        }
        kills.fetch_add(of_feed, Ordering::Relaxed);
        feed.accounted();
    });
    let kills = kills.into_inner();
    println!("{kills} kills at work");
    assert!(kills >= (crate::common::cases(FEEDS) * KILLS).min(MOST), "{kills} kills at work only");
}
