//! A real broker of Apache Kafka, for as long as a test runs; it ends with the test, also when that is killed.

use std::io::{BufRead, BufReader, Lines};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewPartitions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::error::KafkaError;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// How long brokers may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running broker.
pub struct Broker {
    folder: TempDir,
    port: u16,
    child: Option<(Child, Lines<BufReader<ChildStdout>>, Pid)>,
}

impl Broker {
    /// Starts one; `None`, and a word about it, where it is not installed.
    pub fn start() -> Option<Broker> {
        if std::env::var_os("TIDEGATE_KAFKA").is_none() {
            eprintln!("skipped: TIDEGATE_KAFKA is not set");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mut broker = Broker { folder, port: two_ports(), child: None };
        broker.begin();
        Some(broker)
    }

    /// Starts it again, with what it had.
    pub fn begin(&mut self) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kafka/broker.sh");
        let mut command = Command::new(script);
        command.arg(self.folder.path()).arg(self.port.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the script starts");
        let mut said = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut line = || said.next().expect("it says something").expect("text");
        let pid = line().parse().expect("a process id");
        assert_eq!(line(), "ready");
        self.child = Some((child, said, Pid::from_raw(pid).expect("a process id")));
    }

    /// Kills it.
    pub fn kill(&mut self) {
        let Some((mut child, _, pid)) = self.child.take() else { return };
        kill_process(pid, Signal::KILL).expect("it was started");
        drop(child.stdin.take());
        child.wait().expect("the script ends");
    }

    /// Where it listens.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn config(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", self.address());
        config
    }

    fn admin(&self) -> AdminClient<DefaultClientContext> {
        self.config().create().expect("a client")
    }

    /// Makes a topic.
    pub fn topic(&self, name: &str, partitions: i32, settings: &[(&str, &str)]) {
        let mut topic = NewTopic::new(name, partitions, TopicReplication::Fixed(1));
        for (key, value) in settings {
            topic = topic.set(key, value);
        }
        let made = block_on(self.admin().create_topics([&topic], &options())).expect("an answer");
        made.into_iter().for_each(|made| _ = made.expect("a topic"));
    }

    /// Deletes a topic, and waits until nobody knows it.
    pub fn delete(&self, name: &str) {
        let gone = block_on(self.admin().delete_topics(&[name], &options())).expect("an answer");
        gone.into_iter().for_each(|gone| _ = gone.expect("a topic"));
        let client: BaseProducer = self.config().create().expect("a client");
        loop {
            let known = client.client().fetch_metadata(Some(name), PATIENCE).expect("an answer");
            if known.topics().iter().all(|topic| topic.partitions().is_empty()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Adds partitions, up to so many.
    pub fn widen(&self, name: &str, partitions: usize) {
        let more = NewPartitions::new(name, partitions);
        let made = block_on(self.admin().create_partitions([&more], &options())).expect("an answer");
        made.into_iter().for_each(|made| _ = made.expect("partitions"));
    }

    /// Deletes the messages of a partition before this offset, as its retention would.
    pub fn forget(&self, name: &str, partition: i32, before: i64) {
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(name, partition, Offset::Offset(before)).expect("an offset");
        block_on(self.admin().delete_records(&list, &options())).expect("an answer");
    }

    /// Whoever writes to it.
    pub fn producer(&self, settings: &[(&str, &str)]) -> BaseProducer {
        let mut config = self.config();
        config.set("message.timeout.ms", "30000").set("topic.metadata.refresh.interval.ms", "1000");
        for (key, value) in settings {
            config.set(*key, *value);
        }
        config.create().expect("a client")
    }

    /// Puts messages into a partition, and waits until they are there.
    pub fn put<'m>(&self, topic: &str, partition: i32, messages: impl IntoIterator<Item = &'m str>) {
        let producer = self.producer(&[]);
        messages.into_iter().for_each(|message| send(&producer, topic, partition, Some(message)));
        producer.flush(PATIENCE).expect("all are there");
    }
}

/// Puts a message on its way.
pub fn send(producer: &BaseProducer, topic: &str, partition: i32, content: Option<&str>) {
    let record = || {
        let record = BaseRecord::<str, str>::to(topic).partition(partition).key("key");
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
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(answer)
}

fn options() -> AdminOptions {
    AdminOptions::new().operation_timeout(Some(PATIENCE))
}

/// Two ports next to each other that nobody has.
fn two_ports() -> u16 {
    loop {
        let first = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = first.local_addr().expect("an address").port();
        if port < u16::MAX && TcpListener::bind(("127.0.0.1", port + 1)).is_ok() {
            return port;
        }
    }
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
