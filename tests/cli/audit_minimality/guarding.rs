//! Personal privacy: each person names what they guard in a column of the raw rows.

use std::fs;

use serde_json::{Value as Json, json};

use super::{Folder, Rows, check_refusal};

/// Below `*` the stomach with an ulcer and gastritis, and the lungs with flu and pneumonia.
fn folder() -> Folder {
    let folder = Folder::new("", "taxonomy = { file = \"disease.csv\" }");
    let tree = "Flu;lungs;*\npneumonia;lungs;*\nulcer;stomach;*\ngastritis;stomach;*\n";
    fs::write(folder.path("disease.csv"), tree).expect("a file");
    folder
}

const RELEASE: Rows<'_> = &[
    ("*", "Flu", 2),
    ("*", "pneumonia", 3),
    ("*", "ulcer", 1),
    ("*", "gastritis", 1),
];

/// Both people of q1 guard their stomach, and no other person could have it too often.
const RAW: &str = "q,disease,node\nq1,ulcer,stomach\nq1,gastritis,stomach\nq2,Flu,Flu\nq2,Flu,\nq2,pneumonia,*\n\
                   q2,pneumonia,\nq2,pneumonia,\n";

fn audit(folder: &Folder, raw: &str, more: &[&str]) -> (i32, Json) {
    let (release, rows) = (folder.put("r.csv", RELEASE), folder.path("d.csv"));
    fs::write(&rows, raw).expect("a file");
    let args = [
        "--json",
        "--release",
        &release,
        "--increment",
        &rows,
        "--minimality",
        "--requirement",
        "p=0.5",
    ];
    let output = folder.run("audit", &[&args[..], more].concat());
    let found: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    (output.status.code().expect("a code"), found)
}

#[test]
fn each_person_guards_a_node() {
    let folder = folder();
    let (code, found) = audit(
        &folder,
        &RAW.replace("pneumonia,*", "pneumonia,"),
        &["--guarding", "node"],
    );
    let reported = &found["minimality"];
    let schema = fs::read_to_string("schemas/v1/audit.schema.json").expect("a shipped schema");
    assert!(
        jsonschema::is_valid(&serde_json::from_str(&schema).expect("JSON"), &found),
        "{found}"
    );
    // Two of seven rows are about stomachs, so only q1 can have had too many, and both rows are
    // theirs.
    let tie = |class: &str, set: u64, label: &str, share: &str, kept: bool| json!({"class": [class], "set": set, "guarding": label, "credibility": share, "kept": kept});
    assert_eq!(
        reported["classes"],
        json!([
            tie("q1", 1, "stomach", "1", false),
            tie("q2", 0, "Flu", "2/5", true)
        ])
    );
    assert_eq!(
        (&reported["requirement"], &reported["limit"], code),
        (&json!("p=0.5"), &json!(0.5), 1)
    );
    let text = found["reasons"][0]["text"].as_str().expect("a text");
    assert!(
        text.contains("until personal privacy at 0.5 held links a person to what they guard with a probability of 1")
            && !text.contains("ulcer"),
        "{text}"
    );
}

#[test]
fn for_a_person_to_read() {
    let folder = folder();
    let (release, rows) = (folder.put("r.csv", RELEASE), folder.path("d.csv"));
    fs::write(&rows, RAW.replace("pneumonia,*", "pneumonia,")).expect("a file");
    let said = |more: &[&str]| {
        let args = [
            "--release",
            &release,
            "--increment",
            &rows,
            "--minimality",
            "--requirement",
        ];
        let output = folder.run("audit", &[&args[..], more].concat());
        String::from_utf8_lossy(&output.stdout)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let personal = said(&["p=0.5", "--guarding", "node"]);
    for words in [
        "the requirement was personal privacy at 0.5",
        "what they guard",
        "1 0.4000 0 2 1.0000 2",
        "UNSAFE",
    ] {
        assert!(personal.contains(words), "{words}: {personal}");
    }
    let close = said(&["t=0.1"]);
    assert!(
        close.contains("the requirement was 0.1-closeness links people to any one value"),
        "{close}"
    );
}

/// A person who guards the root is never safe, whatever is published: then nothing is excluded, and
/// q1 has seven candidates.
#[test]
fn a_guard_that_nothing_satisfies_explains_the_release() {
    let folder = folder();
    let (_, found) = audit(&folder, RAW, &["--guarding", "node"]);
    let shares: Vec<&str> = found["minimality"]["classes"]
        .as_array()
        .expect("ties")
        .iter()
        .filter_map(|tie| tie["credibility"].as_str())
        .collect();
    assert_eq!(shares, ["2/7", "1", "2/7"]);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = folder();
    let release = folder.put("r.csv", RELEASE);
    let rows = folder.path("d.csv");
    let refused = |raw: &str, more: &[&str], field: &str, words: &str| {
        fs::write(&rows, raw).expect("a file");
        let args = [
            "--json",
            "--release",
            &release,
            "--increment",
            &rows,
            "--minimality",
        ];
        check_refusal(
            &folder.run("audit", &[&args[..], more].concat()),
            Some(field),
            words,
        );
    };
    let personal = ["--requirement", "p=0.5"];
    refused(RAW, &personal, "--guarding", "needs --requirement p=0.5");
    refused(
        RAW,
        &["--requirement", "l=2", "--guarding", "node"],
        "--guarding",
        "needs --requirement p=0.5",
    );
    refused(
        RAW,
        &[&personal[..], &["--guarding", "disease"]].concat(),
        "--guarding",
        "must not declare the column",
    );
    let named = [&personal[..], &["--guarding", "node"]].concat();
    refused(
        &RAW.replace("stomach\nq1", "liver\nq1"),
        &named,
        "node",
        "not a label of the sensitive column's taxonomy",
    );
    let flat = Folder::new("", "");
    let (release, rows) = (flat.put("r.csv", RELEASE), flat.path("d.csv"));
    fs::write(&rows, RAW).expect("a file");
    let args = [
        "--release",
        &release,
        "--increment",
        &rows,
        "--minimality",
        "--requirement",
        "p=0.5",
        "--guarding",
        "node",
    ];
    flat.refused(
        "audit",
        &args,
        Some("--guarding"),
        "exactly one sensitive column",
    );
}
