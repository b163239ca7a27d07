//! The drill of the guide (operations, section 10): a feed is copied while files arrive, its
//! machine is lost, and the copy continues elsewhere: files since the copy are read again, erasures
//! since the copy are requested again, and the next release contains each person once.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::place::{NEVER, PLANTED, Place, people, until};
use super::public::releases;

/// Copies a folder with its modes, as an operator does.
fn copy(from: &Path, to: &Path) {
    let ended = Command::new("cp")
        .arg("-a")
        .arg(from)
        .arg(to)
        .status()
        .expect("cp");
    assert!(ended.success());
}

#[test]
fn a_copy_under_load_continues_elsewhere() {
    let place = Place::new(NEVER);
    place.offer("00.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "published");
    let daemon = place.start();
    daemon.says("recovered", 1);
    // Files arrive all the time; the copy is of one moment.
    for file in 1..20u64 {
        place.offer(&format!("{file:02}.csv"), people(file * 40..file * 40 + 7));
        if file == 10 {
            daemon.stops();
            for root in ["private", "public"] {
                copy(&place.path(root), &place.path(&format!("copy-of-{root}")));
            }
            daemon.continues();
        }
    }
    until(|| daemon.said().contains("19.csv"), || daemon.said());
    drop(daemon);
    // The machine is lost. Two people of a file after the copy were erased meanwhile.
    let gone = [19 * 40, 19 * 40 + 1]
        .map(|number| format!("{}{number}\n", PLANTED[0]))
        .concat();
    for root in ["private", "public"] {
        std::fs::remove_dir_all(place.path(root)).expect("a folder");
        std::fs::rename(place.path(&format!("copy-of-{root}")), place.path(root)).expect("a copy");
    }
    let copied = place.verified()["releases"].as_u64().expect("a number");
    assert_eq!(copied, 1);
    // Files that were read since the copy are new to it.
    let daemon = place.start();
    daemon.says("19.csv", 1);
    assert_eq!(daemon.end(), Some(0));
    place.put("gone.csv", gone);
    let erased = place.done(&["erase", "feed.toml", "--from", "gone.csv"]);
    assert_eq!(erased["changed"], 2, "{erased}");
    let tick = place.once();
    place.verified();
    let all = releases(&place.public());
    let newest = all.last().expect("a release");
    assert_eq!(tick["rows"], newest.rows, "{tick}");
    let distinct: BTreeSet<&String> = newest.diagnoses.iter().collect();
    assert_eq!(
        distinct.len(),
        newest.diagnoses.len(),
        "no person is there twice"
    );
    let elsewhere = ["waiting", "withheld", "pending", "new"]
        .map(|name| tick[name].as_u64().expect("a number"));
    let came = 40 + 19 * 7 - 2;
    assert_eq!(
        newest.diagnoses.len() as u64 + elsewhere.iter().sum::<u64>(),
        came,
        "{tick}"
    );
    let gone = [19 * 40, 19 * 40 + 1].map(|number| format!("{}{number}", PLANTED[1]));
    assert!(
        gone.iter().all(|gone| !distinct.contains(gone)),
        "who was erased is in no release"
    );
}
