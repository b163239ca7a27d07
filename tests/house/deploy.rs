//! The files in `deploy/` fit the program: every sample is a feed that `check` accepts and that
//! publishes its own messages; image, compose file, chart and unit start the existing program, once
//! per feed, without rights and without a secret of their own. External tools check them if they
//! are installed.

mod chart;
mod compose;
mod image;
mod package;
mod samples;
mod unit;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::common::needs;

/// A file of the package.
fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(place(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn tidegate(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tidegate"))
        .args(args)
        .current_dir(place(""))
        .output()
        .expect("the program starts")
}

/// The output of a program that succeeded.
#[track_caller]
fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// Checks that the program knows these arguments.
#[track_caller]
fn understood(args: &[&str]) {
    said(&tidegate(&[args, &["--help"]].concat()));
}

/// The documents of a YAML text; None if there is no parser.
fn yaml(text: &str) -> Option<Vec<Value>> {
    let python = needs::tool("TIDEGATE_PYTHON")?;
    let script =
        "import json, sys, yaml; json.dump(list(yaml.safe_load_all(sys.stdin)), sys.stdout)";
    let mut reader = Command::new(python);
    reader
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut reader = reader.spawn().expect("Python starts");
    reader
        .stdin
        .take()
        .expect("piped")
        .write_all(text.as_bytes())
        .expect("it reads");
    let documents = said(&reader.wait_with_output().expect("it ends"));
    Some(serde_json::from_str(&documents).expect("JSON"))
}

/// A tool, if it is installed and supports these arguments.
fn tool(name: &str, args: &[&str]) -> Option<Command> {
    let works = Command::new(name)
        .args(args)
        .output()
        .is_ok_and(|output| output.status.success());
    needs::program(name, works).then(|| Command::new(name))
}

/// Checks that the name of an image contains its version.
#[track_caller]
fn pinned(image: &str) {
    let (_, version) = image
        .rsplit_once(':')
        .unwrap_or_else(|| panic!("{image} has no version"));
    assert!(
        version.contains('.') && version.starts_with(|c: char| c.is_ascii_digit()),
        "{image} is not pinned"
    );
}

/// Words of a list.
fn words(list: &Value) -> Vec<&str> {
    list.as_array()
        .into_iter()
        .flatten()
        .map(|word| word.as_str().expect("a word"))
        .collect()
}

/// The seconds that the daemon may take to end.
fn grace() -> u64 {
    let source = text("src/daemon/run/service/mod.rs");
    let (_, rest) = source
        .split_once("const GRACE: Duration = Duration::from_secs(")
        .expect("the daemon's grace");
    rest.split(')')
        .next()
        .expect("a number")
        .parse()
        .expect("a number")
}

/// Checks that the daemon has a page.
#[track_caller]
fn page(path: &str) {
    assert!(
        text("src/daemon/run/observe/http/pages.rs").contains(&format!(": &str = \"{path}\";")),
        "there is no {path}"
    );
}

/// Checks that there is no key material, and nothing that looks like it.
#[track_caller]
fn no_secret(name: &str, text: &str) {
    let word = |word: &&str| word.len() >= 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let long: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(word)
        .collect();
    assert!(
        long.is_empty() && !text.contains("PRIVATE KEY-"),
        "{name} holds what looks like a key"
    );
}

/// Alert rules and dashboards are valid for their readers; that their metrics exist is checked
/// beside the metrics.
#[test]
fn alert_rules_and_dashboards_can_be_read() {
    let rules = "deploy/prometheus/alerts.yaml";
    if let Some(documents) = yaml(&text(rules)) {
        let all = documents[0]["groups"][0]["rules"]
            .as_array()
            .expect("rules");
        assert!(
            all.iter()
                .all(|rule| rule["expr"].is_string() && rule["annotations"]["summary"].is_string()),
            "{all:?}"
        );
        // The next release may depend on damaged data: that is reported at once.
        let damaged = all
            .iter()
            .find(|rule| rule["alert"] == "TidegateDamaged")
            .expect("a rule for damage");
        assert_eq!(
            (&damaged["expr"], &damaged["labels"]["severity"]),
            (&"tidegate_damaged > 0".into(), &"critical".into())
        );
    }
    if let Some(mut promtool) = tool("promtool", &["--version"]) {
        said(
            &promtool
                .args(["check", "rules"])
                .arg(place(rules))
                .output()
                .expect("it starts"),
        );
        // The alerts fire when they should: promtool reads the rules from the folder of their
        // tests.
        let folder = tempfile::tempdir().expect("a folder");
        let tests = folder.path().join("test.yaml");
        std::fs::copy(place(rules), folder.path().join("alerts.yaml")).expect("a copy");
        std::fs::copy(place("tests/house/deploy/alerts_test.yaml"), &tests).expect("a copy");
        let mut promtool = tool("promtool", &["--version"]).expect("it was there");
        said(
            &promtool
                .args(["test", "rules"])
                .arg(tests)
                .output()
                .expect("it starts"),
        );
    }
    let when = "deploy/prometheus/alerts.test.yaml";
    if let Some(mut promtool) = tool("promtool", &["--version"]) {
        said(
            &promtool
                .args(["test", "rules"])
                .arg(place(when))
                .output()
                .expect("it starts"),
        );
    }
    let scrape = "deploy/prometheus/scrape.yaml";
    no_secret(scrape, &text(scrape));
    if let Some(documents) = yaml(&text(scrape)) {
        let job = &documents[0]["scrape_configs"][0];
        page(job["metrics_path"].as_str().expect("a page"));
        let shown = &job["authorization"];
        assert!(
            shown["type"] == "Bearer" && shown["credentials_file"].is_string(),
            "{job}"
        );
    }
    if let Some(mut promtool) = tool("promtool", &["--version"]) {
        said(
            &promtool
                .args(["check", "config", "--syntax-only"])
                .arg(place(scrape))
                .output()
                .expect("it starts"),
        );
    }
    let dashboard: Value =
        serde_json::from_str(&text("deploy/grafana/dashboard.json")).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    assert!(
        panels.len() > 8
            && panels
                .iter()
                .all(|panel| panel["targets"][0]["expr"].is_string())
    );
}
