//! A running daemon finds damage by itself, reports it everywhere in the words of `verify`, halts if it must not
//! continue, and continues when the operator has restored everything.

use std::fs;
use std::path::PathBuf;

use serde_json::Value as Json;

use super::place::{Daemon, PER_FILE, PLANTED, Place, people, until};
use crate::common::shim::Shim;

/// The factor by which time passes faster for the daemons: rounds follow one another after three seconds.
const FASTER: &str = "20";

/// The first file below a folder whose path contains a word.
fn first(place: &Place, folder: &str, word: &str) -> PathBuf {
    let files = super::place::files(&place.path(folder));
    let found = files.into_iter().map(|(path, _)| path).find(|path| path.to_string_lossy().contains(word));
    place.path(folder).join(found.expect("a file"))
}

fn health(daemon: &Daemon) -> Json {
    let page = daemon.page("/health/ready");
    serde_json::from_str(page.split_once("\r\n\r\n").expect("a head").1).expect("JSON")
}

/// Damages a file of a running daemon, and restores it; checks the reports, and whether the feed halts.
fn is_found(place: &Place, daemon: &Daemon, path: &PathBuf, is_gone: bool) -> bool {
    let whole = fs::read(path).expect("a file");
    let mut bytes = whole.clone();
    *bytes.last_mut().expect("a byte") ^= 1;
    let aside = place.put("damaged", &bytes);
    match is_gone {
        true => fs::remove_file(path).expect("a file"),
        false => fs::rename(aside, path).expect("a file"),
    }
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    until(|| health(daemon)["damaged"]["t"].to_string().contains(&name), || format!("{name}: {}", daemon.said()));
    let found = health(daemon)["damaged"]["t"][0].as_str().expect("a finding").to_owned();
    let (code, verified) = place.json(&["verify", "feed.toml"]);
    let findings = verified["findings"].as_array().expect("findings");
    let said = |finding: &Json| format!("{}: {}", finding["file"], finding["text"]).replace('"', "");
    assert!(code == 1 && findings.iter().any(|finding| said(finding) == found.replace('"', "")), "{found}: {verified}");
    let metrics = daemon.page("/metrics");
    assert!(metrics.contains("tidegate_damaged{feed=\"t\"} 1.0"), "{metrics}");
    let halts = !(name.ends_with(".html") || path.to_string_lossy().contains("/quarantine/"));
    if halts {
        // The reason of the first halt: a start that finds the same has words of its own.
        let halted = || daemon.said().lines().find(|line| line.contains("halted feed=t")).map(str::to_owned);
        until(|| halted().is_some(), || daemon.said());
        let reason = halted().expect("a line").replace('\\', "");
        assert!(found.split(": ").all(|part| reason.contains(part)), "{found}: {reason}");
    }
    assert!(PLANTED.iter().all(|word| !daemon.said().contains(word)));
    fs::rename(place.put("whole", &whole), path).expect("a file");
    until(|| health(daemon)["damaged"].is_null(), || format!("{name}: {}", daemon.said()));
    until(|| health(daemon)["feeds"]["t"] == "running", || format!("{name}: {}", daemon.said()));
    halts
}

/// One feed with a file that is damaged and restored; and whether that halts it.
fn case((folder, word, is_gone): (&str, &str, bool), shim: &Shim) -> bool {
    let place = Place::new(PER_FILE);
    place.offer("0.csv", people(0..40));
    let mut command = place.command(&["run", "feed.toml"]);
    let daemon = place.started({
        command.env("LD_PRELOAD", shim.path()).env("CLOCK_FASTER", FASTER);
        command
    });
    daemon.says("published feed=t", 1);
    daemon.says("scrubbed feed=t", 1);
    let halts = is_found(&place, &daemon, &first(&place, folder, word), is_gone);
    // It continues as if nothing had happened.
    place.offer("1.csv", people(40..80));
    daemon.says("published feed=t", 2);
    assert_eq!(daemon.end(), Some(0));
    place.verified();
    halts
}

#[test]
fn damage_behind_a_daemon_is_found_and_halts_it_until_it_is_repaired() {
    let Some(shim) = Shim::of("fast.c") else { return };
    let cases = [
        ("private/log", "00000000000000000001.json", true),
        ("private/terms", "", false),
        ("public/data", ".parquet", false),
        ("public/report", ".html", true),
    ];
    let shim = &shim;
    let halts: Vec<bool> = std::thread::scope(|scope| {
        let active: Vec<_> = cases.into_iter().map(|one| scope.spawn(move || case(one, shim))).collect();
        active.into_iter().map(|one| one.join().expect("a feed")).collect()
    });
    assert_eq!(halts, [true, true, true, false]);
}
