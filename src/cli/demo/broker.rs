//! A broker inside the program (librdkafka's mock cluster): a topic, and its producer. It ends with
//! the demo.

use std::time::Duration;

use rdkafka::config::ClientConfig;
use rdkafka::error::KafkaError;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{BaseProducer, BaseRecord, DefaultProducerContext, Producer as _};

use crate::daemon::error::{Error, ErrorCategory, Result};

/// The topic of the demo.
pub(super) const TOPIC: &str = "hospital.admissions";
/// Its partitions.
const PARTITIONS: i32 = 3;
/// The time limit for a message.
const PATIENCE: Duration = Duration::from_secs(10);

/// The broker.
pub(super) struct Broker {
    cluster: MockCluster<'static, DefaultProducerContext>,
    producer: BaseProducer,
}

impl Broker {
    /// Starts it.
    ///
    /// # Errors
    /// There is no port for it.
    pub(super) fn start() -> Result<Broker> {
        let cluster = MockCluster::new(1).map_err(none)?;
        cluster.create_topic(TOPIC, PARTITIONS, 1).map_err(none)?;
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", cluster.bootstrap_servers())
            .set("linger.ms", "5");
        let producer = config.create().map_err(none)?;
        Ok(Broker { cluster, producer })
    }

    /// Its port.
    pub(super) fn port(&self) -> String {
        self.cluster
            .bootstrap_servers()
            .rsplit(':')
            .next()
            .unwrap_or_default()
            .to_owned()
    }

    /// Writes messages, and waits until they are acknowledged.
    ///
    /// # Errors
    /// They are not.
    pub(super) fn send(&self, messages: &[String]) -> Result<()> {
        for (at, message) in (0..).zip(messages) {
            let record = || {
                BaseRecord::<str, str>::to(TOPIC)
                    .partition(at % PARTITIONS)
                    .payload(message)
            };
            let mut sent = self.producer.send(record());
            while let Err((KafkaError::MessageProduction(_), _)) = sent {
                self.producer.poll(Duration::from_millis(10));
                sent = self.producer.send(record());
            }
        }
        self.producer.flush(PATIENCE).map_err(none)
    }
}

fn none(_: KafkaError) -> Error {
    Error::new(
        ErrorCategory::Io,
        "the broker of the demo cannot be started, or does not answer",
    )
}
