//! Tests `tidegate audit` from outside (CONTRACTS 3): known answers, JSON, exit codes, and errors
//! about bad input that name file, row and column without a value of a record.

mod certainty;
mod crowds;
mod equal_values;
mod risk;
mod sums;
mod who_reads;

use crate::common;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{golden, paths, rows};
use serde_json::{Value as Json, json};
use tidegate::daemon::config::FeedConfig;
use tidegate::engine::audit::{AuditFigures, AuditSubject, judge};
use tidegate::engine::gate::chain::ExactBudget;

fn tidegate(args: &[String]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tidegate"))
        .args(args)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

fn sample(folder: &str, files: &[(&str, &str)]) -> Vec<String> {
    let root = Path::new("deploy/samples").join(folder);
    let path = |file: &str| root.join(file).display().to_string();
    let mut args = vec![
        "audit".to_owned(),
        "--feed".to_owned(),
        path("feed.toml"),
        "--json".to_owned(),
    ];
    for (option, file) in files {
        args.extend([format!("--{option}"), path(file)]);
    }
    args
}

/// Runs an audit that must not fail; checks exit code against verdict and the result against its
/// schema.
fn audit(args: &[String]) -> Json {
    let output = tidegate(args);
    let found: Json = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    let safe = found["safe"].as_bool().unwrap_or_else(|| panic!("{found}"));
    assert_eq!(output.status.code(), Some(i32::from(!safe)));
    assert_eq!(text(&output.stderr), "");
    let schema = fs::read_to_string("schemas/v1/audit.schema.json").expect("a shipped schema");
    let schema: Json = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator
        .iter_errors(&found)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    found
}

#[test]
fn example_1_1_leaves_four_of_five() {
    let found = audit(&sample(
        "two-releases",
        &[("release", "r1.csv"), ("release", "r2.csv")],
    ));
    assert_eq!(found["safe"], json!(false));
    assert_eq!(found["decided"], json!(true));
    assert_eq!(
        found["pairs"],
        json!([{"earlier": 0, "later": 1, "fa": 4, "ca": 4, "ba": 4, "realised": null}])
    );
    assert_eq!(found["chain"]["anonymity"], json!(4));
    assert_eq!(found["chain"]["exact"], json!(true));
    assert_eq!(
        found["releases"][0]["recoding"],
        json!({"birthplace": ["Europe"], "job": ["Lawyer"]})
    );
    assert_eq!(
        found["releases"][1]["recoding"],
        json!({"birthplace": ["UK", "France"], "job": ["Professional"]})
    );
    assert_eq!(found["reasons"][0]["check"], json!("chain"));
    let reported = found["reasons"][0]["text"].as_str().expect("a text");
    assert!(
        reported.contains("(birthplace = France)")
            && !reported.contains("Flu")
            && !reported.contains("HIV"),
        "{reported}"
    );
}

#[test]
fn a_coarser_second_release_is_safe() {
    let files = [
        ("release", "r1.csv"),
        ("release", "r2-coarser.csv"),
        ("increment", "d1.csv"),
        ("increment", "d2.csv"),
    ];
    let found = audit(&sample("two-releases", &files));
    assert_eq!(found["safe"], json!(true));
    assert_eq!(
        found["pairs"][0]["realised"],
        json!({"fa": 5, "ca": 5, "ba": 5})
    );
    let realised = json!({"anonymity": 5, "lower": 5, "per_increment": [5, 5]});
    assert_eq!(found["chain"]["realised"], realised);
}

/// Writes a golden chain as files and returns the arguments of its audit.
fn as_files(case: &Json, folder: &Path, k: u64, raw: bool) -> Vec<String> {
    let mut feed = format!("[feed]\nname = \"golden\"\n[policy]\nk = {k}\n");
    let trees = case["taxonomies"].as_array().expect("trees");
    for (at, tree) in trees.iter().enumerate() {
        let mut lines = Vec::new();
        paths(tree, &mut Vec::new(), &mut lines);
        fs::write(folder.join(format!("q{at}.csv")), lines.join("\n")).expect("a file");
        feed += &format!(
            "[[column]]\nname = \"q{at}\"\nrole = \"quasi\"\ntaxonomy = {{ file = \"q{at}.csv\" }}\n"
        );
    }
    feed += "[[column]]\nname = \"s\"\nrole = \"sensitive\"\n";
    let path = |file: String| folder.join(file).display().to_string();
    fs::write(folder.join("feed.toml"), feed).expect("a file");
    let mut args = vec![
        "audit".to_owned(),
        "--json".to_owned(),
        "--feed".to_owned(),
        path("feed.toml".to_owned()),
    ];
    let mut table = |option: &str, at: usize, json: &Json| {
        let header = (0..trees.len())
            .map(|at| format!("q{at}"))
            .chain(["s".to_owned()])
            .collect::<Vec<_>>()
            .join(";");
        let body = rows(json)
            .into_iter()
            .map(|(labels, s)| labels.join(";") + ";" + &s);
        let lines: Vec<String> = [header].into_iter().chain(body).collect();
        fs::write(
            folder.join(format!("{option}{at}.csv")),
            lines.join("\n") + "\n",
        )
        .expect("a file");
        args.extend([format!("--{option}"), path(format!("{option}{at}.csv"))]);
    };
    for (at, release) in case["R"].as_array().expect("releases").iter().enumerate() {
        table("release", at, release);
    }
    for (at, increment) in case["D"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
        .filter(|_| raw)
    {
        table("increment", at, increment);
    }
    args
}

fn counterexample(name: &str) -> Json {
    let cases = golden("chain_counterexamples.json");
    let found = cases
        .as_array()
        .expect("cases")
        .iter()
        .find(|case| case["name"].as_str().expect("a name").starts_with(name));
    found.expect("the case").clone()
}

#[test]
fn ce_a2_is_unsafe_though_the_paper_says_3() {
    let folder = tempfile::tempdir().expect("a folder");
    for raw in [false, true] {
        let found = audit(&as_files(&counterexample("CE-A2"), folder.path(), 2, raw));
        assert_eq!(
            (&found["safe"], &found["decided"]),
            (&json!(false), &json!(true))
        );
        assert_eq!(found["chain"]["paper"], json!(3));
        assert_eq!(found["chain"]["anonymity"], json!(1));
        assert_eq!(found["chain"]["exact"], json!(true));
    }
}

#[test]
fn ce_b2_is_unsafe_though_every_pair_says_2() {
    let folder = tempfile::tempdir().expect("a folder");
    for raw in [false, true] {
        let found = audit(&as_files(&counterexample("CE-B2"), folder.path(), 2, raw));
        assert_eq!(
            (&found["safe"], &found["decided"]),
            (&json!(false), &json!(true))
        );
        assert_eq!(
            (&found["chain"]["paper"], &found["chain"]["anonymity"]),
            (&json!(2), &json!(1))
        );
        assert_eq!(found["chain"]["exact"], json!(true));
        let reported = found["reasons"][0]["text"].as_str().expect("a text");
        assert!(
            reported.contains("has only 1 candidate row left"),
            "{reported}"
        );
    }
}

#[test]
fn ce_b2_is_not_called_safe_when_the_budget_is_spent() {
    let case = counterexample("CE-B2");
    let columns = common::columns(
        case["taxonomies"]
            .as_array()
            .expect("trees")
            .iter()
            .map(common::taxonomy)
            .collect(),
    );
    let list = |key: &str| {
        case[key]
            .as_array()
            .expect(key)
            .iter()
            .map(rows)
            .collect::<Vec<_>>()
    };
    let text = "[feed]\nname = \"t\"\n[policy]\nk = 2\n[[column]]\nname = \"q\"\nrole = \"quasi\"\n\
                taxonomy = { flat = [\"x\"] }\n[[column]]\nname = \"s\"\nrole = \"sensitive\"\n";
    let policy = FeedConfig::parse(text, Path::new("t.toml"))
        .expect("a feed file")
        .policy;
    for raw in [false, true] {
        let tables = common::tables(&columns, &list("R"), &list("D"));
        let common::Tables {
            releases,
            number,
            histogram,
            values,
        } = tables;
        let subject = AuditSubject {
            releases,
            number,
            histogram: raw.then_some(histogram),
            behind: None,
            values,
            people_known: raw,
            growth: None,
        };
        let names: Vec<String> = (1..=3).map(|at| format!("r{at}")).collect();
        let verdict = |budget: u64| {
            let figures =
                AuditFigures::within(&subject, &columns, &policy, ExactBudget::new(budget))
                    .expect("supersets");
            let chain = figures.chain.as_ref().expect("a chain");
            let left = chain
                .all
                .iter()
                .map(|target| target.left)
                .min()
                .expect("increments");
            (
                judge(&figures, &policy, &subject.releases, &columns, &names),
                chain.exact(),
                left,
            )
        };
        for budget in [0, 1, 40] {
            let (verdict, exact, left) = verdict(budget);
            // With the raw rows the equations alone, without a search, show how few candidates are
            // left.
            assert_eq!(
                (verdict.safe, verdict.decided, exact, left),
                (false, raw, false, 2),
                "budget {budget}"
            );
            let words = if raw {
                "everybody's quasi columns"
            } else {
                "not known"
            };
            assert!(
                verdict.reasons[0].text.contains(words),
                "{}",
                verdict.reasons[0].text
            );
        }
        // However much work is permitted, it never makes the chain safe, and once it is enough it
        // stays enough.
        let mut solved = false;
        for budget in (0..3000).step_by(10) {
            let (verdict, exact, left) = verdict(budget);
            assert!(!verdict.safe && (exact || !solved), "budget {budget}");
            assert!(!exact || left == 1 && verdict.decided, "budget {budget}");
            solved = exact;
        }
        assert!(solved);
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let args = as_files(&golden("chain_medium.json")[0], folder.path(), 2, true);
    let run = |threads: &str| {
        let program = env!("CARGO_BIN_EXE_tidegate");
        Command::new(program)
            .args(&args)
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .expect("the program starts")
            .stdout
    };
    let one = run("1");
    assert!(!one.is_empty());
    assert!(["2", "3", "8"].iter().all(|threads| run(threads) == one));
}

/// A folder with a small feed and two sound releases.
struct Folder {
    dir: tempfile::TempDir,
    policy: &'static str,
}

const HEADER: &str = "age,sex,disease\n";
const R1: &str = "age,sex,disease\n0-9,*,Cold\n0-9,*,Flu\n10-19,*,Cold\n10-19,*,Flu\n";
const R2: &str = "age,sex,disease\n*,F,Cold\n*,F,Cold\n*,F,Flu\n*,M,Cold\n*,M,Flu\n*,M,Flu\n";

impl Folder {
    fn new(policy: &'static str) -> Folder {
        let folder = Folder {
            dir: tempfile::tempdir().expect("a folder"),
            policy,
        };
        let feed = format!(
            "[feed]\nname = \"t\"\n{policy}\n[[column]]\nname = \"patient\"\nrole = \"identifier\"\n\
             [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = {{ bands = [10], min = 0, max = 19 }}\n\
             [[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = {{ flat = [\"F\", \"M\"] }}\n\
             [[column]]\nname = \"disease\"\nrole = \"sensitive\"\n"
        );
        folder.put("feed.toml", feed.as_bytes());
        folder.put("r1.csv", R1.as_bytes());
        folder.put("r2.csv", R2.as_bytes());
        folder
    }

    fn put(&self, file: &str, content: &[u8]) -> PathBuf {
        let path = self.dir.path().join(file);
        fs::write(&path, content).expect("a file");
        path
    }

    fn args(&self, files: &[(&str, &str)]) -> Vec<String> {
        let path = |file: &str| self.dir.path().join(file).display().to_string();
        let mut args = vec![
            "audit".to_owned(),
            "--json".to_owned(),
            "--feed".to_owned(),
            path("feed.toml"),
        ];
        files
            .iter()
            .for_each(|(option, file)| args.extend([format!("--{option}"), path(file)]));
        args
    }

    /// Runs an audit that must be refused: exit 2, an error object with these words, and no cell of
    /// a record anywhere.
    fn refused(
        &self,
        files: &[(&str, &str)],
        file: Option<&str>,
        line: Option<u64>,
        field: Option<&str>,
        words: &str,
    ) {
        let args = self.args(files);
        let output = tidegate(&args);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{files:?}: {said}");
        let found: Json = serde_json::from_slice(&output.stdout).expect("an error object");
        let error = &found["error"];
        assert!(
            error["text"].as_str().expect("a text").contains(words),
            "{files:?}: {said}"
        );
        assert_eq!(error["line"].as_u64(), line, "{said}");
        assert_eq!(error["field"].as_str(), field, "{said}");
        let name = error["file"]
            .as_str()
            .map(|path| Path::new(path).file_name().expect("a name").to_owned());
        assert_eq!(
            name.as_deref().and_then(|name| name.to_str()),
            file,
            "{said}"
        );
        let in_words: Vec<String> = args.into_iter().filter(|arg| arg != "--json").collect();
        let output = tidegate(&in_words);
        assert_eq!(
            (output.status.code(), text(&output.stdout).as_str()),
            (Some(2), "")
        );
        for planted in ["Cold", "Flu", "SECRET", "P-4711"] {
            assert!(
                !(said.clone() + &text(&output.stderr)).contains(planted),
                "{planted} is told: {said}"
            );
        }
    }
}

#[test]
fn errors_of_tables_name_file_row_and_column() {
    let folder = Folder::new("[policy]\nk = 2");
    let one = |content: &[u8], line, field, words: &str| {
        folder.put("bad.csv", content);
        folder.refused(
            &[("release", "bad.csv")],
            Some("bad.csv"),
            line,
            field,
            words,
        );
    };
    let with = |rows: &str| (HEADER.to_owned() + rows).into_bytes();
    one(b"", None, None, "empty");
    one(HEADER.as_bytes(), None, None, "no rows");
    one(
        &with("0-9,*,Cold\nSECRET,*,Cold\n"),
        Some(3),
        Some("age"),
        "row 2: the label is not in the taxonomy",
    );
    one(
        &with("0-9,*,Cold\nSECRET,*,Cold\n"),
        Some(3),
        Some("age"),
        "raw rows, `tidegate anonymize` makes a release",
    );
    one(
        &with("0-9,,Cold\n"),
        Some(2),
        Some("sex"),
        "row 1: the value is missing",
    );
    one(
        &with("0-9,*\n"),
        Some(2),
        None,
        "row 1: 2 field(s), but the header has 3",
    );
    one(
        &with("0-9,*,Cold\n0-9,*,\"Cold\n0-9,*,Flu\n"),
        Some(3),
        None,
        "never closed",
    );
    one(
        &with("0-9,*,Cold\n0-9,*,\"Flu\"SECRET\n10-19,*,Cold\n"),
        Some(3),
        None,
        "text follows the closing quote",
    );
    one(
        &with("0-9,*,\"Cold\n0-9,*,SECRET\n10-19,*,Cold\"\n"),
        Some(2),
        None,
        "may have swallowed",
    );
    one(b"age,disease\n0-9,Cold\n", None, Some("sex"), "missing");
    one(
        b"age,sex,disease,SEX2\n0-9,*,Cold,x\n",
        None,
        Some("SEX2"),
        "declares no such column",
    );
    one(
        b"age,sex,disease,patient\n0-9,*,Cold,P-4711\n",
        None,
        Some("patient"),
        "identifier",
    );
    one(
        b"age,sex,disease,age\n0-9,*,Cold,0-9\n",
        Some(1),
        Some("age"),
        "twice",
    );
    one(
        &[HEADER.as_bytes(), b"0-9,*,Co\xff\n"].concat(),
        Some(2),
        Some("disease"),
        "UTF-8",
    );
    one(b"PAR1 and not really", None, None, "Parquet");
    one(b"\x1f\x8b\x08\x00\x00\x00", None, None, "compressed");
    one(b"\xff\xfea\x00g\x00e\x00", None, None, "UTF-16");
    one(b"age\0sex", None, None, "neither text nor Parquet");
    folder.put("bad.parquet", R1.as_bytes());
    folder.refused(
        &[("release", "bad.parquet")],
        Some("bad.parquet"),
        None,
        None,
        "the name says Parquet",
    );
    folder.put("cut.parquet", b"PAR1aaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    folder.refused(
        &[("release", "cut.parquet")],
        Some("cut.parquet"),
        None,
        None,
        "not readable Parquet",
    );
    folder.refused(
        &[("release", "nowhere.csv")],
        Some("nowhere.csv"),
        None,
        None,
        "cannot open",
    );
    let disjoint = Folder::new("chain = \"disjoint\"\n[policy]\nsearch = \"top-down\"\nk = 2");
    disjoint.put("bad.csv", &with("0-9,*,Cold\n3,*,Cold\n"));
    disjoint.refused(
        &[("release", "bad.csv")],
        Some("bad.csv"),
        Some(3),
        Some("age"),
        "contain each other",
    );
}

#[test]
fn releases_that_do_not_belong_together_are_reported() {
    let folder = Folder::new("[policy]\nk = 2");
    folder.refused(
        &[("release", "r2.csv"), ("release", "r1.csv")],
        Some("r1.csv"),
        None,
        None,
        "it lacks rows of",
    );
    let both = [("release", "r1.csv"), ("release", "r2.csv")];
    folder.refused(
        &[&both[..], &[("increment", "r1.csv")]].concat(),
        None,
        None,
        Some("--increment"),
        "1 increment(s) for 2",
    );

    folder.put(
        "d1.csv",
        b"patient,age,sex,disease\nP-4711,3,F,Cold\na,4,M,Flu\nb,12,F,Cold\nc,13,M,Flu\n",
    );
    folder.put(
        "d2.csv",
        b"patient,age,sex,disease\nd,3,F,Flu\ne,4,M,Cold\n",
    );
    let fits = audit(
        &folder.args(
            &[
                &both[..],
                &[("increment", "d1.csv"), ("increment", "d2.csv")],
            ]
            .concat(),
        ),
    );
    assert_eq!(
        fits["chain"]["realised"]["per_increment"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    let wrong = [
        &both[..],
        &[("increment", "d1.csv"), ("increment", "d1.csv")],
    ]
    .concat();
    folder.refused(
        &wrong,
        Some("d1.csv"),
        None,
        None,
        "4 rows are of a person who already has a row",
    );
    folder.put("d2.csv", b"patient,age,sex,disease\nd,3,F,Flu\n");
    let fewer = [
        &both[..],
        &[("increment", "d1.csv"), ("increment", "d2.csv")],
    ]
    .concat();
    folder.refused(
        &fewer,
        Some("d2.csv"),
        None,
        None,
        "(sex = M) has 3 rows in the release, and 2 according to the increments",
    );
    folder.put(
        "d2.csv",
        b"patient,age,sex,disease\nd,3,F,Cold\ne,4,M,Flu\n",
    );
    folder.refused(
        &fewer,
        Some("d2.csv"),
        None,
        None,
        "has 3 rows in both, but different sensitive values",
    );
    folder.put(
        "d2.csv",
        b"patient,age,sex,disease\nd,3,F,Cold\ne,120,M,Flu\n",
    );
    let outside = [
        &both[..],
        &[("increment", "d1.csv"), ("increment", "d2.csv")],
    ]
    .concat();
    folder.refused(
        &outside,
        Some("d2.csv"),
        Some(3),
        Some("age"),
        "row 2: the taxonomy lacks the value",
    );
}

#[test]
fn an_empty_increment_is_reported_and_not_refused() {
    let folder = Folder::new("[policy]\nk = 2");
    folder.put(
        "d1.csv",
        b"age,sex,disease\n3,F,Cold\n4,M,Flu\n12,F,Cold\n13,M,Flu\n",
    );
    folder.put("d2.csv", HEADER.as_bytes());
    folder.put(
        "same.csv",
        b"age,sex,disease\n*,*,Cold\n*,*,Flu\n*,*,Cold\n*,*,Flu\n",
    );
    let releases = [("release", "r1.csv"), ("release", "same.csv")];
    for raw in [&[][..], &[("increment", "d1.csv"), ("increment", "d2.csv")]] {
        let found = audit(&folder.args(&[&releases[..], raw].concat()));
        assert_eq!(found["safe"], json!(true), "{found}");
        assert_eq!(found["pairs"][0]["ba"], json!(0));
        assert_eq!(found["chain"]["per_increment"], json!([2, 0]));
    }
}

#[test]
fn one_release_and_disjoint_feeds_have_no_pairs() {
    let folder = Folder::new("[policy]\nk = 2");
    let found = audit(&folder.args(&[("release", "r1.csv")]));
    assert_eq!(
        (&found["pairs"], &found["chain"]["anonymity"]),
        (&json!([]), &json!(2))
    );
    assert_eq!(
        found["releases"][0]["diversity"]["before"],
        found["releases"][0]["diversity"]["after"]
    );
    let disjoint = Folder::new("chain = \"disjoint\"\n[policy]\nk = 2");
    assert!(disjoint.policy.contains("disjoint"));
    let found = audit(&disjoint.args(&[("release", "r2.csv"), ("release", "r1.csv")]));
    assert_eq!(
        (&found["pairs"], &found["chain"], &found["safe"]),
        (&json!([]), &Json::Null, &json!(true))
    );
}

#[test]
fn diversity_is_checked_on_what_attacks_leave() {
    let folder = Folder::new(
        "[policy]\nk = 2\ndiversity = { distinct_l = 2, c = 3, l = 2, alpha = 0.6, t = 0.4 }",
    );
    let found = audit(&folder.args(&[("release", "r1.csv")]));
    let figures = &found["releases"][0]["diversity"]["after"];
    let close = |key: &str, value: f64| {
        assert!(
            (figures[key].as_f64().expect(key) - value).abs() < 1e-12,
            "{key}: {figures}"
        )
    };
    assert_eq!(figures["distinct_l"], json!(2));
    close("entropy_l", 2.0);
    close("recursive_c", 1.0);
    close("alpha", 0.5);
    close("t_equal", 0.0);
    assert_eq!(
        (&figures["confidence"], &figures["t_hierarchical"]),
        (&Json::Null, &Json::Null)
    );
    assert_eq!(found["safe"], json!(true));

    folder.put(
        "skewed.csv",
        b"age,sex,disease\n0-9,*,Cold\n0-9,*,Cold\n10-19,*,Cold\n10-19,*,Flu\n",
    );
    let found = audit(&folder.args(&[("release", "skewed.csv")]));
    let checks: Vec<&str> = found["reasons"]
        .as_array()
        .expect("reasons")
        .iter()
        .filter_map(|reason| reason["check"].as_str())
        .collect();
    assert_eq!(checks, ["distinct_l", "recursive_c", "alpha"]);
    assert_eq!(
        found["releases"][0]["diversity"]["after"]["recursive_c"],
        json!("inf")
    );
    assert_eq!(found["decided"], json!(true));
}

/// A reader of a release sees its cells unchanged; different cells must not become one value in the
/// audit.
#[test]
fn malformed_sensitive_cells_stay_apart() {
    let typed = Folder::new("[policy]\nk = 2");
    let feed = fs::read_to_string(typed.dir.path().join("feed.toml")).expect("a feed file");
    typed.put(
        "feed.toml",
        feed.replace(
            "role = \"sensitive\"",
            "role = \"sensitive\"\ntype = \"int\"",
        )
        .as_bytes(),
    );
    let plain = Folder::new("[policy]\nk = 2");
    let files = [("release", "r1.csv"), ("release", "r2.csv")];
    let [a, b] = [&typed, &plain].map(|folder| audit(&folder.args(&files)));
    assert_eq!((&a["pairs"], &a["chain"]), (&b["pairs"], &b["chain"]));
    assert_eq!(
        a["releases"][0]["diversity"]["before"]["distinct_l"],
        json!(2)
    );
}

/// A first row of values is not a header: nothing of it is shown.
#[test]
fn a_table_without_a_header_shows_no_value() {
    let folder = Folder::new("[policy]\nk = 2");
    folder.put(
        "none.csv",
        b"P-4711,3,SECRET,SECRET\nP-4712,3,SECRET,SECRET\n",
    );
    folder.refused(
        &[("release", "none.csv")],
        Some("none.csv"),
        None,
        Some("age"),
        "the column is missing",
    );
    let files = [("release", "r1.csv"), ("increment", "none.csv")];
    folder.refused(
        &files,
        Some("none.csv"),
        None,
        Some("age"),
        "the column is missing",
    );
}

/// A column whose physical type cannot hold the declared one is refused as a whole, not read as
/// nulls.
#[test]
fn a_parquet_column_of_another_type_is_refused() {
    use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
    use std::sync::Arc;
    let folder = Folder::new("[policy]\nk = 2");
    let write = |disease: ArrayRef| {
        let text = |text: [&str; 4]| Arc::new(StringArray::from(text.to_vec())) as ArrayRef;
        let columns = [
            ("age", text(["0-9", "0-9", "10-19", "10-19"])),
            ("sex", text(["*"; 4])),
            ("disease", disease),
        ];
        let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
        let file = fs::File::create(folder.dir.path().join("r.parquet")).expect("a file");
        let mut writer =
            parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
        writer.write(&batch).expect("rows");
        writer.close().expect("a file");
    };
    write(Arc::new(StringArray::from(vec![
        "Cold", "Flu", "Cold", "Flu",
    ])));
    let text = audit(&folder.args(&[("release", "r.parquet")]));
    assert_eq!(
        text["releases"][0]["diversity"],
        audit(&folder.args(&[("release", "r1.csv")]))["releases"][0]["diversity"]
    );
    write(Arc::new(Int64Array::from(vec![1, 2, 1, 2])));
    assert_eq!(
        audit(&folder.args(&[("release", "r.parquet")]))["releases"][0]["diversity"],
        text["releases"][0]["diversity"]
    );
    for wrong in [
        Arc::new(Float64Array::from(vec![1.0, 2.0, 1.0, 2.0])) as ArrayRef,
        Arc::new(BooleanArray::from(vec![true, false, true, false])),
    ] {
        write(wrong);
        folder.refused(
            &[("release", "r.parquet")],
            Some("r.parquet"),
            None,
            Some("disease"),
            "does not match",
        );
    }
}

/// Each value outside the taxonomy is a leaf of its own under the root, at the distance of the
/// height of the tree.
#[test]
fn hierarchical_distance_keeps_values_outside_the_taxonomy_apart() {
    let folder =
        Folder::new("[policy]\nk = 2\ndiversity = { t = 0.4, distance = \"hierarchical\" }");
    let feed = fs::read_to_string(folder.dir.path().join("feed.toml")).expect("a feed file");
    let with = |taxonomy: &str| {
        let sensitive = format!("role = \"sensitive\"\ntaxonomy = {taxonomy}");
        folder.put(
            "feed.toml",
            feed.replace("role = \"sensitive\"", &sensitive).as_bytes(),
        );
        folder.put(
            "apart.csv",
            b"age,sex,disease\n0-9,*,Cold\n0-9,*,Cold\n10-19,*,Flu\n10-19,*,Flu\n",
        );
        audit(&folder.args(&[("release", "apart.csv")]))["releases"][0]["diversity"]["after"]["t_hierarchical"].clone()
    };
    assert_eq!(with("{ flat = [\"A\", \"B\"] }"), json!(0.5));
    assert_eq!(with("{ flat = [\"Cold\", \"B\"] }"), json!(0.5));
    folder.put(
        "tree.csv",
        b"Cold;respiratory;*\nFlu;respiratory;*\nHIV;viral;*\n",
    );
    assert_eq!(with("{ file = \"tree.csv\" }"), json!(0.25));
}

#[test]
fn semicolons_quotes_and_marks_are_read() {
    let folder = Folder::new("[policy]\nk = 2");
    let plain = audit(&folder.args(&[("release", "r1.csv")]));
    let text =
        "\u{feff}\"age\";sex;disease\r\n\"0-9\";*;Cold\r\n0-9;*;Flu\r\n10-19;*;Cold\r\n10-19;*;Flu";
    folder.put("r1.csv", text.as_bytes());
    assert_eq!(audit(&folder.args(&[("release", "r1.csv")])), plain);
}

#[test]
fn a_missing_option_is_named() {
    let output = tidegate(&sample("two-releases", &[])[..3]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--release"));
}
