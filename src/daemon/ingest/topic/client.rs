//! How a feed file becomes a Kafka client (CONTRACTS 1): what it connects to, who it is, and what it must never do by
//! itself, which is to keep offsets, to jump to others, or to show what was rolled back.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rdkafka::client::ClientContext;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::topic_partition_list::TopicPartitionList;
use rdkafka::types::RDKafkaErrorCode as Code;
use zeroize::Zeroizing;

use crate::daemon::config::{Format, Mechanism, RegistrySettings, Security, Start};
use crate::daemon::error::{Complaint, Error, ErrorCategory, Result, printable};
use crate::daemon::small_file;

/// Kibibytes that the library fetches ahead.
const AHEAD_KIB: &str = "32768";

/// What a topic is read with.
pub struct TopicSettings<'f> {
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
    pub registry: Option<&'f RegistrySettings>,
    /// The topic that may take the place of the one that was read before.
    pub topic_id: Option<&'f str>,
    /// Where to go on in partitions of which messages are lost: instead of the one offset, at the other.
    pub resume: &'f BTreeMap<i32, (u64, u64)>,
    /// How long brokers that are away are waited for; `None`: for ever.
    pub patience: Option<Duration>,
}

/// Remembers what the library has said of its connections last, and whether it has told how far we are.
#[derive(Default)]
pub struct ConnectionState {
    heard: Mutex<Option<(Code, Complaint)>>,
    committed: AtomicBool,
}

impl ConnectionState {
    /// Why there was no connection, since there was one.
    pub fn last(&self) -> Option<(Code, Complaint)> {
        self.heard().clone()
    }

    /// There is one.
    pub fn forget(&self) {
        *self.heard() = None;
    }

    /// Whether offsets were told since this was asked.
    pub fn is_committed(&self) -> bool {
        self.committed.swap(false, Ordering::AcqRel)
    }

    fn heard(&self) -> MutexGuard<'_, Option<(Code, Complaint)>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientContext for ConnectionState {
    /// A connection that the other side ends without a word is no error to the library, but the only sign of a port that expects
    /// something else.
    fn log(&self, _: RDKafkaLogLevel, about: &str, line: &str) {
        if about == "FAIL" {
            let why = line.split_once("]: ").map_or(line, |(_, why)| why);
            *self.heard() = Some((Code::BrokerTransportFailure, Complaint::of(why)));
        }
    }

    fn error(&self, error: KafkaError, reason: &str) {
        let of_connections = [
            Code::BrokerTransportFailure,
            Code::Resolve,
            Code::SSL,
            Code::Authentication,
            Code::SaslAuthenticationFailed,
            Code::UnsupportedFeature,
            Code::OperationTimedOut,
        ];
        let code = error.rdkafka_error_code().filter(|code| of_connections.contains(code));
        if let Some(code) = code {
            *self.heard() = Some((code, Complaint::of(reason)));
        }
    }
}

impl ConsumerContext for ConnectionState {
    fn commit_callback(&self, _: KafkaResult<()>, _: &TopicPartitionList) {
        self.committed.store(true, Ordering::Release);
    }
}

/// The certificates of a file.
fn certificates(file: &Path, field: &str) -> Result<Zeroizing<String>> {
    small_file::text(file, "read the certificate", small_file::CERTIFICATES).map_err(|error| error.in_field(field))
}

/// Of any client: where the brokers are and how they are spoken to.
///
/// # Errors
/// A secret cannot be read.
pub fn connected(brokers: &str, security: Option<&Security>) -> Result<ClientConfig> {
    // The library would have OpenSSL taken down when the process ends, under the hands of threads that still talk to brokers.
    openssl::init();
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", brokers).set("client.id", "tidegate");
    config.set("socket.keepalive.enable", "true").set("reconnect.backoff.max.ms", "5000");
    config.set_log_level(RDKafkaLogLevel::Info);
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
                config.set("ssl.ca.pem", &**certificates(file, "source.security.ca")?);
            }
            None => _ = config.set("ssl.ca.location", "probe"),
        }
    }
    if let Some((file, key)) = &security.certificate {
        config.set("ssl.certificate.pem", &**certificates(file, "source.security.certificate")?);
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

/// Of one that reads. It belongs to no group; the name of one is for monitors of lag.
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
        // Brokers answer when there is enough, or when the time is over: with producers that send each message by itself, ten
        // answers a second instead of one for each message. Whatever else is asked waits behind an answer.
        ("fetch.min.bytes", "65536"),
        ("fetch.wait.max.ms", "100"),
        ("topic.metadata.refresh.interval.ms", "30000"),
        // There is no session. It is how long a commit waits for the broker that takes it, and with it the end of the client: where we
        // have no right to the group, no broker ever does.
        ("session.timeout.ms", "500"),
        ("heartbeat.interval.ms", "100"),
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
    Error::new(ErrorCategory::Feed, text).in_field("source.security")
}
