//! Why a topic cannot be read further, in words: what happened, what it means, what to do. Only offsets and counts.

use rdkafka::types::RDKafkaErrorCode;

use crate::daemon::error::{Complaint, Error, ErrorCategory};

/// The topic does not exist.
pub fn missing(topic: &str, begun: bool) -> Error {
    let text = if begun {
        format!(
            "the topic {topic} does not exist any more: it was deleted, and what was not read of it is gone with it. What \
             was accepted is safe. Make the topic again: what is in a new topic of this name is read only \
             once the feed file says so (`source.topic_id`)"
        )
    } else {
        format!("there is no topic {topic} at these brokers: make it, or correct `source.topic` or `source.brokers`")
    };
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// Another topic has the name.
pub fn recreated(topic: &str, known: &str, found: &str) -> Error {
    let text = format!(
        "the topic {topic} was deleted and made again: it was {known} and is {found} now, and offsets of the one mean nothing \
         in the other. What was accepted is safe; what was not read of the old one is lost. To read the new one from \
         `source.start` on, write `topic_id = \"{found}\"` in [source]: a person who already has a row counts as a duplicate there"
    );
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// Messages were deleted before they were read.
pub fn overtaken(topic: &str, partition: i32, next: u64, low: u64) -> Error {
    let text = format!(
        "messages {next} to {} of partition {partition} of the topic {topic} were deleted before they were read (its \
         retention is shorter than this feed was behind): {} messages are lost, unless the source sends them again. To continue \
         behind them, write `resume = {{ \"{partition}\" = [{next}, {low}] }}` in [source]; have the topic keep more \
         (`retention.ms`, `retention.bytes`)",
        low - 1,
        low - next
    );
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// Messages that were accepted are no longer in the topic.
pub fn shortened(topic: &str, partition: i32, next: u64, high: u64) -> Error {
    let text = format!(
        "partition {partition} of the topic {topic} ends at offset {high}, and this feed has accepted all before {next}: the \
         brokers have lost messages that they had confirmed (an unclean election, or disks put back from a copy), and give \
         their offsets to others. What was accepted is safe. When the source has sent again what is missing, write \
         `resume = {{ \"{partition}\" = [{next}, {high}] }}` in [source] to read on from there: a person who already has a row counts as a duplicate"
    );
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// Offsets that do not exist: before the first existing one, or after the last.
pub fn overtaken_or_shortened(topic: &str, partition: i32, next: u64, low: u64, high: u64) -> Error {
    if next < low { overtaken(topic, partition, next, low) } else { shortened(topic, partition, next, high) }
}

/// Other messages have the offsets of some that were accepted.
pub fn replaced(topic: &str, partition: i32, next: u64, low: u64) -> Error {
    let text = format!(
        "message {} of partition {partition} of the topic {topic} is not the one that was accepted: the brokers have lost \
         messages that they had confirmed (an unclean election, or disks put back from a copy), and have given their offsets \
         to others, of which those before {next} were never read. What was accepted is safe. Look up where the log of the \
         leader that took over begins, and write `resume = {{ \"{partition}\" = [{next}, OFFSET] }}` in [source] with it, or \
         with {low} to read all that is kept once more: a person who already has a row counts as a duplicate",
        next - 1
    );
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// Messages cannot be read as the brokers send them; each partition with its offset.
pub fn unreadable(topic: &str, unread: &[(i32, u64)]) -> Error {
    let places: Vec<String> = unread.iter().map(|(partition, next)| format!("{partition} at {next}")).collect();
    let text = format!(
        "messages of the topic {topic} cannot be read as the brokers send them: they are damaged, on a disk of a broker or on \
         the way, or written in a way that is not known. Nothing was skipped. Partitions that are not read to their end: \
         {}. Look at the disks and logs of the brokers, or have another replica lead. Where the messages are \
         lost for good, have the brokers delete them (`kafka-delete-records`), and this feed says how to continue behind them",
        places.join(", ")
    );
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// No messages arrive from partitions that have some; each with its offset.
pub fn still(topic: &str, unread: &[(i32, u64)]) -> Error {
    let places: Vec<String> = unread.iter().map(|(partition, next)| format!("{partition} at {next}")).collect();
    let text = format!(
        "no messages of the topic {topic} have come for a minute of partitions that are not read to their end, and the \
         brokers answer everything else: {}. Nothing was skipped. Look at the logs of the brokers that lead them",
        places.join(", ")
    );
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// There are fewer partitions than there were.
pub fn vanished(topic: &str, partition: i32) -> Error {
    let text = format!(
        "the topic {topic} has no partition {partition} any more, of which messages were accepted: this is another cluster, or \
         one that was put back from a copy. Correct `source.brokers`"
    );
    Error::new(ErrorCategory::Input, text).in_field("source.brokers")
}

/// A `resume` that does not fit.
pub fn no_way_on(topic: &str, partition: i32, offset: u64, low: u64, high: u64) -> Error {
    let text = format!(
        "partition {partition} of the topic {topic} has messages {low} to {high}, and cannot be read on from {offset}: write \
         one of these, or leave it out"
    );
    Error::new(ErrorCategory::Feed, text).in_field("source.resume")
}

/// The brokers refuse us; `None` if trying again may help.
pub fn refused(topic: &str, code: RDKafkaErrorCode) -> Option<Error> {
    use RDKafkaErrorCode as Code;
    let (field, text) = match code {
        Code::TopicAuthorizationFailed => (
            "source.topic",
            format!("the brokers do not let us read the topic {topic}: give our user READ and DESCRIBE on it"),
        ),
        Code::ClusterAuthorizationFailed => (
            "source.security",
            "the brokers do not let us ask about the cluster: give our user DESCRIBE on it".to_owned(),
        ),
        Code::UnsupportedFeature | Code::UnsupportedVersion => (
            "source.brokers",
            "the brokers are too old: a topic can be distinguished from another one of the same name since Kafka 2.8"
                .to_owned(),
        ),
        _ => return None,
    };
    Some(Error::new(ErrorCategory::Input, text).in_field(field))
}

/// A server answers, but refuses us or uses another protocol, and whether that is certain; `None` if nothing suggests
/// that.
pub fn turned_away(code: RDKafkaErrorCode, why: &Complaint) -> Option<(Error, bool)> {
    use RDKafkaErrorCode as Code;
    let said = why.text();
    let any = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let mut sure = true;
    let text = match code {
        Code::Authentication | Code::SaslAuthenticationFailed => {
            format!("the brokers do not know us ({said}): correct user, password or certificate, and the mechanism")
        }
        // A broker that requires a certificate says so in one of these TLS alerts.
        _ if any(&["alert certificate", "alert bad certificate", "alert unknown ca"]) => {
            format!(
                "the brokers do not accept our certificate ({said}): write `certificate` and `key`, or correct them"
            )
        }
        Code::SSL => format!(
            "there is no encrypted connection to the brokers ({said}): name who vouches for them (`ca`), name them in \
             `brokers` as their certificates call them, and a port that speaks TLS"
        ),
        Code::BrokerTransportFailure if closed_at_once(said) => {
            // A proxy in front of unavailable brokers does so too.
            sure = false;
            format!(
                "the brokers end the connection before anything is said ({said}): `tls` and `sasl` must be what this port \
                 expects"
            )
        }
        _ => return None,
    };
    Some((Error::new(ErrorCategory::Input, text).in_field("source.security"), sure))
}

/// Whether the other side closed a connection as soon as it was open, in the words of the library.
fn closed_at_once(said: &str) -> bool {
    let Some((_, rest)) = said.split_once("Disconnected") else { return false };
    let after = rest.rsplit_once("(after ").and_then(|(_, after)| after.split_once("ms in state "));
    let brief = |millis: &str| millis.parse::<u32>().is_ok_and(|millis| millis < 2_000);
    match after {
        Some((millis, state)) if state.starts_with("UP") => brief(millis),
        Some((_, state)) => ["SSL_HANDSHAKE", "APIVERSION_QUERY", "AUTH"].iter().any(|early| state.starts_with(early)),
        // With a long name the end of the message is truncated.
        None => rest.contains("PLAINTEXT broker listener"),
    }
}

/// No broker answers, and there is no time to wait.
pub fn away(brokers: &str, why: Option<Complaint>) -> Error {
    let why = why.map(|why| format!(" ({})", why.text())).unwrap_or_default();
    let text = format!("none of the brokers {brokers} answers{why}: start them, or correct `source.brokers`");
    Error::new(ErrorCategory::Io, text).in_field("source.brokers")
}

/// The registry refuses us.
pub fn registry_refuses() -> Error {
    let text = "the schema registry does not know us, or does not let us read schemas: correct `user` and `password` in \
                `source.schema_registry`, or give our user the right to read. Nothing was skipped";
    Error::new(ErrorCategory::Input, text).in_field("source.schema_registry")
}

/// The server that answers is no registry.
pub fn no_registry(status: u16) -> Error {
    let text = format!(
        "what answers at `source.schema_registry` is no schema registry (its answer is {status}, and not one that a registry \
         gives): correct `url`. Nothing was skipped"
    );
    Error::new(ErrorCategory::Input, text).in_field("source.schema_registry.url")
}

/// The registry does not answer, and there is no time to wait.
pub fn registry_away(why: &Complaint) -> Error {
    let text = format!(
        "the schema registry does not answer ({}): start it, or correct `source.schema_registry`. Nothing was skipped",
        why.text()
    );
    Error::new(ErrorCategory::Io, text).in_field("source.schema_registry")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_login_differs_from_a_broker_that_does_not_answer() {
        use RDKafkaErrorCode as Code;
        let at_once = "one:9092/bootstrap: Disconnected: connection closed by peer: receive 0 after POLLIN";
        for (code, said, word) in [
            (Code::Authentication, "SASL authentication error: Authentication failed", Some("do not know us")),
            (Code::SSL, "SSL handshake failed: certificate verify failed", Some("no encrypted connection")),
            (Code::SSL, "Receive failed: tlsv13 alert certificate required", Some("do not accept our certificate")),
            (Code::BrokerTransportFailure, "Receive failed: alert unknown ca", Some("do not accept our certificate")),
            (
                Code::BrokerTransportFailure,
                &format!("{at_once} (after 7ms in state APIVERSION_QUERY)"),
                Some("this port"),
            ),
            (
                Code::BrokerTransportFailure,
                &format!("{at_once} (after 7ms in state UP, 2 identical)"),
                Some("this port"),
            ),
            // A broker that was connected for longer is shutting down, or being restarted.
            (Code::BrokerTransportFailure, &format!("{at_once} (after 90210ms in state UP)"), None),
            (Code::BrokerTransportFailure, "Connect to ipv4#127.0.0.1:1 failed: Connection refused (after 0ms)", None),
            (Code::Resolve, "Failed to resolve 'one:9092': Name or service not known", None),
        ] {
            let error_text = turned_away(code, &Complaint::of(said)).map(|(error, _)| error.text);
            assert_eq!(error_text.is_some(), word.is_some(), "{said}: {error_text:?}");
            word.iter().for_each(|word| {
                assert!(error_text.iter().all(|error_text| error_text.contains(word)), "{said}: {error_text:?}")
            });
        }
    }
}
