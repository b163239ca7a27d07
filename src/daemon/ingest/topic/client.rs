//! How a feed file becomes a Kafka client (CONTRACTS 1): what it connects to, who it is, and what it must never do by
//! itself, which is to keep offsets, to jump to others, or to show what was rolled back.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use rdkafka::client::ClientContext;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::KafkaError;
use rdkafka::types::RDKafkaErrorCode;

use crate::daemon::config::{Format, Mechanism, Registry, Security, Start};
use crate::daemon::error::{Complaint, Error, Kind, Result, printable};

/// Kibibytes that the library fetches ahead.
const AHEAD_KIB: &str = "32768";

/// What a topic is read with.
pub struct Settings<'f> {
    /// The feed.
    pub feed: &'f str,
    /// `host:port`, with commas.
    pub brokers: &'f str,
    /// The topic.
    pub topic: &'f str,
    /// Where a new feed begins.
    pub start: Start,
    /// Encryption and who we are.
    pub security: Option<&'f Security>,
    /// How messages are written.
    pub format: Format,
    /// Where schemas lie.
    pub registry: Option<&'f Registry>,
    /// The topic that may take the place of the one that was read before.
    pub topic_id: Option<&'f str>,
    /// Where to go on in partitions of which messages are lost.
    pub resume: &'f BTreeMap<i32, u64>,
    /// How long brokers that are away are waited for; `None`: for ever.
    pub patience: Option<Duration>,
}

/// Remembers the last thing that the library complained of.
#[derive(Default)]
pub struct Ear(Mutex<Option<Complaint>>);

impl Ear {
    /// The last complaint.
    pub fn last(&self) -> Option<Complaint> {
        self.0.lock().ok()?.clone()
    }
}

impl ClientContext for Ear {
    fn log(&self, _: RDKafkaLogLevel, _: &str, _: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        if error.rdkafka_error_code() == Some(RDKafkaErrorCode::PartitionEOF) {
            return;
        }
        if let Ok(mut last) = self.0.lock() {
            *last = Some(Complaint::of(reason));
        }
    }
}

impl ConsumerContext for Ear {}

/// Of any client: where the brokers are and how they are spoken to.
///
/// # Errors
/// A secret cannot be read.
pub fn connected(brokers: &str, security: Option<&Security>) -> Result<ClientConfig> {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", brokers).set("client.id", "tidegate");
    config.set("socket.keepalive.enable", "true").set("reconnect.backoff.max.ms", "5000");
    config.set("log.connection.close", "false").set_log_level(RDKafkaLogLevel::Emerg);
    let Some(security) = security else { return Ok(config) };
    let protocol = match (security.tls, &security.sasl) {
        (true, Some(_)) => "sasl_ssl",
        (true, None) => "ssl",
        (false, Some(_)) => "sasl_plaintext",
        (false, None) => "plaintext",
    };
    config.set("security.protocol", protocol);
    if security.tls {
        match &security.ca {
            Some(file) => {
                let missing = |error| Error::io(file, "read the certificate", &error).in_field("source.security.ca");
                config.set("ssl.ca.pem", std::fs::read_to_string(file).map_err(missing)?);
            }
            None => _ = config.set("ssl.ca.location", "probe"),
        }
    }
    if let Some((file, key)) = &security.certificate {
        let field = "source.security.certificate";
        let missing = |error| Error::io(file, "read the certificate", &error).in_field(field);
        config.set("ssl.certificate.pem", std::fs::read_to_string(file).map_err(missing)?);
        config.set("ssl.key.pem", key.read().map_err(|error| error.in_field("source.security.key"))?);
    }
    if let Some(sasl) = &security.sasl {
        let mechanism = match sasl.mechanism {
            Mechanism::Plain => "PLAIN",
            Mechanism::ScramSha256 => "SCRAM-SHA-256",
            Mechanism::ScramSha512 => "SCRAM-SHA-512",
        };
        config.set("sasl.mechanism", mechanism).set("sasl.username", &sasl.user);
        let password = sasl.password.read().map_err(|error| error.in_field("source.security.sasl.password"))?;
        config.set("sasl.password", password);
    }
    Ok(config)
}

/// Of one that reads. It belongs to no group; the name of one is for whoever watches how far it is behind.
pub fn reading(mut config: ClientConfig, feed: &str) -> ClientConfig {
    config.set("group.id", format!("tidegate-{feed}"));
    for (key, value) in [
        ("enable.auto.commit", "false"),
        ("enable.auto.offset.store", "false"),
        ("auto.offset.reset", "error"),
        ("isolation.level", "read_committed"),
        ("enable.partition.eof", "true"),
        ("allow.auto.create.topics", "false"),
        ("check.crcs", "true"),
        ("queued.max.messages.kbytes", AHEAD_KIB),
        ("fetch.wait.max.ms", "250"),
        ("topic.metadata.refresh.interval.ms", "30000"),
    ] {
        config.set(key, value);
    }
    config
}

/// The client, or why there can be none.
///
/// # Errors
/// The library refuses the settings: a certificate that is none, for one.
pub fn refused(error: &KafkaError) -> Error {
    let text = match error {
        // What the library says of a value may quote it.
        KafkaError::ClientConfig(_, _, key, _) => format!("`{key}` is refused"),
        KafkaError::ClientCreation(why) => printable(why),
        other => printable(&other.to_string()),
    };
    let text = format!("the Kafka client cannot begin with these settings: {text}");
    Error::new(Kind::Feed, text).in_field("source.security")
}
