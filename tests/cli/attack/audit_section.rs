//! `tidegate audit` of releases whose classes have labels of their own: its section `refinement`
//! equals the output of the attack.

use std::fs;
use std::process::{Command, Output};

use serde_json::{Value as Json, json};

use super::known_answers::put;
use super::{Folder, feed, text};
use crate::common::golden;

fn called(folder: &Folder, files: &[(&str, &str)], more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command
        .arg("audit")
        .arg("--feed")
        .arg(folder.path("audit.toml"));
    for (option, file) in files {
        command.arg(format!("--{option}")).arg(folder.path(file));
    }
    command.args(more).output().expect("the program starts")
}

#[track_caller]
fn audit(folder: &Folder, files: &[(&str, &str)], more: &[&str]) -> (Option<i32>, String) {
    let output = called(folder, files, more);
    assert_eq!(text(&output.stderr), "");
    (output.status.code(), text(&output.stdout))
}

/// Audits the folder's releases; checks the answer against its schema.
#[track_caller]
fn audited(folder: &Folder, files: &[(&str, &str)]) -> Json {
    let (code, printed) = audit(folder, files, &["--json"]);
    let found: Json = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{printed}"));
    assert_eq!(code, Some(i32::from(found["safe"] != json!(true))));
    let schema = fs::read_to_string("schemas/v1/audit.schema.json").expect("a shipped schema");
    let validator =
        jsonschema::validator_for(&serde_json::from_str(&schema).expect("JSON")).expect("a schema");
    let errors: Vec<String> = validator
        .iter_errors(&found)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    found
}

/// A case whose feed file an audit can read: with the search, and without the sensitive column that
/// no table has.
fn case(name: &str, policy: &str) -> Folder {
    let folder = Folder::new();
    put(&folder, &golden(&format!("refinement/{name}.json")));
    let feed = fs::read_to_string(folder.path("feed.toml")).expect("a feed file");
    let (feed, _) = feed
        .split_once("[[column]]\nname = \"s\"")
        .expect("a sensitive column");
    let policy = format!("[policy]\nsearch = \"arx-lr\"\n{policy}");
    folder.put("audit.toml", &feed.replacen("[policy]\n", &policy, 1));
    folder
}

#[test]
fn the_audit_has_what_the_attack_prints() {
    for name in [
        "dups_00",
        "medium_03_M2",
        "small_03",
        "small_08",
        "tie_10_orders_differ",
        "tie_11_orders_differ",
    ] {
        let folder = case(name, "");
        for files in [
            &[("release", "release.csv"), ("increment", "raw.csv")][..],
            &[("release", "release.csv")],
        ] {
            let found = audited(&folder, files);
            let attack = folder.attack(files, &[]);
            assert_eq!(found["refinement"], attack, "{name}");
            let against = |of: &Json| of["reasons"].as_array().expect("reasons").len();
            let reported = found["reasons"].as_array().expect("reasons").iter();
            assert_eq!(
                reported
                    .filter(|reason| reason["check"] == "refinement")
                    .count(),
                against(&attack),
                "{name}"
            );
        }
    }
}

#[test]
fn rows_of_other_people_are_refused() {
    let folder = case("small_03", "");
    let raw = fs::read_to_string(folder.path("raw.csv")).expect("raw rows");
    let (header, rows) = raw.split_once('\n').expect("a header");
    let first = rows.lines().next().expect("a row");
    let files = &[("release", "release.csv"), ("increment", "other.csv")];
    for (other, words) in [
        (vec![first; rows.lines().count()], "remove rows that wait"),
        (vec![first; rows.lines().count() - 1], "rows, and they have"),
    ] {
        folder.put("other.csv", &format!("{header}\n{}\n", other.join("\n")));
        let output = called(&folder, files, &["--json"]);
        let said: Json = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(output.status.code(), Some(2), "{said}");
        let error = &said["error"];
        let reported = error["text"].as_str().expect("a text");
        assert!(
            error["file"]
                .as_str()
                .is_some_and(|file| file.ends_with("other.csv")),
            "{error}"
        );
        assert!(
            reported.contains("the increments do not match the release")
                && reported.contains(words),
            "{reported}"
        );
        assert!(!reported.contains(first), "{reported}");
    }
}

#[test]
fn several_releases_are_attacked_one_by_one() {
    let folder = case("small_03", "");
    let one = folder.attack(&[("release", "release.csv")], &[]);
    let found = audited(
        &folder,
        &[("release", "release.csv"), ("release", "release.csv")],
    );
    let both = &found["refinement"];
    let marked = |key: &str, number: usize, moved: usize| {
        let list = one[key].as_array().expect("a list").iter().cloned();
        list.map(|mut entry| {
            entry["release"] = json!(number);
            if let Some(target) = entry.get_mut("target").filter(|target| target.is_u64()) {
                *target = json!(target.as_u64().expect("a number") as usize + moved);
            }
            entry
        })
        .collect::<Vec<Json>>()
    };
    let targets = one["targets"].as_array().expect("targets").len();
    for key in ["targets", "reasons"] {
        let wanted = [marked(key, 0, 0), marked(key, 1, targets)].concat();
        assert_eq!(both[key], json!(wanted), "{key}");
    }
    assert_eq!(
        [&both["max_log10_ratio"], &both["joint"]],
        [&one["max_log10_ratio"], &Json::Null]
    );
    let (_, words) = audit(
        &folder,
        &[("release", "release.csv"), ("release", "release.csv")],
        &[],
    );
    assert!(
        words.contains("small classes that are certain\n  1  ") && words.contains("\n  2  "),
        "{words}"
    );
}

#[test]
fn a_table_that_the_search_does_not_make_is_a_reason() {
    let folder = Folder::new();
    let policy = "search = \"arx-lr\"\nk = 3\nmin_solutions = 1";
    let feed = feed(&[(0..=4).map(|edge| edge * 20).collect()], policy);
    folder.put(
        "audit.toml",
        feed.split_once("[[column]]\nname = \"s\"")
            .expect("a sensitive column")
            .0,
    );
    // Five people in two halves: one half has three, and would have been a class before.
    folder.put(
        "release.csv",
        &("q0\n".to_owned() + &"\"[0, 40[\"\n".repeat(5)),
    );
    let found = audited(&folder, &[("release", "release.csv")]);
    let section = &found["refinement"];
    assert_eq!(
        [&found["safe"], &section["safe"], &section["targets"]],
        [&json!(false), &json!(false), &json!([])]
    );
    for reasons in [&found["reasons"], &section["reasons"]] {
        let reasons = reasons.as_array().expect("a list");
        let reported = reasons[0]["text"].as_str().expect("a text");
        assert!(
            reasons.len() == 1
                && reported.contains("class (q0 = [0, 40[): no set of rows is possible"),
            "{reasons:?}"
        );
    }
}

#[test]
fn a_check_that_is_off_has_no_section() {
    let folder = case("small_03", "max_ratio = \"off\"\n");
    let found = audited(&folder, &[("release", "release.csv")]);
    assert_eq!(found["refinement"], Json::Null);
    let (_, words) = audit(&folder, &[("release", "release.csv")], &[]);
    assert!(words.contains("(policy.max_ratio = \"off\")"), "{words}");
}
