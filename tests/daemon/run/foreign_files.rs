//! Links, pipes and other things in a public root that are no published files (CONTRACTS 3):
//! `verify` names each of them, and no command reads through them.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::{CWD, FileType, mknodat};
use serde_json::Value as Json;
use tidegate::engine::release::Manifest;

use super::place::{NEVER, Place, people};

/// Two releases of a feed, and the key that their signatures are checked with.
fn published() -> Place {
    let place = Place::new(NEVER);
    let key = tidegate::daemon::sign::Signing::parse(&"fedcba9876543210".repeat(4)).expect("a key");
    place.put("sign.pub", key.public().text());
    for (file, rows) in [("0.csv", 0..40), ("1.csv", 40..100)] {
        place.offer(file, people(rows));
        assert_eq!(place.once()["outcome"], "published");
    }
    place
}

fn verified(place: &Place) -> (i32, Json) {
    place.json(&["verify", "public", "--public-key", "sign.pub"])
}

/// What `verify` says of a file in the public root.
#[track_caller]
fn named(place: &Place, file: &str) -> String {
    let texts = |answer: &Json| -> Vec<String> {
        let findings = answer["findings"].as_array().expect("findings").iter();
        findings
            .filter(|one| one["file"] == file)
            .map(|one| one["text"].as_str().expect("a text").to_owned())
            .collect()
    };
    let (code, answer) = verified(place);
    assert_eq!(code, 1, "{file}: {answer}");
    let (code, of_feed) = place.json(&["verify", "feed.toml"]);
    assert_eq!(code, 1, "{file}: {of_feed}");
    // The log knows as well which manifests there were.
    let (found, of_feed) = (texts(&answer), texts(&of_feed));
    assert!(
        !found.is_empty() && found.iter().all(|text| of_feed.contains(text)),
        "{file}: {found:?} {of_feed:?}"
    );
    found.join("; ")
}

/// The text of the error with which a reader refuses.
#[track_caller]
fn refused(place: &Place, args: &[&str]) -> String {
    let (code, answer) = place.json(args);
    assert_eq!(code, 2, "{args:?}: {answer}");
    answer["error"].to_string()
}

fn newest(place: &Place) -> std::path::PathBuf {
    place.public().join("manifest/0000000002.json")
}

/// The newest manifest, and the path of a table in it.
fn listed(place: &Place) -> (Manifest, String) {
    let manifest =
        Manifest::parse(&fs::read(newest(place)).expect("a manifest")).expect("a manifest");
    let table = manifest
        .files
        .iter()
        .find(|file| file.rows.is_some())
        .expect("a table")
        .path
        .clone();
    (manifest, table)
}

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, 0o644.into(), 0).expect("a pipe");
}

#[test]
fn a_link_to_a_forged_manifest_is_damage() {
    let place = published();
    let (mut forged, _) = listed(&place);
    forged.release = 9;
    place.put("forged.json", forged.bytes());
    symlink(
        place.path("forged.json"),
        place.public().join("manifest/0000000009.json"),
    )
    .expect("a link");
    assert!(named(&place, "manifest/0000000009.json").starts_with("a symbolic link"));
    // Readers do not see it.
    assert_eq!(place.done(&["query", "public"])["release"], 2);
    assert_eq!(place.done(&["path", "public"])["release"], 2);
    assert!(
        refused(&place, &["query", "public", "--release", "9"]).contains("must not contain a link")
    );
    let manifest = "public/manifest/0000000009.json";
    let audited = refused(
        &place,
        &["audit", "--feed", "feed.toml", "--release", manifest],
    );
    assert!(audited.contains("must not contain a link"), "{audited}");
}

#[test]
fn a_table_behind_a_link_is_not_read() {
    let place = published();
    let (_, table) = listed(&place);
    let table = place.public().join(&table);
    let folder = table.parent().expect("a folder").to_owned();
    let inside = |path: &Path| {
        path.strip_prefix(place.public())
            .expect("below it")
            .display()
            .to_string()
    };
    // The table itself, and a folder on the way to it.
    for moved in [&table, &folder] {
        fs::rename(moved, place.path("elsewhere")).expect("a move");
        symlink(place.path("elsewhere"), moved).expect("a link");
        assert!(named(&place, &inside(moved)).contains("a symbolic link"));
        assert!(refused(&place, &["query", "public"]).contains("must not contain a link"));
        assert!(refused(&place, &["path", "public"]).contains("a link or a pipe is in its place"));
        let manifest = "public/manifest/0000000002.json";
        let audited = refused(
            &place,
            &["audit", "--feed", "feed.toml", "--release", manifest],
        );
        assert!(audited.contains("must not contain a link"), "{audited}");
        refused(&place, &["audit", "--feed", "feed.toml"]);
        fs::remove_file(moved).expect("a link");
        fs::rename(place.path("elsewhere"), moved).expect("a move");
    }
    assert_eq!(verified(&place).0, 0);
    place.done(&["path", "public"]);
}

#[test]
fn no_command_waits_for_a_pipe() {
    let place = published();
    fs::remove_file(place.public().join("LATEST")).expect("it is there");
    fifo(&place.public().join("LATEST"));
    assert!(named(&place, "LATEST").starts_with("a pipe"));
    place.done(&["query", "public"]);
    place.done(&["show", "feed.toml"]);
    let (_, table) = listed(&place);
    for file in [table.as_str(), "manifest/0000000002.json"] {
        let path = place.public().join(file);
        fs::rename(&path, place.path("elsewhere")).expect("a move");
        fifo(&path);
        assert!(named(&place, file).contains("a pipe"));
        assert!(
            refused(&place, &["query", "public", "--release", "2"])
                .contains("must not contain a link")
        );
        fs::remove_file(&path).expect("a pipe");
        fs::rename(place.path("elsewhere"), &path).expect("a move");
    }
}

#[test]
fn whatever_is_no_published_file_is_named() {
    let place = published();
    let public = place.public();
    let _socket = UnixListener::bind(public.join("socket")).expect("a socket");
    fs::write(public.join("data/.part"), "").expect("a file");
    fs::create_dir(public.join(".hidden")).expect("a folder");
    fs::write(public.join("data/part one"), "").expect("a file");
    symlink("/dev/zero", public.join("report/zero")).expect("a link");
    for (file, kind) in [
        ("socket", "a socket"),
        ("data/.part", "a hidden file"),
        (".hidden", "a hidden folder"),
        ("data/part one", "a name that no published file has"),
        ("report/zero", "a symbolic link"),
    ] {
        let text = named(&place, file);
        assert!(text.starts_with(kind), "{file}: {text}");
    }
    place.done(&["query", "public"]);
}

/// A path in a manifest could lead anywhere on the machine of the reader.
#[test]
fn a_path_that_leaves_the_root_is_damage() {
    let place = published();
    let (manifest, _) = listed(&place);
    place.put("x", "");
    let table = manifest
        .files
        .iter()
        .position(|file| file.rows.is_some())
        .expect("a table");
    for path in ["../x", "/dev/zero", "data/../../x", ".new/x", ""] {
        let mut forged = manifest.clone();
        path.clone_into(&mut forged.files[table].path);
        fs::write(newest(&place), forged.bytes()).expect("a manifest");
        assert!(
            named(&place, "manifest/0000000002.json").contains("leads out of the root"),
            "{path}"
        );
        for reader in [
            &["query", "public"][..],
            &["path", "public"],
            &[
                "audit",
                "--feed",
                "feed.toml",
                "--release",
                "public/manifest/0000000002.json",
            ],
        ] {
            assert!(
                refused(&place, reader).contains("leads out of the root"),
                "{path}: {reader:?}"
            );
        }
    }
}
