//! Causes of a halt: an error that names the place and what to do and contains no person's data;
//! exit code 2 if a halt ends the process. Another feed of the same process continues.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::service::root_opening;

use super::place::{HEADER, NEVER, OFTEN, PER_FILE, PLANTED, Place, people, person};
use super::public::releases;
use crate::common::wait;

/// A feed with one release.
fn begun() -> Place {
    let place = Place::new(PER_FILE);
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "published");
    place
}

/// It ends with 2 in every way of asking, and its error contains all of these texts and no planted
/// one.
fn halts(place: &Place, says: &[&str]) {
    let mut daemon = place.start_until_halt();
    assert_eq!(daemon.ended(), Some(2), "{}", daemon.said());
    check(&daemon.said(), says);
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    assert_eq!(code, 2, "{answer}");
    check(&answer.to_string(), says);
    let schema = fs::read_to_string("schemas/v1/error.schema.json").expect("a schema");
    let schema = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    assert!(validator.is_valid(&answer), "{answer}");
}

#[track_caller]
fn check(said: &str, says: &[&str]) {
    for word in says {
        assert!(said.contains(word), "`{word}` is missing: {said}");
    }
    for word in PLANTED {
        assert!(!said.contains(word), "{word} is told: {said}");
    }
}

#[test]
fn a_file_that_was_taken_and_changed() {
    let place = begun();
    place.offer("0.csv", people(0..41));
    halts(&place, &["0.csv", "has changed", "restore it"]);
    place.offer("0.csv", people(0..40));
    assert_eq!(place.start().end(), Some(0), "it was restored");
}

#[test]
fn a_manifest_that_is_missing_or_was_changed() {
    let place = begun();
    place.offer("1.csv", people(40..80));
    assert_eq!(place.once()["release"], 2);
    let path = |release: u32| place.public().join(format!("manifest/{release:010}.json"));
    for release in [1, 2] {
        let whole = fs::read(path(release)).expect("a manifest");
        fs::remove_file(path(release)).expect("a manifest");
        let named = format!("manifest/{release:010}.json");
        halts(
            &place,
            &[&named, "is missing", "Restore it", "tidegate verify"],
        );
        let mut changed = whole.clone();
        *changed.last_mut().expect("a byte") = b' ';
        fs::write(path(release), changed).expect("a manifest");
        halts(&place, &[&named, "was changed after", "Restore it"]);
        fs::write(path(release), whole).expect("a manifest");
    }
    // The newest one is checked before each tick.
    let mut daemon = place.start_until_halt();
    daemon.says("recovered", 1);
    let whole = fs::read(path(2)).expect("a manifest");
    fs::remove_file(path(2)).expect("a manifest");
    place.offer("2.csv", people(80..120));
    assert_eq!(daemon.ended(), Some(2), "{}", daemon.said());
    check(
        &daemon.said(),
        &["halted feed=t", "manifest of release 2", "is missing"],
    );
    assert!(!path(3).exists());
    fs::write(path(2), whole).expect("a manifest");
    // The file that was read before has its tick now.
    assert_eq!(place.start().end(), Some(0), "it was restored");
    assert_eq!(releases(&place.public()).len(), 3);
    place.offer("3.csv", people(120..160));
    assert_eq!(place.once()["release"], 4);
    place.verified();
}

#[test]
fn a_damaged_file() {
    let whole = people(100..140);
    for (damaged, says) in [
        (
            whole.replace("patient,age,ward", "patient,age,word"),
            "ward",
        ),
        (
            whole.replacen("Pq7person105,", "\"Pq7person105,", 1),
            "quote",
        ),
    ] {
        let place = begun();
        place.offer("1.csv", damaged);
        halts(
            &place,
            &[
                "1.csv",
                says,
                "Nothing of this file was accepted",
                "begin with `_`",
            ],
        );
        assert_eq!(releases(&place.public()).len(), 1);
        place.verified();
    }
}

#[test]
fn too_much_is_set_aside() {
    let place = Place::new(NEVER);
    let bad = |number: u64| {
        person(number)
            .replace(",A", ",Pq7personA")
            .replace(",B", ",Sq7secretB")
    };
    let rows = (0..1200).map(|number| {
        if number % 20 == 0 {
            bad(number)
        } else {
            person(number)
        }
    });
    place.offer("0.csv", HEADER.to_owned() + &rows.collect::<String>());
    let mut daemon = place.start_until_halt();
    assert_eq!(daemon.ended(), Some(2), "{}", daemon.said());
    check(
        &daemon.said(),
        &[
            "60 of 1200",
            "max_quarantine_share",
            "tidegate quarantine",
            "--retry",
        ],
    );
    halts(&place, &["60 of 1200", "max_quarantine_share"]);
    assert!(releases(&place.public()).is_empty());
    // The advice in the message works.
    place.edit(
        "settle = \"0s\"",
        "settle = \"0s\"\nmax_quarantine_share = 0.1",
    );
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &1140.into()),
        "{tick}"
    );
}

#[test]
fn another_process_is_at_work() {
    let place = Place::new(NEVER);
    let first = place.start();
    first.says("recovered", 1);
    halts(&place, &["private", "tidegate"]);
    let second = place.start();
    second.says("halted feed=t", 1);
    assert!(
        !place.path("private/halted.json").exists(),
        "the feed has not halted, it works elsewhere"
    );
    assert_eq!(first.end(), Some(0));
    second.says("resumed feed=t", 1);
    assert_eq!(second.end(), Some(0));
}

#[test]
fn a_policy_that_changed() {
    let place = begun();
    place.edit("k = 3", "k = 4");
    halts(&place, &["feed.toml", "policy", "new-chain"]);
}

#[test]
fn a_private_root_that_others_may_read() {
    let place = begun();
    fs::set_permissions(place.path("private"), fs::Permissions::from_mode(0o750))
        .expect("it is ours");
    halts(&place, &["private", "chmod 700"]);
}

#[test]
fn a_log_with_a_hole() {
    let place = begun();
    let log = place.path("private/log/0");
    let entry = |at: u64| log.join(format!("{at:020}.json"));
    assert!(entry(5).exists());
    fs::remove_file(entry(4)).expect("an entry");
    halts(
        &place,
        &[
            "log/0/00000000000000000004.json",
            "restore the whole private root",
        ],
    );
}

#[test]
fn a_private_root_put_back_from_an_older_copy() {
    let place = begun();
    copy(&place.path("private"), &place.path("older"));
    place.offer("1.csv", people(100..140));
    assert_eq!(place.once()["release"], 2);
    fs::rename(place.path("private"), place.path("newest")).expect("a folder");
    fs::rename(place.path("older"), place.path("private")).expect("a folder");
    halts(
        &place,
        &[
            "manifest/0000000002.json",
            "older copy",
            "restore the newest private root",
        ],
    );
    fs::remove_dir_all(place.path("private")).expect("a folder");
    fs::rename(place.path("newest"), place.path("private")).expect("a folder");
    assert_eq!(place.start().end(), Some(0), "it was restored");
}

pub fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => _ = fs::copy(entry.path(), to).expect("a file"),
        }
    }
    fs::set_permissions(to, fs::metadata(from).expect("a folder").permissions())
        .expect("it is ours");
}

/// A closed terminal, or a tool that wants files to be read again, ends no feed.
#[test]
fn a_hangup_ends_nothing() {
    let place = Place::new(OFTEN);
    let daemon = place.start();
    daemon.says("recovered", 1);
    rustix::process::kill_process(daemon.pid(), rustix::process::Signal::HUP)
        .expect("it was started");
    place.offer("0.csv", people(0..20));
    daemon.says("published", 1);
    assert_eq!(daemon.end(), Some(0));
}

#[test]
fn a_neighbour_continues() {
    let place = begun();
    place.neighbour("b", OFTEN);
    let mut daemon = place.start_with(&["--exit-on-halt", "feed.toml", "b.toml"]);
    daemon.says("recovered", 2);
    place.offer("1.csv", HEADER.replace("ward", "word") + &person(50));
    daemon.says("halted", 1);
    for more in 0..3u64 {
        fs::write(
            place.path("b-in").join(format!("{more}.tmp")),
            people(more * 20..more * 20 + 20),
        )
        .expect("a file");
        let file = |end: &str| place.path("b-in").join(format!("{more}.{end}"));
        fs::rename(file("tmp"), file("csv")).expect("a file");
        daemon.says("published feed=b", more as usize + 1);
    }
    daemon.term();
    assert_eq!(daemon.ended(), Some(2));
    check(&daemon.said(), &["1.csv", "halted feed=t"]);
    assert_eq!(releases(&place.path("b-public")).len(), 3);
}

/// A decided release that cannot be published is reported with its rows, so that all rows are in
/// one place.
#[test]
fn a_release_that_is_stuck_is_reported() {
    let place = begun();
    let shown = place.done(&["show", "feed.toml"]);
    assert_eq!(
        (&shown["decided"], &shown["releases"][0]["rows"]),
        (&serde_json::Value::Null, &40.into())
    );
    let (reports, aside) = (place.public().join("report"), place.path("reports"));
    fs::rename(&reports, &aside).expect("a folder");
    fs::write(&reports, "in the way").expect("a file");
    place.offer("1.csv", people(40..80));
    halts(&place, &["report"]);
    let shown = place.done(&["show", "feed.toml"]);
    assert_eq!(
        shown["releases"].as_array().expect("a list").len(),
        1,
        "readers see one"
    );
    assert_eq!(
        (&shown["decided"]["release"], &shown["decided"]["rows"]),
        (&2.into(), &80.into()),
        "{shown}"
    );
    let waiting = ["rows", "withheld", "pending"]
        .map(|name| shown["waiting"][name].as_u64().expect("a number"));
    assert_eq!(
        waiting.iter().sum::<u64>() + shown["new"].as_u64().expect("a number"),
        0,
        "{shown}"
    );
    fs::remove_file(&reports).expect("a file");
    fs::rename(&aside, &reports).expect("a folder");
    assert_eq!(place.start().end(), Some(0), "nothing is in the way");
    let shown = place.done(&["show", "feed.toml"]);
    assert_eq!(
        (&shown["decided"], &shown["releases"][1]["rows"]),
        (&serde_json::Value::Null, &80.into())
    );
}

/// Each attempt to continue appends a fence, and a halt may last for days: the next attempt reads
/// none of them.
#[test]
fn a_halt_that_lasts_leaves_little_to_read() {
    let place = Place::new(PER_FILE);
    place.offer("0.csv", people(0..40) + &person(41).replace(",", ",x"));
    let halted = || assert_eq!(place.json(&["run", "--once", "feed.toml"]).0, 2);
    halted();
    let feed = FeedConfig::load(&place.path("feed.toml")).expect("a feed file");
    let tries = || {
        // A process that another test starts holds the lock too, for a moment.
        let free = || root_opening::roots(&feed).expect("roots");
        let roots = wait::until(|| "the lock".to_owned(), free);
        root_opening::writer(&feed, &roots, "2026-01-01T00:00:00Z")
            .expect("a feed")
            .1
            .read
    };
    let read: Vec<u64> = (0..130).map(|_| tries()).collect();
    assert!(
        read[129] > 129,
        "each try reads what the others left: {read:?}"
    );
    halted();
    assert_eq!(tries(), 0, "entries are read");
    place.verified();
}
