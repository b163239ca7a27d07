//! Tests `tidegate demo` from outside, and that the page shows the real output of the program.

use std::path::Path;
use std::process::{Command, Output};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value as Json;

use crate::common::wait;

fn tidegate(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tidegate"))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

/// A command on the folder of the demo: its exit code and its answer.
fn said(folder: &Path, args: &[&str]) -> (Option<i32>, Json) {
    let output = tidegate(&[args, &["--json"]].concat(), folder);
    (
        output.status.code(),
        serde_json::from_slice(&output.stdout).expect("JSON"),
    )
}

/// The new people of each day as the demo prints them, and the new rows of each tick as they are
/// logged.
fn days_and_ticks(text: &str, folder: &Path) -> [Vec<u64>; 2] {
    let days = text
        .lines()
        .filter_map(|line| line.trim().split_once(" new people, ")?.0.parse().ok());
    let log = std::fs::read_to_string(folder.join("tidegate-demo/log.jsonl")).expect("a log");
    let events = log
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
    let (mut ticks, mut new) = (Vec::new(), 0);
    for event in events {
        match event["event"].as_str() {
            Some("batch_taken") => new = event["new_rows"].as_u64().expect("a number"),
            Some("tick_closed" | "tick_gathered") => ticks.push(std::mem::take(&mut new)),
            _ => {}
        }
    }
    [days.collect(), ticks]
}

#[test]
fn the_demo_prints_its_steps() {
    // On a stalled machine a tick closes before a day has been sent, and a waiting person has
    // waited longer: the test is then repeated.
    let begins = || {
        let folder = tempfile::tempdir().expect("a folder");
        let output = tidegate(&["demo"], folder.path());
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8(output.stdout).expect("text");
        let [days, ticks] = days_and_ticks(&text, folder.path());
        (days == ticks).then_some((folder, text))
    };
    let (folder, text) = wait::until(|| "a demo whose days come in time", begins);
    let order = [
        "release 1: ",
        "day 3: few patients",
        "$ tidegate erase",
        "rows of earlier releases are not in it",
    ];
    let places: Vec<_> = order
        .iter()
        .map(|what| text.find(what).unwrap_or_else(|| panic!("{what}:\n{text}")))
        .collect();
    assert!(places.is_sorted(), "{text}");
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/guide/start.md"))
            .expect("the page");
    // Random draws decide where classes are divided, and so how many people wait.
    let (begins, _) = text.split_once("  release 1: ").expect("a first release");
    assert!(
        page.contains(begins),
        "the page shows something else than:\n{begins}"
    );
    let kept = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("detail kept: "));
    for line in kept {
        let shares: Vec<u64> = line
            .split(' ')
            .filter_map(|word| word.parse().ok())
            .collect();
        assert!(shares[0] > shares[1] + 20, "{line}");
    }
    let alone = text.matches(", 1 by separate tables\n").count();
    assert!(alone > 3 && !text.contains("at least 9 by all"), "{text}");

    let demo = "tidegate-demo";
    let (code, shown) = said(folder.path(), &["show", demo]);
    // Manifests that list the rows of the patient who is erased on the eighth day are removed: all
    // before the first that still exists.
    let numbers = |list: &str| -> Vec<u64> {
        let list = shown[list].as_array().expect("a list");
        list.iter()
            .map(|line| line["release"].as_u64().expect("a number"))
            .collect()
    };
    let (left, removed) = (numbers("releases"), numbers("removed"));
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        left.len() < removed.len() && removed == (1..left[0]).collect::<Vec<_>>(),
        "{shown}"
    );
    assert_eq!(said(folder.path(), &["verify", demo]).1["intact"], true);
    let (code, audit) = said(folder.path(), &["audit", "--dir", demo]);
    assert_eq!((code, &audit["safe"]), (Some(0), &true.into()), "{audit}");
    let (code, counted) = said(
        folder.path(),
        &["query", demo, "days between 1 and 3", "--by", "ward"],
    );
    assert_eq!(
        (code, &counted["method"]),
        (Some(0), &"em".into()),
        "{counted}"
    );
    // The feed file knows which column is masked.
    let (code, masked) = said(folder.path(), &["query", demo, "diagnosis = 'F10'"]);
    assert_eq!(
        (code, &masked["error"]["field"]),
        (Some(2), &"PREDICATE".into()),
        "{masked}"
    );
    let (_, aside) = said(folder.path(), &["quarantine", "tidegate-demo/feed.toml"]);
    assert!(
        aside["groups"]
            .as_array()
            .expect("groups")
            .iter()
            .all(|group| group["topic"] == "hospital.admissions")
    );
    let alone = [
        "audit",
        "--feed",
        "alone/feed.toml",
        "--release",
        "alone/release-1.parquet",
    ];
    let alone = [&alone[..], &["--release", "alone/release-2.parquet"]].concat();
    let (code, audit) = said(&folder.path().join(demo), &alone);
    assert_eq!((code, &audit["safe"]), (Some(1), &false.into()), "{audit}");

    let again = tidegate(&["demo"], folder.path());
    assert_eq!(again.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&again.stderr).contains("--dir"),
        "nothing is written over"
    );
}

#[test]
fn a_demo_that_is_interrupted_leaves_a_sound_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    let mut demo = command
        .args(["demo", "--dir", "d"])
        .current_dir(folder.path())
        .spawn()
        .expect("the program starts");
    let latest = folder.path().join("d/public/LATEST");
    wait::until(|| "a release of the demo", || latest.exists().then_some(()));
    kill_process(Pid::from_child(&demo), Signal::INT).expect("it was started");
    assert_eq!(demo.wait().expect("it ends").code(), Some(0));
    assert_eq!(said(folder.path(), &["verify", "d"]).1["intact"], true);
    // On a stalled machine the second ends before the feed has begun: the test is then repeated.
    let mut tries = 0;
    let begins = || {
        tries += 1;
        let dir = format!("short-{tries}");
        let short = tidegate(&["demo", "--dir", &dir, "--seconds", "1"], folder.path());
        assert_eq!(short.status.code(), Some(0));
        folder
            .path()
            .join(&dir)
            .join("private/log")
            .exists()
            .then_some(dir)
    };
    let dir = wait::until(|| "a demo that begins within a second", begins);
    assert_eq!(said(folder.path(), &["verify", &dir]).1["intact"], true);
}

#[test]
fn the_page_shows_what_is_printed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(folder.join("src/guide/start.md")).expect("the page");
    let args = [
        "audit",
        "--feed",
        "feed.toml",
        "--release",
        "r1.csv",
        "--release",
        "r2.csv",
    ];
    let output = tidegate(&args, &folder.join("deploy/samples/two-releases"));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(
        page.contains(text.trim_end()),
        "the page shows something else than:\n{text}"
    );
}

/// The output that every run has in common: words, and the places of figures. Random draws decide
/// who waits, so lines about them may be missing.
fn shape(text: &str) -> Vec<String> {
    let is_figure =
        |word: &str| word.starts_with(|first: char| first.is_ascii_digit()) || word == "-";
    let line = |line: &str| {
        let words = line.split_whitespace();
        words
            .map(|word| if is_figure(word) { "#" } else { word })
            .collect::<Vec<_>>()
            .join(" ")
    };
    text.lines().map(line).collect()
}

#[test]
fn the_page_publishes_what_is_published() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let sample = "deploy/samples/hospital";
    std::fs::create_dir_all(folder.path().join(sample)).expect("a folder");
    for entry in std::fs::read_dir(root.join(sample)).expect("a sample") {
        let file = entry.expect("a file").path();
        let name = file.file_name().expect("a name");
        std::fs::copy(&file, folder.path().join(sample).join(name)).expect("a copy");
    }
    let page = std::fs::read_to_string(root.join("src/guide/start.md")).expect("the page");
    let (_, shown) = page
        .split_once("$ tidegate anonymize ")
        .expect("the page runs it");
    let (command, _) = shown.split_once("\n$ ").expect("and goes on");
    let args: Vec<&str> = command
        .split_whitespace()
        .filter(|word| *word != "\\")
        .collect();
    let end = args
        .iter()
        .position(|word| *word == "releases")
        .expect("the page names the folder");
    let made = tidegate(&[&["anonymize"], &args[..=end]].concat(), folder.path());
    assert_eq!(
        made.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let seen = tidegate(&["show", "releases"], folder.path());
    let audited = tidegate(&["audit", "--dir", "releases"], folder.path());
    assert_eq!(
        audited.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&audited.stdout)
    );
    let known = shape(&page);
    for output in [made, seen] {
        let text = String::from_utf8(output.stdout).expect("text");
        let (tables, _) = text.split_once("Not published").unwrap_or((&text, ""));
        for line in shape(tables).iter().filter(|line| !line.contains("wait")) {
            assert!(
                known.contains(line),
                "the page shows something else than {line}:\n{text}"
            );
        }
    }
}
