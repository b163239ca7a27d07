//! The folder of releases under hostile conditions: keys, changed files, foreign things, two at once, changed feed files
//! and no space left. Either it stays as it is or it holds whole releases.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use super::inputs::published;
use super::place::{FEED, HEADER, PLANTED, Place, counts, files, people, text, whole};

/// A folder with two releases and somebody who waits, and one more input.
fn begun() -> Place {
    let place = Place::new(FEED);
    for (name, numbers) in [("a.csv", 0..20), ("b.csv", 20..40), ("c.csv", 40..60), ("d.csv", 60..61)] {
        place.people(name, numbers);
    }
    let entries = place.entries(&["a.csv", "b.csv", "d.csv"]);
    assert_eq!(entries.iter().filter(|entry| entry["outcome"] == "published").count(), 2);
    place
}

fn says(error: &Json, kind: &str, words: &str) {
    assert_eq!(error["kind"], kind, "{error}");
    assert!(error["text"].as_str().is_some_and(|text| text.contains(words)), "{words}: {error}");
}

#[test]
fn without_the_right_key_nothing_opens() {
    let place = begun();
    let key = fs::read_to_string(place.path("a.key")).expect("a key");
    for (text, kind, words) in [
        (key.replace('0', "1"), "input", "key is another one"),
        (key[1..].to_owned(), "usage", "64 hexadecimal digits"),
        (String::new(), "usage", "64 hexadecimal digits"),
        ("\u{e9}".repeat(32), "usage", "64 hexadecimal digits"),
    ] {
        place.put("a.key", text);
        says(&place.unchanged(&mut place.command(&["c.csv"])), kind, words);
    }
    fs::remove_file(place.path("a.key")).expect("a file");
    says(&place.unchanged(&mut place.command(&["c.csv"])), "io", "no such file");
    place.put("a.key", key.to_uppercase() + "\n");
    place.entries(&["c.csv"]);
}

/// The command in some folder, with the key that it finds by itself.
fn keyless(place: &Place, within: &Path, out: &str, inputs: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command.current_dir(within).args(["anonymize", "--json", "--out", out, "--feed"]).arg(place.path("feed.toml"));
    inputs.iter().for_each(|input| _ = command.arg("--in").arg(place.path(input)));
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
    let mode = fs::metadata(place.path("out.key")).expect("a key").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (_, said) = place.answered(&mut keyless(&place, &root, "out/", &["b.csv"]), 1);
    assert_eq!((said.as_str(), whole(&place.out())), ("", 2));
    fs::remove_file(place.path("out.key")).expect("a key");
    says(&place.unchanged(&mut keyless(&place, &root, "out", &["b.csv"])), "usage", "--key");
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

#[test]
fn a_changed_state_does_not_open() {
    let place = begun();
    let state = place.out().join(".private/state.sealed");
    let sealed = fs::read(&state).expect("a state");
    let step = (sealed.len() / 24).max(1);
    let places = (0..sealed.len()).step_by(step).chain([17, 18, 29, 30, sealed.len() - 1]);
    for at in places {
        let mut bad = sealed.clone();
        bad[at] ^= 1;
        fs::write(&state, &bad).expect("a state");
        says(&place.unchanged(&mut place.command(&["c.csv"])), "input", "does not open");
    }
    for bad in [&sealed[..sealed.len() - 1], &sealed[..20], b"", b"no state"] {
        fs::write(&state, bad).expect("a state");
        says(&place.unchanged(&mut place.command(&["c.csv"])), "input", "does not open");
    }
    fs::remove_file(&state).expect("a state");
    says(&place.unchanged(&mut place.command(&["c.csv"])), "input", "newer than the private state");
    fs::write(&state, &sealed).expect("a state");
    place.entries(&["c.csv"]);
}

#[test]
fn published_files_are_as_they_were_published() {
    let taxonomy = |place: &Place| {
        let named = place.json("1/manifest.json")["files"][1]["path"].as_str().expect("a path").to_owned();
        assert!(named.starts_with("taxonomy/"));
        named
    };
    let place = begun();
    let named = taxonomy(&place);
    let all = ["1/data.parquet", "2/data.parquet", "1/manifest.json", "2/report.html", &named];
    for name in all {
        let path = place.out().join(name);
        let bytes = place.bytes(name);
        fs::write(&path, &bytes[..bytes.len() - 1]).expect("a file");
        says(&place.unchanged(&mut place.command(&["c.csv"])), "input", "missing or was changed");
        fs::remove_file(&path).expect("a file");
        let error = place.unchanged(&mut place.command(&["c.csv"]));
        says(&error, "input", "missing or was changed");
        assert!(error["file"].as_str().is_some_and(|file| file.ends_with(name)), "{error}");
        fs::write(&path, &bytes).expect("a file");
    }
    let away = place.path("away");
    fs::rename(place.out().join("1"), &away).expect("a release");
    says(&place.unchanged(&mut place.command(&["c.csv"])), "input", "missing or was changed");
    fs::rename(away, place.out().join("1")).expect("a release");
    place.entries(&["c.csv"]);
}

/// Going on from an older state would publish people twice.
#[test]
fn an_older_state_is_noticed() {
    let place = begun();
    let state = place.out().join(".private/state.sealed");
    let sealed = fs::read(&state).expect("a state");
    let newest = |error: &Json| says(error, "input", "put the newest");
    // A release that the state does not know, and ticks without one.
    for inputs in [&["c.csv"][..], &["x.csv", "y.csv"]] {
        place.put("x.csv", HEADER);
        place.put("y.csv", HEADER.to_owned() + &people(61..62));
        place.entries(inputs);
        let newer = fs::read(&state).expect("a state");
        fs::write(&state, &sealed).expect("a state");
        newest(&place.unchanged(&mut place.command(&["d.csv"])));
        newest(&place.unchanged(&mut place.command(&["c.csv"])));
        fs::write(&state, newer).expect("a state");
        place.entries(&["d.csv"]);
    }
}

/// A kill between the commit and the move leaves a decided release aside; only that is moved to its place.
#[test]
fn only_what_was_decided_is_moved_to_its_place() {
    let place = begun();
    let [aside, release] = [".private/stage/2", "2"].map(|name| place.out().join(name));
    let table = place.bytes("2/data.parquet");
    fs::create_dir_all(aside.parent().expect("a folder")).expect("a folder");
    fs::rename(&release, &aside).expect("a release");
    place.put("out/.private/stage/2/raw.csv", "rows");
    says(&place.unchanged(&mut place.command(&["c.csv"])), "input", "no file of the release");
    fs::remove_file(aside.join("raw.csv")).expect("a file");
    for name in ["data.parquet", "report.html", "manifest.json"] {
        let bytes = fs::read(aside.join(name)).expect("a file");
        fs::write(aside.join(name), &bytes[1..]).expect("a file");
        says(&place.unchanged(&mut place.command(&["c.csv"])), "input", "missing or was changed");
        assert!(!release.exists());
        fs::write(aside.join(name), bytes).expect("a file");
    }
    place.entries(&["c.csv"]);
    assert_eq!(place.bytes("2/data.parquet"), table);
    place.put("out/2/notes.txt", "mine");
    says(&place.unchanged(&mut place.command(&["d.csv"])), "input", "no file of the release");
}

/// Verdicts lie in the clear and outlast the rows: no class below the limit is in them.
#[test]
fn verdicts_keep_no_small_class() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..9);
    place.entries(&["a.csv"]);
    let verdict = place.json(".private/verdicts/000000.json");
    let refused = verdict["refused"].as_array().expect("a list");
    assert!(!refused.is_empty());
    for refusal in refused {
        assert_eq!(refusal["text"], "a class below it would hold fewer than 3 people");
    }
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..20);
    place.people("b.csv", 20..40);
    place.put("out/mine.txt", "mine");
    says(&place.unchanged(&mut place.command(&["a.csv"])), "usage", "holds other things");
    fs::remove_dir_all(place.out()).expect("a folder");
    place.put("out", "a file");
    says(&place.unchanged(&mut place.command(&["a.csv"])), "io", "");
    fs::remove_file(place.out()).expect("a file");
    fs::create_dir(place.out()).expect("an empty folder");
    place.entries(&["a.csv"]);
    // Something lies where the next release belongs.
    for foreign in ["out/2/mine.txt", "out/2"] {
        place.put(foreign, "mine");
        says(&place.refused(&mut place.command(&["b.csv"])), "io", "in the way");
        assert_eq!(fs::read_to_string(place.path(foreign)).expect("a file"), "mine");
        let at = place.out().join("2");
        if at.is_dir() { fs::remove_dir_all(at) } else { fs::remove_file(at) }.expect("mine");
    }
    let entry = &place.entries(&["b.csv"])[0];
    assert_eq!((entry["release"].as_u64(), counts(entry, ["duplicate"])), (Some(2), [0]));
    let private = place.out().join(".private");
    fs::set_permissions(&private, fs::Permissions::from_mode(0o750)).expect("permissions");
    says(&place.unchanged(&mut place.command(&["b.csv"])), "io", "chmod 700");
}

#[test]
fn what_cannot_be_written_is_told() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..20);
    for out in ["/proc/self/out", "/dev/null/out"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command.args(["anonymize", "--json", "--out", out, "--feed"]).arg(place.path("feed.toml"));
        command.arg("--in").arg(place.path("a.csv"));
        let error = place.refused(command.arg("--key").arg(place.path("a.key")));
        says(&error, "io", "cannot");
    }
}

#[test]
fn one_at_a_time() {
    let place = begun();
    let lock = fs::File::open(place.out().join(".private/lock")).expect("a lock");
    lock.try_lock().expect("nobody has it");
    says(&place.unchanged(&mut place.command(&["c.csv"])), "io", "another tidegate is at work");
    drop(lock);
    place.entries(&["c.csv"]);
}

/// Whoever comes second must see what the first has done while it was reading.
#[test]
fn many_at_once_count_everybody_once() {
    let feed = FEED.replace("k = 3\n", "k = 3\non_repeat = \"none\"\n");
    let place = Place::new(&feed);
    place.people("small.csv", 0..12);
    place.people("large.csv", 0..60_000);
    let start = |inputs: &[&str]| {
        let mut command = place.command(inputs);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    };
    let several = [start(&["large.csv", "small.csv"]), start(&["small.csv"]), start(&["small.csv", "large.csv"])];
    for child in several {
        let output = child.wait_with_output().expect("it ends");
        let said = text(&output.stdout);
        assert!(output.status.code() == Some(0) || said.contains("another tidegate"), "{said}");
    }
    let entries = place.entries(&["small.csv", "large.csv"]);
    let [rows, waiting] = counts(&entries[1], ["rows", "waiting"]);
    assert_eq!(rows + waiting, 60_012);
}

#[test]
fn what_is_frozen_is_told_by_name() {
    let place = begun();
    let disjoint = ("name = \"t\"\n", "name = \"t\"\nchain = \"disjoint\"\n");
    let add = "[[column]]\nname = \"room\"\nrole = \"sensitive\"\n";
    let changes = [
        (("name = \"t\"", "name = \"u\""), "feed.name"),
        (disjoint, "feed.chain"),
        (("k = 3", "k = 2"), "policy.k"),
        (("k = 3", "k = 3\nguarantee = \"bcf\""), "policy.guarantee"),
        (("k = 3", "k = 3\nmax_wait = 9"), "policy.max_wait"),
        (("k = 3", "k = 3\nmax_withheld = 0.03"), "policy.max_withheld"),
        (("k = 3", "k = 3\nrare = \"coarsen\""), "policy.rare"),
        (("k = 3", "k = 3\nmax_loss = 0.9"), "policy.max_loss"),
        (("k = 3", "k = 3\non_repeat = \"none\""), "policy.on_repeat"),
        (("max = 39", "max = 59"), "column.age.taxonomy"),
        (("[10, 20]", "[20]"), "column.age.taxonomy"),
        (("\"sex\"\nrole = \"quasi\"", "\"sex\"\noptional = true\nrole = \"quasi\""), "column.sex"),
        (("name = \"sex\"", "name = \"gender\""), "column"),
        (("role = \"sensitive\"", "role = \"sensitive\"\ntype = \"int\""), "column.diagnosis.type"),
        (("\"diagnosis\"\nrole = \"sensitive\"\n", &format!("\"diagnosis\"\nrole = \"sensitive\"\n{add}")), "column"),
    ];
    for ((from, to), field) in changes {
        assert!(FEED.contains(from));
        let mut changed = FEED.replacen(from, to, 1);
        if field == "column.sex" {
            changed = changed.replace("[\"F\", \"M\"]", "[\"F\", \"M\", \"unknown\"]");
        }
        place.put("feed.toml", changed);
        let error = place.unchanged(&mut place.command(&["c.csv"]));
        assert_eq!(error["kind"], "feed", "{error}");
        let named = error["field"].as_str().expect("a field");
        assert!(named == field || field == "column.sex" && named.starts_with(field), "{field}: {error}");
    }
    // Other things may change, and so may how the same is said.
    let more = FEED.replace("[policy]\nk = 3", "[log]\nformat = \"json\"\n[policy]\nmax_wait = 8\nk = 3");
    place.put("feed.toml", more);
    place.entries(&["c.csv"]);
}

/// Runs with files of at most so many kibibytes.
fn limited(place: &Place, inputs: &[&str], kibibytes: u32) -> Option<i32> {
    let command = place.command(inputs);
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {kibibytes}; exec \"$0\" \"$@\""));
    shell.arg(command.get_program()).args(command.get_args());
    let output = shell.output().expect("bash starts");
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(!said.contains(PLANTED[0]) && !said.contains(PLANTED[1]), "{said}");
    output.status.code()
}

#[test]
fn a_full_disk_leaves_whole_releases() {
    let inputs = ["a.csv", "b.csv", "c.csv"];
    let fill = |place: &Place| {
        // A state and tables of several kibibytes.
        let rows = |from: u64| -> String {
            let row = |n: u64| format!("{}{n},{},F,{}{}\n", PLANTED[0], n % 40, PLANTED[1], n * n % 9973);
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
        assert!(code == Some(2) || code == Some(0), "{code:?} with {kibibytes} KiB");
        whole(&place.out());
    }
    assert!(failed > 3, "{failed}");
    place.entries(&inputs);
    assert!(published(&place.out()) == expected);
}

#[test]
fn what_was_never_committed_does_not_come_out() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..20);
    place.people("b.csv", 20..40);
    // As a first run leaves it that was killed on the way.
    let left = |name: &str| {
        place.put(&format!("out/.private/stage/{name}"), "left");
    };
    for (tick, run) in [["1/left.txt", "1/taxonomy.json"], ["2/left.txt", "7/left.txt"]].into_iter().enumerate() {
        run.into_iter().for_each(left);
        let verdict = format!("out/.private/verdicts/{tick:06}.json");
        place.put(&verdict, "{}");
        for folder in ["", "stage", "verdicts"] {
            let path = place.out().join(".private").join(folder);
            fs::set_permissions(path, fs::Permissions::from_mode(0o700)).expect("permissions");
        }
        let mode = fs::Permissions::from_mode(0o600);
        fs::set_permissions(place.path(&verdict), mode).expect("permissions");
        place.entries(&["a.csv", "b.csv"][..if run[0].starts_with('1') { 1 } else { 2 }]);
        let bytes = files(&place.out());
        assert!(!bytes.keys().any(|path| path.to_string_lossy().contains("left")), "{:?}", bytes.keys());
        assert_ne!(fs::read(place.path(&verdict)).expect("the tick's own verdict"), b"{}");
        assert!(files(&place.out().join(".private/stage")).is_empty());
    }
    assert_eq!(people(0..1).lines().count(), 1);
}
