//! A kill at any moment leaves whole releases only, and running the command again ends as if
//! nothing had happened.

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::inputs::published;
use super::place::{FEED, HEADER, Place, counts, people, whole_so_far};
use crate::common::random::{self, Draw};

const INPUTS: [&str; 6] = ["0.csv", "1.csv", "2.csv", "3.csv", "4.csv", "5.csv"];
const TOTALS: [&str; 4] = ["rows", "waiting", "withheld", "pending"];

/// Six inputs with repeats between them, an empty one and one that forms no atom.
fn place(feed: &str) -> Place {
    let place = Place::new(feed);
    for (name, numbers) in INPUTS
        .iter()
        .zip([0..90, 80..150, 0..0, 150..151, 151..300, 290..350])
    {
        place.put(name, HEADER.to_owned() + &people(numbers));
    }
    place
}

fn start(place: &Place) -> Child {
    let mut command = place.command(&INPUTS);
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// The end of an undisturbed run.
struct Undisturbed {
    releases: Vec<(Vec<u8>, Json)>,
    totals: [u64; 4],
    takes: Duration,
}

impl Undisturbed {
    fn of(feed: &str) -> Undisturbed {
        let place = place(feed);
        let begin = Instant::now();
        start(&place).wait().expect("it ends");
        let takes = begin.elapsed();
        let entries = place.entries(&INPUTS);
        assert!(entries.iter().all(|entry| entry["outcome"] == "known"));
        Undisturbed {
            releases: published(&place.out()),
            totals: counts(&entries[5], TOTALS),
            takes,
        }
    }

    /// Kills the command until it ends; returns how often it was killed.
    fn disturbed(&self, feed: &str, draw: &mut Draw) -> u32 {
        let place = place(feed);
        let (mut kills, mut least) = (0, 0);
        for _ in 0..draw.between(2, 6) {
            let mut child = start(&place);
            sleep(Duration::from_micros(
                draw.between(0, self.takes.as_micros() as u64),
            ));
            child.kill().expect("it was started");
            let ended = child.wait().expect("it ends");
            kills += u32::from(ended.code().is_none());
            // The next process moves a release into place that is not there yet.
            let releases = whole_so_far(&place.out());
            assert!(releases >= least, "a release is gone");
            least = releases;
        }
        let entries = place.entries(&INPUTS);
        assert_eq!(counts(&entries[5], TOTALS), self.totals);
        assert!(
            published(&place.out()) == self.releases,
            "other releases than undisturbed"
        );
        assert!(
            place
                .entries(&INPUTS)
                .iter()
                .all(|entry| entry["outcome"] == "known")
        );
        kills
    }
}

#[test]
fn kills_lose_nothing_and_count_nothing_twice() {
    let disjoint = FEED.replace("name = \"t\"", "name = \"t\"\nchain = \"disjoint\"");
    let feeds = [
        FEED.to_owned(),
        disjoint,
        FEED.replace("k = 3\n", "k = 3\nguarantee = \"bcf\"\n"),
    ];
    let undisturbed = feeds.each_ref().map(|feed| Undisturbed::of(feed));
    assert!(undisturbed.iter().all(|run| run.releases.len() > 2));
    let kills = std::sync::atomic::AtomicU32::new(0);
    random::run("kills", 16, |draw| {
        let at = draw.between(0, 2) as usize;
        let killed = undisturbed[at].disturbed(&feeds[at], draw);
        kills.fetch_add(killed, std::sync::atomic::Ordering::Relaxed);
    });
    println!("{} kills at work", kills.into_inner());
}
