//! Queries to the brokers besides messages: which topic it is, and its offsets. Queries are
//! repeated until a broker answers; an impossible or forbidden state ends them.

use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode as Code;

use super::broker_absence::Absence;
use super::client::ConnectionState;
use super::damage::{DamageCount, is_damage};
use super::errors;
use super::handover::{FetchEvent, ReaderEnd, ReaderStep};
use super::id::{TopicIdentity, describe};
use super::reader::TopicReader;

/// The initial timeout of a query: a waiting thread only notices afterwards that it has to end.
pub(super) const SHORT: Duration = Duration::from_millis(500);
/// The largest timeout, for slow brokers.
const LONG: Duration = Duration::from_secs(5);
/// The pause between two attempts.
const AGAIN: Duration = Duration::from_millis(500);
/// The longest time without checking whether the thread has to end.
const SLICE: Duration = Duration::from_millis(50);
/// How long brokers must report that a topic does not exist, if it was never read, and if it was:
/// brokers that have just started may not know it yet.
const SURE: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(15)];

impl TopicReader {
    /// Queries the topic until a broker answers.
    pub(super) fn topic_identity(&mut self) -> ReaderStep<TopicIdentity> {
        let mut missing = None;
        loop {
            let (client, shared) = (self.consumer.client(), &self.shared);
            let code = match describe(client, &self.topic, self.slowness, LONG, &|| shared.ends()) {
                Ok(topic) => {
                    self.back()?;
                    return Ok(topic);
                }
                Err(code) => code,
            };
            if matches!(code, Code::UnknownTopicOrPartition | Code::UnknownTopic) {
                let since = missing.get_or_insert_with(Instant::now);
                if since.elapsed() >= SURE[usize::from(!self.positions.is_empty())] {
                    return Err(errors::missing(&self.topic, !self.positions.is_empty()).into());
                }
                self.listen(AGAIN)?;
            } else {
                missing = None;
                self.unanswered(code)?;
            }
        }
    }

    /// The first and the last offset of each of these partitions.
    pub(super) fn marks(&mut self, partitions: &[i32]) -> ReaderStep<Vec<(u64, u64)>> {
        let low = self.offsets(partitions, Offset::Beginning)?;
        let high = self.offsets(partitions, Offset::End)?;
        Ok(low.into_iter().zip(high).collect())
    }

    /// Queries the first or last offsets of partitions until a broker answers.
    pub(super) fn offsets(&mut self, partitions: &[i32], which: Offset) -> ReaderStep<Vec<u64>> {
        if partitions.is_empty() {
            return Ok(Vec::new());
        }
        loop {
            match ends(
                &self.consumer,
                &self.topic,
                partitions,
                which,
                self.slowness,
            ) {
                Ok(offsets) => {
                    self.back()?;
                    return Ok(offsets);
                }
                Err(error) => {
                    let code = error.rdkafka_error_code().unwrap_or(Code::Fail);
                    if matches!(
                        code,
                        Code::UnknownTopicOrPartition | Code::UnknownTopic | Code::UnknownPartition
                    ) {
                        self.still_there(partitions)?;
                    }
                    self.unanswered(code)?;
                }
            }
        }
    }

    /// Checks that the topic still has these partitions.
    fn still_there(&mut self, partitions: &[i32]) -> ReaderStep<()> {
        let topic = self.same()?;
        match partitions
            .iter()
            .find(|partition| !topic.partitions.contains(partition))
        {
            Some(partition) => Err(errors::vanished(&self.topic, *partition).into()),
            None => Ok(()),
        }
    }

    /// Handles a query without an answer.
    fn unanswered(&mut self, code: Code) -> ReaderStep<()> {
        if let Some(error) = errors::refused(&self.topic, code) {
            return Err(error.into());
        }
        let slow = code == Code::OperationTimedOut;
        self.slowness = if slow {
            (self.slowness * 2).min(LONG)
        } else {
            SHORT
        };
        // The listener learns what the library knows about it.
        self.listen(AGAIN)?;
        self.gone()
    }

    /// Checks that the topic is still the same one.
    pub(super) fn same(&mut self) -> ReaderStep<TopicIdentity> {
        let topic = self.topic_identity()?;
        if self.id.is_empty() || topic.id == self.id {
            return Ok(topic);
        }
        Err(errors::recreated(&self.topic, &self.id, &topic.id).into())
    }

    /// Handles an error of the library.
    pub(super) fn complained(&mut self, code: Code) -> ReaderStep<()> {
        if let Some(error) = errors::refused(&self.topic, code) {
            return Err(error.into());
        }
        match code {
            // Offsets that do not exist: because of retention, another topic, or a restored
            // cluster.
            Code::AutoOffsetReset
            | Code::OffsetOutOfRange
            | Code::UnknownTopicOrPartition
            | Code::UnknownTopicId => {
                self.hand_on()?;
                let partitions: Vec<i32> = self.positions.keys().copied().collect();
                for (partition, (low, high)) in
                    partitions.iter().copied().zip(self.marks(&partitions)?)
                {
                    let next = self.positions[&partition].next;
                    if self.on(partition, next, low, high)? != next {
                        // The feed file says how to continue, at the next start.
                        return Err(errors::overtaken_or_shortened(
                            &self.topic,
                            partition,
                            next,
                            low,
                            high,
                        )
                        .into());
                    }
                }
                // It was temporary; or other messages have taken these offsets, which is detected
                // at the last one; or the library has read an offset from a damaged message.
                if self.id.is_empty() {
                    Ok(())
                } else {
                    self.damaged(false)
                }
            }
            // A broker that does not answer fetch requests may answer this one, and then it is
            // available.
            Code::AllBrokersDown => self.same().map(drop),
            code => match is_damage(code) {
                Some(sure) => self.damaged(sure),
                None => {
                    self.still.doubt();
                    Ok(())
                }
            },
        }
    }

    /// Messages cannot be read: they are fetched again, and later messages in the library are
    /// dropped.
    fn damaged(&mut self, sure: bool) -> ReaderStep<()> {
        let damage = DamageCount::again(self.damage, sure);
        self.damage = Some(damage);
        self.complaints.clear();
        self.deaf = true;
        self.listen(AGAIN)?;
        if damage.lasts() {
            self.hand_on()?;
            let partitions: Vec<i32> = self.positions.keys().copied().collect();
            let unread = self.unread(&partitions)?;
            return Err(errors::unreadable(&self.topic, &unread).into());
        }
        self.assign()
    }

    /// Those of these partitions that have unread messages, with the first offset of each.
    fn unread(&mut self, partitions: &[i32]) -> ReaderStep<Vec<(i32, u64)>> {
        let marks = self.marks(partitions)?;
        let all = partitions
            .iter()
            .zip(marks)
            .map(|(one, (_, high))| (*one, self.positions[one].next, high));
        Ok(all
            .filter(|(_, next, high)| next < high)
            .map(|(one, next, _)| (one, next))
            .collect())
    }

    /// Checks that partitions with messages make progress.
    pub(super) fn check_progress(&mut self) -> ReaderStep<()> {
        let reading = self
            .positions
            .iter()
            .filter(|(partition, _)| !self.at_end.contains(partition));
        let still = self
            .still
            .look(reading.map(|(partition, position)| (*partition, position.next)));
        let all: Vec<i32> = still.iter().map(|(partition, _)| *partition).collect();
        let unread = self.unread(&all)?;
        let too_long = |one: &i32| {
            still
                .iter()
                .any(|(partition, too_long)| partition == one && *too_long)
        };
        if unread.iter().any(|(partition, _)| too_long(partition)) {
            self.hand_on()?;
            return Err(errors::still(&self.topic, &unread).into());
        }
        // Another attempt may help; and a partition that is believed to be at its end is fetched
        // again if the library has reported an error.
        if self.still.is_doubted() || !unread.is_empty() {
            self.assign()
        } else {
            Ok(())
        }
    }

    /// Handles that no broker answers.
    fn gone(&mut self) -> ReaderStep<()> {
        let complaint = self.consumer.context().last();
        let away = self.away.get_or_insert_with(Absence::begin);
        away.bears(complaint.as_ref(), self.known)?;
        let why = complaint.map(|(_, why)| why);
        if away.lasts(self.patience) {
            return Err(errors::away(&self.brokers, why).into());
        }
        if away.is_due() {
            self.pass_on(FetchEvent::Away(why))
        } else {
            Ok(())
        }
    }

    fn back(&mut self) -> ReaderStep<()> {
        self.consumer.context().forget();
        self.known = true;
        let reported = self.away.take().is_some_and(|away| away.was_reported());
        if reported {
            self.pass_on(FetchEvent::Back)
        } else {
            Ok(())
        }
    }

    /// Polls the library for this time, so that its errors are known and messages are kept.
    fn listen(&mut self, long: Duration) -> ReaderStep<()> {
        let begun = Instant::now();
        while begun.elapsed() < long {
            if self.shared.ends() {
                return Err(ReaderEnd::Ending);
            }
            match self.is_full() || self.is_suspended() {
                true => std::thread::sleep(SLICE),
                false => self.poll(SLICE),
            }
        }
        Ok(())
    }
}

/// The first or last offsets of partitions of a topic.
///
/// The library has a query for both together, which confuses them if only the second half of it is
/// answered: a new feed would skip all existing messages.
pub(super) fn ends(
    consumer: &BaseConsumer<ConnectionState>,
    topic: &str,
    partitions: &[i32],
    which: Offset,
    patience: Duration,
) -> KafkaResult<Vec<u64>> {
    let mut list = TopicPartitionList::new();
    for &partition in partitions {
        // The offset is in the library's range.
        let _ = list.add_partition_offset(topic, partition, which);
    }
    let list = consumer.offsets_for_times(list, patience)?;
    partitions
        .iter()
        .map(|&one| found(&list, topic, one))
        .collect()
}

/// The offset of a partition in an answer.
fn found(list: &TopicPartitionList, topic: &str, partition: i32) -> KafkaResult<u64> {
    let one = list
        .find_partition(topic, partition)
        .ok_or(KafkaError::OffsetFetch(Code::UnknownPartition))?;
    one.error()?;
    match one.offset() {
        Offset::Offset(offset) => {
            u64::try_from(offset).map_err(|_| KafkaError::OffsetFetch(Code::BadMessage))
        }
        _ => Err(KafkaError::OffsetFetch(Code::BadMessage)),
    }
}
