//! What `show`, `verify` and `audit --dir` report about a folder: for every kind of chain who
//! waits, since when and what comes next; and that none of them changes anything.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value as Json;

use super::place::{FEED, HEADER, Place, files, fits, people, text};

pub fn asked(place: &Place, command: &str, more: &[&str]) -> Output {
    let mut asked = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    asked.arg(command).args(if command == "audit" {
        &["--dir"][..]
    } else {
        &[]
    });
    asked
        .arg(place.out())
        .args(more)
        .arg("--key")
        .arg(place.path("a.key"))
        .output()
        .expect("the program starts")
}

fn shown(place: &Place) -> Json {
    let output = asked(place, "show", &["--json"]);
    let shown = serde_json::from_slice(&output.stdout).expect("JSON");
    fits("show", &shown);
    shown
}

#[test]
fn waiting_people_are_reported_for_every_kind_of_chain() {
    for (kind, policy) in [
        ("", "guarantee = \"bcf\"\n"),
        ("chain = \"disjoint\"\n", ""),
    ] {
        let feed = FEED
            .replace("[policy]\n", &format!("{kind}[policy]\n"))
            .replace("k = 3\n", &format!("k = 3\n{policy}"));
        let place = Place::new(&feed);
        place.put("a.csv", HEADER.to_owned() + &people(0..1));
        place.put("b.csv", HEADER.to_owned() + &people(1..2));
        place.entries(&["a.csv", "b.csv"]);
        let waiting = &shown(&place)["waiting"];
        assert_eq!(waiting["rows"], 2, "{waiting}");
        assert_eq!(
            waiting["ages"],
            serde_json::json!([{"ticks": 1, "rows": 1}, {"ticks": 0, "rows": 1}])
        );
        assert_eq!(
            waiting["next"],
            serde_json::json!({"added": 0, "at_most": false})
        );
        assert_eq!(waiting["crowds"].as_array().map(Vec::len), Some(1));
        assert_eq!(waiting["new_chain"], Json::Null);
    }
}

/// Two releases and a key.
fn begun() -> Place {
    let place = Place::new(FEED);
    place.people("a.csv", 0..20);
    place.people("b.csv", 20..40);
    place.entries(&["a.csv", "b.csv"]);
    place
}

#[test]
fn changed_files_are_not_called_safe() {
    let place = begun();
    assert_eq!(asked(&place, "audit", &[]).status.code(), Some(0));
    let named = place.json("1/manifest.json")["files"][1]["path"]
        .as_str()
        .expect("a path")
        .to_owned();
    for name in [
        "1/manifest.json",
        "1/report.html",
        "2/part.parquet",
        named.as_str(),
    ] {
        let (path, bytes) = (place.out().join(name), place.bytes(name));
        fs::write(&path, [&bytes[..], b" "].concat()).expect("a file");
        let output = asked(&place, "audit", &["--json"]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(
            text(&output.stdout).contains("missing or was changed"),
            "{name}"
        );
        if name.ends_with("manifest.json") {
            assert_eq!(asked(&place, "show", &[]).status.code(), Some(2));
            assert_eq!(asked(&place, "show", &["1"]).status.code(), Some(2));
        }
        fs::remove_file(&path).expect("a file");
        assert_eq!(asked(&place, "audit", &[]).status.code(), Some(2), "{name}");
        fs::write(&path, bytes).expect("a file");
    }
    assert_eq!(asked(&place, "audit", &[]).status.code(), Some(0));
}

/// With the key the log is checked as well; without it only what all may read.
#[test]
fn every_change_is_named() {
    let place = begun();
    let verified = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        let output = command
            .arg("verify")
            .arg(place.out())
            .arg("--json")
            .args(more)
            .output()
            .expect("it starts");
        let answer: Json = serde_json::from_slice(&output.stdout).expect("JSON");
        let code = output.status.code();
        fits(if code == Some(2) { "error" } else { "verify" }, &answer);
        (code, answer)
    };
    let key = place.path("a.key");
    let keyed = ["--key", key.to_str().expect("a path")];
    let (code, answer) = verified(&keyed);
    assert_eq!(
        (code, &answer["intact"], &answer["releases"]),
        (Some(0), &true.into(), &2.into()),
        "{answer}"
    );
    assert!(
        answer["entries"].as_u64() > Some(8) && answer["objects"].as_u64() > Some(1),
        "{answer}"
    );
    let mut tried = 0;
    for (path, bytes) in files(&place.out()) {
        let inside = path
            .strip_prefix(place.out())
            .expect("a path in it")
            .display()
            .to_string();
        let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else {
            continue;
        };
        // Verdicts are for people; no decision depends on them.
        if inside.contains("verdicts") || inside.ends_with(".new") {
            continue;
        }
        fs::write(&path, &bytes[..bytes.len() - 1]).expect("a file");
        let (code, answer) = verified(&keyed);
        let named = answer["findings"]
            .as_array()
            .is_some_and(|found| !found.is_empty());
        assert!(
            code == Some(1) && named || code == Some(2),
            "{inside}: {code:?} {answer}"
        );
        let public = !inside.starts_with(".private");
        let (code, answer) = verified(&[]);
        assert_eq!(code, Some(i32::from(public)), "{inside}: {answer}");
        assert!(
            !public || answer["findings"].to_string().contains(&inside),
            "{inside}: {answer}"
        );
        assert_eq!(answer["entries"], Json::Null);
        fs::write(&path, &bytes).expect("a file");
        tried += 1;
    }
    assert!(tried > 15, "{tried}");
    place.put("out/2/notes.txt", "mine");
    assert_eq!(verified(&[]).0, Some(1));
}

#[test]
fn folders_that_are_none_are_recognised() {
    let place = begun();
    // Another user's folder.
    fs::create_dir(place.out().join("7")).expect("a folder");
    assert_eq!(asked(&place, "show", &[]).status.code(), Some(0));
    fs::rename(place.out().join("1"), place.path("away")).expect("a release");
    let output = asked(&place, "show", &["--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("release 1 is missing"));
    let nowhere = Place::new(FEED);
    let output = asked(&nowhere, "audit", &["--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("there are no releases here"));
}

#[test]
fn a_key_is_all_that_anonymize_wants_of_a_store() {
    let place = Place::new(&FEED.replace("[policy]", "[store]\nkey = \"file:a.key\"\n[policy]"));
    place.people("a.csv", 0..20);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command
        .arg("anonymize")
        .arg("--feed")
        .arg(place.path("feed.toml"))
        .arg("--out")
        .arg(place.out());
    let output = command
        .arg("--in")
        .arg(place.path("a.csv"))
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(!place.path("out.key").exists());
    assert_eq!(asked(&place, "show", &[]).status.code(), Some(0));
}

#[test]
fn several_files_after_one_option() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..20);
    place.people("b.csv", 20..40);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command.current_dir(place.path("")).args([
        "anonymize",
        "--in",
        "a.csv",
        "b.csv",
        "--feed",
        "feed.toml",
        "--out",
        "out",
    ]);
    assert_eq!(
        command.output().expect("the program starts").status.code(),
        Some(0)
    );
    assert!(place.out().join("2").is_dir());
}

/// Sensitive columns are checked before they are published: only the operator is notified.
#[test]
fn sensitive_columns_that_identify_people_are_noted() {
    let place = Place::new(FEED);
    let rows = |from: u64, own: bool| {
        let row = |n: u64| {
            format!(
                "p{n},3,F,{}\n",
                if own {
                    format!("case {n}")
                } else {
                    "flu".to_owned()
                }
            )
        };
        HEADER.to_owned() + &(from..from + 150).map(row).collect::<String>()
    };
    place.put("a.csv", rows(0, true));
    place.put("b.csv", rows(200, true));
    place.put("c.csv", rows(400, false) + "p999,3,F,\n");
    let (_, said) = place.answered(&mut place.command(&["a.csv", "b.csv"]), 2);
    assert_eq!(
        said.matches("nearly every row has a unique value in `diagnosis`")
            .count(),
        1,
        "{said}"
    );
    let (_, said) = place.answered(&mut place.command(&["c.csv"]), 1);
    assert!(
        said.contains("c.csv: 1 cell of a sensitive column or a measure missing or unreadable is treated as missing"),
        "{said}"
    );
    assert!(
        !said.contains("nearly every row") && !said.contains("case"),
        "{said}"
    );
}

/// A guarded value in another spelling would be published: the operator is notified, without the
/// value.
#[test]
fn guarded_values_in_another_spelling_are_noted() {
    let guarded = FEED.replace(
        "role = \"sensitive\"\n",
        "role = \"sensitive\"\nguarded = [[\"Sq7secret1\"]]\n",
    );
    let place = Place::new(&guarded.replace("k = 3\n", "k = 3\nm = 2\n"));
    let row = |n: u64| {
        let value = [
            "Sq7secret1",
            " Sq7secret1",
            "sq7SECRET1",
            "flu",
            "cold",
            "cough",
            "other",
            "none",
        ][n as usize % 8];
        format!("p{n},3,F,{value}\n")
    };
    place.put(
        "a.csv",
        HEADER.to_owned() + &(0..160).map(row).collect::<String>(),
    );
    let output = place
        .command(&["a.csv"])
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains(
            "a.csv: 40 rows have a guarded value of `diagnosis` with other spaces or capitals"
        ),
        "{said}"
    );
    assert!(!said.to_lowercase().contains("sq7secret1"), "{said}");
}

#[test]
fn what_no_taxonomy_knows_is_counted() {
    let feed = FEED.replace(
        "{ flat = [\"F\", \"M\"] }",
        "{ flat = [\"F\", \"M\"] }\nunknown = \"other\"",
    );
    let place = Place::new(&feed);
    place.put(
        "a.csv",
        HEADER.to_owned() + &people(0..20) + "p98,3,Mm,x\np99,3,,x\n",
    );
    let mut command = place.command(&["a.csv"]);
    let (_, said) = place.answered(command.args(["--quarantine-share", "0.5"]), 1);
    assert!(
        said.contains("on `other` in `sex`, the label for values"),
        "{said}"
    );
    assert!(!said.contains("Mm"), "{said}");
}

#[test]
fn scripts_get_the_folder_of_a_release() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..100);
    place.people("b.csv", 100..200);
    place.entries(&["a.csv", "b.csv"]);
    let output = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command
            .arg("path")
            .arg(place.out())
            .args(args)
            .output()
            .expect("the program starts")
    };
    let lines = |args: &[&str]| -> Vec<String> {
        let output = output(args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout).lines().map(str::to_owned).collect()
    };
    let at = |name: &str| place.out().join(name).display().to_string();
    let parts = [at("1/part.parquet"), at("2/part.parquet")];
    assert_eq!(lines(&[]), parts);
    assert_eq!(
        lines(&["--release", "1", "--manifest"]),
        [at("1/manifest.json")]
    );
    assert_eq!(lines(&["--report"]), [at("2/report.html")]);
    assert!(
        lines(&["--taxonomy"])
            .iter()
            .all(|path| std::path::Path::new(path).is_file())
    );
    let reported: serde_json::Value =
        serde_json::from_slice(&output(&["--json"]).stdout).expect("JSON");
    fits("path", &reported);
    assert_eq!(
        (&reported["release"], &reported["parts"]),
        (&2.into(), &serde_json::json!(parts))
    );
    assert_eq!(output(&["--release", "3"]).status.code(), Some(2));
}
