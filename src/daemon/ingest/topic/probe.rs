//! Checks whether a topic can be read, and whether its settings are suitable, before it is used
//! (CONTRACTS 3, `check --connect`). No message is read and nothing is changed.

use std::time::{Duration, Instant};

use rdkafka::admin::{AdminClient, AdminOptions, ConfigResource, ResourceSpecifier};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode as Code;

use super::broker_questions::ends;
use super::client::{ConnectionState, TopicSettings, connected, reading, refused};
use super::errors;
use super::id::describe;
use crate::error::{Error, Result};

/// The timeout of an answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// A topic that keeps messages for a shorter time gets a warning.
const WEEK: Duration = Duration::from_secs(7 * 86_400);

/// A topic that can be read.
#[derive(Debug)]
pub struct ReadableTopic {
    /// Its id.
    pub id: String,
    /// For each partition the offset of its first message, and the one after its last.
    pub partitions: Vec<(i32, u64, u64)>,
    /// The warnings.
    pub doubts: Vec<String>,
}

/// Checks a topic. `tick` is the interval of ticks, if it is known.
///
/// # Errors
/// It cannot be read, and why.
pub fn probe(settings: &TopicSettings<'_>, tick: Option<Duration>) -> Result<ReadableTopic> {
    let config = connected(settings.brokers, settings.security)?;
    let consumer: BaseConsumer<ConnectionState> = reading(config.clone(), settings.feed)
        .create_with_context(ConnectionState::default())
        .map_err(|error| refused(&error))?;
    let probe = Probe { consumer, settings };
    let topic = describe(
        probe.consumer.client(),
        settings.topic,
        PATIENCE,
        PATIENCE,
        &|| false,
    )
    .map_err(|code| probe.why(code))?;
    let partitions = probe.marks(&topic.partitions)?;
    let mut doubts = Vec::new();
    if let Some(last) = partitions.last() {
        probe.may_read(last.0, last.2)?;
        doubts.extend(probe.of_group(last.0));
    }
    doubts.extend(of_settings(&config, settings.topic, tick));
    Ok(ReadableTopic {
        id: topic.id,
        partitions,
        doubts,
    })
}

struct Probe<'f> {
    consumer: BaseConsumer<ConnectionState>,
    settings: &'f TopicSettings<'f>,
}

impl Probe<'_> {
    /// Why it cannot be read.
    fn why(&self, code: Code) -> Error {
        let topic = self.settings.topic;
        if matches!(code, Code::UnknownTopicOrPartition | Code::UnknownTopic) {
            return errors::missing(topic, false);
        }
        // The library's errors in the meantime say more than that no broker answered in time.
        let errors_seen = std::iter::from_fn(|| self.consumer.poll(Duration::ZERO)).take(100);
        let errors_seen =
            errors_seen.filter_map(|errors_seen| errors_seen.err()?.rdkafka_error_code());
        let refusal = [code]
            .into_iter()
            .chain(errors_seen)
            .find_map(|code| errors::refused(topic, code));
        refusal.unwrap_or_else(|| self.away())
    }

    /// The error if no broker answers, or they refuse us.
    fn away(&self) -> Error {
        let last = self.consumer.context().last();
        let turned = last
            .as_ref()
            .and_then(|(code, why)| errors::turned_away(*code, why))
            .map(|(error, _)| error);
        turned.unwrap_or_else(|| errors::away(self.settings.brokers, last.map(|(_, why)| why)))
    }

    fn failed(&self, error: &KafkaError) -> Error {
        self.why(error.rdkafka_error_code().unwrap_or(Code::BadMessage))
    }

    /// Partitions, with their first and last offsets.
    fn marks(&self, partitions: &[i32]) -> Result<Vec<(i32, u64, u64)>> {
        let ends = |which| {
            let found = ends(
                &self.consumer,
                self.settings.topic,
                partitions,
                which,
                PATIENCE,
            );
            found.map_err(|error| self.failed(&error))
        };
        let marks = ends(Offset::Beginning)?.into_iter().zip(ends(Offset::End)?);
        Ok(partitions
            .iter()
            .zip(marks)
            .map(|(&partition, (low, high))| (partition, low, high))
            .collect())
    }

    /// Checks whether we may read, which no other query shows: from the end of a partition on,
    /// where there are no messages.
    fn may_read(&self, partition: i32, end: u64) -> Result<()> {
        let list = self.list(
            partition,
            Offset::Offset(i64::try_from(end).unwrap_or(i64::MAX)),
        );
        self.consumer
            .assign(&list)
            .map_err(|error| refused(&error))?;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            match self.consumer.poll(Duration::from_millis(100)) {
                None => {}
                Some(Ok(_) | Err(KafkaError::PartitionEOF(_))) => return Ok(()),
                Some(Err(error)) => {
                    let code = error.rdkafka_error_code().unwrap_or(Code::BadMessage);
                    if let Some(refusal) = errors::refused(self.settings.topic, code) {
                        return Err(refusal);
                    }
                }
            }
        }
        Err(self.away())
    }

    /// The warning about permissions for monitoring of lag.
    fn of_group(&self, partition: i32) -> Option<String> {
        let committed = self
            .consumer
            .committed_offsets(self.list(partition, Offset::Invalid), PATIENCE);
        let code = committed.err()?.rdkafka_error_code()?;
        (code == Code::GroupAuthorizationFailed).then(|| {
            format!(
                "tools cannot show the lag of this feed: to let them, give the user READ on the group tidegate-{}",
                self.settings.feed
            )
        })
    }

    fn list(&self, partition: i32, offset: Offset) -> TopicPartitionList {
        let mut list = TopicPartitionList::new();
        // The offset is in the library's range.
        let _ = list.add_partition_offset(self.settings.topic, partition, offset);
        list
    }
}

/// Warnings about the settings of a topic.
fn of_settings(config: &ClientConfig, topic: &str, tick: Option<Duration>) -> Vec<String> {
    match described(config, topic) {
        Ok(found) => doubts(
            &|key| found.get(key).and_then(|entry| entry.value.clone()),
            tick,
        ),
        Err(code) => {
            let why = match code {
                Some(Code::TopicAuthorizationFailed | Code::ClusterAuthorizationFailed) => {
                    "give the user DESCRIBE_CONFIGS on it"
                }
                _ => "the brokers do not say",
            };
            vec![format!(
                "it is not known whether the topic is compacted and how long it keeps messages: {why}"
            )]
        }
    }
}

fn described(
    config: &ClientConfig,
    topic: &str,
) -> std::result::Result<ConfigResource, Option<Code>> {
    let failed = |error: KafkaError| error.rdkafka_error_code();
    let admin: AdminClient<DefaultClientContext> = config.create().map_err(failed)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .map_err(|_| None)?;
    let (topic, options) = (
        [ResourceSpecifier::Topic(topic)],
        AdminOptions::new().request_timeout(Some(PATIENCE)),
    );
    let found = runtime
        .block_on(admin.describe_configs(&topic, &options))
        .map_err(failed)?;
    found.into_iter().next().ok_or(None)?.map_err(Some)
}

/// The warnings for these settings of a topic.
fn doubts(value: &dyn Fn(&str) -> Option<String>, tick: Option<Duration>) -> Vec<String> {
    let number = |key: &str| value(key)?.parse::<u64>().ok();
    let mut found = Vec::new();
    if value("cleanup.policy").is_some_and(|policy| policy.contains("compact")) {
        let text = "the topic is compacted: Kafka removes rows before they are read, without a trace, so that releases \
                    lack them. Set `cleanup.policy` to `delete`";
        found.push(text.to_owned());
    }
    if let Some(kept) = number("retention.ms")
        .map(Duration::from_millis)
        .filter(|kept| *kept < WEEK)
    {
        let least = tick.filter(|tick| kept <= *tick).map_or(String::new(), |_| {
            ", which is not longer than the time between two ticks: with `run --once` that is always too short"
                .to_owned()
        });
        found.push(format!(
            "the topic keeps messages for {}{least}. Messages that are older than that when the feed starts again are \
             lost: set `retention.ms` to weeks",
            words(kept)
        ));
    }
    if let Some(bytes) = number("retention.bytes") {
        found.push(format!(
            "the topic keeps at most {bytes} bytes of a partition, even if messages come fast: set `retention.bytes` \
             to the volume of weeks, or -1"
        ));
    }
    found
}

/// An approximate length of time.
fn words(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..120 => format!("{seconds} seconds"),
        120..7_200 => format!("{} minutes", seconds / 60),
        7_200..172_800 => format!("{} hours", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

impl ReadableTopic {
    /// The topic in words, with the offsets of its messages.
    pub fn words(&self, topic: &str) -> String {
        /// The most partitions that are named.
        const NAMED: usize = 8;
        let named = |(partition, low, high): &(i32, u64, u64)| match high.saturating_sub(*low) {
            0 => format!("{partition}: none"),
            _ => format!("{partition}: {low} to {}", high - 1),
        };
        let mut places: Vec<String> = self.partitions.iter().take(NAMED).map(named).collect();
        if self.partitions.len() > NAMED {
            places.push(format!("and {} more", self.partitions.len() - NAMED));
        }
        let count = match self.partitions.len() {
            1 => "1 partition".to_owned(),
            more => format!("{more} partitions"),
        };
        format!(
            "the topic {topic} can be read ({}): {count}, with the offsets {}",
            self.id,
            places.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_doubted_by_how_it_is_kept() {
        let said = |settings: &[(&str, &str)], tick: u64| {
            let value = |key: &str| {
                settings
                    .iter()
                    .find(|(known, _)| *known == key)
                    .map(|(_, value)| (*value).to_owned())
            };
            doubts(&value, Some(Duration::from_secs(tick)))
        };
        let usual = [
            ("cleanup.policy", "delete"),
            ("retention.ms", "604800000"),
            ("retention.bytes", "-1"),
        ];
        for (settings, wanted) in [
            (&usual[..], &[][..]),
            (&[("retention.ms", "-1")], &[]),
            (&[("cleanup.policy", "compact,delete")], &["compacted"]),
            (&[("retention.ms", "7200000")], &["for 2 hours. Messages"]),
            (
                &[("retention.ms", "60000")],
                &["for 60 seconds, which is not longer than the time between two ticks"],
            ),
            (&[("retention.bytes", "1000")], &["at most 1000 bytes"]),
        ] {
            let found = said(settings, 3_600);
            assert!(found.len() == wanted.len(), "{found:?}");
            assert!(
                found
                    .iter()
                    .zip(wanted)
                    .all(|(found, wanted)| found.contains(wanted)),
                "{found:?}"
            );
        }
    }
}
