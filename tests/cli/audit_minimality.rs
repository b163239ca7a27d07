//! Tests `tidegate audit --minimality` from outside (CONTRACTS 3): the tables of the paper as
//! files, one release and the rows behind it, and refused inputs.

mod guarding;
mod local;
mod requirements;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value as Json, json};

const ONE_SET: &str = "guarded = [[\"HIV\"]]";

struct Folder(tempfile::TempDir);

/// This many rows of a label and a value.
type Rows<'r> = &'r [(&'r str, &'r str, usize)];

impl Folder {
    /// A feed with one quasi column, q1 to q3 below `*`, and one sensitive column.
    fn new(policy: &str, guarded: &str) -> Folder {
        Folder::with("{ flat = [\"q1\", \"q2\", \"q3\"] }", policy, guarded)
    }

    /// The same, with `Q` above q1 and q2.
    fn nested(policy: &str, guarded: &str) -> Folder {
        let folder = Folder::with("{ file = \"q.csv\" }", policy, guarded);
        fs::write(folder.path("q.csv"), "q1;Q;*\nq2;Q;*\nq3;P;*\n").expect("a file");
        folder
    }

    fn with(taxonomy: &str, policy: &str, guarded: &str) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        let feed = format!(
            "[feed]\nname = \"t\"\n[policy]\nk = 2\non_repeat = \"none\"\n{policy}\n\
             [[column]]\nname = \"q\"\nrole = \"quasi\"\ntaxonomy = {taxonomy}\n\
             [[column]]\nname = \"disease\"\nrole = \"sensitive\"\n{guarded}\n"
        );
        fs::write(folder.0.path().join("feed.toml"), feed).expect("a file");
        folder
    }

    fn path(&self, file: &str) -> String {
        self.0.path().join(file).display().to_string()
    }

    fn put(&self, file: &str, rows: Rows<'_>) -> String {
        let row = |&(label, value, times): &(&str, &str, usize)| {
            format!("{label},{value}\n").repeat(times)
        };
        let text = "q,disease\n".to_owned() + &rows.iter().map(row).collect::<String>();
        fs::write(self.path(file), text).expect("a file");
        self.path(file)
    }

    fn run(&self, command: &str, args: &[&str]) -> Output {
        let feed = self.path("feed.toml");
        let args = [command, "--feed", &feed]
            .into_iter()
            .chain(args.iter().copied());
        Command::new(env!("CARGO_BIN_EXE_tidegate"))
            .args(args)
            .output()
            .expect("the program starts")
    }

    /// The audit of a release and the rows behind it; checks exit code and schema.
    fn audit(&self, release: Rows<'_>, rows: Rows<'_>) -> Json {
        self.audit_with(&[], release, rows)
    }

    /// The same under another requirement.
    fn audit_by(&self, requirement: &str, release: Rows<'_>, rows: Rows<'_>) -> Json {
        let found = self.audit_with(&["--requirement", requirement], release, rows);
        assert_eq!(found["minimality"]["requirement"], json!(requirement));
        assert!(found["minimality"].get("m").is_none());
        found
    }

    fn audit_with(&self, more: &[&str], release: Rows<'_>, rows: Rows<'_>) -> Json {
        let (release, rows) = (self.put("r.csv", release), self.put("d.csv", rows));
        let args = [
            "--json",
            "--release",
            &release,
            "--increment",
            &rows,
            "--minimality",
        ];
        let output = self.run("audit", &[&args, more].concat());
        let found: Json = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(
            output.status.code(),
            Some(i32::from(found["safe"] != json!(true))),
            "{found}"
        );
        let schema = fs::read_to_string("schemas/v1/audit.schema.json").expect("a shipped schema");
        let schema: Json = serde_json::from_str(&schema).expect("JSON");
        assert!(jsonschema::is_valid(&schema, &found), "{found}");
        found
    }

    /// An error with these words at this field, and no value of a record.
    fn refused(&self, command: &str, args: &[&str], field: Option<&str>, words: &str) {
        let output = self.run(command, &[args, &["--json"]].concat());
        check_refusal(&output, field, words);
    }
}

#[track_caller]
fn check_refusal(output: &Output, field: Option<&str>, words: &str) {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let error: Json = serde_json::from_str(&said).expect("JSON");
    assert_eq!(error["error"]["field"].as_str(), field, "{said}");
    assert!(
        error["error"]["text"]
            .as_str()
            .expect("a text")
            .contains(words),
        "{said}"
    );
    assert!(!said.contains("HIV") && !said.contains("Flu"), "{said}");
}

fn checks(found: &Json) -> Vec<&str> {
    let reasons = found["reasons"].as_array().expect("reasons");
    reasons
        .iter()
        .map(|reason| reason["check"].as_str().expect("a check"))
        .collect()
}

const TABLE_4: Rows<'_> = &[
    ("q1", "HIV", 2),
    ("q2", "HIV", 1),
    ("q2", "Flu", 1),
    ("q3", "HIV", 2),
    ("q3", "Flu", 8),
];
const TABLE_5: Rows<'_> = &[("*", "HIV", 5), ("*", "Flu", 9)];

#[test]
fn tables_4_and_5() {
    let folder = Folder::new("m = 2", ONE_SET);
    let found = folder.audit(TABLE_5, TABLE_4);
    let tie = |class: &str, credibility: &str| json!({"class": [class], "set": 0, "credibility": credibility});
    let classes = [tie("q1", "53/86"), tie("q2", "53/86"), tie("q3", "109/430")];
    assert_eq!(
        found["minimality"],
        json!({"m": 2, "classes": classes, "max": "53/86"})
    );
    assert_eq!(
        (&found["safe"], &found["decided"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(checks(&found), ["minimality"]);
    let reason = &found["reasons"][0];
    assert_eq!(
        (&reason["release"], &reason["limit"]),
        (&json!(0), &json!(0.5))
    );
    assert!((reason["value"].as_f64().expect("a number") - 53.0 / 86.0).abs() < 1e-12);
    let reported = reason["text"].as_str().expect("a text");
    assert!(
        reported.contains("(q = q1)") && reported.contains("0.6163") && !reported.contains("HIV"),
        "{reported}"
    );
}

#[test]
fn for_a_person_to_read() {
    let folder = Folder::new("m = 2", ONE_SET);
    let (release, rows) = (folder.put("r.csv", TABLE_5), folder.put("d.csv", TABLE_4));
    let output = folder.run(
        "audit",
        &["--release", &release, "--increment", &rows, "--minimality"],
    );
    // Paragraphs are wrapped depending on the length of the folder's name.
    let said = String::from_utf8_lossy(&output.stdout)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    for words in [
        "the requirement was 2-diversity",
        "1 0.6163 4 UNSAFE",
        "from (q = q1) in class",
        "by k alone",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("HIV"), "{said}");
    let output = folder.run("audit", &["--release", &release, "--increment", &rows]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Not checked without --minimality"));
}

#[test]
fn table_1() {
    let folder = Folder::new("m = 2", ONE_SET);
    let found = folder.audit(
        &[("*", "HIV", 2), ("*", "Flu", 5)],
        &[("q1", "HIV", 2), ("q2", "Flu", 5)],
    );
    assert_eq!(found["minimality"]["max"], json!("1"));
    assert_eq!(found["minimality"]["classes"][1]["credibility"], json!("0"));
    // (a) is published unchanged: readers see the shares, and nothing more.
    let good = [
        ("q1", "HIV", 1),
        ("q1", "Flu", 1),
        ("q2", "HIV", 1),
        ("q2", "Flu", 4),
    ];
    let found = folder.audit(&good, &good);
    assert_eq!(
        found["minimality"]["classes"][1]["credibility"],
        json!("1/5")
    );
    assert_eq!(
        (&found["minimality"]["max"], &found["safe"]),
        (&json!("1/2"), &json!(true))
    );
}

#[test]
fn every_set_and_every_class_on_its_own() {
    let folder = Folder::new("m = 2", "guarded = [[\"HIV\", \"Flu\"], [\"Gout\"]]");
    let raw = [
        ("q1", "HIV", 1),
        ("q1", "Flu", 1),
        ("q2", "Cold", 9),
        ("q2", "Gout", 1),
        ("q3", "Cold", 4),
    ];
    let release = [
        ("*", "HIV", 1),
        ("*", "Flu", 1),
        ("*", "Cold", 13),
        ("*", "Gout", 1),
    ];
    let found = folder.audit(&release, &raw);
    let reported: Vec<(&Json, &Json)> = found["minimality"]["classes"]
        .as_array()
        .expect("classes")
        .iter()
        .map(|tie| (&tie["set"], &tie["credibility"]))
        .collect();
    // One row with gout violates nothing anywhere: the release was not generalised for it.
    let [first, second] = [json!(0), json!(1)];
    let (one, none) = (json!("1"), json!("0"));
    let expected = [
        (&first, &one),
        (&second, &Json::Null),
        (&first, &none),
        (&second, &Json::Null),
    ];
    assert_eq!(reported[..4], expected);
    assert_eq!(found["minimality"]["max"], json!("1"));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = Folder::new("m = 2", ONE_SET);
    let (release, rows) = (folder.put("r.csv", TABLE_5), folder.put("d.csv", TABLE_4));
    let field = Some("--minimality");
    folder.refused(
        "audit",
        &["--release", &release, "--minimality"],
        field,
        "all its raw rows",
    );
    folder.refused(
        "audit",
        &["--minimality"],
        field,
        "one release of another program",
    );
    let twice = [
        "--release",
        &release,
        "--release",
        &release,
        "--increment",
        &rows,
        "--increment",
        &rows,
    ];
    folder.refused(
        "audit",
        &[&twice[..], &["--minimality"]].concat(),
        field,
        "one release",
    );
    let short = folder.put("short.csv", &TABLE_4[1..]);
    let args = ["--release", &release, "--increment", &short, "--minimality"];
    folder.refused(
        "audit",
        &args,
        None,
        "14 rows in the release, and 12 according to the increments",
    );
    let other = folder.put("other.csv", &[("q1", "HIV", 6), ("q3", "Flu", 8)]);
    let args = ["--release", &release, "--increment", &other, "--minimality"];
    folder.refused("audit", &args, None, "different sensitive values");
    let plain = Folder::new("", ONE_SET);
    let (release, rows) = (plain.put("r.csv", TABLE_5), plain.put("d.csv", TABLE_4));
    let args = ["--release", &release, "--increment", &rows, "--minimality"];
    plain.refused("audit", &args, Some("policy.m"), "write `m = 2`");
}

/// If values are not masked an audit is the only command that accepts a policy with `m`.
#[test]
fn no_release_is_made_under_m_without_masking() {
    let folder = Folder::new("m = 2\nguarantee = \"bcf\"", ONE_SET);
    let (rows, out) = (folder.put("d.csv", TABLE_4), folder.path("out"));
    let words = "not built in this version";
    folder.refused(
        "anonymize",
        &["--in", &rows, "--out", &out],
        Some("policy.m"),
        words,
    );
    assert!(!Path::new(&out).exists());
    for command in ["run", "check", "new-chain", "show"] {
        let feed = folder.path("feed.toml");
        let output = Command::new(env!("CARGO_BIN_EXE_tidegate"))
            .args([command, &feed, "--json"])
            .output();
        check_refusal(
            &output.expect("the program starts"),
            Some("policy.m"),
            words,
        );
    }
    folder.audit(TABLE_5, TABLE_4);
}
