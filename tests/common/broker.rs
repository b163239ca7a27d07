//! A real broker of Apache Kafka, for as long as a test runs; it ends with the tests, also when
//! they are killed. A broker that a test has not damaged is lent to the next test, without its
//! topics.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Read as _, Write as _};
use std::net::TcpStream;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewPartitions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::KafkaError;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::needs;
use super::ports::Ports;
use super::wait::{self, LIMIT};

/// A running broker.
pub struct Broker {
    folder: TempDir,
    ports: Ports,
    /// The options that it is formatted with.
    format: String,
    child: Option<(Child, Lines<BufReader<ChildStdout>>, Pid)>,
    /// Topics that were created and not deleted.
    topics: Mutex<Vec<String>>,
}

/// Brokers that no test uses.
static IDLE: Mutex<Vec<Broker>> = Mutex::new(Vec::new());
/// A file that marks a broker that is not lent again: its folder is removed with the tests.
const DISPOSABLE: &str = "disposable";

/// A broker on loan.
pub struct Lent(Option<Broker>);

impl Deref for Lent {
    type Target = Broker;

    fn deref(&self) -> &Broker {
        self.0.as_ref().expect("it is lent until it is dropped")
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut Broker {
        self.0.as_mut().expect("it is lent until it is dropped")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(broker) = self.0.take().filter(|broker| broker.child.is_some()) else {
            return;
        };
        if std::thread::panicking() {
            return;
        }
        let topics = broker
            .topics
            .lock()
            .map(|mut topics| std::mem::take(&mut *topics))
            .unwrap_or_default();
        topics.iter().for_each(|topic| broker.delete(topic));
        fs::write(broker.folder.path().join(DISPOSABLE), "").expect("a file");
        if let Ok(mut idle) = IDLE.lock() {
            idle.push(broker);
        }
    }
}

impl Broker {
    /// Lends one; None, with a message, if it is not installed.
    pub fn start() -> Option<Lent> {
        let idle = IDLE.lock().ok().and_then(|mut idle| idle.pop());
        let broker = match idle {
            Some(broker) => {
                fs::remove_file(broker.folder.path().join(DISPOSABLE)).expect("it is there");
                broker
            }
            None => Broker::start_with(2, "", |_, _| String::new())?,
        };
        Some(Lent(Some(broker)))
    }

    /// Starts one with this many ports, of which it needs two for itself, and with these additional
    /// settings.
    pub fn start_with(
        ports: u16,
        format: &str,
        more: impl FnOnce(&Path, u16) -> String,
    ) -> Option<Broker> {
        needs::tool("TIDEGATE_KAFKA")?;
        let folder = tempfile::tempdir().expect("a folder");
        let ports = Ports::take(ports);
        let more = more(folder.path(), ports.first());
        fs::write(folder.path().join("more.properties"), more).expect("a file");
        let mut broker = Broker {
            folder,
            ports,
            format: format.to_owned(),
            child: None,
            topics: Mutex::default(),
        };
        broker.begin();
        Some(broker)
    }

    /// Starts it again, with its data.
    pub fn begin(&mut self) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kafka/broker.sh");
        let mut command = Command::new(script);
        command
            .arg(self.folder.path())
            .arg(self.ports.first().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        command.env("KAFKA_FORMAT", &self.format);
        let mut child = command.spawn().expect("the script starts");
        let mut said = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut line = || said.next().expect("it says something").expect("text");
        let pid = line().parse().expect("a process id");
        assert_eq!(line(), "ready");
        self.child = Some((child, said, Pid::from_raw(pid).expect("a process id")));
    }

    /// Kills it.
    pub fn kill(&mut self) {
        let Some((mut child, _, pid)) = self.child.take() else {
            return;
        };
        kill_process(pid, Signal::KILL).expect("it was started");
        drop(child.stdin.take());
        child.wait().expect("the script ends");
    }

    /// Ends it as its operator would, so that it trusts its files when it starts again.
    pub fn stop(&mut self) {
        let Some((mut child, _, pid)) = self.child.take() else {
            return;
        };
        kill_process(pid, Signal::TERM).expect("it was started");
        // The script would kill it as soon as no process holds the other end.
        let held = child.stdin.take();
        child.wait().expect("the script ends");
        drop(held);
    }

    /// Changes a bit of a message of partition 0 that contains this word, on the disk of a broker
    /// that is not running.
    pub fn damage(&self, topic: &str, word: &str) {
        assert!(
            self.folder
                .path()
                .join("data/.kafka_cleanshutdown")
                .exists(),
            "it was ended in order"
        );
        let path = self
            .folder
            .path()
            .join(format!("data/{topic}-0/00000000000000000000.log"));
        let mut bytes = fs::read(&path).expect("messages");
        let at = bytes
            .windows(word.len())
            .position(|bytes| bytes == word.as_bytes())
            .expect("it is there");
        bytes[at] ^= 1;
        fs::write(&path, bytes).expect("a file");
    }

    /// Loses all messages of partition 0 from an offset on, as a disk restored from a copy does,
    /// while it is not running.
    pub fn lose(&self, topic: &str, from: u64) {
        let path = self
            .folder
            .path()
            .join(format!("data/{topic}-0/00000000000000000000.log"));
        let bytes = fs::read(&path).expect("messages");
        let mut at = 0;
        let number = |at: usize, long: usize| {
            bytes[at..at + long]
                .iter()
                .fold(0, |all, &byte| all << 8 | u64::from(byte))
        };
        while at < bytes.len() && number(at, 8) < from {
            at += 12 + number(at + 8, 4) as usize;
        }
        assert!(at < bytes.len(), "a batch begins there");
        fs::write(&path, &bytes[..at]).expect("a file");
        fs::remove_file(self.folder.path().join("data/.kafka_cleanshutdown"))
            .expect("it was ended in order");
    }

    /// Its address.
    pub fn address(&self) -> String {
        self.listens(0)
    }

    /// Its address at another one of its ports.
    pub fn listens(&self, port: u16) -> String {
        format!("127.0.0.1:{}", self.ports.first() + port)
    }

    /// A file in its folder.
    pub fn file(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(name)).expect("a file")
    }

    fn config(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", self.address());
        config
    }

    fn admin(&self) -> AdminClient<DefaultClientContext> {
        self.config().create().expect("a client")
    }

    /// Creates a topic, and waits until all brokers know it.
    pub fn topic(&self, name: &str, partitions: i32, settings: &[(&str, &str)]) {
        let mut topic = NewTopic::new(name, partitions, TopicReplication::Fixed(1));
        for (key, value) in settings {
            topic = topic.set(key, value);
        }
        let made = block_on(self.admin().create_topics([&topic], &options())).expect("an answer");
        made.into_iter().for_each(|made| _ = made.expect("a topic"));
        self.topics.lock().expect("no panic").push(name.to_owned());
        let client: BaseProducer = self.config().create().expect("a client");
        let is_known = || {
            let known = client
                .client()
                .fetch_metadata(Some(name), LIMIT)
                .expect("an answer");
            let led = known
                .topics()
                .iter()
                .flat_map(|topic| topic.partitions())
                .filter(|partition| partition.leader() >= 0);
            (led.count() == partitions as usize).then_some(())
        };
        wait::until(|| format!("the topic {name}"), is_known);
    }

    /// Deletes a topic, and waits until no broker knows it.
    pub fn delete(&self, name: &str) {
        self.topics
            .lock()
            .expect("no panic")
            .retain(|known| known != name);
        let gone = block_on(self.admin().delete_topics(&[name], &options())).expect("an answer");
        gone.into_iter().for_each(|gone| _ = gone.expect("a topic"));
        let client: BaseProducer = self.config().create().expect("a client");
        let is_gone = || {
            let known = client
                .client()
                .fetch_metadata(Some(name), LIMIT)
                .expect("an answer");
            known
                .topics()
                .iter()
                .all(|topic| topic.partitions().is_empty())
                .then_some(())
        };
        wait::until(|| format!("the end of the topic {name}"), is_gone);
    }

    /// Adds partitions, up to this many.
    pub fn widen(&self, name: &str, partitions: usize) {
        let more = NewPartitions::new(name, partitions);
        let made =
            block_on(self.admin().create_partitions([&more], &options())).expect("an answer");
        made.into_iter()
            .for_each(|made| _ = made.expect("partitions"));
    }

    /// Deletes the messages of a partition before this offset, as its retention would.
    pub fn forget(&self, name: &str, partition: i32, before: i64) {
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(name, partition, Offset::Offset(before))
            .expect("an offset");
        block_on(self.admin().delete_records(&list, &options())).expect("an answer");
    }

    /// The offset that a group has committed in a partition, which displays of lag read.
    pub fn committed(&self, group: &str, topic: &str, partition: i32) -> Offset {
        let mut config = self.config();
        let consumer: BaseConsumer = config.set("group.id", group).create().expect("a client");
        let mut list = TopicPartitionList::new();
        list.add_partition(topic, partition);
        let found = consumer.committed_offsets(list, LIMIT).expect("an answer");
        found
            .find_partition(topic, partition)
            .expect("it was asked for")
            .offset()
    }

    /// Permits a user this operation (3 is READ, 8 is DESCRIBE) on a topic. The library has no
    /// function for it: it is one request of the protocol, CreateAcls 1.
    pub fn allow(&self, user: &str, operation: u8, topic: &str) {
        let text = |text: &str| [&(text.len() as u16).to_be_bytes(), text.as_bytes()].concat();
        let head = [
            &30_u16.to_be_bytes()[..],
            &1_u16.to_be_bytes(),
            &7_u32.to_be_bytes(),
            &text("tests"),
        ]
        .concat();
        let rule = [
            &[2][..],
            &text(topic),
            &[3],
            &text(&format!("User:{user}")),
            &text("*"),
            &[operation, 3],
        ]
        .concat();
        let whole = [&head[..], &1_u32.to_be_bytes(), &rule].concat();
        let mut stream = TcpStream::connect(self.address()).expect("it listens");
        stream
            .write_all(&[&(whole.len() as u32).to_be_bytes()[..], &whole].concat())
            .expect("it reads");
        // Its length, our number, a requested pause, one result.
        let mut answer = [0; 18];
        stream.read_exact(&mut answer).expect("it answers");
        assert_eq!(answer[16..], [0, 0], "it lets us give rights");
    }

    /// A producer for it.
    pub fn producer(&self, settings: &[(&str, &str)]) -> BaseProducer {
        self.producing(settings).create().expect("a client")
    }

    /// The configuration of a producer.
    pub fn producing(&self, settings: &[(&str, &str)]) -> ClientConfig {
        let mut config = self.config();
        config
            .set("message.timeout.ms", "600000")
            .set("topic.metadata.refresh.interval.ms", "1000");
        // A transaction may not end before its messages do.
        config.set("transaction.timeout.ms", "600000");
        for (key, value) in settings {
            config.set(*key, *value);
        }
        config
    }

    /// Writes messages to a partition, and waits until they are acknowledged.
    pub fn put<'m>(
        &self,
        topic: &str,
        partition: i32,
        messages: impl IntoIterator<Item = &'m str>,
    ) {
        let producer = self.producer(&[]);
        messages
            .into_iter()
            .for_each(|message| send(&producer, topic, partition, Some(message)));
        producer.flush(LIMIT).expect("all are there");
    }
}

/// Sends a message without waiting.
pub fn send(producer: &BaseProducer, topic: &str, partition: i32, content: Option<&str>) {
    let record = || {
        let record = BaseRecord::<str, str>::to(topic)
            .partition(partition)
            .key("key");
        match content {
            Some(content) => record.payload(content),
            None => record,
        }
    };
    while let Err((KafkaError::MessageProduction(_), _)) = producer.send(record()) {
        producer.poll(Duration::from_millis(10));
    }
}

fn block_on<T>(answer: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime")
        .block_on(answer)
}

fn options() -> AdminOptions {
    AdminOptions::new()
        .request_timeout(Some(LIMIT))
        .operation_timeout(Some(LIMIT))
}

impl Drop for Broker {
    fn drop(&mut self) {
        if let Some((mut child, _, _)) = self.child.take() {
            drop(child.stdin.take());
            // It may have ended already.
            let _ = child.wait();
        }
    }
}
