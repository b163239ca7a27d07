//! From a full topic to durable commits: the daemon reads millions of messages in six partitions of
//! a real broker on the same processors, JSON and Avro. Beside each figure the rate of decoding
//! alone, in the same run; and the peak memory of the daemon, by the number of people it knows.
//!
//!     TIDEGATE_KAFKA=folder-of-jars cargo bench --bench topic [-- [json|avro] [wide] [MILLIONS …]]
//!
//! Rows have four quasi columns with 8,400 combinations; with `wide` six, so that few people are
//! equal and the rows since the last tick take memory of their own.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "synthetic/raw.rs"]
#[allow(dead_code, reason = "a bench uses its part")]
mod raw;
#[path = "../tests/kafka/registry.rs"]
#[allow(dead_code, reason = "a bench uses its part")]
mod registry;
mod small;

use small::{million, small};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::avro_write as write;
use common::broker::Broker;
use common::secret;
use rdkafka::error::KafkaError;
use rdkafka::producer::{BaseRecord, Producer as _};
use registry::Registry;
use serde_json::Value as Json;
use tidegate::daemon::config::{FeedConfig, RecordRules};
use tidegate::daemon::ingest::PersonHasher;
use tidegate::daemon::ingest::topic::{Batch, KnownSchema, SchemaKey, Schemas, Writing, decode};

const PARTITIONS: i32 = 6;
/// Runs of each; the median is reported.
const RUNS: usize = 3;
/// Messages that are decoded for comparison, and in one batch.
const DECODED: u64 = 1_000_000;
const BATCH: u64 = 100_000;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let asked: Vec<u64> = arguments
        .iter()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let sizes = match asked {
        asked if !asked.is_empty() => asked,
        _ if small() => vec![1],
        _ => vec![1, 2, 4],
    };
    let Some(broker) = Broker::start() else {
        return;
    };
    let feed = if arguments.iter().any(|argument| argument == "wide") {
        raw::FEED.to_owned()
    } else {
        narrow()
    };
    println!(
        "format  million  bytes/message  decoding M/s  seconds  M rows/s  of decoding  CPU s  peak MiB"
    );
    for format in ["json", "avro"] {
        if arguments
            .iter()
            .any(|argument| ["json", "avro"].contains(&argument.as_str()) && argument != format)
        {
            continue;
        }
        let registry = if format == "avro" {
            Registry::start(None)
        } else {
            None
        };
        if format == "avro" && registry.is_none() {
            continue;
        }
        measure(&broker, registry.as_ref(), &feed, format, &sizes);
    }
}

/// The feed file without the columns that distinguish people most.
fn narrow() -> String {
    let columns = raw::FEED.split("[[column]]\n").filter(|column| {
        !["\"born\"", "\"zip\""]
            .iter()
            .any(|name| column.contains(name))
    });
    columns.collect::<Vec<_>>().join("[[column]]\n")
}

/// The lines of one format.
fn measure(broker: &Broker, registry: Option<&Registry>, feed: &str, format: &str, sizes: &[u64]) {
    let id =
        registry.map(|registry| registry.put("bench-value", raw::SCHEMA, serde_json::json!([])));
    let message = |number: u64| -> Vec<u8> {
        match id {
            None => raw::message(number).into_bytes(),
            Some(id) => [
                &[0][..],
                &id.to_be_bytes(),
                &raw::record(number, write::long, |text| write::text(text)),
            ]
            .concat(),
        }
    };
    let url = registry.map(Registry::url);
    let mut peaks = Vec::new();
    for &millions in sizes {
        let (topic, rows) = (format!("{format}-{millions}"), millions * million());
        broker.topic(&topic, PARTITIONS, &[]);
        fill(broker, &topic, rows, &message);
        let decoding = decoding(feed, id, &message);
        let mut runs: Vec<(Duration, f64, u64)> = (0..RUNS)
            .map(|_| run(broker, &topic, feed, url.as_deref(), rows))
            .collect();
        runs.sort_by_key(|run| run.0);
        let (time, cpu, _) = runs[RUNS / 2];
        let peak = runs.iter().map(|run| run.2).max().unwrap_or(0);
        let speed = rows as f64 / time.as_secs_f64();
        println!(
            "{format:<6} {millions:>8} {:>14} {:>13.2} {:>8.2} {:>9.3} {:>11.0}% {cpu:>6.1} {:>9}",
            message(rows - 1).len(),
            decoding / 1e6,
            time.as_secs_f64(),
            speed / 1e6,
            100.0 * speed / decoding,
            peak >> 10
        );
        peaks.push((rows as f64, (peak << 10) as f64));
        broker.delete(&topic);
    }
    if let [(few, first), .., (many, last)] = peaks[..] {
        let each = (last - first) / (many - few);
        println!(
            "{format}: {each:.1} bytes of memory for one more person, {:.0} MiB beside",
            (first - few * each) / 1048576.0
        );
    }
}

/// Fills a topic, one partition after the other in turn.
fn fill(broker: &Broker, topic: &str, rows: u64, message: &impl Fn(u64) -> Vec<u8>) {
    let settings = [
        ("linger.ms", "20"),
        ("batch.num.messages", "20000"),
        ("compression.type", "lz4"),
    ];
    let producer = broker.producer(&settings);
    for number in 0..rows {
        let message = message(number);
        let record = || {
            BaseRecord::<str, [u8]>::to(topic)
                .partition((number % PARTITIONS as u64) as i32)
                .payload(&message)
        };
        while let Err((KafkaError::MessageProduction(_), _)) = producer.send(record()) {
            producer.poll(Duration::from_millis(10));
        }
        if number % 10_000 == 0 {
            producer.poll(Duration::ZERO);
        }
    }
    producer
        .flush(Duration::from_secs(120))
        .expect("all are there");
}

/// Messages decoded a second, with nothing else to do; the best of three.
fn decoding(feed: &str, id: Option<u32>, message: &impl Fn(u64) -> Vec<u8>) -> f64 {
    let columns = FeedConfig::parse(feed, Path::new("bench.toml"))
        .expect("a feed file")
        .columns;
    let hasher = PersonHasher::new(&[1; 32]);
    let batch = |from: u64| {
        let mut batch = Batch::default();
        if let Some(id) = id {
            let known = KnownSchema::Avro {
                text: raw::SCHEMA.to_owned(),
                referred: Vec::new(),
            };
            batch.writing = Writing::Avro(Schemas::of(&[(SchemaKey::Id(id), known)]));
        }
        for number in from..from + BATCH {
            let place = number - from;
            batch.push(
                (place % PARTITIONS as u64) as i32,
                place / PARTITIONS as u64,
                Some(&message(number)),
            );
        }
        batch
    };
    let decoded = DECODED.min(million()).max(BATCH);
    let batches: Vec<Batch> = (0..decoded).step_by(BATCH as usize).map(batch).collect();
    let pass = || {
        let begun = Instant::now();
        let rows = batches.iter().map(|batch| {
            decode("bench", batch, &columns, &hasher, &RecordRules::default())
                .expect("rows")
                .rows
                .codes()
                .len() as u64
        });
        assert_eq!(rows.sum::<u64>(), decoded);
        begun.elapsed().as_secs_f64()
    };
    decoded as f64 / (0..3).map(|_| pass()).fold(f64::INFINITY, f64::min)
}

/// One daemon, from its first fetch to the entry after which every row is durable: its time, its
/// processor time, and its peak memory in KiB.
fn run(
    broker: &Broker,
    topic: &str,
    feed: &str,
    registry: Option<&str>,
    rows: u64,
) -> (Duration, f64, u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let (policy, columns) = feed.split_once("[policy]").expect("a policy");
    let format = if registry.is_some() { "avro" } else { "json" };
    let registry = registry
        .map(|url| format!("schema_registry = {{ url = \"{url}\" }}\n"))
        .unwrap_or_default();
    let feed = format!(
        "{policy}[source]\nkind = \"kafka\"\nbrokers = \"{}\"\ntopic = \"{topic}\"\nformat = \"{format}\"\n{registry}\
         [store]\nprivate = \"private\"\npublic = \"public\"\nkey = \"file:a.key\"\n[schedule]\nevery = \"9999d\"\n\
         [http]\nbind = \"127.0.0.1:0\"\n[log]\nformat = \"json\"\n[policy]{columns}",
        broker.address()
    );
    std::fs::write(at("feed.toml"), feed).expect("space");
    secret::write(&at("a.key"), "0123456789abcdef".repeat(4));
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command
        .current_dir(folder.path())
        .args(["run", "feed.toml"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let (mut seen, mut begun) = (0, None);
    for line in BufReader::new(child.stderr.take().expect("it is piped")).lines() {
        let line: Json = serde_json::from_str(&line.expect("text")).expect("JSON");
        match line["event"].as_str().expect("an event") {
            "partitions_begun" => begun = Some(Instant::now()),
            "batch_taken" => seen += line["kept"].as_u64().expect("a count"),
            "halted" => panic!("{line}"),
            _ => {}
        }
        if seen == rows {
            break;
        }
    }
    let time = begun.expect("it has begun").elapsed();
    let reported = |what: &str| {
        std::fs::read_to_string(format!("/proc/{}/{what}", child.id())).expect("it is at work")
    };
    let status = reported("status");
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("a figure");
    let peak = peak
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .expect("a number");
    let stat = reported("stat");
    let ticks: Vec<f64> = stat
        .rsplit(')')
        .next()
        .expect("figures")
        .split(' ')
        .filter_map(|part| part.parse().ok())
        .collect();
    // After the name come the state and eleven more fields before user and system time, in
    // hundredths.
    let cpu = (ticks[10] + ticks[11]) / 100.0;
    child.kill().expect("it was started");
    child.wait().expect("it ends");
    (time, cpu, peak)
}
