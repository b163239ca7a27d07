//! Removals from a public root (CONTRACTS 4): withdrawn releases, erased rows, old manifests and
//! old rows. No file that readers see contains them afterwards, and `verify` finds nothing wrong
//! with the rest.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Value as Json, json};

use super::place::{NEVER, PER_FILE, PLANTED, Place, files, people, until};
use super::public::{listed, releases};
use crate::common::needs;

const CROWDS: &str = "k = 3\nsearch = \"halves\"\nmin_solutions = 1\n";

fn publish(place: &Place, files: std::ops::Range<u64>) {
    for at in files {
        place.offer(&format!("{at:02}.csv"), people(at * 30..at * 30 + 30));
        assert_eq!(place.once()["outcome"], "published", "file {at}");
    }
}

/// Rows by diagnosis, which is different for each person, as text, of every Parquet file below a
/// folder.
fn everywhere(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (path, bytes) in files(folder) {
        if path.extension().is_none_or(|end| end != "parquet")
            || path.to_string_lossy().contains("_delta_log")
        {
            continue;
        }
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a table");
        for row in reader
            .get_row_iter(None)
            .expect("rows")
            .map(|row| row.expect("a row"))
        {
            let (own, rest): (Vec<_>, Vec<_>) = row
                .get_column_iter()
                .partition(|(name, _)| *name == "diagnosis");
            found.insert(
                own[0].1.to_string().trim_matches('"').to_owned(),
                format!("{rest:?}"),
            );
        }
    }
    found
}

fn diagnosis(person: u64) -> String {
    format!("{}{person}", PLANTED[1])
}

fn rows_of(place: &Place, file: u64) -> usize {
    let rows = everywhere(&place.public());
    (file * 30..file * 30 + 30)
        .filter(|person| rows.contains_key(&diagnosis(*person)))
        .count()
}

/// Checks that everything agrees with the log, with the key and without it.
fn verified(place: &Place) {
    place.verified();
    let (code, answer) = place.json(&["verify", "public"]);
    assert_eq!((code, &answer["findings"]), (0, &json!([])), "{answer}");
    releases(&place.public());
}

/// The newest version of the table of a chain, as the `deltalake` package reads it.
fn delta_rows(place: &Place, chain: u32) -> Option<u64> {
    let python = needs::tool("TIDEGATE_PYTHON")?;
    // Threads of the reader may crash a process that has done its work.
    let script = "import os, sys, deltalake\n\
                  print(deltalake.DeltaTable(sys.argv[1]).to_pyarrow_table().num_rows, flush=True)\nos._exit(0)";
    let run = Command::new(python)
        .arg("-c")
        .arg(script)
        .arg(place.public().join(format!("data/{chain}")))
        .output();
    let run = run.expect("python starts");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    Some(
        String::from_utf8_lossy(&run.stdout)
            .trim()
            .parse()
            .expect("a number"),
    )
}

fn latest(place: &Place) -> String {
    fs::read_to_string(place.public().join("LATEST"))
        .unwrap_or_default()
        .trim()
        .to_owned()
}

fn visible(place: &Place) -> Vec<u64> {
    let mut releases: Vec<u64> = listed(&place.public())
        .iter()
        .map(|(_, release, _)| *release)
        .collect();
    releases.sort_unstable();
    releases
}

#[test]
fn a_withdrawn_release_and_all_later_ones_are_gone() {
    let place = Place::with(NEVER, CROWDS, "");
    publish(&place, 0..5);
    let before = everywhere(&place.public());
    let (code, answer) = place.json(&["withdraw", "feed.toml", "4"]);
    assert_eq!(
        (code, &answer["error"]["field"]),
        (2, &json!("--reason")),
        "{answer}"
    );
    let (code, answer) = place.json(&["withdraw", "feed.toml", "9", "--reason", "wrong"]);
    assert_eq!((code, &answer["done"]), (1, &json!(false)), "{answer}");
    let answer = place.done(&[
        "withdraw",
        "feed.toml",
        "4",
        "--reason",
        "the source was wrong",
    ]);
    assert_eq!(
        [&answer["release"], &answer["chain"]],
        [&json!(4), &json!(1)],
        "{answer}"
    );
    assert_eq!(
        (visible(&place), latest(&place)),
        (vec![1, 2, 3], "manifest/0000000003.json".to_owned())
    );
    assert_eq!([rows_of(&place, 3), rows_of(&place, 4)], [0, 0]);
    for release in [4, 5] {
        let notice = place.public().join(format!("withdrawn/{release:010}.json"));
        let notice: Json =
            serde_json::from_slice(&fs::read(notice).expect("a notice")).expect("JSON");
        assert_eq!(
            [&notice["release"], &notice["reason"]],
            [&json!(release), &json!("withdrawn")]
        );
    }
    verified(&place);
    let left = releases(&place.public()).last().expect("a release").rows;
    assert!(delta_rows(&place, 1).is_none_or(|rows| rows == left));
    // A second time is refused, and the reason stays private.
    assert_eq!(
        place
            .json(&["withdraw", "feed.toml", "4", "--reason", "again"])
            .0,
        1
    );
    let reported = files(&place.public())
        .iter()
        .any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("source was wrong"));
    assert!(!reported, "why a release was withdrawn is not published");
    // Its people stay out, all others are included, and the next release follows.
    place.offer("again.csv", people(90..150));
    place.once();
    publish(&place, 5..6);
    assert_eq!(
        [rows_of(&place, 3), rows_of(&place, 4), rows_of(&place, 5)],
        [0, 0, 30]
    );
    let after = everywhere(&place.public());
    let same = (0..90)
        .filter(|person| after.get(&diagnosis(*person)) == before.get(&diagnosis(*person)))
        .count();
    assert_eq!(same, 90, "rows of earlier releases do not change");
    verified(&place);
    let newest = releases(&place.public()).last().expect("a release").rows;
    assert!(delta_rows(&place, 1).is_none_or(|rows| rows == newest));
    let audit = place.done(&["audit", "--dir", "."]);
    assert_eq!(audit["safe"], true, "{audit}");
}

#[test]
fn withdrawn_rows_are_published_again_as_they_were() {
    let place = Place::with(NEVER, CROWDS, "");
    // Eight parts become one with the ninth release, so that the table of release 4 consists of its
    // own parts again.
    publish(&place, 0..9);
    let before = everywhere(&place.public());
    place.done(&[
        "withdraw",
        "feed.toml",
        "5",
        "--republish",
        "--reason",
        "announced too early",
    ]);
    assert_eq!((visible(&place), rows_of(&place, 6)), (vec![1, 2, 3, 4], 0));
    verified(&place);
    // The next tick makes a release with them, though there are no new people.
    assert_eq!(place.once()["outcome"], "published");
    assert_eq!(visible(&place), [1, 2, 3, 4, 10]);
    assert_eq!(
        everywhere(&place.public()),
        before,
        "with the labels and the numbers of releases that they had"
    );
    verified(&place);
    publish(&place, 9..11);
    verified(&place);
    assert_eq!(place.done(&["audit", "--dir", "."])["safe"], true);
}

/// Rows that are erased and not removed yet stay out if their release is withdrawn and published
/// again, or if the one before it is the newest again.
#[test]
fn erased_rows_do_not_come_back_with_a_release() {
    for (erased, withdrawn, republish) in [
        (65, 3, true),
        (65, 3, false),
        (5, 3, true),
        (35, 2, true),
        (5, 1, true),
    ] {
        let place = Place::with(NEVER, CROWDS, "");
        publish(&place, 0..4);
        place.put("gone.csv", format!("{}{erased}\n", PLANTED[0]));
        place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
        let release = withdrawn.to_string();
        let mut args = vec!["withdraw", "feed.toml", &release, "--reason", "wrong"];
        args.extend(republish.then_some("--republish"));
        place.done(&args);
        verified(&place);
        publish(&place, 4..5);
        let why = format!("{erased} is erased, release {withdrawn} is withdrawn, {republish}");
        assert!(
            !everywhere(&place.public()).contains_key(&diagnosis(erased)),
            "{why}"
        );
        assert_eq!(rows_of(&place, 3) > 0, republish, "{why}");
        verified(&place);
    }
}

/// Withdrawn rows are in no table any more from which they could be erased.
#[test]
fn rows_that_are_gone_can_be_erased_once_more() {
    let place = Place::with(NEVER, CROWDS, "");
    publish(&place, 0..2);
    // They are too old for release 3, which is withdrawn with them.
    place.edit("[http]", "[publish]\nretain = \"1s\"\n[http]");
    sleep(Duration::from_millis(1_100));
    publish(&place, 2..3);
    place.edit("[publish]\nretain = \"1s\"\n", "");
    place.done(&["withdraw", "feed.toml", "2", "--reason", "wrong"]);
    place.put("gone.csv", format!("{}35\n", PLANTED[0]));
    let answer = place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    assert_eq!(answer["rows"], 0, "{answer}");
    assert!(
        answer["text"].as_str().is_some_and(
            |text| text.contains("1 of the published people have no row in this chain")
        ),
        "{answer}"
    );
    verified(&place);
    publish(&place, 5..6);
    verified(&place);
}

/// Rows that were too old for the newest release are still in the files of earlier ones: an erasure
/// deletes these at once.
#[test]
fn erased_rows_that_were_too_old_leave_earlier_releases() {
    let place = Place::with(NEVER, CROWDS, "");
    publish(&place, 0..2);
    place.edit("[http]", "[publish]\nretain = \"2s\"\n[http]");
    sleep(Duration::from_millis(2_200));
    publish(&place, 2..3);
    assert_eq!((visible(&place), rows_of(&place, 0)), (vec![1, 2, 3], 30));
    place.put("gone.csv", format!("{}35\n", PLANTED[0]));
    let answer = place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    assert_eq!(answer["rows"], 0, "{answer}");
    assert!(
        answer["text"]
            .as_str()
            .is_some_and(|text| text.contains("The rows of 1 atoms were older")),
        "{answer}"
    );
    // Release 1 has no row of theirs, and release 3 is without them already.
    assert_eq!(
        (visible(&place), rows_of(&place, 1), rows_of(&place, 0)),
        (vec![1, 3], 0, 30)
    );
    let notice = fs::read(place.public().join("replaced/0000000002.json")).expect("a notice");
    let notice: Json = serde_json::from_slice(&notice).expect("JSON");
    assert_eq!(
        [&notice["reason"], &notice["notice"]],
        [&json!("erased"), &json!(3)]
    );
    verified(&place);
    let again = place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    assert!(
        again["text"].as_str().is_some_and(
            |text| text.contains("1 of the published people have no row in this chain")
        ),
        "{again}"
    );
    // A row that must be removed with the next release is removed after it.
    sleep(Duration::from_millis(2_200));
    publish(&place, 3..4);
    place.put("gone.csv", format!("{}5\n{}65\n", PLANTED[0], PLANTED[0]));
    place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    assert_eq!(visible(&place), [4]);
    assert_eq!(
        [0, 1, 2, 3].map(|file| rows_of(&place, file)),
        [0, 0, 0, 30]
    );
    verified(&place);
    publish(&place, 4..6);
    verified(&place);
    assert_eq!(place.done(&["audit", "--dir", "."])["safe"], true);
}

/// A release whose one atom is erased after it was too old leaves no file, whichever way the log is
/// read.
#[test]
fn a_release_that_was_too_old_can_be_erased_as_a_whole() {
    let place = Place::with(NEVER, CROWDS, "");
    publish(&place, 0..1);
    place.offer("few.csv", people(100..103));
    assert_eq!(place.once()["outcome"], "published");
    place.edit("[http]", "[publish]\nretain = \"1s\"\n[http]");
    sleep(Duration::from_millis(1_100));
    publish(&place, 1..2);
    place.edit("[publish]\nretain = \"1s\"\n", "");
    place.put("gone.csv", format!("{}100\n", PLANTED[0]));
    place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    assert_eq!(visible(&place), [1, 3]);
    assert!(!everywhere(&place.public()).contains_key(&diagnosis(101)));
    verified(&place);
    publish(&place, 2..4);
    verified(&place);
}

/// Late writes that a bucket had given up: a running process repairs them with its next tick,
/// before the next release.
#[test]
fn what_late_writes_bring_back_goes_with_the_next_tick() {
    let place = Place::with(PER_FILE, CROWDS, "");
    let daemon = place.start();
    for at in 0..2 {
        place.offer(&format!("{at}.csv"), people(at * 30..at * 30 + 30));
        daemon.says("published feed=t", at as usize + 1);
    }
    let of_release =
        ["manifest/0000000002.json", "LATEST", "index.html"].map(|path| place.public().join(path));
    let bytes = of_release
        .each_ref()
        .map(|path| fs::read(path).expect("a file"));
    place.done(&["withdraw", "feed.toml", "2", "--reason", "wrong"]);
    let [manifest, _, index] = &of_release;
    assert!(!manifest.exists());
    let right = fs::read(index).expect("the page");
    for (path, bytes) in of_release.iter().zip(&bytes) {
        fs::rename(place.put("late", bytes), path).expect("a file");
    }
    assert_eq!(place.json(&["verify", "feed.toml"]).0, 1, "it is named");
    // One person is too few for a release.
    place.offer("2.csv", people(60..61));
    until(|| !manifest.exists(), || daemon.said());
    until(
        || latest(&place) == "manifest/0000000001.json",
        || daemon.said(),
    );
    until(
        || fs::read(index).is_ok_and(|there| there == right),
        || daemon.said(),
    );
    place.offer("3.csv", people(61..90));
    daemon.says("published feed=t", 3);
    assert_eq!(daemon.end(), Some(0));
    assert_eq!(visible(&place), [1, 3]);
    verified(&place);
}

/// Damage in a pack is a finding, wherever it is: in its objects, or in the list of them, without
/// which not even the keys are found.
#[test]
fn a_pack_that_was_changed_is_a_finding() {
    let place = Place::with(PER_FILE, CROWDS, "");
    let daemon = place.start();
    for at in 0..14 {
        place.offer(&format!("{at:02}.csv"), people(at * 30..at * 30 + 30));
        daemon.says("published feed=t", at as usize + 1);
    }
    assert_eq!(daemon.end(), Some(0));
    let packs = files(&place.path("private/pack"));
    assert!(!packs.is_empty(), "entries were put together");
    for (pack, whole) in packs {
        let pack = place.path("private/pack").join(pack);
        let name = pack
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        for at in [whole.len() / 3, whole.len() - 1] {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::rename(place.put("changed", &bytes), &pack).expect("a file");
            let (code, answer) = place.json(&["verify", "feed.toml"]);
            let is_named = answer["findings"].as_array().is_some_and(|found| {
                found.iter().any(|found| {
                    found["file"]
                        .as_str()
                        .is_some_and(|file| file.ends_with(&name))
                })
            });
            assert!(code == 1 && is_named, "{name}, byte {at}: {code}, {answer}");
        }
        fs::rename(place.put("whole", &whole), &pack).expect("a file");
    }
    verified(&place);
}

/// Withdrawn rows are not too old: later releases, which never contained them, stay when they are
/// erased.
#[test]
fn erasing_withdrawn_rows_removes_no_later_release() {
    let place = Place::with(NEVER, CROWDS, "");
    publish(&place, 0..2);
    place.done(&["withdraw", "feed.toml", "2", "--reason", "wrong"]);
    publish(&place, 2..3);
    place.edit("[http]", "[publish]\nretain = \"1s\"\n[http]");
    sleep(Duration::from_millis(1_100));
    publish(&place, 3..4);
    assert_eq!(visible(&place), [1, 3, 4]);
    place.put("gone.csv", format!("{}35\n", PLANTED[0]));
    let answer = place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    assert!(
        answer["text"].as_str().is_some_and(
            |text| text.contains("1 of the published people have no row in this chain")
        ),
        "{answer}"
    );
    assert_eq!(visible(&place), [1, 3, 4]);
    verified(&place);
}

/// A withdrawal returns to a release before those that an erasure has removed: the rows that these
/// had left out are in the table again.
#[test]
fn a_withdrawal_goes_back_behind_releases_that_were_erased() {
    let place = Place::with(NEVER, CROWDS, "");
    place.edit("[http]", "[publish]\nretain = \"1s\"\n[http]");
    for at in 0..3 {
        publish(&place, at..at + 1);
        sleep(Duration::from_millis(1_100));
    }
    place.put("gone.csv", format!("{}35\n", PLANTED[0]));
    place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    assert_eq!(visible(&place), [1, 3]);
    place.edit("retain = \"1s\"\n", "");
    place.done(&["withdraw", "feed.toml", "3", "--reason", "wrong"]);
    assert_eq!(visible(&place), [1]);
    verified(&place);
    place.put("gone.csv", format!("{}5\n", PLANTED[0]));
    place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    assert_eq!(
        visible(&place),
        [1],
        "the next release is to be without these rows"
    );
    verified(&place);
    publish(&place, 3..5);
    assert!(!everywhere(&place.public()).contains_key(&diagnosis(5)));
    verified(&place);
}

/// Withdrawn rows that wait for the next release are in no file from which they could be erased.
#[test]
fn rows_that_are_to_be_published_again_can_be_erased() {
    let place = Place::with(NEVER, CROWDS, "");
    publish(&place, 0..3);
    place.done(&[
        "withdraw",
        "feed.toml",
        "3",
        "--republish",
        "--reason",
        "wrong",
    ]);
    place.put("gone.csv", format!("{}65\n", PLANTED[0]));
    place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    publish(&place, 3..5);
    let rows = everywhere(&place.public());
    assert!(
        !rows.contains_key(&diagnosis(65)) && rows.contains_key(&diagnosis(95)),
        "and all others are there"
    );
    verified(&place);
}

#[test]
fn a_whole_chain_is_withdrawn() {
    let place = Place::with(NEVER, CROWDS, "");
    publish(&place, 0..2);
    place.done(&["new-chain", "feed.toml"]);
    publish(&place, 2..4);
    place.done(&["withdraw", "feed.toml", "1", "--reason", "no consent"]);
    assert_eq!(
        (visible(&place), latest(&place)),
        (vec![3, 4], "manifest/0000000004.json".to_owned())
    );
    assert_eq!(
        [rows_of(&place, 0), rows_of(&place, 1), rows_of(&place, 2)],
        [0, 0, 30]
    );
    verified(&place);
    assert!(delta_rows(&place, 1).is_none_or(|rows| rows == 0));
    place.done(&["withdraw", "feed.toml", "3", "--reason", "no consent"]);
    assert_eq!((visible(&place), latest(&place)), (vec![], String::new()));
    assert!(everywhere(&place.public()).is_empty());
    verified(&place);
    publish(&place, 4..5);
    assert_eq!(visible(&place), [5]);
    verified(&place);
}

#[test]
fn a_chain_that_is_checked_as_a_whole_loses_no_release() {
    let place = Place::with(NEVER, "k = 3\nguarantee = \"bcf\"\n", "");
    place.offer("0.csv", people(0..60));
    assert_eq!(place.once()["outcome"], "published");
    let (code, answer) = place.json(&["withdraw", "feed.toml", "1", "--reason", "wrong"]);
    assert_eq!(code, 1, "{answer}");
    assert!(
        answer["text"]
            .as_str()
            .is_some_and(|text| text.contains("new-chain")),
        "{answer}"
    );
    place.done(&["new-chain", "feed.toml"]);
    place.done(&["withdraw", "feed.toml", "1", "--reason", "wrong"]);
    assert!(everywhere(&place.public()).is_empty());
    verified(&place);
}

#[test]
fn erased_rows_are_in_no_file_that_readers_see() {
    let place = Place::with(NEVER, CROWDS, "");
    publish(&place, 0..10);
    place.put("gone.csv", format!("{}95\n", PLANTED[0]));
    let answer = place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    assert_eq!(place.once()["outcome"], "published");
    assert!(!everywhere(&place.public()).contains_key(&diagnosis(95)));
    assert_eq!(
        everywhere(&place.public()).len() as u64,
        300 - answer["rows"].as_u64().expect("rows")
    );
    // Manifests of releases before their rows were added stay.
    assert_eq!(visible(&place), [1, 2, 3, 11]);
    let notice: Json = serde_json::from_slice(
        &fs::read(place.public().join("replaced/0000000004.json")).expect("a notice"),
    )
    .expect("JSON");
    assert_eq!(
        [&notice["reason"], &notice["notice"]],
        [&json!("erased"), &json!(11)]
    );
    verified(&place);
    let rows = releases(&place.public()).last().expect("a release").rows;
    assert!(delta_rows(&place, 1).is_none_or(|read| read == rows));
    publish(&place, 10..12);
    verified(&place);
    assert_eq!(place.done(&["audit", "--dir", "."])["safe"], true);
}

#[test]
fn old_manifests_go() {
    let place = Place::with(NEVER, CROWDS, "");
    place.edit("[http]", "[publish]\nkeep = \"1s\"\n[http]");
    publish(&place, 0..1);
    let risk = |place: &Place| place.done(&["audit", "--dir", "."])["releases"][0]["risk"].clone();
    assert!(
        risk(&place)["prosecutor"]["highest"]
            .as_f64()
            .is_some_and(|highest| highest <= 1.0 / 3.0)
    );
    for at in 1..10 {
        publish(&place, at..at + 1);
        if at % 3 == 2 {
            sleep(Duration::from_millis(1_100));
        }
    }
    assert_eq!(
        risk(&place),
        Json::Null,
        "rows that came with different releases would count as one class"
    );
    let left = visible(&place);
    assert!(left.len() < 10 && left.last() == Some(&10), "{left:?}");
    assert_eq!(everywhere(&place.public()).len(), 300, "no row is gone");
    verified(&place);
    assert!(delta_rows(&place, 1).is_none_or(|rows| rows == 300));
    // Parts that only old manifests listed are removed, and so are old versions of the table.
    let parts = fs::read_dir(place.public().join("data/1"))
        .expect("a folder")
        .count();
    assert!(parts < 11, "{parts} files");
    assert!(
        !place
            .public()
            .join("data/1/_delta_log/00000000000000000000.json")
            .exists()
    );
}

#[test]
fn old_rows_leave_the_newest_release() {
    let place = Place::with(NEVER, CROWDS, "");
    place.edit("[http]", "[publish]\nretain = \"2s\"\n[http]");
    publish(&place, 0..2);
    sleep(Duration::from_millis(2_200));
    publish(&place, 2..3);
    let newest = releases(&place.public()).pop().expect("a release");
    assert_eq!(newest.rows, 30, "rows of two releases are too old");
    // Earlier releases do not change, and a notice names the labels of the removed rows.
    assert_eq!(visible(&place), [1, 2, 3]);
    let notice: Json = serde_json::from_slice(
        &fs::read(place.public().join("erased/0000000003.json")).expect("a notice"),
    )
    .expect("JSON");
    assert_eq!(notice["rows"], 60);
    verified(&place);
    assert!(delta_rows(&place, 1).is_none_or(|rows| rows == 30));
    assert_eq!(place.done(&["audit", "--dir", "."])["safe"], true);
    publish(&place, 3..4);
    verified(&place);
}
