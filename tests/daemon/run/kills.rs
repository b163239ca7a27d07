//! A running feed is killed at any moment, again and again, while files appear: each person in the
//! folder is accounted for exactly once, and no published file ever changes.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::place::{HEADER, NEVER, OFTEN, PER_FILE, PLANTED, Place, person};
use super::public::{Kept, releases};
use crate::common::is_long;
use crate::common::random::{self, Draw};

/// The greatest number of kills in a long run.
const MOST: u32 = 10_000;
/// Kills of one feed: in an everyday run, and in a long one.
const KILLS: [u32; 2] = [7, 13];
/// Feeds that are killed side by side.
const FEEDS: u32 = 4;
/// How often this many feeds begin in a short run.
const TIMES: u32 = 4;
/// Events of a running daemon; it is killed just after one of these.
const MOMENTS: [&str; 8] = [
    "fence_appended",
    "recovered",
    "file_taken",
    "tick_closed",
    "decided",
    "published",
    "checkpoint_written",
    "forgotten",
];
const POLICIES: [(&str, &str); 4] = [
    ("k = 3\n", ""),
    ("k = 3\nguarantee = \"bcf\"\n", ""),
    ("k = 3\n", "chain = \"disjoint\"\n"),
    ("k = 3\noutput = \"two-table\"\n", "chain = \"disjoint\"\n"),
];

/// A feed that is killed, and the people in its folder.
struct Feed {
    place: Place,
    kept: Kept,
    files: u32,
    came: BTreeSet<u64>,
    disjoint: bool,
    schedule: &'static str,
    /// The longest time without a log line, in milliseconds.
    longest: u64,
}

impl Feed {
    /// Puts another file into the folder: new people, and some repeated ones with other values.
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

    /// Starts it, and ends it somehow; returns whether it was killed while running.
    fn disturbed(&mut self, draw: &mut Draw) -> bool {
        let mut daemon = self.place.start();
        for _ in 0..draw.between(0, 3) {
            self.offer(draw);
            sleep(Duration::from_millis(draw.between(0, 60)));
        }
        if draw.once_in(2) {
            // If it reports no such event it is killed while it waits.
            let moment = MOMENTS[draw.between(0, MOMENTS.len() as u64 - 1) as usize];
            let patience = Instant::now() + Duration::from_millis(400);
            while !daemon.said().contains(moment) && Instant::now() < patience {
                sleep(Duration::from_millis(1));
            }
            sleep(Duration::from_micros(draw.between(0, 5_000)));
        } else {
            sleep(Duration::from_millis(draw.between(0, self.longest)));
        }
        let gently = draw.once_in(4);
        if gently {
            daemon.says("recovered", 1);
            daemon.term();
        }
        let killed = if gently && draw.once_in(2) {
            assert_eq!(daemon.ended(), Some(0), "{}", daemon.said());
            false
        } else {
            sleep(Duration::from_micros(if gently {
                draw.between(0, 20_000)
            } else {
                0
            }));
            daemon.kill()
        };
        self.kept.check(&self.place.public());
        releases(&self.place.public());
        assert!(!daemon.said().contains("halted"), "{}", daemon.said());
        killed
    }

    /// Checks that each person is in one place; returns the number of releases.
    fn accounted(mut self) -> u32 {
        let schedule = self.schedule;
        self.place.edit(schedule, NEVER);
        let tick = self.place.once();
        self.kept.check(&self.place.public());
        let releases = releases(&self.place.public());
        let newest = releases
            .iter()
            .rev()
            .take(if self.disjoint { usize::MAX } else { 1 });
        let out: Vec<&String> = newest.flat_map(|release| &release.diagnoses).collect();
        let distinct: BTreeSet<&String> = out.iter().copied().collect();
        assert_eq!(out.len(), distinct.len(), "a person is published twice");
        let known: BTreeSet<String> = self
            .came
            .iter()
            .map(|number| format!("{}{number}", PLANTED[1]))
            .collect();
        assert!(
            distinct.iter().all(|one| known.contains(*one)),
            "the row of a person who had come before"
        );
        let elsewhere = ["waiting", "withheld", "pending", "new"]
            .map(|name| tick[name].as_u64().expect("a number"));
        let all = out.len() as u64 + elsewhere.iter().sum::<u64>();
        assert_eq!(
            all,
            self.came.len() as u64,
            "{} published; {tick}",
            out.len()
        );
        assert_eq!(
            tick["rows"],
            releases.last().map_or(0, |release| release.rows)
        );
        assert_eq!(self.place.verified()["releases"], releases.len());
        releases.len() as u32
    }
}

/// One feed that is killed again and again; returns how often it was killed while running, and its
/// number of releases.
fn killed(at: u32, mut draw: Draw, kills: u32) -> [u32; 2] {
    let (policy, more) = POLICIES[at as usize % POLICIES.len()];
    // Each policy is run with both schedules.
    let per_file = (at + at / POLICIES.len() as u32).is_multiple_of(2);
    let (schedule, longest) = if per_file {
        (PER_FILE, 200)
    } else {
        (OFTEN, 500)
    };
    let (place, came) = (Place::with(schedule, policy, more), BTreeSet::new());
    let disjoint = !more.is_empty();
    let mut feed = Feed {
        place,
        kept: Kept::default(),
        files: 0,
        came,
        disjoint,
        schedule,
        longest,
    };
    let mut done = 0;
    while done < kills {
        done += u32::from(feed.disturbed(&mut draw));
    }
    [done, feed.accounted()]
}

#[test]
fn kills_lose_no_person_and_count_none_twice() {
    let (all, published, at) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
    let kills = KILLS[usize::from(is_long())];
    random::run("kills", TIMES, |draw| {
        if all.load(Ordering::Relaxed) >= MOST {
            return;
        }
        let one = |draw: Draw| killed(at.fetch_add(1, Ordering::Relaxed), draw, kills);
        let draws: Vec<Draw> = (0..FEEDS)
            .map(|feed| Draw::new(draw.between(0, u64::MAX - 1), feed.into()))
            .collect();
        let done: Vec<[u32; 2]> = std::thread::scope(|scope| {
            let feeds: Vec<_> = draws
                .into_iter()
                .map(|draw| scope.spawn(|| one(draw)))
                .collect();
            feeds
                .into_iter()
                .map(|feed| feed.join().expect("a feed"))
                .collect()
        });
        for [kills, releases] in done {
            all.fetch_add(kills, Ordering::Relaxed);
            published.fetch_add(releases, Ordering::Relaxed);
        }
    });
    let (all, published) = (all.into_inner(), published.into_inner());
    println!("{all} kills at work, {published} releases");
    assert!(
        all >= (crate::common::cases(TIMES) * FEEDS * kills).min(MOST),
        "{all} kills at work only"
    );
    assert!(
        published >= all / 14,
        "{published} releases: the feeds were killed before they did anything"
    );
}
