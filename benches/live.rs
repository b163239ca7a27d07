//! Producers and the daemon at once, with a real broker on the same processors: each message is
//! sent by itself, in turn to all partitions or by the hash of its key. The bench prints how long
//! the broker had had the oldest message of a batch when it was appended, how long a message waited
//! for the broker, batches a second, rows of a batch, and the processor time of the daemon. A
//! broker that has just created a topic of many partitions lets producers wait for seconds,
//! whichever program reads. Feeds of few messages are measured side by side, each with a daemon of
//! its own, those of many one after the other. Then it measures how fast a full topic is read while
//! producers continue.
//!
//!     TIDEGATE_KAFKA=folder-of-jars cargo bench --bench live [-- SECONDS] [few] [some] [many] [backlog]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "synthetic/raw.rs"]
#[allow(dead_code, reason = "a bench uses its part")]
mod raw;
mod small;

use small::{small, words};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{scope, sleep, spawn};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use common::broker::Broker;
use common::secret;
use rdkafka::client::ClientContext;
use rdkafka::error::KafkaError;
use rdkafka::message::{DeliveryResult, Message as _};
use rdkafka::producer::{BaseRecord, Producer as _, ProducerContext, ThreadedProducer};
use serde_json::Value as Json;

/// Partitions of a topic.
const PARTITIONS: [i32; 4] = [1, 3, 12, 48];
/// Messages a second of feeds that leave processors idle when all of them are measured side by
/// side.
const FEW: [u64; 2] = [20, 300];
/// Messages a second of feeds that do so two at a time.
const SOME: u64 = 1_000;
/// Partitions, and messages a second, of feeds that leave no processor idle.
const MANY: [(i32, u64); 1] = [(12, 20_000)];
/// The duration of a case if no option gives it.
const SECONDS: u64 = 20;
/// Messages of a full topic, and new messages a second meanwhile.
const BACKLOG: u64 = 1_000_000;
const MEANWHILE: u64 = 1_000;
/// Keys of messages that have some.
const KEYS: u64 = 500;

fn main() {
    let words: Vec<String> = words();
    let asked = words.iter().find_map(|word| word.parse().ok());
    let time = Duration::from_secs(asked.unwrap_or(SECONDS));
    let parts: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| word.parse::<u64>().is_err())
        .collect();
    let wanted = |part| parts.is_empty() || parts.contains(&part);
    let Some(broker) = Broker::start() else {
        return;
    };
    if small() {
        return steady(&broker, 1, FEW[1], true, Duration::from_secs(3));
    }
    println!(
        "partitions  sent        a second  median age s  greatest  in second  before it s  batches/s  rows/batch  CPU %"
    );
    let side_by_side = |cases: &[(i32, u64)]| {
        scope(|scope| {
            for &(partitions, rate) in cases {
                for keyed in [false, true] {
                    let broker = &broker;
                    scope.spawn(move || steady(broker, partitions, rate, keyed, time));
                }
            }
        });
    };
    if wanted("few") {
        let cases: Vec<_> = PARTITIONS
            .iter()
            .flat_map(|&partitions| FEW.map(|rate| (partitions, rate)))
            .collect();
        side_by_side(&cases);
    }
    if wanted("some") {
        PARTITIONS
            .iter()
            .for_each(|&partitions| side_by_side(&[(partitions, SOME)]));
    }
    if wanted("many") {
        for (partitions, rate) in MANY {
            [false, true]
                .iter()
                .for_each(|&keyed| steady(&broker, partitions, rate, keyed, time));
        }
    }
    if wanted("backlog") {
        drain(&broker);
    }
}

/// Messages are produced at a rate, and read.
fn steady(broker: &Broker, partitions: i32, rate: u64, keyed: bool, time: Duration) {
    let topic = format!("live-{partitions}-{rate}-{keyed}");
    broker.topic(&topic, partitions, &[]);
    let daemon = Daemon::start(broker, &topic);
    daemon.begun();
    let all = rate * time.as_secs();
    // A new producer asks for the leaders of all partitions before it sends anything; that is not
    // measured.
    let producer = producer(broker, &[("linger.ms", "0")]);
    produce(
        &producer,
        &topic,
        (partitions, keyed),
        (0, KEYS, u64::MAX),
        &|| false,
    );
    let mut first = 0;
    while first < KEYS {
        first += daemon.batch();
    }
    *producer.context().0.lock().expect("no panic") = Heard::default();
    let (begun, before) = (Instant::now(), daemon.cpu());
    let (mut taken, mut ages) = (0, Vec::new());
    scope(|scope| {
        scope.spawn(|| {
            produce(
                &producer,
                &topic,
                (partitions, keyed),
                (KEYS, all, rate),
                &|| false,
            )
        });
        while taken < all {
            let kept = daemon.batch();
            // The broker may have delivered messages that it has not acknowledged to the producer.
            let first = producer
                .context()
                .0
                .lock()
                .expect("no panic")
                .at
                .get(taken as usize)
                .copied();
            ages.push((
                first.map_or(0.0, |at| at.elapsed().as_secs_f64()),
                begun.elapsed().as_secs_f64(),
            ));
            taken += kept;
        }
    });
    let seconds = begun.elapsed().as_secs_f64();
    let cpu = 100.0 * (daemon.cpu() - before) / seconds;
    ages.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (batches, waited) = (
        ages.len(),
        producer.context().0.lock().expect("no panic").longest,
    );
    let (median, (oldest, at)) = (ages[batches / 2].0, ages[batches - 1]);
    println!(
        "{partitions:>10}  {:<10} {rate:>9} {median:>13.2} {oldest:>9.2} {at:>10.0} {:>12.2} {:>10.2} {:>11.0} {cpu:>6.1}",
        if keyed { "by key" } else { "in turn" },
        waited as f64 / 1e3,
        batches as f64 / seconds,
        all as f64 / batches as f64
    );
    drop(daemon);
    broker.delete(&topic);
}

/// A full topic is read while producers continue.
fn drain(broker: &Broker) {
    let (topic, partitions) = ("backlog", 6);
    broker.topic(topic, partitions, &[]);
    let fill = producer(
        broker,
        &[
            ("linger.ms", "20"),
            ("batch.num.messages", "20000"),
            ("compression.type", "lz4"),
        ],
    );
    produce(
        &fill,
        topic,
        (partitions, false),
        (0, BACKLOG, u64::MAX),
        &|| false,
    );
    let ends = AtomicBool::new(false);
    scope(|scope| {
        let meanwhile = || {
            let producer = producer(broker, &[("linger.ms", "0")]);
            produce(
                &producer,
                topic,
                (partitions, false),
                (BACKLOG, u64::MAX, MEANWHILE),
                &|| ends.load(Ordering::Acquire),
            );
        };
        scope.spawn(meanwhile);
        let daemon = Daemon::start(broker, topic);
        daemon.begun();
        let (begun, mut taken) = (Instant::now(), 0);
        while taken < BACKLOG {
            taken += daemon.batch();
        }
        let seconds = begun.elapsed().as_secs_f64();
        println!(
            "a backlog of {BACKLOG} with {MEANWHILE} more a second: {:.0} rows a second",
            taken as f64 / seconds
        );
        ends.store(true, Ordering::Release);
    });
    broker.delete(topic);
}

/// The broker's acknowledgements.
#[derive(Default)]
struct Heard {
    /// The time of each.
    at: Vec<Instant>,
    /// The longest time from sending to acknowledgement, in milliseconds.
    longest: i64,
}

#[derive(Default)]
struct Ear(Mutex<Heard>);

impl ClientContext for Ear {}

impl ProducerContext for Ear {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        let sent = result
            .as_ref()
            .expect("it is there")
            .timestamp()
            .to_millis()
            .expect("the library sets it");
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("it is later")
            .as_millis();
        let mut received = self.0.lock().expect("no panic");
        received.at.push(Instant::now());
        received.longest = received.longest.max(now as i64 - sent);
    }
}

fn producer(broker: &Broker, settings: &[(&str, &str)]) -> ThreadedProducer<Ear> {
    broker
        .producing(settings)
        .create_with_context(Ear::default())
        .expect("a client")
}

/// Sends messages of these numbers, this many a second.
fn produce(
    producer: &ThreadedProducer<Ear>,
    topic: &str,
    (partitions, keyed): (i32, bool),
    (from, all, rate): (u64, u64, u64),
    ends: &dyn Fn() -> bool,
) {
    let (begun, mut sent) = (Instant::now(), 0);
    while sent < all && !ends() {
        let due = if rate == u64::MAX {
            all
        } else {
            (begun.elapsed().as_secs_f64() * rate as f64) as u64
        };
        while sent < due.min(all) {
            let (message, key) = (
                raw::message(from + sent),
                format!("{}", sent.wrapping_mul(0x9E37_79B9) % KEYS),
            );
            let record = || {
                let record = BaseRecord::<str, str>::to(topic).payload(&message);
                if keyed {
                    record.key(&key)
                } else {
                    record.partition((sent % partitions as u64) as i32)
                }
            };
            while let Err((KafkaError::MessageProduction(_), _)) = producer.send(record()) {
                sleep(Duration::from_millis(10));
            }
            sent += 1;
        }
        sleep(Duration::from_millis(1));
    }
    producer
        .flush(Duration::from_secs(120))
        .expect("all are there");
}

/// A running daemon, and its log line by line.
struct Daemon {
    child: Child,
    lines: Receiver<Json>,
    _folder: tempfile::TempDir,
}

impl Daemon {
    fn start(broker: &Broker, topic: &str) -> Daemon {
        let folder = tempfile::tempdir().expect("a folder");
        let (policy, columns) = raw::FEED.split_once("[policy]").expect("a policy");
        let feed = format!(
            "{policy}[source]\nkind = \"kafka\"\nbrokers = \"{}\"\ntopic = \"{topic}\"\nformat = \"json\"\n\
             [store]\nprivate = \"private\"\npublic = \"public\"\nkey = \"file:a.key\"\n[schedule]\nevery = \"9999d\"\n\
             [http]\nbind = \"127.0.0.1:0\"\n[log]\nformat = \"json\"\n[policy]{columns}",
            broker.address()
        );
        std::fs::write(folder.path().join("feed.toml"), feed).expect("space");
        secret::write(&folder.path().join("a.key"), "0123456789abcdef".repeat(4));
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command
            .current_dir(folder.path())
            .args(["run", "feed.toml"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let said = BufReader::new(child.stderr.take().expect("it is piped"));
        let (reported, lines) = channel();
        spawn(move || {
            for line in said.lines() {
                let line = serde_json::from_str(&line.expect("text")).expect("JSON");
                // The receiver is gone.
                if reported.send(line).is_err() {
                    break;
                }
            }
        });
        Daemon {
            child,
            lines,
            _folder: folder,
        }
    }

    /// The next line of this event.
    fn event(&self, event: &str) -> Json {
        loop {
            let line = self.lines.recv().expect("it is at work");
            assert!(line["event"] != "halted", "{line}");
            if line["event"] == event {
                return line;
            }
        }
    }

    /// Waits until it reads.
    fn begun(&self) {
        self.event("partitions_begun");
    }

    /// Rows of the next batch.
    fn batch(&self) -> u64 {
        self.event("batch_taken")["kept"].as_u64().expect("a count")
    }

    /// Seconds of processor time so far.
    fn cpu(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))
            .expect("it is at work");
        let figures = stat
            .rsplit(')')
            .next()
            .expect("figures")
            .split(' ')
            .filter_map(|part| part.parse::<f64>().ok());
        // After the name come the state and eleven more fields before user and system time, in
        // hundredths.
        figures.skip(10).take(2).sum::<f64>() / 100.0
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.child.kill().expect("it was started");
        self.child.wait().expect("it ends");
    }
}
