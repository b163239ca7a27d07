//! Reports events: its line, its metrics and the state of its feed change together. It can be
//! called from any thread; nothing here has a timer, and nothing decides.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use super::events::log_fields::{Event, LogFields, ProcessEvent};
use super::lateness::{SourceLag, Sources};
use super::line::LogLine;
use super::lines::LineSink;
use super::metrics::{Meters, Metrics};
use super::state::{FeedPhase, FeedStates, Halt, Health};
use crate::config::{FeedConfig, LogFormat};
use crate::error::Result;

/// Log, metrics and health of the process.
pub struct Observer {
    format: LogFormat,
    clock: fn() -> jiff::Timestamp,
    lines: LineSink,
    metrics: Metrics,
    states: FeedStates,
    sources: Sources,
}

impl Observer {
    /// Writes lines to standard error.
    ///
    /// # Errors
    /// The thread that writes them cannot be started.
    pub fn to_stderr(format: LogFormat) -> Result<Observer> {
        Observer::new(format, std::io::stderr(), jiff::Timestamp::now)
    }

    /// Writes lines to `out`; the time comes from `clock`.
    ///
    /// # Errors
    /// The thread that writes lines cannot be started.
    pub fn new(
        format: LogFormat,
        out: impl Write + Send + 'static,
        clock: fn() -> jiff::Timestamp,
    ) -> Result<Observer> {
        let metrics = Metrics::default();
        let lines = LineSink::new(out, metrics.lost_lines.clone())?;
        Ok(Observer {
            format,
            clock,
            lines,
            metrics,
            states: FeedStates::default(),
            sources: Sources::default(),
        })
    }

    /// The observer of this feed. From now on the feed counts as starting, so that the process is
    /// not ready before it.
    pub fn feed(self: &Arc<Observer>, feed: &FeedConfig) -> FeedObserver {
        self.states.set(&feed.name, FeedPhase::Starting, true);
        self.metrics.begin(&feed.name);
        FeedObserver {
            observer: Arc::clone(self),
            feed: feed.name.clone(),
        }
    }

    /// Reports an event that belongs to no feed.
    pub fn emit(&self, event: &impl ProcessEvent) {
        self.write(event, None, (self.clock)());
    }

    /// All metrics, as OpenMetrics text.
    pub fn metrics(&self) -> String {
        for (feed, behind, _) in self.sources.now() {
            self.metrics.behind(&feed, &behind);
        }
        self.metrics.text()
    }

    /// The state of every feed.
    pub fn health(&self) -> Health {
        let late = self.sources.now().into_iter().filter(|(_, _, late)| *late);
        self.states.health(late.map(|(feed, _, _)| feed))
    }

    fn write<E: LogFields>(&self, event: &E, feed: Option<&str>, at: jiff::Timestamp) {
        let mut line = LogLine::new(self.format, at, E::LEVEL, E::NAME, feed);
        event.fields(&mut line);
        self.lines.put(line.end());
    }
}

/// The observer of one feed.
#[derive(Clone)]
pub struct FeedObserver {
    observer: Arc<Observer>,
    feed: String,
}

impl FeedObserver {
    /// Changes the metrics and the state of the feed, then writes the line.
    pub fn emit<E: Event>(&self, event: &E) {
        let at = (self.observer.clock)();
        event.count(&Meters {
            all: &self.observer.metrics,
            feed: &self.feed,
            at,
        });
        if let Some(state) = E::STATE {
            self.observer.states.set(&self.feed, state, E::ENDS_HALT);
        }
        self.observer.write(event, Some(&self.feed), at);
    }

    /// Sets the reason that health gives for the halt of the feed.
    pub fn explain(&self, halt: Halt) {
        self.observer.states.explain(&self.feed, halt);
    }

    /// Sets the missing or changed files of the roots that health lists.
    pub fn damaged(&self, damaged: Vec<String>) {
        self.observer.states.damaged(&self.feed, damaged);
    }

    /// Sets why no tick closes because of the clock, and what to do; None if the clock is right.
    pub fn waits_for_clock(&self, why: Option<String>) {
        self.observer.states.clock(&self.feed, why);
    }

    /// Asks this source how far the feed is behind whenever that is read; the feed is not ready if
    /// it is behind by more than `max`.
    pub fn watch(&self, max: Duration, source: impl Fn() -> SourceLag + Send + Sync + 'static) {
        self.observer.sources.watch(&self.feed, max, source);
    }

    /// The observer of the whole process.
    pub fn observer(&self) -> &Arc<Observer> {
        &self.observer
    }
}
