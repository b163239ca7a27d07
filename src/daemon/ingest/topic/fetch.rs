//! Fetches a topic: a thread of its own that begins at the offsets of the journal, hands on what it has in batches, and waits
//! while nobody takes them. What cannot be right halts the feed; brokers that are away are waited for.
//!
//! Nothing is handed on before the brokers have said again that the topic is the one that it was: messages of another one of
//! the same name have offsets that look as good.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _};
use rdkafka::error::KafkaError;
use rdkafka::message::Message as _;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode as Code;

use super::batch::Batch;
use super::client::{Ear, Settings, connected, reading, refused};
use super::handover::{Bell, End, News, Shared, Step};
use super::headers;
use super::id::{Topic, describe};
use super::messages::Writing;
use super::positions::Position;
use super::resolve::Resolver;
use super::told;
use crate::daemon::config::{Format, Start};
use crate::daemon::error::{Error, Kind, Result};

/// Messages of a batch.
const MESSAGES: usize = 200_000;
/// Bytes of a batch.
const BYTES: usize = 24 << 20;
/// How long a message waits for others.
const LINGER: Duration = Duration::from_millis(200);
/// How long one answer of the brokers is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two tries.
const AGAIN: Duration = Duration::from_millis(500);
/// How often it is looked for new partitions, and whether the topic is the one that it was.
const LOOK: Duration = Duration::from_secs(10);
/// How often Kafka is told of offsets.
const LAG: Duration = Duration::from_secs(5);
/// How often brokers must say that a topic is not there: one that has just begun may not know yet.
const SURE: u32 = 4;

/// A topic that is being fetched. The thread ends with it.
pub struct Fetch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Fetch {
    /// Begins to fetch at these positions.
    ///
    /// # Errors
    /// A secret cannot be read, or the library refuses the settings.
    pub fn begin(settings: &Settings<'_>, positions: BTreeMap<i32, Position>) -> Result<Fetch> {
        let config = reading(connected(settings.brokers, settings.security)?, settings.feed);
        let consumer: BaseConsumer<Ear> =
            config.create_with_context(Ear::default()).map_err(|error| refused(&error))?;
        let shared = Arc::new(Shared::default());
        let reader = Reader {
            consumer,
            shared: Arc::clone(&shared),
            brokers: settings.brokers.to_owned(),
            topic: settings.topic.to_owned(),
            start: settings.start,
            accepted: settings.topic_id.map(str::to_owned),
            resume: settings.resume.clone(),
            patience: settings.patience,
            arrow: settings.format == Format::Arrow,
            resolver: settings.registry.map(Resolver::begin).transpose()?,
            positions,
            id: String::new(),
            at_end: BTreeSet::new(),
            away: None,
            told: Instant::now(),
        };
        let thread = std::thread::Builder::new().name("topic".to_owned()).spawn(move || reader.run());
        let thread = thread.map_err(|_| Error::new(Kind::Io, "the system does not let us begin a thread"))?;
        Ok(Fetch { shared, thread: Some(thread) })
    }

    /// What there is to tell next, if there is anything.
    pub fn next(&self) -> Option<News> {
        let ended = self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        let mut ready = self.shared.lock();
        let next = (!ready.is_empty()).then(|| ready.remove(0));
        self.shared.taken.notify_all();
        let fault = || News::Failed(Error::new(Kind::Internal, "whoever fetches the topic has ended by a fault"));
        next.or_else(|| ended.then(fault))
    }

    /// What rings when there may be something to tell.
    pub fn bell(&self) -> Bell {
        Bell(Arc::clone(&self.shared))
    }

    /// Whether messages may be there that were not handed on yet.
    pub fn waits(&self) -> bool {
        let caught_up = self.shared.caught_up.load(Ordering::Acquire);
        !caught_up || !self.shared.lock().is_empty()
    }

    /// Kafka is to be told that all before these offsets was taken in.
    pub fn taken(&self, offsets: impl Iterator<Item = (i32, u64)>) {
        if let Ok(mut lag) = self.shared.lag.lock() {
            lag.extend(offsets);
        }
    }
}

impl Drop for Fetch {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Release);
        self.shared.taken.notify_all();
        if let Some(thread) = self.thread.take() {
            // It has nothing to say that was not said.
            let _ = thread.join();
        }
    }
}

/// The thread.
struct Reader {
    consumer: BaseConsumer<Ear>,
    shared: Arc<Shared>,
    brokers: String,
    topic: String,
    start: Start,
    accepted: Option<String>,
    resume: BTreeMap<i32, u64>,
    patience: Option<Duration>,
    /// Whether messages are Arrow.
    arrow: bool,
    /// Knows the schemas of messages that are Avro.
    resolver: Option<Resolver>,
    /// Where each partition is read next.
    positions: BTreeMap<i32, Position>,
    /// The topic's.
    id: String,
    /// Partitions whose last message was seen.
    at_end: BTreeSet<i32>,
    /// Since when no broker answers.
    away: Option<Instant>,
    /// When Kafka was told of offsets.
    told: Instant,
}

impl Reader {
    fn run(mut self) {
        if let Err(End::Failed(error)) = self.read() {
            self.shared.tell(News::Failed(error));
        }
        self.commit(CommitMode::Sync);
    }

    fn read(&mut self) -> Step<()> {
        self.begin()?;
        let mut batch = Batch::default();
        let (mut first, mut looked) = (None, Instant::now());
        loop {
            let wait = if batch.is_empty() { Duration::from_millis(100) } else { Duration::from_millis(20) };
            match self.consumer.poll(wait) {
                None => {}
                Some(Ok(message)) => {
                    let (partition, offset) = (message.partition(), message.offset());
                    let next = u64::try_from(offset).unwrap_or_default() + 1;
                    let named = if self.resolver.is_some() { headers::schema(&message) } else { &[] };
                    batch.push_behind(partition, next - 1, named, message.payload());
                    drop(message);
                    self.at_end.remove(&partition);
                    self.shared.caught_up.store(false, Ordering::Release);
                    if let Some(position) = self.positions.get_mut(&partition) {
                        position.next = next;
                    }
                    first.get_or_insert_with(Instant::now);
                }
                Some(Err(KafkaError::PartitionEOF(partition))) => _ = self.at_end.insert(partition),
                Some(Err(error)) => self.complained(&error)?,
            }
            if self.shared.ends() {
                return Err(End::Told);
            }
            let full = batch.len() >= MESSAGES || batch.bytes() >= BYTES;
            if full || first.is_some_and(|first: Instant| first.elapsed() >= LINGER || self.ended()) {
                self.written(&mut batch)?;
                let topic = self.same()?;
                first = None;
                self.tell(News::Batch(std::mem::take(&mut batch)))?;
                self.widened(&topic)?;
                looked = Instant::now();
            } else if batch.is_empty() && looked.elapsed() >= LOOK {
                let topic = self.same()?;
                self.widened(&topic)?;
                looked = Instant::now();
            }
            if batch.is_empty() && self.ended() && !self.shared.caught_up.swap(true, Ordering::AcqRel) {
                self.shared.came.notify_one();
            }
            if self.told.elapsed() >= LAG {
                self.commit(CommitMode::Async);
            }
        }
    }

    fn tell(&self, news: News) -> Step<()> {
        if self.shared.tell(news) { Ok(()) } else { Err(End::Told) }
    }

    /// Whether the last message of every partition was seen.
    fn ended(&self) -> bool {
        self.at_end.len() == self.positions.len()
    }

    /// Says how messages are written; their schemas are waited for.
    fn written(&mut self, batch: &mut Batch) -> Step<()> {
        batch.writing = match &mut self.resolver {
            Some(resolver) => Writing::Avro(resolver.schemas(batch, &self.shared, self.patience)?),
            None if self.arrow => Writing::Arrow,
            None => Writing::Json,
        };
        Ok(())
    }

    /// Asks about the topic until somebody answers.
    fn asked(&mut self) -> Step<Topic> {
        let mut missing = 0;
        loop {
            let code = match describe(self.consumer.client(), &self.topic, PATIENCE) {
                Ok(topic) => {
                    self.back()?;
                    return Ok(topic);
                }
                Err(code) => code,
            };
            if self.shared.ends() {
                return Err(End::Told);
            }
            if matches!(code, Code::UnknownTopicOrPartition | Code::UnknownTopic) {
                missing += 1;
                if missing >= SURE {
                    return Err(told::missing(&self.topic, !self.positions.is_empty()).into());
                }
            } else if let Some(error) = told::refused(&self.topic, code) {
                return Err(error.into());
            } else {
                self.gone()?;
            }
            std::thread::sleep(AGAIN);
        }
    }

    /// The first and the last offset of a partition.
    fn marks(&mut self, partition: i32) -> Step<(u64, u64)> {
        loop {
            match self.consumer.fetch_watermarks(&self.topic, partition, PATIENCE) {
                Ok((low, high)) => {
                    let offset = |mark: i64| u64::try_from(mark).unwrap_or_default();
                    return Ok((offset(low), offset(high)));
                }
                Err(error) => self.complained(&error)?,
            }
            if self.shared.ends() {
                return Err(End::Told);
            }
            self.gone()?;
            std::thread::sleep(AGAIN);
        }
    }

    /// Looks where every partition is read on, and begins to.
    fn begin(&mut self) -> Step<()> {
        let topic = self.asked()?;
        self.is_the_one(&topic)?;
        let begins = self.places(&topic)?;
        self.id = topic.id;
        if !begins.is_empty() {
            self.tell(News::Begins(begins))?;
        }
        self.assign()?;
        Ok(())
    }

    /// Whether it is the topic that was read before, or the one that may take its place.
    fn is_the_one(&mut self, topic: &Topic) -> Result<()> {
        let known = self.positions.values().map(|position| &position.topic_id).find(|id| **id != topic.id).cloned();
        match known {
            None => Ok(()),
            Some(_) if self.accepted.as_ref() == Some(&topic.id) => {
                self.positions.clear();
                Ok(())
            }
            Some(known) => Err(told::recreated(&self.topic, &known, &topic.id)),
        }
    }

    /// Where partitions are read on that are new, or of which messages are lost; all others are where they were.
    fn places(&mut self, topic: &Topic) -> Step<Vec<(i32, u64, Position)>> {
        let new_feed = self.positions.is_empty();
        if let Some(partition) = self.positions.keys().find(|partition| !topic.partitions.contains(partition)) {
            return Err(told::vanished(&self.topic, *partition).into());
        }
        let mut begins = Vec::new();
        for &partition in &topic.partitions {
            let (low, high) = self.marks(partition)?;
            let known = self.positions.get(&partition).map(|position| position.next);
            let next = match known {
                None if new_feed && self.start == Start::Latest => high,
                None if new_feed => low,
                // All of a partition that was added came after the feed had begun.
                None => self.on(partition, 0, low, high)?,
                Some(next) => self.on(partition, next, low, high)?,
            };
            if known != Some(next) {
                let position = Position { topic_id: topic.id.clone(), next };
                begins.push((partition, known.unwrap_or(next), position.clone()));
                self.positions.insert(partition, position);
            }
        }
        Ok(begins)
    }

    /// Where a partition is read on that is to be read from `next` on.
    fn on(&self, partition: i32, next: u64, low: u64, high: u64) -> Result<u64> {
        if (low..=high).contains(&next) {
            return Ok(next);
        }
        match self.resume.get(&partition) {
            Some(resume) if (low..=high).contains(resume) => Ok(*resume),
            Some(resume) => Err(told::no_way_on(&self.topic, partition, *resume, low, high)),
            None if next < low => Err(told::overtaken(&self.topic, partition, next, low)),
            None => Err(told::shortened(&self.topic, partition, next, high)),
        }
    }

    /// Reads all partitions from where they are.
    fn assign(&mut self) -> Step<()> {
        let mut list = TopicPartitionList::new();
        for (partition, position) in &self.positions {
            let offset = Offset::Offset(i64::try_from(position.next).unwrap_or(i64::MAX));
            // The offset is one that the library can hold.
            let _ = list.add_partition_offset(&self.topic, *partition, offset);
        }
        self.at_end.clear();
        self.consumer.assign(&list).map_err(|error| refused(&error))?;
        Ok(())
    }

    /// Whether the topic is still the one that it was.
    fn same(&mut self) -> Step<Topic> {
        let topic = self.asked()?;
        if self.id.is_empty() || topic.id == self.id {
            return Ok(topic);
        }
        Err(told::recreated(&self.topic, &self.id, &topic.id).into())
    }

    /// Begins partitions that are not read yet, if there are any. No batch is under way then.
    fn widened(&mut self, topic: &Topic) -> Step<()> {
        if topic.partitions.iter().all(|partition| self.positions.contains_key(partition)) {
            return Ok(());
        }
        let begins = self.places(topic)?;
        self.tell(News::Begins(begins))?;
        self.assign()
    }

    /// The library complains.
    fn complained(&mut self, error: &KafkaError) -> Step<()> {
        let Some(code) = error.rdkafka_error_code() else { return Ok(()) };
        if let Some(error) = told::refused(&self.topic, code) {
            return Err(error.into());
        }
        match code {
            // Offsets that are not there: retention, another topic, a cluster that was put back.
            Code::AutoOffsetReset | Code::OffsetOutOfRange | Code::UnknownTopicOrPartition | Code::UnknownTopicId => {
                self.same()?;
                for partition in self.positions.keys().copied().collect::<Vec<_>>() {
                    let (low, high) = self.marks(partition)?;
                    self.on(partition, self.positions[&partition].next, low, high)?;
                }
                // It was so for a moment only.
                if !self.id.is_empty() {
                    self.assign()?;
                }
                Ok(())
            }
            Code::AllBrokersDown => self.gone(),
            _ => Ok(()),
        }
    }

    /// No broker answers.
    fn gone(&mut self) -> Step<()> {
        let since = match self.away {
            Some(since) => since,
            None => {
                self.tell(News::Away(self.consumer.context().last()))?;
                *self.away.insert(Instant::now())
            }
        };
        if self.patience.is_some_and(|patience| since.elapsed() >= patience) {
            return Err(told::away(&self.brokers, self.consumer.context().last()).into());
        }
        Ok(())
    }

    fn back(&mut self) -> Step<()> {
        if self.away.take().is_some() { self.tell(News::Back) } else { Ok(()) }
    }

    /// Tells Kafka how far everything was taken in. Whoever looks at lag sees it; nobody reads from there, so that it does
    /// not matter when it fails.
    fn commit(&mut self, mode: CommitMode) {
        self.told = Instant::now();
        let lag = std::mem::take(&mut *self.shared.lag.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        if lag.is_empty() || self.away.is_some() {
            return;
        }
        let mut list = TopicPartitionList::new();
        for (partition, next) in lag {
            let offset = Offset::Offset(i64::try_from(next).unwrap_or(i64::MAX));
            let _ = list.add_partition_offset(&self.topic, partition, offset);
        }
        let _ = self.consumer.commit(&list, mode);
    }
}
