//! Where a feed at work takes its messages from.

use std::time::{Duration, Instant};

use super::world::World;
use crate::daemon::config::{Feed, Format, Source, SourcePlace};
use crate::daemon::error::Result;
use crate::daemon::ingest::directory::Directory;
use crate::daemon::ingest::topic::{Fetching, Settings};
use crate::daemon::live::State;
use crate::daemon::observe::{Behind, FeedObserver};

/// How long a single tick waits for brokers.
const ONCE: Duration = Duration::from_secs(30);

/// A source at work.
pub enum Intake {
    /// A folder that is watched.
    Folder(Directory),
    /// A topic that is fetched.
    Topic(Topic),
}

/// A topic that is fetched.
pub struct Topic {
    /// Its name.
    pub name: String,
    /// What fetches it.
    pub fetch: Box<dyn Fetching>,
}

impl Intake {
    /// Begins where the state says. `once`: brokers that are away are not waited for very long.
    ///
    /// # Errors
    /// The source cannot be begun with what the feed file says.
    pub fn begin(feed: &Feed, state: &State, once: bool, world: &dyn World) -> Result<Intake> {
        let source = feed.services.source.as_ref().expect("a feed at work has a source");
        match &source.place {
            SourcePlace::Directory { path, settle } => Ok(Intake::Folder(Directory::new(path, settle.get()))),
            SourcePlace::Kafka { topic, .. } => {
                let known = state.partitions.get(topic).cloned().unwrap_or_default();
                let settings = topic_settings(feed, source, once).expect("the source is a topic");
                let fetch = world.fetch(&settings, known).map_err(|error| error.in_file(&feed.file))?;
                Ok(Intake::Topic(Topic { name: topic.clone(), fetch }))
            }
        }
    }
}

impl Intake {
    /// Has metrics and health say how far the source is behind, where it can be.
    pub fn watched(&self, feed: &Feed, told: &FeedObserver) {
        let place = feed.services.source.as_ref().map(|source| &source.place);
        if let (Intake::Topic(topic), Some(SourcePlace::Kafka { max_lag, .. })) = (self, place) {
            let backlog = topic.fetch.backlog();
            let now = move || Behind { lag: backlog.lag(), oldest: backlog.oldest(Instant::now()) };
            told.watch(max_lag.get(), now);
        }
    }
}

/// What a topic is read with; `None` where the source is none.
pub fn topic_settings<'f>(feed: &'f Feed, source: &'f Source, once: bool) -> Option<Settings<'f>> {
    let SourcePlace::Kafka { brokers, topic, start, security, topic_id, resume, .. } = &source.place else {
        return None;
    };
    Some(Settings {
        feed: &feed.name,
        brokers,
        topic,
        start: *start,
        format: source.format.unwrap_or(Format::Json),
        registry: source.registry.as_ref().filter(|_| source.format == Some(Format::Avro)),
        security: security.as_deref(),
        topic_id: topic_id.as_deref(),
        resume,
        patience: once.then_some(ONCE),
    })
}
