//! `check --connect`: everything that a feed file names is opened as the user who runs the feed
//! would, and nothing is created or read.

use rdkafka::mocking::MockCluster;
use serde_json::Value;
use tempfile::TempDir;

use crate::common::secret;

use super::{assert_fits, json, stderr, stdout, tidegate};

/// A feed file in a folder of its own.
fn feed(source: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "[feed]\nname = \"one\"\n[source]\n{source}\n\
         [store]\nprivate = \"state\"\npublic = \"out/releases\"\nkey = \"file:key\"\n[schedule]\nevery = \"1d\"\n\
         [policy]\nk = 3\n[[column]]\nname = \"id\"\nrole = \"identifier\"\n\
         [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = {{ bands = [5], min = 0, max = 99 }}\n"
    );
    std::fs::write(folder.path().join("feed.toml"), text).expect("a feed file");
    secret::write(&folder.path().join("key"), "5a".repeat(32));
    folder
}

/// The result for a key of the feed file: whether it can be used, and its text.
fn said(folder: &TempDir, code: i32) -> impl Fn(&str) -> (bool, String) + use<> {
    let file = folder.path().join("feed.toml");
    let file = file.to_str().expect("text");
    // Both at once, since each waits for brokers that do not answer.
    let asks = [
        &["check", "--connect", file][..],
        &["check", "--connect", "--json", file],
    ];
    let [plain, output] = std::thread::scope(|scope| {
        let asked = asks.map(|args| scope.spawn(move || tidegate(args)));
        asked.map(|output| output.join().expect("an answer"))
    });
    assert_eq!(
        (plain.status.code(), stderr(&plain).as_str()),
        (Some(code), ""),
        "{}",
        stdout(&plain)
    );
    assert!(
        stdout(&plain).contains("\nWhat is there\n"),
        "{}",
        stdout(&plain)
    );
    assert_eq!(
        (output.status.code(), stderr(&output).as_str()),
        (Some(code), "")
    );
    let report = json(&output);
    assert_fits("check", &report);
    let found: Vec<Value> = report["feeds"][0]["connect"]
        .as_array()
        .expect("what is there")
        .clone();
    assert_eq!(
        found.iter().all(|one| one["ok"] == true),
        code == 0,
        "{found:?}"
    );
    move |what: &str| {
        let one = found
            .iter()
            .find(|one| one["what"] == what)
            .unwrap_or_else(|| panic!("{what}: {found:?}"));
        let warnings = one["warnings"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|text| text.as_str().expect("text"));
        let texts: Vec<&str> = one["text"].as_str().into_iter().chain(warnings).collect();
        (one["ok"] == true, texts.join("; "))
    }
}

fn is(said: (bool, String), ok: bool, words: &str) {
    assert!(said.0 == ok && said.1.contains(words), "{words}: {said:?}");
}

#[test]
fn folders_are_looked_at_and_none_is_made() {
    let folder = feed("kind = \"directory\"\npath = \"in\"");
    let at = |name: &str| folder.path().join(name);
    let found = said(&folder, 2);
    is(
        found("source"),
        false,
        "cannot look into the folder of the source: there is no such file",
    );
    is(
        found("store.private"),
        true,
        "does not exist; the feed creates it",
    );
    is(found("store.key"), true, "can be read");
    std::fs::create_dir_all(at("in")).expect("a folder");
    std::fs::write(at("in/a.csv"), "id,age\n1,2\n").expect("a file");
    std::fs::write(at("in/_b.csv"), "left alone").expect("a file");
    let found = said(&folder, 0);
    is(found("source"), true, "can be read: 1 file");
    assert!(
        !at("state").exists() && !at("out").exists(),
        "nothing is made"
    );
    // A root that others may use, or that is a file; an invalid key.
    std::fs::create_dir(at("state")).expect("a folder");
    secret::mode(&at("state"), 0o755);
    std::fs::write(at("out"), "").expect("a file");
    secret::write(&at("key"), "hunter2");
    let found = said(&folder, 2);
    is(found("store.private"), false, "chmod 700");
    is(found("store.public"), false, "");
    is(found("store.key"), false, "this is not a key");
    assert!(!found("store.key").1.contains("hunter2"));
    // Folders in which no feed has begun, whatever else is in them.
    secret::mode(&at("state"), 0o700);
    std::fs::remove_file(at("out")).expect("a file");
    std::fs::create_dir_all(at("out/releases")).expect("a folder");
    std::fs::write(at("out/releases/notes.txt"), "of readers").expect("a file");
    secret::write(&at("key"), "5a".repeat(32));
    let found = said(&folder, 0);
    is(found("store.private"), true, "no feed has begun in it");
    is(found("store.public"), true, "no feed has begun in it");
    // A feed that has begun.
    // A key that other accounts can read.
    secret::mode(&at("key"), 0o644);
    is(said(&folder, 2)("store.key"), false, "chmod 600");
    secret::mode(&at("key"), 0o600);
    for row in 0..10 {
        std::fs::write(at(&format!("in/{row}.csv")), format!("id,age\n{row},2\n")).expect("a file");
    }
    let run = tidegate(&["run", "--once", at("feed.toml").to_str().expect("text")]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let found = said(&folder, 0);
    is(found("store.private"), true, "a feed has begun in it");
    is(found("store.public"), true, "it contains releases");
}

#[test]
fn receivers_over_the_web_are_looked_at() {
    let folder = feed("kind = \"directory\"\npath = \"in\"");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("in")).expect("a folder");
    let text = std::fs::read_to_string(at("feed.toml")).expect("a feed file");
    let notify =
        "[notify]\nwebhook = \"http://localhost:9/Sq7secret\"\nwebhook_key = \"file:hook.key\"\n";
    std::fs::write(at("feed.toml"), text + notify).expect("a feed file");
    secret::write(&at("hook.key"), "Sq7secret".repeat(4));
    is(
        said(&folder, 0)("notify.webhook"),
        true,
        "will notify localhost",
    );
    secret::mode(&at("hook.key"), 0o644);
    let found = said(&folder, 2)("notify");
    assert!(!found.1.contains("Sq7secret"), "{}", found.1);
    is(found, false, "chmod 600");
}

#[test]
fn without_connect_nothing_is_looked_at() {
    let folder =
        feed("kind = \"kafka\"\nbrokers = \"localhost:1\"\ntopic = \"wards\"\nformat = \"json\"");
    let file = folder.path().join("feed.toml");
    let output = tidegate(&["check", "--json", file.to_str().expect("text")]);
    assert_eq!(
        (output.status.code(), &json(&output)["feeds"][0]["connect"]),
        (Some(0), &Value::Null)
    );
}

#[test]
fn topics_and_registries_are_looked_at() {
    let cluster = MockCluster::new(1).expect("a cluster");
    cluster.create_topic("wards", 3, 1).expect("a topic");
    let source = |brokers: &str, topic: &str, more: &str| {
        feed(&format!(
            "kind = \"kafka\"\nbrokers = \"{brokers}\"\ntopic = \"{topic}\"\nformat = {more}"
        ))
    };
    let json = "\"json\"";
    let brokers = cluster.bootstrap_servers();
    let found = said(&source(&brokers, "wards", json), 0);
    is(found("source"), true, "the topic wards can be read (");
    is(
        found("source"),
        true,
        "3 partitions, with the offsets 0: none, 1: none, 2: none",
    );
    is(
        found("source"),
        true,
        "it is not known whether the topic is compacted and how long it keeps messages",
    );
    let found = said(&source(&brokers, "other", json), 2);
    is(found("source"), false, "these brokers have no topic other");
    let found = said(&source("127.0.0.1:1", "wards", json), 2);
    is(
        found("source"),
        false,
        "none of the brokers 127.0.0.1:1 answers",
    );
    let avro = "\"avro\"\nschema_registry = { url = \"http://127.0.0.1:1\" }";
    let found = said(&source(&brokers, "wards", avro), 2);
    is(found("source"), true, "can be read");
    is(
        found("source.schema_registry"),
        false,
        "the schema registry does not answer (",
    );
}
