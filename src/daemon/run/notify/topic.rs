//! Notifications to a Kafka topic, at the brokers that records come from: one message with the
//! notification's key, confirmed by all in-sync replicas.

use std::sync::Mutex;
use std::time::Duration;

use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::KafkaError;
use rdkafka::message::{DeliveryResult, Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _, ProducerContext, PurgeConfig};
use rdkafka::types::RDKafkaErrorCode;

use super::notification::Notification;
use super::receiver::{HandoverOutcome, NotificationReceiver};
use crate::config::Security;
use crate::error::{Complaint, Error, ErrorCategory, Result};
use crate::ingest::topic::{connected, refused};

/// How long the brokers may take to confirm a message, in milliseconds.
const PATIENCE_MS: &str = "10000";
/// How long the brokers may take to say whether the topic exists.
const ANSWER: Duration = Duration::from_secs(5);
/// The longest wait at a time.
const LOOK: Duration = Duration::from_millis(50);

/// The result of the last message, and the last error.
#[derive(Default)]
struct MessageFate {
    delivered: Mutex<Option<std::result::Result<(), RDKafkaErrorCode>>>,
    said: Mutex<Option<Complaint>>,
}

impl ClientContext for MessageFate {
    fn log(&self, _: RDKafkaLogLevel, _: &str, _: &str) {}

    fn error(&self, _: KafkaError, reason: &str) {
        if let Ok(mut said) = self.said.lock() {
            *said = Some(Complaint::of(reason));
        }
    }
}

impl ProducerContext for MessageFate {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        let code =
            |error: &KafkaError| error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Fail);
        if let Ok(mut delivered) = self.delivered.lock() {
            *delivered = Some(
                result
                    .as_ref()
                    .map(|_| ())
                    .map_err(|(error, _)| code(error)),
            );
        }
    }
}

/// A topic.
pub(super) struct NoticeTopic {
    producer: BaseProducer<MessageFate>,
    name: String,
}

impl NoticeTopic {
    /// Does not connect before the first notification.
    ///
    /// # Errors
    /// A secret cannot be read, or the library refuses the settings.
    pub(super) fn new(
        brokers: &str,
        security: Option<&Security>,
        name: &str,
    ) -> Result<NoticeTopic> {
        let mut config = connected(brokers, security)?;
        for (key, value) in [
            // One message at a time: permission for idempotent writes would add nothing.
            ("enable.idempotence", "false"),
            ("acks", "all"),
            ("message.timeout.ms", PATIENCE_MS),
            ("linger.ms", "0"),
            ("allow.auto.create.topics", "false"),
            ("topic.metadata.propagation.max.ms", "2000"),
        ] {
            config.set(key, value);
        }
        let producer = config
            .create_with_context(MessageFate::default())
            .map_err(|error| refused(&error))?;
        Ok(NoticeTopic {
            producer,
            name: name.to_owned(),
        })
    }

    fn away(&self, code: RDKafkaErrorCode) -> HandoverOutcome {
        use RDKafkaErrorCode as Code;
        let said = || {
            self.producer
                .context()
                .said
                .lock()
                .ok()
                .and_then(|mut said| said.take())
        };
        HandoverOutcome::Away(match code {
            Code::UnknownTopic | Code::UnknownTopicOrPartition | Code::UnknownPartition => {
                Complaint::of(&format!("there is no topic {}: create it", self.name))
            }
            Code::TopicAuthorizationFailed => Complaint::of(&format!(
                "the brokers do not permit writing to the topic {}",
                self.name
            )),
            code => said().unwrap_or_else(|| Complaint::of(&code.to_string())),
        })
    }
}

impl NotificationReceiver for NoticeTopic {
    fn look(&self) -> Result<String> {
        let away = |why: String| Error::new(ErrorCategory::Io, why);
        let known = self
            .producer
            .client()
            .fetch_metadata(Some(&self.name), ANSWER)
            .map_err(|error| {
                let code = error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Fail);
                away(format!("the brokers do not answer: {code}"))
            })?;
        let partitions = known
            .topics()
            .iter()
            .map(|topic| topic.partitions().len())
            .sum::<usize>();
        match partitions {
            0 => Err(away(format!(
                "there is no topic {}, or it is not visible to this user: create it",
                self.name
            ))),
            some => Ok(format!(
                "the topic {} exists, partitions: {some}",
                self.name
            )),
        }
    }

    fn hand(&mut self, notification: &Notification, ends: &dyn Fn() -> bool) -> HandoverOutcome {
        let ear = self.producer.context().clone();
        let delivered = || {
            ear.delivered
                .lock()
                .ok()
                .and_then(|mut delivered| delivered.take())
        };
        let bytes = notification.bytes();
        let kind = Header {
            key: "content-type",
            value: Some("application/json"),
        };
        let record = BaseRecord::to(&self.name)
            .key(&notification.key)
            .payload(&bytes);
        // Errors about the previous message.
        delivered();
        if let Err((error, _)) = self
            .producer
            .send(record.headers(OwnedHeaders::new().insert(kind)))
        {
            return self.away(error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Fail));
        }
        loop {
            self.producer.poll(LOOK);
            match delivered() {
                Some(Ok(())) => return HandoverOutcome::Done,
                Some(Err(code)) => return self.away(code),
                None if ends() => {
                    self.producer
                        .purge(PurgeConfig::default().queue().inflight());
                    return HandoverOutcome::Ending;
                }
                None => {}
            }
        }
    }
}
