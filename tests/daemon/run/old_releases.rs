//! Readers of releases from outside (CONTRACTS 3 and 4): a public root that was set back to an
//! earlier state, manifests that were moved, and signatures that were made for something else.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use tidegate::daemon::sign::{PublicKey, Signing};

use super::place::{NEVER, Place, people};

/// Classes that keep their labels: releases of such a chain can be withdrawn.
const CROWDS: &str = "k = 3\nsearch = \"halves\"\nmin_solutions = 1\n";
const MANIFEST: &str = "manifest/0000000001.json";

fn signing() -> Signing {
    Signing::parse(&"fedcba9876543210".repeat(4)).expect("a key")
}

/// A feed with this number of releases, and the public half of its key in `sign.pub`.
fn published(releases: u64) -> Place {
    let place = Place::with(NEVER, CROWDS, "");
    place.put("sign.pub", signing().public().text());
    for release in 0..releases {
        place.offer(
            &format!("{release}.csv"),
            people(release * 40..release * 40 + 40),
        );
        assert_eq!(place.once()["release"], release + 1);
    }
    place
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder");
    for entry in fs::read_dir(from)
        .expect("a folder")
        .map(|entry| entry.expect("an entry"))
    {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

fn said(answer: &Json) -> String {
    let finding = &answer["findings"][0]["text"];
    finding
        .as_str()
        .or(answer["error"]["text"].as_str())
        .unwrap_or_default()
        .to_owned()
}

/// The exit code of each reading command, and what it says.
fn read(place: &Place, root: &str, more: &[&str]) -> [(i32, Json); 3] {
    let verify = [&["verify", root, "--public-key", "sign.pub"], more].concat();
    [
        &verify,
        &[&["query", root], more].concat(),
        &[&["path", root], more].concat(),
    ]
    .map(|args| place.json(args))
}

#[test]
fn a_root_that_was_set_back_is_refused_by_readers_who_know_better() {
    let place = published(1);
    copy(&place.public(), &place.path("old"));
    place.offer("1.csv", people(40..120));
    assert_eq!(place.once()["release"], 2);
    let newest = place.done(&["path", "public"])["newest"].clone();
    let time = newest["time"].as_str().expect("a time");
    for (root, release) in [("old", 1), ("public", 2), ("feed.toml", 2)] {
        for (code, answer) in read(&place, root, &[]) {
            assert_eq!(code, 0, "{root}: {answer}");
            assert_eq!(
                (&answer["newest"]["release"], &answer["newest"]["feed"]),
                (&release.into(), &"t".into())
            );
        }
    }
    for (code, answer) in read(&place, "public", &["--at-least", "2", "--since", time]) {
        assert_eq!(code, 0, "{answer}");
    }
    for ((code, answer), expected) in read(&place, "old", &["--at-least", "2"])
        .into_iter()
        .zip([1, 2, 2])
    {
        let text = said(&answer);
        assert!(
            code == expected
                && text.contains("the newest release is 1")
                && text.contains("release 2"),
            "{answer}"
        );
    }
    for since in ["2999-01-01", "2999-01-01T10:00:00+02:00"] {
        for ((code, answer), expected) in read(&place, "public", &["--since", since])
            .into_iter()
            .zip([1, 2, 2])
        {
            assert!(
                code == expected && said(&answer).contains("--since"),
                "{since}: {answer}"
            );
        }
    }
    for (code, answer) in read(&place, "public", &["--since", "yesterday"]) {
        assert!(
            code == 2 && said(&answer).contains("2026-11-21T10:00:00Z"),
            "{answer}"
        );
    }
    // In words, and on standard error where standard output is for scripts.
    for (command, is_error) in [("verify", false), ("query", false), ("path", true)] {
        let output = place.output(&[command, "old"]);
        let text = String::from_utf8(if is_error {
            output.stderr
        } else {
            output.stdout
        })
        .expect("text");
        assert!(
            text.contains("newest release") && text.contains('1') && text.contains('T'),
            "{command}: {text}"
        );
    }
}

#[test]
fn a_manifest_in_the_place_of_another_one_is_not_read() {
    let place = published(1);
    for ending in ["", ".sig"] {
        let moved = format!("manifest/0000000009.json{ending}");
        fs::copy(
            place.public().join(format!("{MANIFEST}{ending}")),
            place.public().join(moved),
        )
        .expect("a copy");
    }
    for ((code, answer), expected) in read(&place, "public", &[]).into_iter().zip([1, 2, 2]) {
        let text = if expected == 1 {
            answer["findings"].to_string()
        } else {
            answer["error"].to_string()
        };
        assert!(
            code == expected && text.contains("manifest/0000000009.json"),
            "{answer}"
        );
    }
    // A root of another feed, signed with the same key.
    let other = published(1);
    other.edit("name = \"t\"", "name = \"another\"");
    fs::remove_dir_all(other.path("private")).expect("a folder");
    fs::remove_dir_all(other.public()).expect("a folder");
    assert_eq!(other.once()["release"], 1);
    let place = published(1);
    fs::remove_dir_all(place.public()).expect("a folder");
    copy(&other.public(), &place.public());
    for ((code, answer), expected) in read(&place, "feed.toml", &[]).into_iter().zip([1, 2, 2]) {
        assert!(
            code == expected && answer.to_string().contains("`another`"),
            "{answer}"
        );
    }
}

/// The bytes that a signature covers, as the guide describes them.
fn covered(kind: &str, feed: &str, file: &[u8]) -> Vec<u8> {
    [format!("tidegate {kind} 1\nfeed {feed}\n").as_bytes(), file].concat()
}

#[test]
fn a_signature_covers_the_kind_of_file_and_the_feed() {
    let place = published(2);
    let key: PublicKey = signing().public();
    let is_signed = |path: &str, kind: &str, feed: &str| {
        let [file, signature] =
            ["", ".sig"].map(|end| fs::read(place.public().join(format!("{path}{end}"))));
        key.signed(
            &covered(kind, feed, &file.expect("a file")),
            &signature.expect("a signature"),
        )
    };
    assert!(is_signed(MANIFEST, "manifest", "t"));
    assert!(!is_signed(MANIFEST, "notice", "t") && !is_signed(MANIFEST, "manifest", "u"));
    assert!(!key.signed(
        &fs::read(place.public().join(MANIFEST)).expect("a manifest"),
        &fs::read(place.public().join(format!("{MANIFEST}.sig"))).expect("a signature")
    ));
    // A signature of the same key for something else.
    let path = place.public().join(MANIFEST);
    let (file, own) = (
        fs::read(&path).expect("a manifest"),
        fs::read(path.with_extension("json.sig")).expect("one"),
    );
    for other in [
        file.clone(),
        covered("notice", "t", &file),
        covered("manifest", "u", &file),
    ] {
        fs::write(path.with_extension("json.sig"), signing().sign(&other)).expect("a file");
        let (code, answer) = place.json(&["verify", "public", "--public-key", "sign.pub"]);
        assert!(
            code == 1 && said(&answer).contains("does not match"),
            "{answer}"
        );
    }
    fs::write(path.with_extension("json.sig"), own).expect("a file");
    place.done(&["withdraw", "feed.toml", "2", "--reason", "an error"]);
    let notice = "withdrawn/0000000002.json";
    assert!(is_signed(notice, "notice", "t") && !is_signed(notice, "manifest", "t"));
    place.done(&["verify", "public", "--public-key", "sign.pub"]);
}
