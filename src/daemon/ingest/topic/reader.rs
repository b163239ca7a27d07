//! The thread that fetches a topic: it reads on, and hands on in batches.
//!
//! Nothing is handed on before the brokers have said again that the topic is the one that it was: messages of another one of
//! the same name have offsets that look as good.

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
use crate::daemon::config::Start;

/// Messages of a batch.
const MESSAGES: usize = 200_000;
/// Bytes of a batch.
const BYTES: usize = 24 << 20;
/// How long a message waits for others. A batch ends by this clock or because it is full, and never because partitions are
/// read to their ends: with producers at work they always are for a moment, and every batch costs questions and an entry.
const LINGER: Duration = Duration::from_millis(500);
/// How often brokers are asked where partitions end.
const ENDS: Duration = Duration::from_secs(2);
/// How often it is looked for new partitions, and whether the topic is the one that it was.
const LOOK: Duration = Duration::from_secs(10);
/// How often Kafka is told of offsets.
const LAG: Duration = Duration::from_secs(5);
/// How long it may take to tell it of the last ones.
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
    /// Knows the schemas of messages that are Avro.
    pub(super) resolver: Option<SchemaResolver>,
    /// Where each partition is read next.
    pub(super) positions: BTreeMap<i32, Position>,
    /// The topic's.
    pub(super) id: String,
    /// Partitions whose last message was seen.
    pub(super) at_end: BTreeSet<i32>,
    /// Partitions that are not read yet to where they ended when their reading began, with that offset.
    pub(super) unreached: BTreeMap<i32, u64>,
    /// When it was asked where partitions end.
    pub(super) asked: Option<Instant>,
    /// Messages that are not handed on yet, and since when there are any.
    pub(super) batch: Batch,
    pub(super) first: Option<Instant>,
    /// What the library has complained of, and what has not been looked at yet.
    pub(super) complaints: Vec<Code>,
    /// That messages cannot be read.
    pub(super) damage: Option<DamageCount>,
    /// Nothing that the library has is believed until partitions are read anew: it lies behind messages that are damaged, or
    /// that may be no longer those that were taken in.
    pub(super) deaf: bool,
    /// For which epochs of leaders the last messages were read again.
    pub(super) epochs: Epochs,
    /// A message came from a leader that may have lost the one before it: partitions are to be read again.
    pub(super) again: bool,
    /// A partition that has another message where the last one was that was taken in.
    pub(super) replaced: Option<i32>,
    /// Partitions that do not go on.
    pub(super) still: StalledPartitions,
    /// How long an answer of the brokers is waited for.
    pub(super) slowness: Duration,
    /// Whether a broker has ever answered us.
    pub(super) known: bool,
    /// That no broker answers.
    pub(super) away: Option<Absence>,
    /// When Kafka was told of offsets.
    pub(super) told: Instant,
}

impl TopicReader {
    pub(super) fn run(mut self) {
        if let Err(ReaderEnd::Failed(error)) = self.read() {
            self.shared.tell(FetchEvent::Failed(error));
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
            self.poll(Duration::from_millis(if self.batch.is_empty() { 100 } else { 20 }));
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
                return Err(ReaderEnd::Told);
            }
            // A single tick does not wait for what comes after it was begun.
            let complete = self.patience.is_some() && self.unreached.is_empty();
            let waited = self.first.is_some_and(|first| first.elapsed() >= LINGER || complete);
            if self.is_full() || waited {
                let topic = self.hand_on()?;
                self.widened(&topic)?;
                looked = Instant::now();
            } else if self.batch.is_empty() && looked.elapsed() >= LOOK {
                let topic = self.same()?;
                self.widened(&topic)?;
                looked = Instant::now();
            }
            if self.batch.is_empty() && self.unreached.is_empty() && !self.shared.caught_up.swap(true, Ordering::AcqRel)
            {
                self.shared.came.notify_one();
            }
            if self.patience.is_none() && self.asked.is_none_or(|asked| asked.elapsed() >= ENDS) {
                self.ends()?;
            }
            if self.still.is_due() {
                self.goes_on()?;
            }
            if self.told.elapsed() >= LAG {
                self.commit();
            }
        }
    }

    /// Takes what the library has next: a message, the end of a partition, or a complaint.
    pub(super) fn poll(&mut self, wait: Duration) {
        match self.consumer.poll(wait) {
            None => {}
            Some(_) if self.deaf => {}
            Some(Ok(message)) => {
                let (partition, offset) = (message.partition(), u64::try_from(message.offset()).unwrap_or_default());
                let Some(position) = self.positions.get_mut(&partition) else { return };
                let epoch = epoch(&message);
                if offset < position.next {
                    // It was asked for to see whether it is the one that was taken in.
                    let other = position.epoch.zip(epoch).is_some_and(|(known, found)| known != found);
                    self.replaced = other.then_some(partition).or(self.replaced);
                    return;
                }
                if !self.epochs.follows(partition, position.epoch, epoch) {
                    (self.again, self.deaf) = (true, true);
                    return;
                }
                (position.next, position.epoch) = (offset + 1, epoch);
                let named = if self.resolver.is_some() { headers::schema(&message) } else { &[] };
                self.batch.push_behind(partition, offset, epoch, named, message.payload());
                self.at_end.remove(&partition);
                if self.unreached.get(&partition).is_some_and(|end| offset + 1 >= *end) {
                    self.unreached.remove(&partition);
                }
                self.first.get_or_insert_with(Instant::now);
            }
            Some(Err(KafkaError::PartitionEOF(partition))) => {
                self.at_end.insert(partition);
                self.unreached.remove(&partition);
            }
            Some(Err(error)) => {
                let new = error.rdkafka_error_code().filter(|code| !self.complaints.contains(code));
                self.complaints.extend(new);
            }
        }
    }

    /// Hands on what was fetched, when it is of the topic that it was.
    pub(super) fn hand_on(&mut self) -> ReaderStep<TopicIdentity> {
        // What comes while the brokers are asked is of the next batch.
        let mut batch = std::mem::take(&mut self.batch);
        self.first = None;
        self.written(&mut batch)?;
        let topic = self.same()?;
        if !batch.is_empty() {
            let begun = Instant::now();
            self.tell(FetchEvent::Batch(batch))?;
            self.still.was_held(begun.elapsed());
        }
        Ok(topic)
    }

    /// Whether nothing more fits into the batch.
    pub(super) fn is_full(&self) -> bool {
        self.batch.len() >= MESSAGES || self.batch.bytes() >= BYTES
    }

    /// Whether what the library has next may lie behind messages that could not be read, or be no longer the same.
    pub(super) fn stands(&self) -> bool {
        self.again || self.replaced.is_some() || self.complaints.iter().any(|&code| is_damage(code).is_some())
    }

    pub(super) fn tell(&self, news: FetchEvent) -> ReaderStep<()> {
        if self.shared.tell(news) { Ok(()) } else { Err(ReaderEnd::Told) }
    }

    /// Asks the brokers where partitions end; metrics and `/health/ready` compute the lag from it.
    fn ends(&mut self) -> ReaderStep<()> {
        let partitions: Vec<i32> = self.positions.keys().copied().collect();
        let ends = self.offsets(&partitions, Offset::End)?;
        let now = Instant::now();
        self.shared.backlog.ends(now, partitions.into_iter().zip(ends).collect());
        self.asked = Some(now);
        Ok(())
    }

    /// Says how messages are written; their schemas are waited for.
    fn written(&mut self, batch: &mut Batch) -> ReaderStep<()> {
        batch.writing = match &mut self.resolver {
            Some(resolver) => Writing::Avro(resolver.schemas(batch, &self.shared, self.patience)?),
            None if self.arrow => Writing::Arrow,
            None => Writing::Json,
        };
        Ok(())
    }

    /// Tells Kafka how far everything was taken in; whether there was anything to tell. A monitor of lag sees it; no feed
    /// reads from there, so that it does not matter when it fails.
    fn commit(&mut self) -> bool {
        self.told = Instant::now();
        let lag = std::mem::take(&mut *self.shared.lag.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
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
