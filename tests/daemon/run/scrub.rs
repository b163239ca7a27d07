//! A running daemon finds damage by itself, reports it everywhere in the words of `verify`, halts
//! if it must not continue, and continues when the operator has restored everything.

use std::fs;
use std::path::PathBuf;

use serde_json::Value as Json;

use super::place::{Daemon, NEVER, PER_FILE, PLANTED, Place, people, until};
use crate::common::shim::Shim;

/// The factor by which time passes faster for the daemons: rounds follow one another after three
/// seconds.
const FASTER: &str = "20";

/// The first file below a folder whose path contains a word.
fn first(place: &Place, folder: &str, word: &str) -> PathBuf {
    let files = super::place::files(&place.path(folder));
    let found = files
        .into_iter()
        .map(|(path, _)| path)
        .find(|path| path.to_string_lossy().contains(word));
    place.path(folder).join(found.expect("a file"))
}

fn health(daemon: &Daemon) -> Json {
    let page = daemon.page("/health/ready");
    serde_json::from_str(page.split_once("\r\n\r\n").expect("a head").1).expect("JSON")
}

/// Damages a file of a running daemon, and restores it; checks the reports, and whether the feed
/// halts.
fn is_found(place: &Place, daemon: &Daemon, path: &PathBuf, is_gone: bool) -> bool {
    let whole = fs::read(path).expect("a file");
    let mut bytes = whole.clone();
    *bytes.last_mut().expect("a byte") ^= 1;
    let aside = place.put("damaged", &bytes);
    match is_gone {
        true => fs::remove_file(path).expect("a file"),
        false => fs::rename(aside, path).expect("a file"),
    }
    let name = path
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    until(
        || health(daemon)["damaged"]["t"].to_string().contains(&name),
        || format!("{name}: {}", daemon.said()),
    );
    let found = health(daemon)["damaged"]["t"][0]
        .as_str()
        .expect("a finding")
        .to_owned();
    let (code, verified) = place.json(&["verify", "feed.toml"]);
    let findings = verified["findings"].as_array().expect("findings");
    let said =
        |finding: &Json| format!("{}: {}", finding["file"], finding["text"]).replace('"', "");
    assert!(
        code == 1
            && findings
                .iter()
                .any(|finding| said(finding) == found.replace('"', "")),
        "{found}: {verified}"
    );
    let metrics = daemon.page("/metrics");
    assert!(
        metrics.contains("tidegate_damaged{feed=\"t\"} 1.0"),
        "{metrics}"
    );
    let halts = !(name.ends_with(".html") || path.to_string_lossy().contains("/quarantine/"));
    if halts {
        // The reason of the first halt: a start that finds the same has words of its own.
        let halted = || {
            daemon
                .said()
                .lines()
                .find(|line| line.contains("halted feed=t"))
                .map(str::to_owned)
        };
        until(|| halted().is_some(), || daemon.said());
        let reason = halted().expect("a line").replace('\\', "");
        assert!(
            found.split(": ").all(|part| reason.contains(part)),
            "{found}: {reason}"
        );
    }
    assert!(PLANTED.iter().all(|word| !daemon.said().contains(word)));
    fs::rename(place.put("whole", &whole), path).expect("a file");
    until(
        || health(daemon)["damaged"].is_null(),
        || format!("{name}: {}", daemon.said()),
    );
    until(
        || health(daemon)["feeds"]["t"] == "running",
        || format!("{name}: {}", daemon.said()),
    );
    halts
}

/// One feed with a file that is damaged and restored; and whether that halts it.
fn case((folder, word, is_gone): (&str, &str, bool), shim: &Shim) -> bool {
    let place = Place::new(PER_FILE);
    place.offer("0.csv", people(0..40));
    let mut command = place.command(&["run", "feed.toml"]);
    let daemon = place.started({
        command
            .env("LD_PRELOAD", shim.path())
            .env("CLOCK_FASTER", FASTER);
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
    let Some(shim) = Shim::of("fast.c") else {
        return;
    };
    let cases = [
        ("private/log", "00000000000000000001.json", true),
        ("private/terms", "", false),
        ("public/data", ".parquet", false),
        ("public/report", ".html", true),
    ];
    let shim = &shim;
    let halts: Vec<bool> = std::thread::scope(|scope| {
        let active: Vec<_> = cases
            .into_iter()
            .map(|one| scope.spawn(move || case(one, shim)))
            .collect();
        active
            .into_iter()
            .map(|one| one.join().expect("a feed"))
            .collect()
    });
    assert_eq!(halts, [true, true, true, false]);
}

/// A file that the next release extends is missing: no release is published beside it.
#[test]
fn a_release_is_not_published_beside_damage() {
    let place = Place::with(NEVER, "k = 3\nsearch = \"halves\"\nmin_solutions = 1\n", "");
    for at in 0..3 {
        place.offer(&format!("{at}.csv"), people(at * 30..at * 30 + 30));
        assert_eq!(place.once()["outcome"], "published");
    }
    let manifests = || {
        fs::read_dir(place.public().join("manifest"))
            .expect("a folder")
            .count()
    };
    let before = manifests();
    for word in [
        "_delta_log/00000000000000000003.json",
        "_delta_log/00000000000000000001.json",
        "report/3-",
    ] {
        let path = first(&place, "public", word);
        let whole = fs::read(&path).expect("a file");
        fs::remove_file(&path).expect("a file");
        place.offer(
            &format!("{}.csv", word.len()),
            people(100 + word.len() as u64 * 30..130 + word.len() as u64 * 30),
        );
        let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
        if word.starts_with("report") {
            // A page is for people: the feed continues and reports it.
            assert_eq!(
                (code, &answer["ticks"][0]["outcome"]),
                (0, &"published".into()),
                "{answer}"
            );
            assert!(manifests() > before, "a release was published");
        } else {
            assert_eq!(code, 2, "{word}: {answer}");
            let error = answer["error"].to_string();
            assert!(
                error.contains(word) && error.contains("this commit was decided and is missing"),
                "{error}"
            );
            assert_eq!(manifests(), before, "no release is published");
        }
        fs::write(&path, whole).expect("a file");
    }
    place.once();
    place.verified();
}

/// A feed whose ticks a timer closes is scrubbed once a day.
#[test]
fn single_ticks_scrub_once_a_day() {
    let Some(shim) = Shim::of("clock.c") else {
        return;
    };
    let place = Place::new(NEVER);
    let once = |file: u64, days: i64| {
        place.offer(&format!("{file}.csv"), people(file * 40..file * 40 + 40));
        let mut command = place.command(&["run", "--once", "--json", "feed.toml"]);
        command
            .env("LD_PRELOAD", shim.path())
            .env("CLOCK_BY", (days * 86_400).to_string());
        let output = command.output().expect("the program starts");
        let (code, answer) = super::place::answer(&output);
        assert_eq!(
            (code, &answer["ticks"][0]["outcome"]),
            (0, &"published".into()),
            "{answer}"
        );
        String::from_utf8(output.stderr).expect("text")
    };
    assert!(once(0, 0).contains("scrubbed feed=t"), "the first one");
    assert!(!once(1, 0).contains("scrubbed feed=t"), "not a day later");
    // A page of the first release, which no release extends.
    fs::remove_file(first(&place, "public", "report/1-")).expect("a file");
    assert!(
        !once(2, 0).contains("damaged feed=t"),
        "it is not looked for"
    );
    let said = once(3, 1);
    assert!(
        said.contains("damaged feed=t") && said.contains("report/1-"),
        "{said}"
    );
    assert!(said.contains("scrubbed feed=t"), "{said}");
    assert!(!once(4, 1).contains("scrubbed feed=t"), "not a day later");
}
