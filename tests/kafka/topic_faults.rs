//! Faults of brokers, injected: a cluster inside the program answers with errors, closes
//! connections, is slow, stops and starts. A topic is read to its end with every message once and
//! in order, or the feed halts and says why.

use std::collections::BTreeMap;
use std::process::Command;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use rdkafka::config::ClientConfig;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{BaseProducer, BaseRecord, DefaultProducerContext, Producer as _};
use rdkafka::types::RDKafkaApiKey as Api;
use rdkafka::types::RDKafkaRespErr::{self as Fault, *};
use tidegate::daemon::config::{Format, Start};
use tidegate::daemon::ingest::topic::{Fetch, FetchEvent, Fetching as _, Position, TopicSettings};

use crate::common::random::{self, Draw};
use crate::common::wait::LIMIT;

const PARTITIONS: i32 = 3;

/// Brokers with a topic.
struct Cluster {
    brokers: MockCluster<'static, DefaultProducerContext>,
    producer: BaseProducer,
    sent: u64,
}

impl Cluster {
    fn new() -> Cluster {
        let brokers = MockCluster::new(2).expect("a cluster");
        brokers
            .create_topic("wards", PARTITIONS, 2)
            .expect("a topic");
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", brokers.bootstrap_servers());
        // Each message once, whatever happens to it in transit.
        let producer = config
            .set("enable.idempotence", "true")
            .create()
            .expect("a client");
        Cluster {
            brokers,
            producer,
            sent: 0,
        }
    }

    /// Sends more people.
    fn send(&mut self, people: u64) {
        for number in self.sent..self.sent + people {
            let (text, partition) = (number.to_string(), (number % PARTITIONS as u64) as i32);
            let record = BaseRecord::<str, str>::to("wards")
                .partition(partition)
                .payload(&text);
            self.producer.send(record).expect("there is room");
        }
        self.sent += people;
        self.producer.flush(LIMIT).expect("all are there");
    }

    fn fail(&self, api: Api, faults: &[Fault]) {
        self.brokers.request_errors(api, faults);
    }
}

/// The reader of the topic.
struct Reader {
    fetch: Fetch,
    positions: BTreeMap<i32, Position>,
    /// The people who were read.
    came: Vec<u64>,
}

impl Reader {
    fn begin(cluster: &Cluster, positions: BTreeMap<i32, Position>) -> Reader {
        let (brokers, resume) = (cluster.brokers.bootstrap_servers(), BTreeMap::new());
        let settings = TopicSettings {
            feed: "t",
            brokers: &brokers,
            topic: "wards",
            start: Start::Earliest,
            security: None,
            format: Format::Json,
            registry: None,
            topic_id: None,
            resume: &resume,
            patience: None,
        };
        let fetch = Fetch::begin(&settings, positions.clone()).expect("it begins");
        Reader {
            fetch,
            positions,
            came: Vec::new(),
        }
    }

    /// Reads until there are this many people; the error says why it ends before.
    fn take(&mut self, people: u64) -> Result<(), String> {
        let begun = Instant::now();
        while (self.came.len() as u64) < people {
            assert!(
                begun.elapsed() < LIMIT,
                "{} of {people} have come",
                self.came.len()
            );
            match self.fetch.next() {
                None => sleep(Duration::from_millis(5)),
                Some(FetchEvent::Begins(begins)) => {
                    for (partition, _, position) in begins {
                        self.positions.insert(partition, position);
                    }
                }
                Some(FetchEvent::Batch(batch)) => {
                    for (partition, fetched) in &batch.partitions {
                        let position = self.positions.get_mut(partition).expect("it has begun");
                        for message in fetched.messages() {
                            assert_eq!(
                                message.offset, position.next,
                                "none is left out, and none comes twice"
                            );
                            position.next += 1;
                            let text =
                                std::str::from_utf8(fetched.content(message).expect("content"))
                                    .expect("text");
                            self.came.push(text.parse().expect("a number"));
                        }
                    }
                    let taken: Vec<(i32, u64)> = self
                        .positions
                        .iter()
                        .map(|(at, one)| (*at, one.next))
                        .collect();
                    self.fetch.taken(&taken);
                }
                Some(FetchEvent::Failed(error)) => return Err(error.text),
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// Checks that each person is read once, if this happens before the topic is read and if it happens
/// in the middle.
fn survives(name: &str, fault: &(dyn Fn(&Cluster) + Sync)) {
    let begun = Instant::now();
    let mut cluster = Cluster::new();
    cluster.send(300);
    fault(&cluster);
    let mut reader = Reader::begin(&cluster, BTreeMap::new());
    let check = |taken: Result<(), String>| taken.unwrap_or_else(|error| panic!("{name}: {error}"));
    check(reader.take(300));
    cluster.send(100);
    fault(&cluster);
    cluster.send(200);
    check(reader.take(600));
    // Another reader continues where this one was.
    let positions = reader.positions.clone();
    let mut all = reader.came;
    drop(reader.fetch);
    fault(&cluster);
    cluster.send(100);
    let mut reader = Reader::begin(&cluster, positions);
    check(reader.take(100));
    all.extend(reader.came);
    all.sort_unstable();
    assert!(all.into_iter().eq(0..700), "{name}: each person comes once");
    println!("{name}: {:?}", begun.elapsed());
}

/// Checks that it halts with these words, if this happens before the topic is read and if it
/// happens in the middle.
fn halts(name: &str, fault: &(dyn Fn(&mut Cluster) + Sync), words: &[&str]) {
    let halted = |midst| {
        let mut cluster = Cluster::new();
        cluster.send(300);
        let mut reader = None;
        if midst {
            let begun = reader.insert(Reader::begin(&cluster, BTreeMap::new()));
            begun
                .take(300)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        fault(&mut cluster);
        let mut reader = reader.unwrap_or_else(|| Reader::begin(&cluster, BTreeMap::new()));
        let said = reader.take(u64::MAX);
        let said = said.expect_err("it halts");
        words
            .iter()
            .for_each(|word| assert!(said.contains(word), "{name}: `{word}` is missing: {said}"));
    };
    // It takes more than a minute: both at once.
    scope(|scope| {
        scope.spawn(|| halted(false));
        scope.spawn(|| halted(true));
    });
}

const TRANSPORT: Fault = RD_KAFKA_RESP_ERR__TRANSPORT;

#[test]
fn faults_that_pass_leave_no_person_out() {
    let passing = [
        ("not the leader", RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION),
        ("no leader", RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE),
        ("an older leader", RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH),
        (
            "coordinator loads",
            RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
        ),
        ("time out", RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT),
        ("no such topic yet", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART),
        ("corrupt", RD_KAFKA_RESP_ERR_INVALID_MSG),
        ("disk", RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR),
        ("offset out of range", RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE),
        ("unknown", RD_KAFKA_RESP_ERR_UNKNOWN),
        ("hangs up", TRANSPORT),
    ];
    scope(|scope| {
        for (name, fault) in passing {
            for api in [Api::Fetch, Api::ListOffsets, Api::Metadata] {
                scope.spawn(move || {
                    survives(&format!("{name}, {api:?}"), &|cluster| {
                        cluster.fail(api, &[fault; 3])
                    })
                });
            }
        }
    });
}

#[test]
fn reported_lag_does_not_matter() {
    let refused = [RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED; 9];
    scope(|scope| {
        for api in [Api::FindCoordinator, Api::OffsetCommit] {
            scope.spawn(move || survives("group", &|cluster| cluster.fail(api, &refused)));
        }
    });
}

/// In a process of its own, which starts no programs: a stopping broker closes its port and opens
/// it again at once, and a thread that starts a program holds all open ports until the program
/// begins.
#[test]
fn brokers_that_are_slow_or_go_leave_no_person_out() {
    const ALONE: &str = "TIDEGATE_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args([
            "--exact",
            "topic_faults::brokers_that_are_slow_or_go_leave_no_person_out",
            "--nocapture",
        ]);
        let output = command.env(ALONE, "1").output().expect("a process");
        let printed = [output.stdout, output.stderr]
            .map(|text| String::from_utf8_lossy(&text).into_owned())
            .concat();
        assert!(
            output.status.success() && printed.contains("leaders change: "),
            "{}: {printed}",
            output.status
        );
        return;
    }
    let slow = |cluster: &Cluster, millis| {
        cluster
            .brokers
            .broker_round_trip_time(-1, Duration::from_millis(millis))
            .expect("a broker");
    };
    let away = |cluster: &Cluster, broker: i32| {
        cluster.brokers.broker_down(broker).expect("a broker");
        sleep(Duration::from_millis(1_500));
        cluster.brokers.broker_up(broker).expect("a broker");
    };
    let moves = |cluster: &Cluster| {
        for partition in 0..PARTITIONS {
            let leader = 1 + (cluster.sent as i32 / 100 + partition) % 2;
            cluster
                .brokers
                .partition_leader("wards", partition, Some(leader))
                .expect("a partition");
        }
    };
    scope(|scope| {
        scope.spawn(|| survives("slow", &|cluster| slow(cluster, 200)));
        scope.spawn(|| survives("very slow", &|cluster| slow(cluster, 600)));
        scope.spawn(|| survives("one is away", &|cluster| away(cluster, 1)));
        scope.spawn(|| survives("all are away", &|cluster| away(cluster, -1)));
        scope.spawn(|| survives("leaders change", &moves));
    });
}

#[test]
fn what_cannot_be_right_halts() {
    let wards = |cluster: &mut Cluster, fault| {
        cluster
            .brokers
            .topic_error("wards", fault)
            .expect("a topic")
    };
    // Messages that were sent before fetching fails may still be fetched.
    let fetches = |cluster: &mut Cluster, fault| {
        cluster.fail(Api::Fetch, &[fault; 5_000]);
        cluster.send(300);
    };
    let right = ["do not permit reading the topic wards", "READ and DESCRIBE"];
    let refused = RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
    let gone = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    scope(|scope| {
        scope.spawn(|| halts("fetch", &|cluster| fetches(cluster, refused), &right));
        scope.spawn(|| halts("topic", &|cluster| wards(cluster, refused), &right));
        // With any of these errors nothing is read.
        let never = RD_KAFKA_RESP_ERR_POLICY_VIOLATION;
        let words = [
            "for a minute the brokers have sent no messages of the topic wards",
            "Nothing was skipped",
        ];
        scope.spawn(move || halts("never", &|cluster| fetches(cluster, never), &words));
        scope.spawn(|| halts("gone", &|cluster| wards(cluster, gone), &["topic wards"]));
    });
}

#[test]
fn faults_of_all_kinds_leave_no_person_out() {
    let faults = [
        TRANSPORT,
        RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
        RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
        RD_KAFKA_RESP_ERR_INVALID_MSG,
        RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE,
    ];
    random::run("faults of a cluster", 1, |draw| {
        let mut cluster = Cluster::new();
        let mut reader = Reader::begin(&cluster, BTreeMap::new());
        let mut all = Vec::new();
        for _ in 0..6 {
            cluster.send(draw.between(1, 200));
            for api in [Api::Fetch, Api::ListOffsets, Api::Metadata] {
                let fault = faults[draw.between(0, faults.len() as u64 - 1) as usize];
                cluster.fail(api, &vec![fault; draw.between(0, 2) as usize]);
            }
            again(&mut reader, &mut all, &cluster, draw);
            let people = cluster.sent - all.len() as u64;
            reader.take(people).expect("it goes on");
        }
        all.extend(reader.came);
        all.sort_unstable();
        assert!(
            all.into_iter().eq(0..cluster.sent),
            "each person comes once"
        );
    });
}

/// Another reader may continue where this one was.
fn again(reader: &mut Reader, all: &mut Vec<u64>, cluster: &Cluster, draw: &mut Draw) {
    if draw.once_in(3) {
        let positions = reader.positions.clone();
        let before = std::mem::replace(reader, Reader::begin(cluster, positions));
        all.extend(before.came);
    }
}
