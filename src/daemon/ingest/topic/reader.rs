//! The thread that fetches a topic: it reads, and passes on batches.
//!
//! Nothing is passed on before the brokers have confirmed that the topic is still the same:
//! messages of another one with the same name have plausible offsets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _};
use rdkafka::error::KafkaError;
use rdkafka::message::Message as _;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode as Code;

use super::batch::Batch;
use super::broker_absence::Absence;
use super::client::ConnectionState;
use super::damage::{DamageCount, is_damage};
use super::epochs::Epochs;
use super::handover::{FetchEvent, Handover, ReaderEnd, ReaderStep};
use super::headers;
use super::id::{TopicIdentity, epoch};
use super::messages::Writing;
use super::positions::Position;
use super::resolve::SchemaResolver;
use super::stalled_partitions::StalledPartitions;
use crate::config::Start;

/// The most messages of a batch.
const MESSAGES: usize = 200_000;
/// The most bytes of a batch.
const BYTES: usize = 24 << 20;
/// How long a message waits for others. A batch ends because of this time or because it is full,
/// and never because the ends of partitions are reached: with active producers that happens all the
/// time, and every batch costs queries and an entry.
const LINGER: Duration = Duration::from_millis(500);
/// How often the end offsets are queried.
const ENDS: Duration = Duration::from_secs(2);
/// How often new partitions are looked for, and the identity of the topic is checked.
const LOOK: Duration = Duration::from_secs(10);
/// How often offsets are committed to Kafka.
const LAG: Duration = Duration::from_secs(5);
/// The longest time for committing the last offsets.
const FAREWELL: Duration = Duration::from_millis(500);

/// The thread.
pub(super) struct TopicReader {
    pub(super) consumer: BaseConsumer<ConnectionState>,
    pub(super) shared: Arc<Handover>,
    pub(super) brokers: String,
    pub(super) topic: String,
    pub(super) start: Start,
    pub(super) accepted: Option<String>,
    pub(super) resume: BTreeMap<i32, (u64, u64)>,
    pub(super) patience: Option<Duration>,
    /// Whether messages are Arrow.
    pub(super) arrow: bool,
    /// Finds the schemas of Avro messages.
    pub(super) resolver: Option<SchemaResolver>,
    /// The next position of each partition.
    pub(super) positions: BTreeMap<i32, Position>,
    /// The id of the topic.
    pub(super) id: String,
    /// Partitions whose last message was seen.
    pub(super) at_end: BTreeSet<i32>,
    /// Partitions that have not reached the end offset of the time when reading began, with that
    /// offset.
    pub(super) unreached: BTreeMap<i32, u64>,
    /// When end offsets were queried.
    pub(super) ends_asked: Option<Instant>,
    /// Messages that are not passed on yet, and since when there are any.
    pub(super) batch: Batch,
    pub(super) first: Option<Instant>,
    /// Errors of the library that have not been handled yet.
    pub(super) complaints: Vec<Code>,
    /// Errors that messages cannot be read.
    pub(super) damage: Option<DamageCount>,
    /// Whether messages of the library are ignored until partitions are read again: they come after
    /// damaged messages, or may differ from those that were accepted.
    pub(super) deaf: bool,
    /// The leader epochs for which the last messages were read again.
    pub(super) epochs: Epochs,
    /// Whether a message came from a leader that may have lost the previous one: partitions have to
    /// be read again.
    pub(super) again: bool,
    /// A partition with another message at the offset of the last one that was accepted.
    pub(super) replaced: Option<i32>,
    /// Partitions without progress.
    pub(super) still: StalledPartitions,
    /// The current timeout of queries.
    pub(super) slowness: Duration,
    /// Whether a broker has ever answered us.
    pub(super) known: bool,
    /// Since when no broker answers.
    pub(super) away: Option<Absence>,
    /// When offsets were committed to Kafka.
    pub(super) committed: Instant,
}

impl TopicReader {
    pub(super) fn run(mut self) {
        if let Err(ReaderEnd::Failed(error)) = self.read() {
            self.shared.pass_on(FetchEvent::Failed(error));
        }
        if self.commit() {
            let begun = Instant::now();
            while !self.consumer.context().is_committed() && begun.elapsed() < FAREWELL {
                self.poll(Duration::from_millis(20));
            }
        }
    }

    fn read(&mut self) -> ReaderStep<()> {
        self.begin()?;
        let mut looked = Instant::now();
        loop {
            self.poll(Duration::from_millis(if self.batch.is_empty() {
                100
            } else {
                20
            }));
            if let Some(partition) = self.replaced {
                self.other(partition)?;
            }
            if self.again {
                self.assign()?;
            }
            while let Some(code) = self.complaints.pop() {
                self.complained(code)?;
            }
            if self.shared.ends() {
                return Err(ReaderEnd::Ending);
            }
            // A single tick does not wait for messages that came after it was begun.
            let complete = self.patience.is_some() && self.unreached.is_empty();
            let waited = self
                .first
                .is_some_and(|first| first.elapsed() >= LINGER || complete);
            if self.is_full() || waited {
                let topic = self.hand_on()?;
                self.widened(&topic)?;
                looked = Instant::now();
            } else if self.batch.is_empty() && looked.elapsed() >= LOOK {
                let topic = self.same()?;
                self.widened(&topic)?;
                looked = Instant::now();
            }
            if self.batch.is_empty()
                && self.unreached.is_empty()
                && !self.shared.caught_up.swap(true, Ordering::AcqRel)
            {
                self.shared.came.notify_one();
            }
            if self.patience.is_none()
                && self
                    .ends_asked
                    .is_none_or(|ends_asked| ends_asked.elapsed() >= ENDS)
            {
                self.ends()?;
            }
            if self.still.is_due() {
                self.check_progress()?;
            }
            if self.committed.elapsed() >= LAG {
                self.commit();
            }
        }
    }

    /// Handles the library's next event: a message, the end of a partition, or an error.
    pub(super) fn poll(&mut self, wait: Duration) {
        match self.consumer.poll(wait) {
            None => {}
            Some(_) if self.deaf => {}
            Some(Ok(message)) => {
                let (partition, offset) = (
                    message.partition(),
                    u64::try_from(message.offset()).unwrap_or_default(),
                );
                let Some(position) = self.positions.get_mut(&partition) else {
                    return;
                };
                let epoch = epoch(&message);
                if offset < position.next {
                    // It was fetched to compare it with the one that was accepted.
                    let other = position
                        .epoch
                        .zip(epoch)
                        .is_some_and(|(known, found)| known != found);
                    self.replaced = other.then_some(partition).or(self.replaced);
                    return;
                }
                if !self.epochs.follows(partition, position.epoch, epoch) {
                    (self.again, self.deaf) = (true, true);
                    return;
                }
                (position.next, position.epoch) = (offset + 1, epoch);
                let named = if self.resolver.is_some() {
                    headers::schema(&message)
                } else {
                    &[]
                };
                self.batch
                    .push_behind(partition, offset, epoch, named, message.payload());
                self.at_end.remove(&partition);
                if self
                    .unreached
                    .get(&partition)
                    .is_some_and(|end| offset + 1 >= *end)
                {
                    self.unreached.remove(&partition);
                }
                self.first.get_or_insert_with(Instant::now);
            }
            Some(Err(KafkaError::PartitionEOF(partition))) => {
                self.at_end.insert(partition);
                self.unreached.remove(&partition);
            }
            Some(Err(error)) => {
                let new = error
                    .rdkafka_error_code()
                    .filter(|code| !self.complaints.contains(code));
                self.complaints.extend(new);
            }
        }
    }

    /// Passes on fetched messages, if the topic is still the same.
    pub(super) fn hand_on(&mut self) -> ReaderStep<TopicIdentity> {
        // Messages that come during the query belong to the next batch.
        let mut batch = std::mem::take(&mut self.batch);
        self.first = None;
        self.written(&mut batch)?;
        let topic = self.same()?;
        if !batch.is_empty() {
            let begun = Instant::now();
            self.pass_on(FetchEvent::Batch(batch))?;
            self.still.was_held(begun.elapsed());
        }
        Ok(topic)
    }

    /// Whether the batch is full.
    pub(super) fn is_full(&self) -> bool {
        self.batch.len() >= MESSAGES || self.batch.bytes() >= BYTES
    }

    /// Whether the library's next messages may come after unreadable ones, or differ from those
    /// that were accepted.
    pub(super) fn is_suspended(&self) -> bool {
        self.again
            || self.replaced.is_some()
            || self
                .complaints
                .iter()
                .any(|&code| is_damage(code).is_some())
    }

    pub(super) fn pass_on(&self, news: FetchEvent) -> ReaderStep<()> {
        if self.shared.pass_on(news) {
            Ok(())
        } else {
            Err(ReaderEnd::Ending)
        }
    }

    /// Queries the end offsets of partitions; metrics and `/health/ready` compute the lag from
    /// them.
    fn ends(&mut self) -> ReaderStep<()> {
        let partitions: Vec<i32> = self.positions.keys().copied().collect();
        let ends = self.offsets(&partitions, Offset::End)?;
        let now = Instant::now();
        self.shared
            .backlog
            .ends(now, partitions.into_iter().zip(ends).collect());
        self.ends_asked = Some(now);
        Ok(())
    }

    /// Sets the encoding of messages; waits for their schemas.
    fn written(&mut self, batch: &mut Batch) -> ReaderStep<()> {
        batch.writing = match &mut self.resolver {
            Some(resolver) => {
                Writing::Avro(resolver.schemas(batch, &self.shared, self.patience)?)
            }
            None if self.arrow => Writing::Arrow,
            None => Writing::Json,
        };
        Ok(())
    }

    /// Commits to Kafka how far everything was accepted; returns whether there was anything to
    /// commit. Monitoring of lag uses it; no feed reads from there, so that failures do not matter.
    fn commit(&mut self) -> bool {
        self.committed = Instant::now();
        let lag = std::mem::take(
            &mut *self
                .shared
                .lag
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner),
        );
        if lag.is_empty() || self.away.is_some() {
            return false;
        }
        let mut list = TopicPartitionList::new();
        for (partition, next) in lag {
            let offset = Offset::Offset(i64::try_from(next).unwrap_or(i64::MAX));
            let _ = list.add_partition_offset(&self.topic, partition, offset);
        }
        self.consumer.commit(&list, CommitMode::Async).is_ok()
    }
}
