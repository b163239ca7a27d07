//! The sources that a running feed reads.

use std::time::{Duration, Instant};

use super::world::World;
use crate::config::{FeedConfig, Format, SourcePlace, SourceSettings};
use crate::error::Result;
use crate::feed_writer::FeedState;
use crate::ingest::directory::Directory;
use crate::ingest::topic::{Fetching, TopicSettings};
use crate::observe::{FeedObserver, SourceLag};

/// The time that a single tick waits for brokers.
const ONCE: Duration = Duration::from_secs(30);

/// An open source.
pub(super) enum Intake {
    /// A folder that is watched.
    Folder(Directory),
    /// A topic that is fetched.
    Topic(TopicIntake),
}

/// A topic that is fetched.
pub(super) struct TopicIntake {
    /// Its name.
    pub name: String,
    /// Fetches its messages.
    pub fetch: Box<dyn Fetching>,
}

impl Intake {
    /// Begins at the place that the state contains. `once`: brokers that do not answer are waited
    /// for only a short time.
    ///
    /// # Errors
    /// The source cannot be opened with the settings of the feed file.
    pub(super) fn begin(
        feed: &FeedConfig,
        state: &FeedState,
        once: bool,
        world: &dyn World,
    ) -> Result<Intake> {
        let source = feed
            .services
            .source
            .as_ref()
            .expect("a running feed has a source");
        match &source.place {
            SourcePlace::Directory { path, settle } => {
                Ok(Intake::Folder(Directory::new(path, settle.get())))
            }
            SourcePlace::Kafka { topic, .. } => {
                let known = state.partitions.get(topic).cloned().unwrap_or_default();
                let settings = topic_settings(feed, source, once).expect("the source is a topic");
                let fetch = world
                    .fetch(&settings, known)
                    .map_err(|error| error.in_file(&feed.file))?;
                Ok(Intake::Topic(TopicIntake {
                    name: topic.clone(),
                    fetch,
                }))
            }
        }
    }
}

impl Intake {
    /// Lets metrics and health report how far the source is behind, if it can be.
    pub(super) fn watched(&self, feed: &FeedConfig, observer: &FeedObserver) {
        let place = feed.services.source.as_ref().map(|source| &source.place);
        if let (Intake::Topic(topic), Some(SourcePlace::Kafka { max_lag, .. })) = (self, place) {
            let backlog = topic.fetch.backlog();
            let now = move || SourceLag {
                lag: backlog.lag(),
                oldest: backlog.oldest(Instant::now()),
            };
            observer.watch(max_lag.get(), now);
        }
    }
}

/// The settings for reading a topic; None if the source is not one.
pub(super) fn topic_settings<'f>(
    feed: &'f FeedConfig,
    source: &'f SourceSettings,
    once: bool,
) -> Option<TopicSettings<'f>> {
    let SourcePlace::Kafka {
        brokers,
        topic,
        start,
        security,
        topic_id,
        resume,
        ..
    } = &source.place
    else {
        return None;
    };
    Some(TopicSettings {
        feed: &feed.name,
        brokers,
        topic,
        start: *start,
        format: source.format.unwrap_or(Format::Json),
        registry: source
            .registry
            .as_ref()
            .filter(|_| source.format == Some(Format::Avro)),
        security: security.as_deref(),
        topic_id: topic_id.as_deref(),
        resume,
        patience: once.then_some(ONCE),
    })
}
