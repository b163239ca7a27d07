//! The folder of releases under hostile conditions: keys, changed files, foreign files, two
//! processes at once, changed feed files and a full disk. It either stays as it is or contains
//! whole releases.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use super::inputs::published;
use super::place::{
    FEED, HEADER, PLANTED, Place, counts, files, people, text, whole, whole_so_far,
};
use crate::common::secret;

/// A folder with two releases and a person who waits, and one more input.
fn begun() -> Place {
    let place = Place::new(FEED);
    for (name, numbers) in [
        ("a.csv", 0..20),
        ("b.csv", 20..40),
        ("c.csv", 40..60),
        ("d.csv", 60..61),
    ] {
        place.people(name, numbers);
    }
    let entries = place.entries(&["a.csv", "b.csv", "d.csv"]);
    assert_eq!(
        entries
            .iter()
            .filter(|entry| entry["outcome"] == "published")
            .count(),
        2
    );
    place
}

fn says(error: &Json, kind: &str, words: &str) {
    assert_eq!(error["kind"], kind, "{error}");
    assert!(
        error["text"]
            .as_str()
            .is_some_and(|text| text.contains(words)),
        "{words}: {error}"
    );
}

#[test]
fn without_the_right_key_nothing_opens() {
    let place = begun();
    let key = fs::read_to_string(place.path("a.key")).expect("a key");
    for (text, kind, words) in [
        (key.replace('0', "1"), "input", "the key does not open"),
        (key[1..].to_owned(), "usage", "64 hexadecimal digits"),
        (String::new(), "usage", "64 hexadecimal digits"),
        ("\u{e9}".repeat(32), "usage", "64 hexadecimal digits"),
    ] {
        place.put("a.key", text);
        says(
            &place.unchanged(&mut place.command(&["c.csv"])),
            kind,
            words,
        );
    }
    fs::remove_file(place.path("a.key")).expect("a file");
    says(
        &place.unchanged(&mut place.command(&["c.csv"])),
        "io",
        "no such file",
    );
    let key_file = place.put("a.key", key.to_uppercase() + "\n");
    secret::mode(&key_file, 0o644);
    says(
        &place.unchanged(&mut place.command(&["c.csv"])),
        "io",
        "chmod 600",
    );
    secret::mode(&key_file, 0o600);
    place.entries(&["c.csv"]);
}

/// The command in some folder, with the key that it finds by itself.
fn keyless(place: &Place, within: &Path, out: &str, inputs: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command
        .current_dir(within)
        .args(["anonymize", "--json", "--out", out, "--feed"])
        .arg(place.path("feed.toml"));
    inputs
        .iter()
        .for_each(|input| _ = command.arg("--in").arg(place.path(input)));
    command
}

#[test]
fn a_key_is_made_beside_the_folder_and_never_in_it() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..20);
    place.people("b.csv", 20..40);
    let root = place.path("");
    let (_, said) = place.answered(&mut keyless(&place, &root, "out", &["a.csv"]), 1);
    assert!(said.contains("out.key"), "{said}");
    let mode = fs::metadata(place.path("out.key"))
        .expect("a key")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let (_, said) = place.answered(&mut keyless(&place, &root, "out/", &["b.csv"]), 1);
    assert_eq!((said.as_str(), whole(&place.out())), ("", 2));
    fs::remove_file(place.path("out.key")).expect("a key");
    says(
        &place.unchanged(&mut keyless(&place, &root, "out", &["b.csv"])),
        "usage",
        "--key",
    );
    // However the folder is named.
    let here = place.path("here");
    fs::create_dir(&here).expect("a folder");
    for out in [".", "../here", "../here/."] {
        place.answered(&mut keyless(&place, &here, out, &["a.csv"]), 1);
        assert!(place.path("here.key").exists(), "{out}");
        assert_eq!(whole(&here), 1, "{out}");
    }
    place.refused(&mut keyless(&place, &root, "/", &["a.csv"]));
}

#[test]
fn a_failed_start_leaves_no_key() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..20);
    place.put("out/mine.txt", "mine");
    place.unchanged(&mut keyless(&place, &place.path(""), "out", &["a.csv"]));
    place.put("bad.csv", HEADER.to_owned() + "x,99,F,y\n");
    place.refused(&mut keyless(&place, &place.path(""), "new", &["bad.csv"]));
    assert!(!place.path("out.key").exists() && !place.path("new").exists());
}

/// The entries of the log, in order.
fn log(place: &Place) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = files(&place.out().join(".private/log"))
        .into_keys()
        .collect();
    entries.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    entries.sort();
    entries
}

#[test]
fn a_changed_log_does_not_open() {
    let place = begun();
    let entries = log(&place);
    for entry in &entries {
        let bytes = fs::read(entry).expect("an entry");
        let mut bad = bytes.clone();
        let middle = bad.len() / 2;
        bad[middle] ^= 1;
        for bad in [&bad[..], &bytes[..bytes.len() - 2], b"", b"no entry"] {
            fs::write(entry, bad).expect("an entry");
            says(
                &place.unchanged(&mut place.command(&["c.csv"])),
                "input",
                "restore the whole private root",
            );
        }
        fs::write(entry, &bytes).expect("an entry");
    }
    for sealed in ["mask", "keys/0000000000"] {
        let folder = files(&place.out().join(".private").join(sealed));
        let (path, bytes) = folder
            .into_iter()
            .rfind(|(_, bytes)| bytes.is_some())
            .expect("an object");
        let bytes = bytes.expect("bytes");
        fs::write(&path, &bytes[..bytes.len() - 1]).expect("an object");
        place.unchanged(&mut place.command(&["c.csv"]));
        fs::write(&path, &bytes).expect("an object");
    }
    // Its newest entries.
    for lost in (1..=entries.len()).rev() {
        // A period that ended does not appear anywhere.
        if fs::read_to_string(&entries[lost - 1])
            .expect("an entry")
            .contains("\"Forgotten\"")
            && lost == entries.len()
        {
            continue;
        }
        entries[lost - 1..]
            .iter()
            .for_each(|entry| _ = fs::rename(entry, entry.with_extension("away")));
        says(
            &place.unchanged(&mut place.command(&["c.csv"])),
            "input",
            "restore ",
        );
        entries[lost - 1..]
            .iter()
            .for_each(|entry| _ = fs::rename(entry.with_extension("away"), entry));
        let newest = fs::read_to_string(&entries[lost - 1]).expect("an entry");
        if newest.contains("\"Decision\"") {
            break;
        }
    }
    place.entries(&["c.csv"]);
}

#[test]
fn published_files_are_as_they_were_published() {
    let taxonomy = |place: &Place| {
        let named = place.json("1/manifest.json")["files"][1]["path"]
            .as_str()
            .expect("a path")
            .to_owned();
        assert!(named.starts_with("taxonomy/"));
        named
    };
    let place = begun();
    let named = taxonomy(&place);
    let all = [
        "1/part.parquet",
        "2/part.parquet",
        "1/manifest.json",
        "2/report.html",
        &named,
    ];
    for name in all {
        let path = place.out().join(name);
        let bytes = place.bytes(name);
        fs::write(&path, &bytes[..bytes.len() - 1]).expect("a file");
        says(
            &place.unchanged(&mut place.command(&["c.csv"])),
            "input",
            "missing or was changed",
        );
        fs::remove_file(&path).expect("a file");
        let error = place.unchanged(&mut place.command(&["c.csv"]));
        says(&error, "input", "missing or was changed");
        assert!(
            error["file"]
                .as_str()
                .is_some_and(|file| file.ends_with(name)),
            "{error}"
        );
        fs::write(&path, &bytes).expect("a file");
    }
    let away = place.path("away");
    fs::rename(place.out().join("1"), &away).expect("a release");
    says(
        &place.unchanged(&mut place.command(&["c.csv"])),
        "input",
        "missing or was changed",
    );
    fs::rename(away, place.out().join("1")).expect("a release");
    place.entries(&["c.csv"]);
}

/// Continuing from an older log would publish people twice.
#[test]
fn an_older_log_is_noticed() {
    let place = begun();
    let (private, copy) = (place.out().join(".private"), place.path("copy"));
    let copied = |from: &Path, to: &Path| {
        let done = Command::new("cp")
            .arg("-a")
            .args([from, to])
            .status()
            .expect("cp starts");
        assert!(done.success());
    };
    copied(&private, &copy);
    let newest = |error: &Json| says(error, "input", "restore the newest");
    // A release that the log does not contain, and ticks without one.
    for inputs in [&["c.csv"][..], &["x.csv", "y.csv"]] {
        place.put("x.csv", HEADER);
        place.put("y.csv", HEADER.to_owned() + &people(61..62));
        place.entries(inputs);
        let newer = place.path("newer");
        fs::rename(&private, &newer).expect("a folder");
        copied(&copy, &private);
        // Verdicts are checked separately.
        fs::remove_dir_all(private.join("verdicts")).expect("verdicts");
        copied(&newer.join("verdicts"), &private.join("verdicts"));
        newest(&place.unchanged(&mut place.command(&["d.csv"])));
        newest(&place.unchanged(&mut place.command(&["c.csv"])));
        fs::remove_dir_all(&private).expect("a folder");
        fs::rename(&newer, &private).expect("a folder");
        place.entries(&["d.csv"]);
    }
}

/// A release folder contains its own files and nothing else.
#[test]
fn nothing_foreign_is_in_a_release() {
    let place = begun();
    place.put("out/2/notes.txt", "mine");
    says(
        &place.unchanged(&mut place.command(&["d.csv"])),
        "input",
        "does not belong to the release",
    );
    fs::remove_file(place.out().join("2/notes.txt")).expect("a file");
    place.entries(&["c.csv"]);
}

/// Verdicts are not encrypted and outlive the rows: they contain no class below the limit.
#[test]
fn verdicts_keep_no_small_class() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..9);
    place.entries(&["a.csv"]);
    let verdict = place.json(".private/verdicts/000000.json");
    let refused = verdict["refused"].as_array().expect("a list");
    assert!(!refused.is_empty());
    for refusal in refused {
        assert_eq!(
            refusal["text"],
            "a class below it would hold fewer than 3 people"
        );
    }
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..20);
    place.people("b.csv", 20..40);
    place.put("out/mine.txt", "mine");
    says(
        &place.unchanged(&mut place.command(&["a.csv"])),
        "usage",
        "contains other files",
    );
    fs::remove_dir_all(place.out()).expect("a folder");
    place.put("out", "a file");
    says(&place.unchanged(&mut place.command(&["a.csv"])), "io", "");
    fs::remove_file(place.out()).expect("a file");
    fs::create_dir(place.out()).expect("an empty folder");
    place.entries(&["a.csv"]);
    // A foreign file is at the path of the next release.
    for foreign in ["out/2/mine.txt", "out/2"] {
        place.put(foreign, "mine");
        says(
            &place.refused(&mut place.command(&["b.csv"])),
            "io",
            "occupies the place",
        );
        assert_eq!(
            fs::read_to_string(place.path(foreign)).expect("a file"),
            "mine"
        );
        let at = place.out().join("2");
        if at.is_dir() {
            fs::remove_dir_all(at)
        } else {
            fs::remove_file(at)
        }
        .expect("mine");
    }
    let entry = &place.entries(&["b.csv"])[0];
    assert_eq!(
        (entry["release"].as_u64(), counts(entry, ["duplicate"])),
        (Some(2), [0])
    );
    let private = place.out().join(".private");
    fs::set_permissions(&private, fs::Permissions::from_mode(0o750)).expect("permissions");
    says(
        &place.unchanged(&mut place.command(&["b.csv"])),
        "io",
        "chmod 700",
    );
}

#[test]
fn a_file_in_the_place_of_another_keeps_the_whole_release_back() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..20);
    place.people("b.csv", 20..40);
    place.entries(&["a.csv"]);
    let second = || {
        files(&place.out().join("2"))
            .into_keys()
            .collect::<Vec<_>>()
    };
    place.put("out/2/part.parquet", "mine");
    let mine = second();
    for _ in 0..2 {
        says(
            &place.refused(&mut place.command(&["b.csv"])),
            "input",
            "with different content",
        );
        assert_eq!(second(), mine, "something was left behind");
    }
    assert_eq!(place.bytes("2/part.parquet"), b"mine");
    fs::remove_file(place.out().join("2/part.parquet")).expect("mine");
    let entry = &place.entries(&["b.csv"])[0];
    assert_eq!(
        (entry["outcome"].as_str(), entry["release"].as_u64()),
        (Some("published"), Some(2))
    );
    assert_eq!(whole(&place.out()), 2);
}

#[test]
fn files_that_cannot_be_written_are_named() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..20);
    for out in ["/proc/self/out", "/dev/null/out"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command
            .args(["anonymize", "--json", "--out", out, "--feed"])
            .arg(place.path("feed.toml"));
        command.arg("--in").arg(place.path("a.csv"));
        let error = place.refused(command.arg("--key").arg(place.path("a.key")));
        says(&error, "io", "cannot");
    }
}

/// An endless file is not read as a key.
#[test]
fn a_device_is_no_key() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..20);
    let mut command = keyless(&place, &place.path(""), "out", &["a.csv"]);
    says(
        &place.refused(command.args(["--key", "/dev/zero"])),
        "usage",
        "a device",
    );
}

#[test]
fn one_at_a_time() {
    let place = begun();
    let lock = fs::File::open(place.out().join(".private/lock")).expect("a lock");
    lock.try_lock().expect("no process has it");
    says(
        &place.unchanged(&mut place.command(&["c.csv"])),
        "io",
        "another tidegate is running",
    );
    drop(lock);
    place.entries(&["c.csv"]);
}

/// The second process must see what the first has done while it was reading.
#[test]
fn many_at_once_count_each_person_once() {
    let feed = FEED.replace("k = 3\n", "k = 3\non_repeat = \"none\"\n");
    let place = Place::new(&feed);
    place.people("small.csv", 0..12);
    place.people("large.csv", 0..60_000);
    let start = |inputs: &[&str]| {
        let mut command = place.command(inputs);
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts")
    };
    let several = [
        start(&["large.csv", "small.csv"]),
        start(&["small.csv"]),
        start(&["small.csv", "large.csv"]),
    ];
    for child in several {
        let output = child.wait_with_output().expect("it ends");
        let said = text(&output.stdout);
        assert!(
            output.status.code() == Some(0) || said.contains("another tidegate"),
            "{said}"
        );
    }
    let entries = place.entries(&["small.csv", "large.csv"]);
    let [rows, waiting] = counts(&entries[1], ["rows", "waiting"]);
    assert_eq!(rows + waiting, 60_012);
}

#[test]
fn frozen_columns_are_named() {
    let place = begun();
    let disjoint = ("name = \"t\"\n", "name = \"t\"\nchain = \"disjoint\"\n");
    let add = "[[column]]\nname = \"room\"\nrole = \"sensitive\"\n";
    let changes = [
        (("name = \"t\"", "name = \"u\""), "feed.name"),
        (disjoint, "feed.chain"),
        (("k = 3", "k = 2"), "policy.k"),
        (("k = 3", "k = 3\nguarantee = \"bcf\""), "policy.guarantee"),
        (("k = 3", "k = 3\nmax_loss = 0.9"), "policy.max_loss"),
        (("k = 3", "k = 3\non_repeat = \"none\""), "policy.on_repeat"),
        (("max = 39", "max = 59"), "column.age.taxonomy"),
        (("[10, 20]", "[20]"), "column.age.taxonomy"),
        (
            (
                "\"sex\"\nrole = \"quasi\"",
                "\"sex\"\noptional = true\nrole = \"quasi\"",
            ),
            "column.sex",
        ),
        (("name = \"sex\"", "name = \"gender\""), "column"),
        (
            (
                "role = \"sensitive\"",
                "role = \"sensitive\"\ntype = \"int\"",
            ),
            "column.diagnosis.type",
        ),
        (
            (
                "\"diagnosis\"\nrole = \"sensitive\"\n",
                &format!("\"diagnosis\"\nrole = \"sensitive\"\n{add}"),
            ),
            "column",
        ),
    ];
    for ((from, to), field) in changes {
        assert!(FEED.contains(from));
        let mut changed = FEED.replacen(from, to, 1);
        if field == "column.sex" {
            changed = changed.replace("[\"F\", \"M\"]", "[\"F\", \"M\", \"unknown\"]");
        }
        place.put_feed(&changed);
        let error = place.unchanged(&mut place.command(&["c.csv"]));
        assert_eq!(error["kind"], "feed", "{error}");
        let named = error["field"].as_str().expect("a field");
        assert!(
            named == field || field == "column.sex" && named.starts_with(field),
            "{field}: {error}"
        );
    }
    // Other settings may change, and so may their notation.
    let more = FEED.replace(
        "[policy]\nk = 3",
        "[log]\nformat = \"json\"\n[policy]\nmax_loss = 1\nk = 3",
    );
    place.put_feed(&more);
    place.entries(&["c.csv"]);
}

/// Runs with a limit on the size of files in kibibytes.
fn limited(place: &Place, inputs: &[&str], kibibytes: u32) -> Option<i32> {
    let command = place.command(inputs);
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(format!(
        "trap '' XFSZ; ulimit -f {kibibytes}; exec \"$0\" \"$@\""
    ));
    shell.arg(command.get_program()).args(command.get_args());
    let output = shell.output().expect("bash starts");
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(
        !said.contains(PLANTED[0]) && !said.contains(PLANTED[1]),
        "{said}"
    );
    output.status.code()
}

#[test]
fn a_full_disk_leaves_whole_releases() {
    let inputs = ["a.csv", "b.csv", "c.csv"];
    let fill = |place: &Place| {
        // A state and tables of several kibibytes.
        let rows = |from: u64| -> String {
            let row = |n: u64| {
                format!(
                    "{}{n},{},F,{}{}\n",
                    PLANTED[0],
                    n % 40,
                    PLANTED[1],
                    n * n % 9973
                )
            };
            (from..from + 900).map(row).collect()
        };
        inputs
            .iter()
            .zip([0, 1000, 2000])
            .for_each(|(name, from)| _ = place.put(name, HEADER.to_owned() + &rows(from)));
    };
    let place = Place::new(FEED);
    fill(&place);
    place.entries(&inputs);
    let expected = published(&place.out());
    let place = Place::new(FEED);
    fill(&place);
    let mut failed = 0;
    for kibibytes in [0, 1, 2, 4, 8, 12, 14, 16, 20, 24, 32, 40, 48, 64, 96] {
        let code = limited(&place, &inputs, kibibytes);
        failed += u32::from(code == Some(2));
        assert!(
            code == Some(2) || code == Some(0),
            "{code:?} with {kibibytes} KiB"
        );
        whole_so_far(&place.out());
    }
    assert!(failed > 3, "{failed}");
    place.entries(&inputs);
    assert!(published(&place.out()) == expected);
}

/// The state that a run leaves that was killed between the decision and the last of its files.
#[test]
fn a_decided_release_is_finished() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..20);
    place.people("b.csv", 20..40);
    place.entries(&["a.csv", "b.csv"]);
    let verdict = ".private/verdicts/000001.json";
    let (expected, reported) = (published(&place.out()), place.json(verdict));
    fs::remove_file(place.out().join(verdict)).expect("a verdict");
    // The interrupted tick is reported as if it had been completed.
    let entry = &place.entries(&["b.csv"])[0];
    assert_eq!(
        (entry["outcome"].as_str(), entry["release"].as_u64()),
        (Some("published"), Some(2))
    );
    assert_eq!(
        (entry["added"].as_u64(), entry["input"].as_u64()),
        (reported["answer"]["added"].as_u64(), Some(0))
    );
    let again = place.json(verdict);
    assert_eq!(
        (&again["verdict"], &again["file"]),
        (&reported["verdict"], &reported["file"])
    );
    assert!(published(&place.out()) == expected);
    assert_eq!(place.entries(&["b.csv"])[0]["outcome"], "known");
}

/// A user who names other files also learns about the interrupted tick, and about a rejection by
/// the exit code.
#[test]
fn an_interrupted_tick_is_reported_to_the_next_command() {
    let place = Place::new(&FEED.replace("k = 3\n", "k = 3\nmax_loss = 0.0001\n"));
    place.people("a.csv", 0..20);
    place.put("empty.csv", HEADER);
    let (entries, _) = place.answered(&mut place.command(&["a.csv"]), 1);
    assert_eq!(entries[0]["outcome"], "rejected");
    fs::remove_file(place.out().join(".private/verdicts/000000.json")).expect("a verdict");
    let output = place.command(&["empty.csv"]).output().expect("it starts");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("a.csv, which an interrupted command had begun") && said.contains("rejected"),
        "{said}"
    );
}
