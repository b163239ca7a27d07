//! What the brokers are asked beside messages: which topic it is, and how far its partitions go. It is asked until a broker
//! answers; what cannot be right, or may not be, ends it.

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

/// How long one answer of the brokers is waited for at first: a thread that waits sees only behind it that it is to end.
pub(super) const SHORT: Duration = Duration::from_millis(500);
/// And at most, when they are slow.
const LONG: Duration = Duration::from_secs(5);
/// Between two tries.
const AGAIN: Duration = Duration::from_millis(500);
/// How long it is not looked whether it is to end.
const SLICE: Duration = Duration::from_millis(50);
/// How long brokers must say that a topic is not there, when it was never read, and when it was: those that have just begun
/// may not know yet.
const SURE: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(15)];

impl TopicReader {
    /// Asks about the topic until a broker answers.
    pub(super) fn asked(&mut self) -> ReaderStep<TopicIdentity> {
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

    /// Asks where partitions begin or end until a broker answers.
    pub(super) fn offsets(&mut self, partitions: &[i32], which: Offset) -> ReaderStep<Vec<u64>> {
        if partitions.is_empty() {
            return Ok(Vec::new());
        }
        loop {
            match ends(&self.consumer, &self.topic, partitions, which, self.slowness) {
                Ok(offsets) => {
                    self.back()?;
                    return Ok(offsets);
                }
                Err(error) => {
                    let code = error.rdkafka_error_code().unwrap_or(Code::Fail);
                    if matches!(code, Code::UnknownTopicOrPartition | Code::UnknownTopic | Code::UnknownPartition) {
                        self.still_there(partitions)?;
                    }
                    self.unanswered(code)?;
                }
            }
        }
    }

    /// Whether the topic has these partitions still.
    fn still_there(&mut self, partitions: &[i32]) -> ReaderStep<()> {
        let topic = self.same()?;
        match partitions.iter().find(|partition| !topic.partitions.contains(partition)) {
            Some(partition) => Err(errors::vanished(&self.topic, *partition).into()),
            None => Ok(()),
        }
    }

    /// A question was not answered.
    fn unanswered(&mut self, code: Code) -> ReaderStep<()> {
        if let Some(error) = errors::refused(&self.topic, code) {
            return Err(error.into());
        }
        let slow = code == Code::OperationTimedOut;
        self.slowness = if slow { (self.slowness * 2).min(LONG) } else { SHORT };
        // What the library knows of it comes to the listener.
        self.listen(AGAIN)?;
        self.gone()
    }

    /// Whether the topic is still the one that it was.
    pub(super) fn same(&mut self) -> ReaderStep<TopicIdentity> {
        let topic = self.asked()?;
        if self.id.is_empty() || topic.id == self.id {
            return Ok(topic);
        }
        Err(errors::recreated(&self.topic, &self.id, &topic.id).into())
    }

    /// The library complains.
    pub(super) fn complained(&mut self, code: Code) -> ReaderStep<()> {
        if let Some(error) = errors::refused(&self.topic, code) {
            return Err(error.into());
        }
        match code {
            // Offsets that are not there: retention, another topic, a cluster that was put back.
            Code::AutoOffsetReset | Code::OffsetOutOfRange | Code::UnknownTopicOrPartition | Code::UnknownTopicId => {
                self.hand_on()?;
                let partitions: Vec<i32> = self.positions.keys().copied().collect();
                for (partition, (low, high)) in partitions.iter().copied().zip(self.marks(&partitions)?) {
                    let next = self.positions[&partition].next;
                    if self.on(partition, next, low, high)? != next {
                        // The feed file says how to go on from here, at the next start.
                        return Err(errors::overtaken_or_shortened(&self.topic, partition, next, low, high).into());
                    }
                }
                // It was so for a moment only; or other messages are there now, which is found out from the last one; or the
                // library has read an offset out of a damaged message.
                if self.id.is_empty() { Ok(()) } else { self.damaged(false) }
            }
            // A broker that does not answer messages may answer this, and then all is well.
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

    /// Messages cannot be read: they are asked for again, and what the library has of those behind them is dropped.
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

    /// Those of these partitions that have messages which were not read, with the first of each.
    fn unread(&mut self, partitions: &[i32]) -> ReaderStep<Vec<(i32, u64)>> {
        let marks = self.marks(partitions)?;
        let all = partitions.iter().zip(marks).map(|(one, (_, high))| (*one, self.positions[one].next, high));
        Ok(all.filter(|(_, next, high)| next < high).map(|(one, next, _)| (one, next)).collect())
    }

    /// Whether partitions go on of which there are messages.
    pub(super) fn goes_on(&mut self) -> ReaderStep<()> {
        let reading = self.positions.iter().filter(|(partition, _)| !self.at_end.contains(partition));
        let still = self.still.look(reading.map(|(partition, position)| (*partition, position.next)));
        let all: Vec<i32> = still.iter().map(|(partition, _)| *partition).collect();
        let unread = self.unread(&all)?;
        let too_long = |one: &i32| still.iter().any(|(partition, too_long)| partition == one && *too_long);
        if unread.iter().any(|(partition, _)| too_long(partition)) {
            self.hand_on()?;
            return Err(errors::still(&self.topic, &unread).into());
        }
        // Another try may help; and a partition that is believed to be at its end is asked for again when the library has complained.
        if self.still.is_doubted() || !unread.is_empty() { self.assign() } else { Ok(()) }
    }

    /// No broker answers.
    fn gone(&mut self) -> ReaderStep<()> {
        let heard = self.consumer.context().last();
        let away = self.away.get_or_insert_with(Absence::begin);
        away.bears(heard.as_ref(), self.known)?;
        let why = heard.map(|(_, why)| why);
        if away.lasts(self.patience) {
            return Err(errors::away(&self.brokers, why).into());
        }
        if away.is_to_be_told() { self.tell(FetchEvent::Away(why)) } else { Ok(()) }
    }

    fn back(&mut self) -> ReaderStep<()> {
        self.consumer.context().forget();
        self.known = true;
        let told = self.away.take().is_some_and(|away| away.was_told());
        if told { self.tell(FetchEvent::Back) } else { Ok(()) }
    }

    /// Listens for so long to what the library has to say, so that its complaints are known and messages that come are kept.
    fn listen(&mut self, long: Duration) -> ReaderStep<()> {
        let begun = Instant::now();
        while begun.elapsed() < long {
            if self.shared.ends() {
                return Err(ReaderEnd::Told);
            }
            match self.is_full() || self.stands() {
                true => std::thread::sleep(SLICE),
                false => self.poll(SLICE),
            }
        }
        Ok(())
    }
}

/// Where partitions of a topic begin or end.
///
/// The library has a question for both at once, which takes the end for the beginning when only the second half of it is
/// answered: a new feed would leave out all that is there.
pub(super) fn ends(
    consumer: &BaseConsumer<ConnectionState>,
    topic: &str,
    partitions: &[i32],
    which: Offset,
    patience: Duration,
) -> KafkaResult<Vec<u64>> {
    let mut list = TopicPartitionList::new();
    for &partition in partitions {
        // It is one that the library can hold.
        let _ = list.add_partition_offset(topic, partition, which);
    }
    let list = consumer.offsets_for_times(list, patience)?;
    partitions.iter().map(|&one| found(&list, topic, one)).collect()
}

/// The offset of a partition in an answer.
fn found(list: &TopicPartitionList, topic: &str, partition: i32) -> KafkaResult<u64> {
    let one = list.find_partition(topic, partition).ok_or(KafkaError::OffsetFetch(Code::UnknownPartition))?;
    one.error()?;
    match one.offset() {
        Offset::Offset(offset) => u64::try_from(offset).map_err(|_| KafkaError::OffsetFetch(Code::BadMessage)),
        _ => Err(KafkaError::OffsetFetch(Code::BadMessage)),
    }
}
