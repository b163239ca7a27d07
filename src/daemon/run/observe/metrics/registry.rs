//! The metrics: registered once, changed by events, written when they are read.

use std::hash::Hash;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use super::labels::{
    OfDecision, OfFeed, OfPartition, OfReceiver, OfRequest, OfRow, OfStep, OfTick,
};
use super::tables::{Gauge, Total};
use crate::intake_counts::IntakeCounts;
use crate::observe::field::UnpublishedRows;
use crate::observe::lateness::SourceLag;
use crate::observe::words::{Answer, Decision, Receiver, Request, RowOutcome, Step, TickOutcome};

type Number = gauge::Gauge<f64, AtomicU64>;

/// All metrics of the process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Log lines that were lost because no program read them.
    pub lost_lines: Counter,
    totals: Vec<Family<OfFeed, Counter>>,
    gauges: Vec<Family<OfFeed, Number>>,
    source_lag: Family<OfPartition, Number>,
    batch_rows: Family<OfFeed, Histogram>,
    rows: Family<OfRow, Counter>,
    ticks: Family<OfTick, Counter>,
    decisions: Family<OfDecision, Counter>,
    requests: Family<OfRequest, Counter>,
    notifications: Family<OfReceiver, Counter>,
    receivers_away: Family<OfReceiver, Number>,
    steps: Family<OfStep, Histogram>,
    tick_to_publication: Family<OfFeed, Histogram>,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let mut metrics = Metrics {
            registry: Registry::with_prefix("tidegate"),
            lost_lines: Counter::default(),
            totals: Total::ALL.iter().map(|_| Family::default()).collect(),
            gauges: Gauge::ALL.iter().map(|_| Family::default()).collect(),
            source_lag: Family::default(),
            batch_rows: Family::new_with_constructor(batches),
            rows: Family::default(),
            ticks: Family::default(),
            decisions: Family::default(),
            requests: Family::default(),
            notifications: Family::default(),
            receivers_away: Family::default(),
            steps: Family::new_with_constructor(work),
            tick_to_publication: Family::new_with_constructor(waits),
        };
        metrics.register();
        metrics
    }
}

/// Seconds of work, from a millisecond to an hour.
fn work() -> Histogram {
    Histogram::new([
        0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0, 300.0, 900.0, 3_600.0,
    ])
}

/// Rows of a batch.
fn batches() -> Histogram {
    Histogram::new([1.0, 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0])
}

/// Seconds until people approve, from a tenth of a second to a week.
fn waits() -> Histogram {
    Histogram::new([
        0.1, 1.0, 10.0, 60.0, 600.0, 3_600.0, 21_600.0, 86_400.0, 604_800.0,
    ])
}

impl Metrics {
    /// All metrics as OpenMetrics text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        text::encode(&mut text, &self.registry).expect("a string can be written");
        text
    }

    /// Sets the metrics of a new feed: counters begin at zero, so that their first event is an
    /// increase.
    pub fn begin(&self, feed: &str) {
        let of_feed = || [OfFeed::new(feed)];
        self.totals.iter().for_each(|total| touch(total, of_feed()));
        for (_, gauge) in Gauge::ALL
            .iter()
            .zip(&self.gauges)
            .filter(|(gauge, _)| gauge.begins_at_zero())
        {
            touch(gauge, of_feed());
        }
        touch(
            &self.rows,
            RowOutcome::ALL
                .iter()
                .map(|&outcome| OfRow::new(feed, outcome)),
        );
        touch(
            &self.ticks,
            TickOutcome::ALL
                .iter()
                .map(|&outcome| OfTick::new(feed, outcome)),
        );
        touch(
            &self.decisions,
            Decision::ALL
                .iter()
                .map(|&outcome| OfDecision::new(feed, outcome)),
        );
        for &answer in Answer::ALL {
            touch(
                &self.requests,
                Request::ALL
                    .iter()
                    .map(|&kind| OfRequest::new(feed, kind, answer)),
            );
        }
        touch(
            &self.notifications,
            Receiver::ALL
                .iter()
                .map(|&receiver| OfReceiver::new(feed, receiver)),
        );
        touch(
            &self.steps,
            Step::ALL.iter().map(|&step| OfStep::new(feed, step)),
        );
        touch(&self.tick_to_publication, of_feed());
    }

    /// Sets how far the source of a feed is behind.
    pub fn behind(&self, feed: &str, behind: &SourceLag) {
        for &(partition, lag) in &behind.lag {
            self.source_lag
                .get_or_create(&OfPartition::new(feed, partition))
                .set(lag as f64);
        }
        let oldest = &self.gauges[Gauge::SourceOldest as usize];
        oldest
            .get_or_create(&OfFeed::new(feed))
            .set(behind.oldest.as_secs_f64());
    }

    fn register(&mut self) {
        let registry = &mut self.registry;
        for (total, family) in Total::ALL.iter().zip(&self.totals) {
            registry.register(total.word(), total.help(), family.clone());
        }
        for (gauge, family) in Gauge::ALL.iter().zip(&self.gauges) {
            match gauge.unit() {
                Some(unit) => {
                    registry.register_with_unit(gauge.word(), gauge.help(), unit, family.clone())
                }
                None => registry.register(gauge.word(), gauge.help(), family.clone()),
            }
        }
        let help = "Messages of a partition that are not accepted yet";
        registry.register("source_lag", help, self.source_lag.clone());
        registry.register(
            "batch_rows",
            "Messages of an accepted batch",
            self.batch_rows.clone(),
        );
        registry.register(
            "rows",
            "Rows by outcome; the sum is all rows that were read",
            self.rows.clone(),
        );
        registry.register("ticks", "Ticks by outcome", self.ticks.clone());
        registry.register("decisions", "Decisions in the log", self.decisions.clone());
        registry.register("requests", "Requests by people", self.requests.clone());
        registry.register(
            "notifications",
            "Notifications that receivers have accepted",
            self.notifications.clone(),
        );
        let help = "1 while a receiver of notifications does not accept them, else 0";
        registry.register("receiver_away", help, self.receivers_away.clone());
        registry.register(
            "lost_log_lines",
            "Log lines dropped because no program read them",
            self.lost_lines.clone(),
        );
        let seconds = Unit::Seconds;
        registry.register_with_unit(
            "step",
            "Duration of a step, in seconds",
            seconds,
            self.steps.clone(),
        );
        let (seconds, family) = (Unit::Seconds, self.tick_to_publication.clone());
        registry.register_with_unit(
            "tick_to_publication",
            "Time from a tick to the publication of its release, in \
             seconds",
            seconds,
            family,
        );
    }
}

/// Creates these series.
fn touch<L: Clone + Hash + Eq, M>(family: &Family<L, M>, labels: impl IntoIterator<Item = L>) {
    for labels in labels {
        drop(family.get_or_create(&labels));
    }
}

/// The metrics of one feed at the time of an event.
#[derive(Debug)]
pub struct Meters<'a> {
    /// All metrics.
    pub all: &'a Metrics,
    /// The feed.
    pub feed: &'a str,
    /// The time.
    pub at: jiff::Timestamp,
}

impl Meters<'_> {
    /// Increases a counter.
    pub fn add(&self, total: Total, by: u64) {
        self.all.totals[total as usize]
            .get_or_create(&self.of_feed())
            .inc_by(by);
    }

    /// Sets a gauge.
    pub fn set(&self, gauge: Gauge, to: u64) {
        self.set_exactly(gauge, to as f64);
    }

    /// Sets a gauge that is not a count.
    pub fn set_exactly(&self, gauge: Gauge, to: f64) {
        self.all.gauges[gauge as usize]
            .get_or_create(&self.of_feed())
            .set(to);
    }

    /// Sets a gauge that is a time.
    pub fn set_time(&self, gauge: Gauge, to: jiff::Timestamp) {
        self.set_exactly(gauge, to.as_second() as f64);
    }

    /// Sets the number of the newest entry of the log.
    pub fn appended(&self, seq: u64) {
        self.set(Gauge::LogEntries, seq.saturating_add(1));
    }

    /// Counts rows.
    pub fn rows(&self, rows: &IntakeCounts) {
        for (outcome, count) in [
            (RowOutcome::Kept, rows.kept),
            (RowOutcome::Duplicate, rows.duplicate),
            (RowOutcome::Skipped, rows.skipped),
            (RowOutcome::Quarantined, rows.quarantined),
        ] {
            self.all
                .rows
                .get_or_create(&OfRow::new(self.feed, outcome))
                .inc_by(count);
        }
    }

    /// Counts a batch of messages.
    pub fn batch(&self, rows: &IntakeCounts) {
        self.all
            .batch_rows
            .get_or_create(&self.of_feed())
            .observe(rows.seen as f64);
    }

    /// Sets the numbers of rows that are not published.
    pub fn standing(&self, standing: &UnpublishedRows) {
        self.set(Gauge::WaitingRows, standing.waiting);
        self.set(Gauge::PendingRows, standing.pending);
    }

    /// Counts a tick.
    pub fn tick(&self, outcome: TickOutcome) {
        self.all
            .ticks
            .get_or_create(&OfTick::new(self.feed, outcome))
            .inc();
    }

    /// Counts a decision in the log.
    pub fn decision(&self, outcome: Decision) {
        self.all
            .decisions
            .get_or_create(&OfDecision::new(self.feed, outcome))
            .inc();
    }

    /// Counts a request.
    pub fn request(&self, kind: Request, outcome: Answer) {
        self.all
            .requests
            .get_or_create(&OfRequest::new(self.feed, kind, outcome))
            .inc();
    }

    /// Counts a notification.
    pub fn notified(&self, receiver: Receiver) {
        self.all
            .notifications
            .get_or_create(&OfReceiver::new(self.feed, receiver))
            .inc();
    }

    /// Sets whether a receiver does not accept notifications.
    pub fn receiver_away(&self, receiver: Receiver, away: bool) {
        self.all
            .receivers_away
            .get_or_create(&OfReceiver::new(self.feed, receiver))
            .set(f64::from(u8::from(away)));
    }

    /// Records the time of a step.
    pub fn took(&self, step: Step, time: Duration) {
        let label = OfStep::new(self.feed, step);
        self.all
            .steps
            .get_or_create(&label)
            .observe(time.as_secs_f64());
    }

    /// Records the time between a tick and its release.
    pub fn left_after(&self, time: Duration) {
        self.all
            .tick_to_publication
            .get_or_create(&self.of_feed())
            .observe(time.as_secs_f64());
    }

    fn of_feed(&self) -> OfFeed {
        OfFeed::new(self.feed)
    }
}
