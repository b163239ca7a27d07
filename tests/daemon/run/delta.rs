//! The Delta log of a chain of crowds (CONTRACTS 4): each version is a release, `verify` names
//! everything that differs from what was decided, and readers of Delta tables read it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use serde_json::{Value as Json, json};

use super::place::{NEVER, PLANTED, Place, people};
use super::public::{listed, releases};
use crate::common::delta::versions;
use crate::common::needs;
use crate::common::server::Server;
use crate::kills::roots::Roots;

const CROWDS: &str = "k = 3\nsearch = \"halves\"\nmin_solutions = 1\n";

/// A feed with some releases, one of which joins files.
fn published(place: &Place, count: u64) {
    for at in 0..count {
        place.offer(&format!("{at:02}.csv"), people(at * 30..at * 30 + 30));
        assert_eq!(place.once()["outcome"], "published");
    }
}

fn log(place: &Place, name: &str) -> PathBuf {
    place.public().join("data/1/_delta_log").join(name)
}

#[test]
fn each_version_is_a_release() {
    let place = Place::with(NEVER, CROWDS, "");
    published(&place, 11);
    // The helper compares every version with its manifest.
    assert_eq!(releases(&place.public()).len(), 11);
    let versions = versions(&place.public(), 1);
    assert!(versions[0].files.is_empty(), "version 0 creates the table");
    let of_releases: Vec<u64> = versions
        .iter()
        .filter_map(|version| version.release)
        .collect();
    assert!(
        of_releases.is_sorted() && of_releases.last() == Some(&11),
        "{of_releases:?}"
    );
    let compacted = versions
        .iter()
        .zip(&versions[1..])
        .find(|(one, next)| one.release == next.release);
    let (before, after) =
        compacted.expect("several files became one, which is a version of its own");
    assert_eq!(
        before.files.values().sum::<u64>(),
        after.files.values().sum::<u64>()
    );
    assert!(after.files.len() < before.files.len());
    let commit = fs::read_to_string(log(
        &place,
        &format!(
            "{:020}.json",
            versions.iter().position(|one| one == after).expect("it")
        ),
    ));
    assert!(commit.expect("a commit").contains("\"dataChange\":false"));
    // A version that is a multiple of ten has a checkpoint.
    assert!(log(&place, "00000000000000000010.checkpoint.parquet").exists());
    let last: Json =
        serde_json::from_slice(&fs::read(log(&place, "_last_checkpoint")).expect("a file"))
            .expect("JSON");
    assert_eq!(last["version"], 10);
    place.verified();
    let (code, answer) = place.json(&["verify", "public"]);
    assert_eq!((code, &answer["findings"]), (0, &json!([])), "{answer}");
}

/// Readers and tools by other authors look for these words: the operation of a version, its
/// release, and its table.
#[test]
fn versions_say_what_they_do_and_which_release_they_hold() {
    let place = Place::with(NEVER, CROWDS, "");
    published(&place, 2);
    let manifest = fs::read(place.public().join("manifest/0000000001.json")).expect("a manifest");
    let manifest: Json = serde_json::from_slice(&manifest).expect("JSON");
    let app = format!("tidegate/{}/1", manifest["feed"].as_str().expect("a name"));
    let wanted = [
        ("CREATE TABLE", json!({}), Json::Null),
        (
            "WRITE",
            json!({ "mode": "Append", "release": "1" }),
            json!(1),
        ),
        (
            "WRITE",
            json!({ "mode": "Append", "release": "2" }),
            json!(2),
        ),
        ("RESTORE", json!({ "withdrawnFrom": "2" }), json!(1)),
    ];
    for (version, (operation, parameters, release)) in wanted.into_iter().enumerate() {
        if operation == "RESTORE" {
            // Versions that name withdrawn releases are removed.
            place.done(&["withdraw", "feed.toml", "2", "--reason", "wrong"]);
        }
        let commit = fs::read_to_string(log(&place, &format!("{version:020}.json")));
        let commit = commit.unwrap_or_else(|error| panic!("version {version}: {error}"));
        let actions: Vec<Json> = commit
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let action = |name: &str| {
            actions
                .iter()
                .find_map(|action| action.get(name))
                .cloned()
                .unwrap_or_default()
        };
        let info = action("commitInfo");
        assert_eq!(
            (&info["operation"], &info["operationParameters"]),
            (&json!(operation), &parameters),
            "{commit}"
        );
        assert_eq!(action("txn")["version"], release, "{commit}");
        if version == 0 {
            let id = action("metaData")["id"].as_str().expect("an id").to_owned();
            let parts: Vec<usize> = id.split('-').map(str::len).collect();
            assert_eq!(parts, [8, 4, 4, 4, 12], "{id} is a UUID");
            assert!(
                id.chars()
                    .all(|char| char == '-' || char.is_ascii_hexdigit()),
                "{id}"
            );
        } else {
            assert_eq!(action("txn")["appId"], app, "{commit}");
        }
    }
}

#[test]
fn a_log_is_left_out_where_the_feed_file_says_so() {
    let place = Place::with(NEVER, CROWDS, "");
    place.edit("[http]", "[publish]\ndelta = false\n[http]");
    published(&place, 1);
    assert!(!place.public().join("data/1/_delta_log").exists());
    // A chain continues as it was begun: the log begins with the next one.
    place.edit("delta = false", "delta = true");
    place.offer("next.csv", people(100..130));
    assert_eq!(place.once()["outcome"], "published");
    assert!(!place.public().join("data/1/_delta_log").exists());
    place.done(&["new-chain", "feed.toml"]);
    place.offer("then.csv", people(130..160));
    assert_eq!(place.once()["outcome"], "published");
    assert_eq!(
        versions(&place.public(), 2)
            .last()
            .expect("a version")
            .release,
        Some(3)
    );
    place.verified();
}

#[test]
fn the_column_for_the_release_has_the_name_that_the_feed_file_says() {
    let place = Place::with(NEVER, CROWDS, "");
    place.edit("[http]", "[publish]\nrelease_column = \"came in\"\n[http]");
    published(&place, 9);
    let rows = releases(&place.public()).last().expect("a release").rows;
    assert!(parts(&place, 9) < 9, "eight parts became one");
    let begun = std::fs::read_to_string(log(&place, &format!("{:020}.json", 0))).expect("a commit");
    assert!(
        begun.contains("came in") && !begun.contains("tidegate_release"),
        "{begun}"
    );
    place.verified();
    let (code, answer) = place.json(&["audit", "--feed", "feed.toml"]);
    assert_eq!((code, &answer["safe"]), (0, &json!(true)), "{answer}");
    counted(&place, rows);
    // While the chain runs it keeps its name.
    place.edit("\"came in\"", "\"came\"");
    frozen(&place);
    place.edit("release_column = \"came\"\n", "");
    frozen(&place);
    place.edit("[publish]\n", "[publish]\nrelease_column = \"came\"\n");
    place.done(&["new-chain", "feed.toml"]);
    place.offer("next.csv", people(500..530));
    assert_eq!(place.once()["outcome"], "published");
    let begun = place
        .public()
        .join(format!("data/2/_delta_log/{:020}.json", 0));
    assert!(
        std::fs::read_to_string(begun)
            .expect("a commit")
            .contains("\\\"came\\\"")
    );
    place.verified();
}

#[test]
fn without_a_column_for_the_release_each_part_holds_one() {
    let place = Place::with(NEVER, CROWDS, "");
    place.edit("[http]", "[publish]\nrelease_column = false\n[http]");
    published(&place, 10);
    assert_eq!(parts(&place, 10), 10, "files never become one");
    let rows = releases(&place.public()).last().expect("a release").rows;
    place.verified();
    counted(&place, rows);
    // A withdrawn release whose rows are published again has a part of its own again.
    place.done(&[
        "withdraw",
        "feed.toml",
        "8",
        "--republish",
        "--reason",
        "wrong",
    ]);
    place.offer("next.csv", people(500..530));
    assert_eq!(place.once()["outcome"], "published");
    assert_eq!(parts(&place, 11), 11);
    let again = releases(&place.public()).last().expect("a release").rows;
    assert!(again > rows, "{again} rows");
    // So has one with erased rows.
    place.put("gone.csv", format!("{}5\n", PLANTED[0]));
    place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    place.offer("then.csv", people(600..630));
    assert_eq!(place.once()["outcome"], "published");
    place.verified();
}

/// A bucket may perform a write long after it was given up: the name of a checkpoint then refers to
/// one that is gone.
#[test]
fn a_late_write_names_no_checkpoint_that_is_gone() {
    let place = Place::with(NEVER, CROWDS, "");
    published(&place, 3);
    place.done(&["withdraw", "feed.toml", "3", "--reason", "wrong"]);
    let path = log(&place, "_last_checkpoint");
    let late = fs::read(&path).expect("a file");
    place.done(&["withdraw", "feed.toml", "2", "--reason", "wrong"]);
    let named = fs::read(&path).expect("a file");
    assert_ne!(late, named);
    place.verified();
    fs::write(&path, late).expect("writable");
    let (code, answer) = place.json(&["verify", "feed.toml"]);
    let finding = &answer["findings"][0];
    assert_eq!(
        (code, &finding["file"]),
        (1, &json!("data/1/_delta_log/_last_checkpoint")),
        "{answer}"
    );
    place.once();
    assert_eq!(fs::read(&path).expect("a file"), named);
    place.verified();
}

/// The number of parts that a release lists.
fn parts(place: &Place, release: u32) -> usize {
    let manifest =
        fs::read(place.public().join(format!("manifest/{release:010}.json"))).expect("a manifest");
    let manifest: Json = serde_json::from_slice(&manifest).expect("JSON");
    let files = manifest["files"].as_array().expect("files");
    files
        .iter()
        .filter(|file| {
            file["path"]
                .as_str()
                .is_some_and(|path| path.starts_with("data/"))
        })
        .count()
}

fn frozen(place: &Place) {
    let (code, answer) = place.json(&["run", "feed.toml", "--once"]);
    assert_eq!(
        (code, &answer["error"]["field"]),
        (2, &json!("publish.release_column")),
        "{answer}"
    );
}

/// `query` finds all rows of the newest release, by its public files.
fn counted(place: &Place, rows: u64) {
    let (code, answer) = place.json(&["query", "public"]);
    assert_eq!(
        (code, &answer["estimate"]),
        (0, &json!(rows as f64)),
        "{answer}"
    );
}

/// In a disjoint chain each release replaces the one before it, and so does its version; one can be
/// withdrawn.
#[test]
fn each_version_of_a_disjoint_chain_holds_its_release_alone() {
    let place = Place::with(NEVER, CROWDS, "chain = \"disjoint\"\n");
    published(&place, 4);
    let all = versions(&place.public(), 1);
    assert_eq!(
        all.iter()
            .map(|version| version.files.len())
            .collect::<Vec<_>>(),
        [0, 1, 1, 1, 1]
    );
    // The helper compares every version with its manifest.
    assert_eq!(releases(&place.public()).len(), 4);
    place.verified();
    let refused = place.json(&[
        "withdraw",
        "feed.toml",
        "3",
        "--republish",
        "--reason",
        "wrong",
    ]);
    assert_eq!(refused.0, 1, "{}", refused.1);
    place.done(&["withdraw", "feed.toml", "3", "--reason", "wrong"]);
    assert_eq!(listed(&place.public()).len(), 2);
    place.verified();
    place.offer("next.csv", people(500..530));
    assert_eq!(place.once()["outcome"], "published");
    releases(&place.public());
    place.verified();
}

/// A manipulation of a public root, the file that is reported, and whether the public root alone
/// shows it.
type Damage = (fn(&Place) -> PathBuf, &'static str, bool);

fn rewritten(path: PathBuf, from: &str, to: &str) -> PathBuf {
    let text = fs::read_to_string(&path).expect("a commit");
    assert!(text.contains(from), "{from} is not in {text}");
    fs::write(&path, text.replacen(from, to, 1)).expect("a commit");
    path
}

fn some_part(place: &Place) -> PathBuf {
    let parts = fs::read_dir(place.public().join("data/1"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    parts
        .filter(|path| path.extension().is_some_and(|end| end == "parquet"))
        .max()
        .expect("a part")
}

fn part_removed(place: &Place) -> PathBuf {
    let part = some_part(place);
    fs::remove_file(&part).expect("a part");
    part
}

fn part_added(place: &Place) -> PathBuf {
    let part = some_part(place).with_file_name("2-0000.parquet");
    fs::copy(some_part(place), &part).expect("a part");
    part
}

fn rows_changed(place: &Place) -> PathBuf {
    rewritten(
        log(place, "00000000000000000002.json"),
        "numRecords\\\":",
        "numRecords\\\":1",
    )
}

fn commit_added(place: &Place) -> PathBuf {
    let (from, to) = (
        log(place, "00000000000000000012.json"),
        log(place, "00000000000000000013.json"),
    );
    fs::copy(from, &to).expect("a commit");
    rewritten(to, "\"version\":11", "\"version\":12")
}

fn checkpoint_changed(place: &Place) -> PathBuf {
    let checkpoint = log(place, "00000000000000000010.checkpoint.parquet");
    fs::copy(some_part(place), &checkpoint).expect("a file");
    checkpoint
}

fn commit_removed(place: &Place) -> PathBuf {
    let commit = log(place, "00000000000000000005.json");
    fs::remove_file(&commit).expect("a commit");
    commit
}

fn last_commits_removed(place: &Place) -> PathBuf {
    for version in [11, 12] {
        fs::remove_file(log(place, &format!("{version:020}.json"))).expect("a commit");
    }
    log(place, "00000000000000000012.json")
}

const DAMAGES: [Damage; 13] = [
    (part_removed, "missing", true),
    (part_added, "no manifest names", true),
    (commit_added, "", true),
    (
        rows_changed,
        "this version of the Delta table gives a file a different number of rows than its manifest",
        true,
    ),
    (
        rows_changed,
        "this version of the Delta table has a different number of rows than the manifest of its release",
        true,
    ),
    (
        |place| {
            rewritten(
                log(place, "00000000000000000002.json"),
                "\"size\":",
                "\"size\":1",
            )
        },
        "this version of the Delta table gives a file a different number of bytes than it has",
        true,
    ),
    (
        |place| {
            rewritten(
                log(place, "00000000000000000002.json"),
                "\"path\":\"",
                "\"path\":\"x",
            )
        },
        "this version of the Delta table names a file that no manifest lists",
        true,
    ),
    (
        |place| {
            rewritten(
                log(place, "00000000000000000012.json"),
                "\"version\":11",
                "\"version\":50",
            )
        },
        "this version of the Delta table names a release without manifest",
        true,
    ),
    (
        |place| {
            rewritten(
                log(place, "00000000000000000002.json"),
                "}\"}}",
                "}\",\"tags\":{}}}",
            )
        },
        "action",
        true,
    ),
    (
        |place| {
            rewritten(
                log(place, "00000000000000000002.json"),
                "\"timestamp\":1",
                "\"timestamp\":2",
            )
        },
        "decided",
        false,
    ),
    (checkpoint_changed, "checkpoint", true),
    (commit_removed, "", true),
    (last_commits_removed, "missing", false),
];

#[test]
fn verify_names_what_is_not_as_it_was_decided() {
    let place = Place::with(NEVER, CROWDS, "");
    published(&place, 11);
    let aside = place.path("aside-public");
    for (damage, word, is_public) in DAMAGES {
        copy(&place.public(), &aside);
        let path = damage(&place);
        let name = path
            .strip_prefix(place.public())
            .expect("a file of it")
            .to_str()
            .expect("text")
            .to_owned();
        for root in ["feed.toml", "public"] {
            let (code, answer) = place.json(&["verify", root]);
            let findings = answer["findings"].as_array().expect("findings");
            let named = |finding: &Json| {
                finding["file"] == name.as_str()
                    && finding["text"]
                        .as_str()
                        .is_some_and(|text| text.contains(word))
            };
            let found = findings.iter().any(named);
            assert!(
                found || root == "public" && !is_public,
                "{root}: {name}, {word}: {answer}"
            );
            assert_eq!(code, i32::from(!findings.is_empty()), "{answer}");
        }
        fs::remove_dir_all(place.public()).expect("a folder");
        fs::rename(&aside, place.public()).expect("a folder");
        place.verified();
    }
}

#[test]
fn a_checkpoint_counts_by_its_content_not_by_its_encoding() {
    let place = Place::with(NEVER, CROWDS, "");
    published(&place, 11);
    let checkpoint = log(&place, "00000000000000000010.checkpoint.parquet");
    let file = fs::File::open(&checkpoint).expect("a checkpoint");
    let read = ParquetRecordBatchReaderBuilder::try_new(file)
        .expect("a table")
        .build()
        .expect("a table");
    let batch = read.map(|batch| batch.expect("rows")).next().expect("rows");
    // As a later version of the library may write it, and with an action fewer.
    for (batch, is_same) in [
        (batch.clone(), true),
        (batch.slice(0, batch.num_rows() - 1), false),
    ] {
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(false);
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties.build()))
            .expect("a writer");
        writer.write(&batch).expect("rows");
        fs::write(&checkpoint, writer.into_inner().expect("memory")).expect("a file");
        for root in ["feed.toml", "public"] {
            let (code, answer) = place.json(&["verify", root]);
            assert_eq!(code, i32::from(!is_same), "{answer}");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from)
        .expect("a folder")
        .map(|entry| entry.expect("an entry"))
    {
        match entry.file_type().expect("a type").is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => _ = fs::copy(entry.path(), to.join(entry.file_name())).expect("a file"),
        }
    }
}

/// A feed with some releases, and one whose columns have names that Delta tables cannot have
/// without column mapping.
fn two_feeds() -> [Place; 2] {
    let place = Place::with(NEVER, CROWDS, "");
    published(&place, 12);
    let mapped = Place::with(NEVER, CROWDS, "");
    mapped.edit(
        "name = \"diagnosis\"",
        "name = \"diagnosis (ICD-10)\"\npath = \"$.diagnosis\"",
    );
    mapped.edit("name = \"ward\"", "name = \"the ward\"\npath = \"$.ward\"");
    published(&mapped, 2);
    [place, mapped]
}

/// A script reads every version of the tables of two feeds.
fn read_with(command: &mut Command, [place, mapped]: &[Place; 2]) {
    let run = command.args([place.public(), mapped.public()]).output();
    let run = run.unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"));
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        run.status.success(),
        "{}{}",
        said(&run.stdout),
        said(&run.stderr)
    );
    let counts = [place, mapped].map(|place| versions(&place.public(), 1).len());
    assert_eq!(
        said(&run.stdout),
        format!("{} versions\n{} versions\n", counts[0], counts[1])
    );
}

#[test]
#[ignore = "slow: starts Spark, which tests/long fetches"]
fn spark_reads_every_version() {
    let Some(spark) = needs::tool("TIDEGATE_SPARK").map(PathBuf::from) else {
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/spark/versions.py");
    read_with(
        Command::new(spark.join("bin/python"))
            .arg(script)
            .arg(spark.join("jars")),
        &two_feeds(),
    );
}

/// Every version is read with the `deltalake` package and compared with the manifest of its
/// release; the newest one with polars, DuckDB and pandas as well.
#[test]
fn readers_of_delta_tables_read_every_version() {
    let Some(python) = needs::tool("TIDEGATE_PYTHON") else {
        return;
    };
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/daemon/run/delta_readers.py"
    );
    read_with(Command::new(python).arg(script), &two_feeds());
}

/// The same in a bucket, of a server by other authors.
#[test]
fn readers_of_delta_tables_read_a_bucket() {
    let (Some(python), Some(server)) = (needs::tool("TIDEGATE_PYTHON"), Server::start()) else {
        return;
    };
    let roots = Roots::buckets(&server, Place::with(NEVER, CROWDS, ""));
    for at in 0..3 {
        roots
            .place
            .offer(&format!("{at}.csv"), people(at * 30..at * 30 + 30));
        assert_eq!(roots.json(&["run", "--once", "feed.toml"]).0, 0);
    }
    let (code, verified) = roots.json(&["verify", "feed.toml"]);
    assert_eq!((code, &verified["findings"]), (0, &json!([])), "{verified}");
    let rows = releases(&roots.public()).pop().expect("a release").rows;
    let feed = fs::read_to_string(roots.place.path("feed.toml")).expect("a feed file");
    let public = feed
        .lines()
        .find_map(|line| line.strip_prefix("public = "))
        .expect("a public root")
        .trim_matches('"');
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/daemon/run/delta_bucket.py"
    );
    let table = format!("{public}/data/1");
    let run = Command::new(&python)
        .args([script, &table, &format!("http://{}", server.address)])
        .output();
    let run = run.unwrap_or_else(|error| panic!("{} cannot be started: {error}", python.display()));
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        run.status.success(),
        "{}{}",
        said(&run.stdout),
        said(&run.stderr)
    );
    assert_eq!(said(&run.stdout), format!("{rows} {rows} {rows}\n"));
}
