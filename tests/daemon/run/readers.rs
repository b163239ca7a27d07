//! A reader reads the public root all the time while a feed publishes: everything visible is whole
//! and does not change, and the newest release is never followed by an older one.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::place::{PER_FILE, Place, people};
use super::public::{Kept, releases};

const RELEASES: u64 = 22;

/// The number in the advisory name, once there is one.
fn latest(public: &Path) -> u64 {
    let Ok(text) = fs::read_to_string(public.join("LATEST")) else {
        return 0;
    };
    let name = text
        .strip_prefix("manifest/")
        .and_then(|rest| rest.strip_suffix(".json\n"));
    assert!(public.join(text.trim_end()).exists(), "{text} is not there");
    name.and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("{text} is no manifest"))
}

/// Reads until it is told to stop; returns how many times it saw something new.
fn read(public: &Path, stop: &AtomicBool) -> u32 {
    let (mut kept, mut visible, mut newest, mut news) = (Kept::default(), 0, 0, 0);
    while !stop.load(Ordering::Relaxed) {
        let named = latest(public);
        assert!(
            named >= newest,
            "release {newest} was the newest, and now {named} is"
        );
        newest = named;
        let now = releases(public).len() as u64;
        assert!(now >= visible && now >= named, "a release is gone");
        news += u32::from(now > visible);
        visible = now;
        kept.check(public);
    }
    news
}

#[test]
fn whatever_is_visible_is_whole() {
    let place = Place::new(PER_FILE);
    let (public, stop) = (place.public(), AtomicBool::new(false));
    let news = thread::scope(|scope| {
        let reader = scope.spawn(|| read(&public, &stop));
        let daemon = place.start();
        for at in 0..RELEASES {
            place.offer(&format!("{at:02}.csv"), people(at * 40..at * 40 + 60));
            daemon.says("published feed=t", at as usize + 1);
        }
        stop.store(true, Ordering::Relaxed);
        assert_eq!(daemon.end(), Some(0));
        reader.join().expect("it read")
    });
    assert!(news > 10, "it looked {news} times only");
    let rows: Vec<u64> = releases(&public)
        .iter()
        .map(|release| release.rows)
        .collect();
    assert_eq!(rows.len() as u64, RELEASES);
    assert!(rows.is_sorted() && latest(&public) == RELEASES, "{rows:?}");
    place.verified();
}
