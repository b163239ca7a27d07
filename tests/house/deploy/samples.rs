//! Sample feeds: each is accepted, and those of topics accept messages of the described form.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::service::root_opening::possible;

use crate::common::secret;

use super::{no_secret, place, said, text, tidegate};

/// All feed files below a folder.
fn feeds(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(feeds(&path));
        } else if path.extension().is_some_and(|end| end == "toml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn every_sample_is_a_feed() {
    let feeds = feeds(&place("deploy/samples"));
    assert!(feeds.len() >= 8, "{feeds:?}");
    for feed in feeds {
        let feed = feed.to_str().expect("text");
        let output = tidegate(&["check", feed]);
        assert!(
            said(&output).contains("Policy") && output.stderr.is_empty(),
            "{feed}"
        );
        no_secret(feed, &std::fs::read_to_string(feed).expect("a feed file"));
    }
}

/// This version fulfils every requirement of a sample for a daemon.
#[test]
fn no_sample_promises_what_is_not_kept() {
    let mut running = 0;
    for file in feeds(&place("deploy/samples")) {
        let feed = FeedConfig::load(&file).unwrap_or_else(|error| panic!("{error}"));
        if feed.services.source.is_some() {
            let refused = possible(&feed).err().and_then(|error| error.field);
            assert_eq!(refused, None, "{}", file.display());
            running += 1;
        }
    }
    assert!(running >= 5, "{running}");
}

/// The release of some rows under a sample, without a broker: the columns are the same.
fn published(feed: &str, rows: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (rows_file, key) = (path("rows.jsonl"), path("operator.key"));
    std::fs::write(&rows_file, rows).expect("rows");
    secret::write(Path::new(&key), "5a".repeat(32));
    let args = [
        "anonymize",
        "--json",
        "--feed",
        feed,
        "--in",
        &rows_file,
        "--out",
        &path("out"),
        "--key",
        &key,
    ];
    let answer: Value = serde_json::from_str(&said(&tidegate(&args))).expect("JSON");
    answer["releases"][0].clone()
}

/// Checks that all rows count, and nearly all are published: random draws decide who waits.
fn all_people(release: &Value, all: u64) {
    let [rows, waiting] = ["rows", "waiting"].map(|key| release[key].as_u64().expect("a count"));
    assert!(
        release["outcome"] == "published" && rows + waiting == all && 5 * rows > 4 * all,
        "{release}"
    );
}

#[test]
fn the_messages_of_the_kafka_sample_are_published() {
    let release = published(
        "deploy/samples/kafka/feed.toml",
        &text("deploy/samples/kafka/admissions.jsonl"),
    );
    all_people(&release, 300);
    assert_eq!(
        text("deploy/samples/kafka/ward.csv"),
        text("deploy/samples/hospital/ward.csv")
    );
}

#[test]
fn envelopes_of_changes_are_read_by_path() {
    let wards = ["Cardiology", "Trauma"];
    let row = |number: usize| {
        let after = json!({
            "patient_id": number, "born": 1_000 * (number % 20), "sex": "female",
            "ward": wards[number % 2], "icd10": format!("F3{}", number % 4), "note": "not read",
        });
        json!({"before": null, "after": after, "op": "r", "ts_ms": 1}).to_string() + "\n"
    };
    let release = published(
        "deploy/samples/debezium.toml",
        &(0..40).map(row).collect::<String>(),
    );
    all_people(&release, 40);
}

#[test]
fn resources_of_fhir_are_read_by_path() {
    let resource = |number: usize| {
        let patient =
            json!({"resourceType": "Patient", "birthDate": "1961-10-02", "gender": "male"});
        let host = ["", "https://fhir.hospital.example/"][number % 2];
        let mut coding = vec![
            json!({"system": "http://snomed.info/sct", "code": "22298006"}),
            json!({"system": "http://hl7.org/fhir/sid/icd-10", "code": "I21"}),
        ];
        coding.rotate_left(number % 2);
        let resource = json!({
            "resourceType": "Condition", "subject": {"reference": format!("{host}Patient/{number}")},
            "patient": patient, "code": {"coding": coding, "text": "Heart"},
        });
        resource.to_string() + "\n"
    };
    let release = published(
        "deploy/samples/fhir.toml",
        &(0..20).map(resource).collect::<String>(),
    );
    all_people(&release, 20);
}
