//! Fetches a topic: a thread of its own that begins at the offsets of the journal, passes on
//! messages in batches, and waits while they are not accepted. An impossible state halts the feed;
//! unavailable brokers are waited for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Instant;

use rdkafka::consumer::BaseConsumer;

use super::backlog::Backlog;
use super::batch::Batch;
use super::broker_questions::SHORT;
use super::client::{ConnectionState, TopicSettings, connected, reading, refused};
use super::epochs::Epochs;
use super::fetching::Fetching;
use super::handover::{FetchBell, FetchEvent, Handover};
use super::positions::Position;
use super::reader::TopicReader;
use super::resolve::SchemaResolver;
use super::stalled_partitions::StalledPartitions;
use crate::config::Format;
use crate::error::{Error, ErrorCategory, Result};

/// A topic that is being fetched. The thread ends with it.
pub struct Fetch {
    shared: Arc<Handover>,
    thread: Option<JoinHandle<()>>,
}

impl Fetch {
    /// Begins to fetch at these positions.
    ///
    /// # Errors
    /// A secret cannot be read, or the library refuses the settings.
    pub fn begin(
        settings: &TopicSettings<'_>,
        positions: BTreeMap<i32, Position>,
    ) -> Result<Fetch> {
        let config = reading(
            connected(settings.brokers, settings.security)?,
            settings.feed,
        );
        let consumer: BaseConsumer<ConnectionState> = config
            .create_with_context(ConnectionState::default())
            .map_err(|error| refused(&error))?;
        let shared = Arc::new(Handover::default());
        shared.backlog.begin(
            positions
                .iter()
                .map(|(partition, position)| (*partition, position.next)),
        );
        let reader = TopicReader {
            consumer,
            shared: Arc::clone(&shared),
            brokers: settings.brokers.to_owned(),
            topic: settings.topic.to_owned(),
            start: settings.start,
            accepted: settings.topic_id.map(str::to_owned),
            resume: settings.resume.clone(),
            patience: settings.patience,
            arrow: settings.format == Format::Arrow,
            resolver: settings.registry.map(SchemaResolver::begin).transpose()?,
            positions,
            id: String::new(),
            at_end: BTreeSet::new(),
            unreached: BTreeMap::new(),
            ends_asked: None,
            batch: Batch::default(),
            first: None,
            complaints: Vec::new(),
            damage: None,
            deaf: false,
            epochs: Epochs::default(),
            again: false,
            replaced: None,
            still: StalledPartitions::new(),
            slowness: SHORT,
            known: false,
            away: None,
            committed: Instant::now(),
        };
        let thread = std::thread::Builder::new()
            .name("topic".to_owned())
            .spawn(move || reader.run());
        let thread = thread
            .map_err(|_| Error::new(ErrorCategory::Io, "the system cannot start a thread"))?;
        Ok(Fetch {
            shared,
            thread: Some(thread),
        })
    }
}

impl Fetching for Fetch {
    fn next(&self) -> Option<FetchEvent> {
        let ended = self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        let mut ready = self.shared.lock();
        let next = (!ready.is_empty()).then(|| ready.remove(0));
        self.shared.taken.notify_all();
        let fault = || {
            FetchEvent::Failed(Error::new(
                ErrorCategory::Internal,
                "the thread that fetches the topic has ended with an internal error (this is a bug)",
            ))
        };
        next.or_else(|| ended.then(fault))
    }

    fn bell(&self) -> FetchBell {
        self.shared.bell()
    }

    fn waits(&self) -> bool {
        let caught_up = self.shared.caught_up.load(Ordering::Acquire);
        !caught_up || !self.shared.lock().is_empty()
    }

    fn backlog(&self) -> Arc<Backlog> {
        Arc::clone(&self.shared.backlog)
    }

    fn taken(&self, offsets: &[(i32, u64)]) {
        self.shared.backlog.taken(offsets.iter().copied());
        if let Ok(mut lag) = self.shared.lag.lock() {
            lag.extend(offsets.iter().copied());
        }
    }
}

impl Drop for Fetch {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Release);
        self.shared.taken.notify_all();
        if let Some(thread) = self.thread.take() {
            // It has reported everything already.
            let _ = thread.join();
        }
    }
}
