//! Builds a Kafka client from a feed file (CONTRACTS 1): its connection and authentication, and
//! what it must never do by itself, which is to store offsets, to jump to others, or to show
//! aborted transactions.

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

use crate::config::{Format, Mechanism, RegistrySettings, Security, Start};
use crate::error::{Complaint, Error, ErrorCategory, Result, printable};
use crate::small_file;

/// The number of kibibytes that the library fetches in advance.
const AHEAD_KIB: &str = "32768";

/// The settings for reading a topic.
pub struct TopicSettings<'f> {
    /// The feed.
    pub feed: &'f str,
    /// `host:port`, separated by commas.
    pub brokers: &'f str,
    /// The topic.
    pub topic: &'f str,
    /// Where a new feed begins to read.
    pub start: Start,
    /// Encryption and authentication.
    pub security: Option<&'f Security>,
    /// The format of messages.
    pub format: Format,
    /// The registry of schemas.
    pub registry: Option<&'f RegistrySettings>,
    /// The id of the topic that may replace the one that was read before.
    pub topic_id: Option<&'f str>,
    /// Where to continue in partitions that have lost messages: the expected offset, and the one
    /// that is read instead.
    pub resume: &'f BTreeMap<i32, (u64, u64)>,
    /// How long unavailable brokers are waited for; `None`: for ever.
    pub patience: Option<Duration>,
}

/// Stores the library's last connection error, and whether it has committed offsets.
#[derive(Default)]
pub(super) struct ConnectionState {
    complaint: Mutex<Option<(Code, Complaint)>>,
    committed: AtomicBool,
}

impl ConnectionState {
    /// The reason for the last lost connection, since there was one.
    pub(super) fn last(&self) -> Option<(Code, Complaint)> {
        self.complaint().clone()
    }

    /// Records that a connection exists.
    pub(super) fn forget(&self) {
        *self.complaint() = None;
    }

    /// Whether offsets were committed since the last call.
    pub(super) fn is_committed(&self) -> bool {
        self.committed.swap(false, Ordering::AcqRel)
    }

    fn complaint(&self) -> MutexGuard<'_, Option<(Code, Complaint)>> {
        self.complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientContext for ConnectionState {
    /// The library reports no error if the other side closes a connection without a message,
    /// although that is the only sign of a port with another protocol.
    fn log(&self, _: RDKafkaLogLevel, about: &str, line: &str) {
        if about == "FAIL" {
            let why = line.split_once("]: ").map_or(line, |(_, why)| why);
            *self.complaint() = Some((Code::BrokerTransportFailure, Complaint::of(why)));
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
        let code = error
            .rdkafka_error_code()
            .filter(|code| of_connections.contains(code));
        if let Some(code) = code {
            *self.complaint() = Some((code, Complaint::of(reason)));
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
    small_file::text(file, "read the certificate", small_file::CERTIFICATES)
        .map_err(|error| error.in_field(field))
}

/// The settings of any client: addresses of brokers, and the connection.
///
/// # Errors
/// A secret cannot be read.
pub fn connected(brokers: &str, security: Option<&Security>) -> Result<ClientConfig> {
    // The library would shut OpenSSL down when the process ends, while threads still communicate
    // with brokers.
    openssl::init();
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", brokers)
        .set("client.id", "tidegate");
    config
        .set("socket.keepalive.enable", "true")
        .set("reconnect.backoff.max.ms", "5000");
    config.set_log_level(RDKafkaLogLevel::Info);
    let Some(security) = security else {
        return Ok(config);
    };
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
        config.set(
            "ssl.certificate.pem",
            &**certificates(file, "source.security.certificate")?,
        );
        config.set(
            "ssl.key.pem",
            key.read()
                .map_err(|error| error.in_field("source.security.key"))?,
        );
    }
    if let Some(sasl) = &security.sasl {
        let mechanism = match sasl.mechanism {
            Mechanism::Plain => "PLAIN",
            Mechanism::ScramSha256 => "SCRAM-SHA-256",
            Mechanism::ScramSha512 => "SCRAM-SHA-512",
        };
        config
            .set("sasl.mechanism", mechanism)
            .set("sasl.username", &sasl.user);
        let password = sasl
            .password
            .read()
            .map_err(|error| error.in_field("source.security.sasl.password"))?;
        config.set("sasl.password", password);
    }
    Ok(config)
}

/// The settings for reading. The client belongs to no group; the group name is for monitoring of
/// lag.
pub(super) fn reading(mut config: ClientConfig, feed: &str) -> ClientConfig {
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
        // Brokers answer when there is enough data, or after a timeout: with producers that send
        // single messages, this gives ten answers a second instead of one for each message. Other
        // queries wait behind an answer.
        ("fetch.min.bytes", "65536"),
        ("fetch.wait.max.ms", "100"),
        ("topic.metadata.refresh.interval.ms", "30000"),
        // There is no session. The setting limits how long a commit, and with it the end of the
        // client, waits for the coordinator: without permission for the group, none ever answers.
        ("session.timeout.ms", "500"),
        ("heartbeat.interval.ms", "100"),
    ] {
        config.set(key, value);
    }
    config
}

/// The error if a client cannot be created.
///
/// # Errors
/// The library refuses the settings, for example an invalid certificate.
pub fn refused(error: &KafkaError) -> Error {
    let text = match error {
        // The library's message about a value may quote it.
        KafkaError::ClientConfig(_, _, key, _) => format!("`{key}` is refused"),
        KafkaError::ClientCreation(why) => printable(why),
        other => printable(&other.to_string()),
    };
    let text = format!("the Kafka client cannot begin with these settings: {text}");
    Error::new(ErrorCategory::Feed, text).in_field("source.security")
}
