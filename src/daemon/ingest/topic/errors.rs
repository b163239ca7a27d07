//! Why a topic cannot be read further, in words: what happened, what it means, what to do. Only
//! offsets and counts.

use rdkafka::types::RDKafkaErrorCode;

use crate::error::{Complaint, Error, ErrorCategory};

/// The topic does not exist.
pub(super) fn missing(topic: &str, begun: bool) -> Error {
    let text = if begun {
        format!(
            "the topic {topic} was deleted, with all messages that were not read yet. Messages that were accepted are \
             safe. Create the topic again; the feed reads a new topic of this name only if the feed file names it \
             (`source.topic_id`)"
        )
    } else {
        format!(
            "these brokers have no topic {topic}: create it, or correct `source.topic` or `source.brokers`"
        )
    };
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// Another topic has the name.
pub(super) fn recreated(topic: &str, known: &str, found: &str) -> Error {
    let text = format!(
        "the topic {topic} was deleted and created again: its id was {known} and is {found} now, and offsets of the \
         old one mean nothing in the new one. Messages that were accepted are safe; messages of the old one that were \
         not read are lost. To read the new one from `source.start` on, write `topic_id = \"{found}\"` in [source]: a \
         person who already has a row counts as a duplicate there"
    );
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// Messages were deleted before they were read.
pub(super) fn overtaken(topic: &str, partition: i32, next: u64, low: u64) -> Error {
    let text = format!(
        "messages {next} to {} of partition {partition} of the topic {topic} were deleted before they were read, \
         because the feed was behind for longer than the topic keeps messages: {} messages are lost, unless the source \
         sends them again. To continue after them, write `resume = {{ \"{partition}\" = [{next}, {low}] }}` in \
         [source]; let the topic keep messages longer (`retention.ms`, `retention.bytes`)",
        low - 1,
        low - next
    );
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// Messages that were accepted are no longer in the topic.
pub(super) fn shortened(topic: &str, partition: i32, next: u64, high: u64) -> Error {
    let text = format!(
        "partition {partition} of the topic {topic} ends at offset {high}, but this feed has accepted all messages \
         before {next}: the brokers have lost messages that they had confirmed (an unclean election, or disks restored \
         from a copy), and will reuse their offsets. Messages that were accepted are safe. When the source has sent \
         the missing messages again, write `resume = {{ \"{partition}\" = [{next}, {high}] }}` in [source] to read on \
         from there: a person who already has a row counts as a duplicate"
    );
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// Offsets that do not exist: before the first existing one, or after the last.
pub(super) fn overtaken_or_shortened(
    topic: &str,
    partition: i32,
    next: u64,
    low: u64,
    high: u64,
) -> Error {
    if next < low {
        overtaken(topic, partition, next, low)
    } else {
        shortened(topic, partition, next, high)
    }
}

/// Other messages have the offsets of some that were accepted.
pub(super) fn replaced(topic: &str, partition: i32, next: u64, low: u64) -> Error {
    let text = format!(
        "message {} of partition {partition} of the topic {topic} is not the one that was accepted: the brokers have \
         lost messages that they had confirmed (an unclean election, or disks restored from a copy), and have reused \
         their offsets; the new messages before {next} were never read. Messages that were accepted are safe. Find the \
         offset at which the log of the new leader begins, and write `resume = {{ \"{partition}\" = [{next}, OFFSET] \
         }}` in [source] with it, or with {low} to read all remaining messages again: a person who already has a row \
         counts as a duplicate",
        next - 1
    );
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// Messages cannot be read as the brokers send them; each partition with its offset.
pub(super) fn unreadable(topic: &str, unread: &[(i32, u64)]) -> Error {
    let places: Vec<String> = unread
        .iter()
        .map(|(partition, next)| format!("{partition} at {next}"))
        .collect();
    let text = format!(
        "messages of the topic {topic} cannot be read: they are damaged, on a disk of a broker or in transit, or have \
         an unknown format. Nothing was skipped. Partitions that are not read to their end: {}. Check the disks and \
         logs of the brokers, or make another replica the leader. If the messages are lost, delete them on the brokers \
         (`kafka-delete-records`); the feed then says how to continue after them",
        places.join(", ")
    );
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// No messages arrive from partitions that have some; each with its offset.
pub(super) fn still(topic: &str, unread: &[(i32, u64)]) -> Error {
    let places: Vec<String> = unread
        .iter()
        .map(|(partition, next)| format!("{partition} at {next}"))
        .collect();
    let text = format!(
        "for a minute the brokers have sent no messages of the topic {topic} from partitions that are not read to \
         their end, but answer other requests: {}. Nothing was skipped. Check the logs of the brokers that lead these \
         partitions",
        places.join(", ")
    );
    Error::new(ErrorCategory::Input, text).in_field("source.topic")
}

/// There are fewer partitions than there were.
pub(super) fn vanished(topic: &str, partition: i32) -> Error {
    let text = format!(
        "the topic {topic} no longer has partition {partition}, whose messages were accepted: this is another cluster, \
         or one that was restored from a copy. Correct `source.brokers`"
    );
    Error::new(ErrorCategory::Input, text).in_field("source.brokers")
}

/// A `resume` that does not fit.
pub(super) fn no_way_on(topic: &str, partition: i32, offset: u64, low: u64, high: u64) -> Error {
    let text = format!(
        "partition {partition} of the topic {topic} has messages {low} to {high}, and cannot be read from {offset} on: \
         write one of these offsets, or remove it"
    );
    Error::new(ErrorCategory::Feed, text).in_field("source.resume")
}

/// The brokers refuse us; `None` if trying again may help.
pub(super) fn refused(topic: &str, code: RDKafkaErrorCode) -> Option<Error> {
    use RDKafkaErrorCode as Code;
    let (field, text) = match code {
        Code::TopicAuthorizationFailed => (
            "source.topic",
            format!("the brokers do not permit reading the topic {topic}: give the user READ and DESCRIBE on it"),
        ),
        Code::ClusterAuthorizationFailed => (
            "source.security",
            "the brokers do not permit describing the cluster: give the user DESCRIBE on it".to_owned(),
        ),
        Code::UnsupportedFeature | Code::UnsupportedVersion => (
            "source.brokers",
            "the brokers are too old: Kafka 2.8 or newer is needed to distinguish topics of the same name".to_owned(),
        ),
        _ => return None,
    };
    Some(Error::new(ErrorCategory::Input, text).in_field(field))
}

/// A server answers, but refuses us or uses another protocol, and whether that is certain; `None`
/// if nothing suggests that.
pub(super) fn turned_away(code: RDKafkaErrorCode, why: &Complaint) -> Option<(Error, bool)> {
    use RDKafkaErrorCode as Code;
    let said = why.text();
    let any = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let mut sure = true;
    let text = match code {
        Code::Authentication | Code::SaslAuthenticationFailed => {
            format!(
                "the brokers reject these credentials ({said}): correct user, password or certificate, and the \
                 mechanism"
            )
        }
        // A broker that requires a certificate says so in one of these TLS alerts.
        _ if any(&[
            "alert certificate",
            "alert bad certificate",
            "alert unknown ca",
        ]) =>
        {
            format!(
                "the brokers reject the client certificate ({said}): write `certificate` and `key`, or correct them"
            )
        }
        Code::SSL => format!(
            "an encrypted connection to the brokers failed ({said}): name the authority that signed their certificates \
             (`ca`), use the host names of the certificates in `brokers`, and a port with TLS"
        ),
        Code::BrokerTransportFailure if closed_at_once(said) => {
            // A proxy in front of unavailable brokers does so too.
            sure = false;
            format!(
                "the brokers close the connection at once ({said}): `tls` and `sasl` must match this port"
            )
        }
        _ => return None,
    };
    Some((
        Error::new(ErrorCategory::Input, text).in_field("source.security"),
        sure,
    ))
}

/// Whether the other side closed a connection as soon as it was open, in the words of the library.
fn closed_at_once(said: &str) -> bool {
    let Some((_, rest)) = said.split_once("Disconnected") else {
        return false;
    };
    let after = rest
        .rsplit_once("(after ")
        .and_then(|(_, after)| after.split_once("ms in state "));
    let brief = |millis: &str| millis.parse::<u32>().is_ok_and(|millis| millis < 2_000);
    match after {
        Some((millis, state)) if state.starts_with("UP") => brief(millis),
        Some((_, state)) => ["SSL_HANDSHAKE", "APIVERSION_QUERY", "AUTH"]
            .iter()
            .any(|early| state.starts_with(early)),
        // With a long name the end of the message is truncated.
        None => rest.contains("PLAINTEXT broker listener"),
    }
}

/// No broker answers, and there is no time to wait.
pub(super) fn away(brokers: &str, why: Option<Complaint>) -> Error {
    let why = why
        .map(|why| format!(" ({})", why.text()))
        .unwrap_or_default();
    let text = format!(
        "none of the brokers {brokers} answers{why}: start them, or correct `source.brokers`"
    );
    Error::new(ErrorCategory::Io, text).in_field("source.brokers")
}

/// The registry refuses us.
pub(super) fn registry_refuses() -> Error {
    let text = "the schema registry rejects these credentials, or does not permit reading schemas: correct `user` and \
                `password` in `source.schema_registry`, or give the user the right to read. Nothing was skipped";
    Error::new(ErrorCategory::Input, text).in_field("source.schema_registry")
}

/// The server that answers is no registry.
pub(super) fn no_registry(status: u16) -> Error {
    let text = format!(
        "the server at `source.schema_registry` is not a schema registry (it answers {status}, in another form than a \
         registry): correct `url`. Nothing was skipped"
    );
    Error::new(ErrorCategory::Input, text).in_field("source.schema_registry.url")
}

/// The registry does not answer, and there is no time to wait.
pub(super) fn registry_away(why: &Complaint) -> Error {
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
        let at_once =
            "one:9092/bootstrap: Disconnected: connection closed by peer: receive 0 after POLLIN";
        for (code, said, word) in [
            (
                Code::Authentication,
                "SASL authentication error: Authentication failed",
                Some("reject these credentials"),
            ),
            (
                Code::SSL,
                "SSL handshake failed: certificate verify failed",
                Some("an encrypted connection to the brokers failed"),
            ),
            (
                Code::SSL,
                "Receive failed: tlsv13 alert certificate required",
                Some("reject the client certificate"),
            ),
            (
                Code::BrokerTransportFailure,
                "Receive failed: alert unknown ca",
                Some("reject the client certificate"),
            ),
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
            (
                Code::BrokerTransportFailure,
                &format!("{at_once} (after 90210ms in state UP)"),
                None,
            ),
            (
                Code::BrokerTransportFailure,
                "Connect to ipv4#127.0.0.1:1 failed: Connection refused (after 0ms)",
                None,
            ),
            (
                Code::Resolve,
                "Failed to resolve 'one:9092': Name or service not known",
                None,
            ),
        ] {
            let error_text = turned_away(code, &Complaint::of(said)).map(|(error, _)| error.text);
            assert_eq!(
                error_text.is_some(),
                word.is_some(),
                "{said}: {error_text:?}"
            );
            word.iter().for_each(|word| {
                assert!(
                    error_text
                        .iter()
                        .all(|error_text| error_text.contains(word)),
                    "{said}: {error_text:?}"
                )
            });
        }
    }
}
