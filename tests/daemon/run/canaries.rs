//! Planted strings in every field of every kind of record: good, repeated, set aside, erased, in a
//! file that halts the feed. No reader without the key ever finds one, except the diagnoses of good
//! rows in published tables.

use std::process::{Output, Stdio};

use parquet::file::reader::{FileReader, SerializedFileReader};
use rustix::process::{Signal, kill_process};

use super::place::{NEVER, PER_FILE, Place, files, until};

/// The beginning of every planted string.
const PLANTED: &str = "Cqplant";
/// The beginning of those that may be published.
const GOOD: &str = "CqplantGoodDiagnosis";
const HEADER: &str = "patient,age,ward,diagnosis,note\n";
/// Texts that must not be readable.
const PRIVATE: &str = "private";

fn row(patient: &str, age: &str, ward: &str, diagnosis: &str) -> String {
    format!("{patient},{age},{ward},{diagnosis},CqplantNote\n")
}

/// Good rows; a second one of the first person; and one of each kind that is set aside.
fn mixed(from: u64) -> String {
    let good = |n: u64| {
        let ward = ["A1", "A2", "B1", "B2"][(n % 4) as usize];
        row(
            &format!("CqplantGoodId{n}"),
            &(n % 40).to_string(),
            ward,
            &format!("{GOOD}{n}"),
        )
    };
    let mut text = HEADER.to_owned() + &(from..from + 60).map(good).collect::<String>();
    text += &row(&format!("CqplantGoodId{from}"), "3", "A1", "CqplantAgain");
    text += &row("CqplantBadId1", "CqplantAge", "A1", "CqplantBadDiagnosis1");
    text += &row("CqplantBadId2", "3", "CqplantWard", "CqplantBadDiagnosis2");
    text += &row("", "3", "A1", "CqplantBadDiagnosis3");
    text + "CqplantShortId,3\n"
}

/// Checks that it contains no planted string.
#[track_caller]
fn clean(place: &str, bytes: &[u8]) {
    let at = bytes
        .windows(PLANTED.len())
        .position(|window| window == PLANTED.as_bytes());
    if let Some(at) = at {
        let from = at.saturating_sub(80);
        panic!(
            "{place}: {}",
            String::from_utf8_lossy(&bytes[from..(at + 40).min(bytes.len())])
        );
    }
}

/// Checks that the roots contain no planted string except the diagnoses of good rows.
fn looked_at(place: &Place) -> u64 {
    for (path, bytes) in files(&place.path(PRIVATE)) {
        clean(&path.display().to_string(), &bytes);
    }
    let mut good = 0;
    for (path, bytes) in files(&place.public()) {
        clean(&path.display().to_string(), &bytes);
        clean("a path", path.display().to_string().as_bytes());
        if path
            .extension()
            .is_some_and(|extension| extension == "parquet")
        {
            let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a table");
            for row in reader.get_row_iter(None).expect("rows") {
                let text = row.expect("a row").to_string();
                good += u64::from(text.contains(GOOD));
                clean("a published row", text.replacen(GOOD, "", 1).as_bytes());
            }
        }
    }
    good
}

/// Checks that a command prints no planted string; returns its exit code.
fn said(place: &Place, args: &[&str]) -> Option<i32> {
    let Output {
        status,
        stdout,
        stderr,
    } = place.output(args);
    clean("standard output", &stdout);
    clean("standard error", &stderr);
    status.code()
}

/// The same in words and as JSON.
fn says_nothing(place: &Place, args: &[&str]) {
    let code = said(place, args);
    assert!(
        code == said(place, &[args, &["--json"]].concat()) && code == Some(0),
        "{args:?}: {code:?}"
    );
}

#[test]
fn nothing_planted_is_found() {
    let place = Place::new(PER_FILE);
    place.edit(
        "settle = \"0s\"",
        "settle = \"0s\"\nmax_quarantine_share = 0.5",
    );
    let daemon = place.start();
    for file in 0..3 {
        place.offer(&format!("{file}.csv"), mixed(file * 60));
        daemon.says("published feed=t", file as usize + 1);
        looked_at(&place);
    }
    // A waiting person, to be erased while no daemon answers.
    place.offer(
        "3.csv",
        HEADER.to_owned() + &row("CqplantGone", "39", "B2", "CqplantGoneDiagnosis"),
    );
    daemon.says("file=3.csv", 1);
    let named = place.put("gone.csv", "CqplantGone\nCqplantGoodId3\n");
    kill_process(daemon.pid(), Signal::STOP).expect("it is at work");
    let mut erase = place.command(&[
        "erase",
        "feed.toml",
        "--from",
        named.to_str().expect("text"),
    ]);
    let erase = erase
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let inbox = place.path(PRIVATE).join("inbox");
    until(
        || !files(&inbox).is_empty(),
        || "nothing is asked".to_owned(),
    );
    looked_at(&place);
    kill_process(daemon.pid(), Signal::CONT).expect("it is at work");
    let erased = erase.wait_with_output().expect("it ends");
    assert_eq!(erased.status.code(), Some(0));
    clean("erase", &[erased.stdout, erased.stderr].concat());
    for page in ["/metrics", "/health/live", "/health/ready"] {
        let text = daemon.page(page);
        assert!(text.starts_with("HTTP/1.1 200"), "{page}: {text}");
        clean(page, text.as_bytes());
    }
    clean("the log lines", daemon.said().as_bytes());
    assert_eq!(daemon.end(), Some(0));
    for args in [
        &["verify", "feed.toml"][..],
        &["quarantine", "feed.toml"],
        &["check", "feed.toml"],
    ] {
        says_nothing(&place, args);
    }
    assert_eq!(
        said(&place, &["quarantine", "feed.toml", "--retry"]),
        Some(0)
    );
    assert!(looked_at(&place) > 60, "tables were read");
    halted(&place);
}

/// Files that halt the feed, and a list of people to be erased that cannot be read.
fn halted(place: &Place) {
    place.edit(PER_FILE, NEVER);
    let damaged = mixed(300).replacen("CqplantGoodId310,", "\"CqplantGoodId310,", 1);
    for (name, text) in [
        ("4.csv", damaged),
        ("0.csv", mixed(600)),
        ("5.parquet", mixed(900)),
    ] {
        let before = std::fs::read(place.path("in").join(name)).ok();
        place.offer(name, text);
        assert_eq!(
            said(place, &["run", "--once", "feed.toml"]),
            Some(2),
            "{name}"
        );
        assert_eq!(
            said(place, &["run", "--once", "feed.toml", "--json"]),
            Some(2),
            "{name}"
        );
        let file = place.path("in").join(name);
        match before {
            Some(before) => std::fs::write(file, before).expect("a file"),
            None => std::fs::remove_file(file).expect("a file"),
        }
    }
    place.put("wrong.csv", "CqplantGone,CqplantMore\n");
    assert_eq!(
        said(place, &["erase", "feed.toml", "--from", "wrong.csv"]),
        Some(2)
    );
    looked_at(place);
    assert_eq!(said(place, &["run", "--once", "feed.toml"]), Some(0));
}
