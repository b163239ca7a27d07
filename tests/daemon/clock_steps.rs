//! A feed under simulated time whose clock is set by a year and back, while it runs and between two
//! runs (CONTRACTS 1, `max_clock_step`). The loop is that of the program; the world passes a minute
//! with each wait.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tidegate::daemon::chance::{Chance, SystemChance};
use tidegate::daemon::config::{FeedConfig, LogFormat, Root};
use tidegate::daemon::error::{Error, ErrorCategory, Result};
use tidegate::daemon::feed_writer::PublicRoot;
use tidegate::daemon::ingest::topic::{Fetching, Position, TopicSettings};
use tidegate::daemon::journal::store::{Memory, Packs, ReadStore as _, Store as _};
use tidegate::daemon::observe::{FeedPhase, Observer};
use tidegate::daemon::service::world::{OpenedRoots, Wait, World};
use tidegate::daemon::service::{FeedTick, RunEnd, RunOptions, TickOutcome, keep};
use tokio::sync::watch;

use crate::common::place::{Place, log_in, people};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(24 * 3_600);
const YEAR: i64 = 365 * 24 * 3_600;
const BEGINS: &str = "2026-01-01T12:00:00Z";
const DAILY: &str = "every = \"1d\"\n";
const CRON: &str = "cron = \"30 2 * * *\"\ntimezone = \"Europe/Berlin\"\n";

/// What was seen of a feed at a time.
#[derive(Debug, Clone)]
struct Sight {
    at: Duration,
    phase: FeedPhase,
    is_ready: bool,
    /// Whether the metric says that no tick closes.
    is_off: bool,
}

/// A machine, its roots, and the processes that ran there one after the other.
struct Scene {
    place: Place,
    roots: [Memory; 2],
    /// The true time since the beginning.
    passed: Mutex<Duration>,
    /// By how much the clock is wrong from a time on, in seconds.
    set: Mutex<Vec<(Duration, i64)>>,
    sights: Mutex<Vec<Sight>>,
}

/// A process.
struct Here {
    scene: Arc<Scene>,
    begun: Duration,
    until: Duration,
    observer: Arc<Observer>,
    ends: watch::Sender<bool>,
}

fn start() -> Timestamp {
    BEGINS.parse().expect("a time")
}

fn at(passed: Duration) -> Timestamp {
    start() + SignedDuration::try_from(passed).expect("a short time")
}

impl Scene {
    fn new(schedule: &str) -> Arc<Scene> {
        let place = Place::new(schedule);
        place.offer("000.csv", people(0..40));
        let scene = Scene {
            place,
            roots: Default::default(),
            passed: Mutex::default(),
            set: Mutex::default(),
            sights: Mutex::default(),
        };
        Arc::new(scene)
    }

    fn passed(&self) -> Duration {
        *self.passed.lock().expect("no panic")
    }

    /// The clock is wrong by this many seconds from now on, after a while.
    fn sets(&self, after: Duration, by: i64) {
        self.set
            .lock()
            .expect("no panic")
            .push((self.passed() + after, by));
    }

    fn clock(&self) -> Timestamp {
        let passed = self.passed();
        let set = self.set.lock().expect("no panic");
        let by = set
            .iter()
            .rev()
            .find(|(from, _)| *from <= passed)
            .map_or(0, |(_, by)| *by);
        at(passed) + SignedDuration::from_secs(by)
    }

    /// Time passes; each day brings a file.
    fn passes(&self, time: Duration) {
        let mut passed = self.passed.lock().expect("no panic");
        let (before, now) = (
            passed.as_secs() / DAY.as_secs(),
            (*passed + time).as_secs() / DAY.as_secs(),
        );
        *passed += time;
        if now > before {
            self.place
                .offer(&format!("{now:03}.csv"), people(now * 40..now * 40 + 40));
        }
    }

    /// The times of all closed ticks, in the order of the log.
    fn ticks(&self) -> Vec<Timestamp> {
        let entries = log_in(Arc::new(self.roots[0].clone()));
        let closed = entries.iter().filter(|entry| entry["kind"] == "Closed");
        closed
            .map(|entry| {
                entry["body"]["time"]
                    .as_str()
                    .expect("a time")
                    .parse()
                    .expect("a time")
            })
            .collect()
    }

    /// A process runs the feed for this long, or closes one tick.
    fn runs(self: &Arc<Scene>, time: Duration, until: RunEnd, accept_clock: bool) -> Vec<FeedTick> {
        let feed = FeedConfig::load(&self.place.path("feed.toml")).expect("a feed");
        let observer = Observer::new(LogFormat::Json, std::io::sink(), || Timestamp::UNIX_EPOCH)
            .expect("a thread");
        let observer = Arc::new(observer);
        let (ends, ended) = watch::channel(false);
        let begun = self.passed();
        let of_feed = observer.feed(&feed);
        let here = Here {
            scene: Arc::clone(self),
            begun,
            until: begun + time,
            observer,
            ends,
        };
        let how = RunOptions {
            until,
            accept_clock,
            exit_on_halt: true,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        runtime
            .block_on(keep(feed, of_feed, how, Arc::new(here), ended))
            .expect("nothing halts it")
    }

    /// What was seen since the last question.
    fn sights(&self) -> Vec<Sight> {
        std::mem::take(&mut self.sights.lock().expect("no panic"))
    }
}

impl World for Here {
    fn now(&self) -> Timestamp {
        self.scene.clock()
    }

    fn age(&self) -> Duration {
        self.scene.passed() - self.begun
    }

    fn sleep(&self, time: Duration) -> Wait {
        let health = self.observer.health();
        let sight = Sight {
            at: self.scene.passed(),
            phase: health.feeds["t"],
            is_ready: health.ready,
            is_off: !self
                .observer
                .metrics()
                .contains("tidegate_clock_off_seconds{feed=\"t\"} 0.0"),
        };
        self.scene.sights.lock().expect("no panic").push(sight);
        self.scene.passes(time.max(30 * MINUTE));
        if self.scene.passed() >= self.until {
            self.ends.send_replace(true);
        }
        Box::pin(std::future::ready(()))
    }

    fn run_blocking(&self, work: Box<dyn FnOnce() + Send>) -> Wait {
        Box::pin(async move { work() })
    }

    fn chance(&self) -> Box<dyn Chance> {
        Box::new(SystemChance)
    }

    fn roots(&self, _: &FeedConfig) -> Result<Option<OpenedRoots>> {
        let [private, public] = self.scene.roots.clone();
        let private = Arc::new(Packs::over(Arc::new(private)));
        Ok(Some(OpenedRoots {
            private,
            public: PublicRoot::over(Arc::new(public)),
            lock: None,
        }))
    }

    fn fetch(
        &self,
        _: &TopicSettings<'_>,
        _: BTreeMap<i32, Position>,
    ) -> Result<Box<dyn Fetching>> {
        Err(Error::new(ErrorCategory::Internal, "there is no topic"))
    }

    fn note(&self, _: &Root, name: &str, bytes: Option<&[u8]>) -> Result<()> {
        match bytes {
            Some(bytes) => self.scene.roots[0].replace(name, bytes),
            None => self.scene.roots[0].delete(name),
        }
    }

    fn noted(&self, _: &Root, name: &str) -> Result<Option<Vec<u8>>> {
        self.scene.roots[0].read(name)
    }
}

/// Checks that ticks are in order, and that none is dated outside these days.
#[track_caller]
fn are_timely(ticks: &[Timestamp], days: std::ops::RangeInclusive<u32>) {
    let within = at(DAY * *days.start())..=at(DAY * *days.end());
    assert!(
        ticks.is_sorted() && ticks.iter().all(|tick| within.contains(tick)),
        "{ticks:?}"
    );
}

#[test]
fn a_clock_that_is_set_and_comes_back_stops_nothing() {
    for schedule in [DAILY, CRON, "per_file = true\n"] {
        for by in [YEAR, -YEAR] {
            let scene = Scene::new(schedule);
            // For two hours in the day, and over the time of a tick.
            for (from, to) in [
                (3 * DAY + 2 * HOUR, 3 * DAY + 4 * HOUR),
                (5 * DAY + 6 * HOUR, 6 * DAY),
            ] {
                scene.sets(from, by);
                scene.sets(to, 0);
            }
            scene.runs(10 * DAY, RunEnd::Asked, false);
            let ticks = scene.ticks();
            are_timely(&ticks, 0..=10);
            assert!(ticks.len() >= 9, "{schedule} {by}: {ticks:?}");
            for Sight {
                at,
                phase,
                is_ready,
                is_off,
                ..
            } in scene.sights()
            {
                let is_wrong = [3 * DAY + 3 * HOUR, 5 * DAY + 12 * HOUR]
                    .into_iter()
                    .any(|wrong| at.abs_diff(wrong) < HOUR / 2);
                let is_right = at.as_secs() % DAY.as_secs() > 4 * HOUR.as_secs() + 1_800
                    && at.as_secs() / DAY.as_secs() != 5;
                assert!(
                    !is_wrong || !is_ready && is_off && phase == FeedPhase::Clock,
                    "{schedule} {by} {at:?}"
                );
                assert!(!is_right || is_ready && !is_off, "{schedule} {by} {at:?}");
            }
        }
    }
}

#[test]
fn a_clock_that_stays_wrong_is_accepted_by_a_person() {
    for schedule in [DAILY, CRON] {
        let scene = Scene::new(schedule);
        scene.sets(2 * DAY + 6 * HOUR, YEAR);
        scene.runs(6 * DAY, RunEnd::Asked, false);
        let before = scene.ticks();
        assert!(!before.is_empty() && before.len() <= 3, "{before:?}");
        are_timely(&before, 0..=3);
        assert!(!scene.sights().last().expect("it ran").is_ready);
        // A person takes it for right, and ticks close at its time.
        scene.runs(2 * DAY, RunEnd::Asked, true);
        assert!(scene.sights().last().expect("it ran").is_ready);
        let ahead = scene.ticks();
        assert!(ahead.len() > before.len(), "{ahead:?}");
        are_timely(&ahead[before.len()..], 365..=374);
        // It was wrong: the newest tick lies in the future, in this process and in the next one.
        scene.sets(Duration::ZERO, 0);
        scene.runs(4 * DAY, RunEnd::Asked, false);
        assert_eq!(scene.ticks().len(), ahead.len());
        assert!(
            scene
                .sights()
                .iter()
                .skip(1)
                .all(|sight| !sight.is_ready && sight.is_off && sight.phase == FeedPhase::Clock)
        );
        // With `--accept-clock` ticks close again, at the time that it is; also after a restart
        // without it.
        scene.runs(HOUR, RunEnd::Asked, true);
        scene.runs(3 * DAY, RunEnd::Asked, false);
        let all = scene.ticks();
        assert!(all.len() >= ahead.len() + 3, "{all:?}");
        are_timely(&all[ahead.len()..], 12..=16);
        assert!(scene.sights().last().expect("it ran").is_ready);
    }
}

#[test]
fn single_ticks_of_a_clock_that_was_ahead() {
    for schedule in [DAILY, CRON, "per_file = true\n"] {
        let scene = Scene::new(schedule);
        let once = |accept| {
            let ticks = scene.runs(DAY, RunEnd::Once, accept);
            scene.passes(DAY);
            ticks.last().map(|tick| tick.outcome)
        };
        assert_eq!(once(false), Some(TickOutcome::Published), "{schedule}");
        // A gap closes, as a pause of a year would.
        scene.sets(Duration::ZERO, YEAR);
        assert_eq!(once(false), Some(TickOutcome::Published), "{schedule}");
        scene.sets(Duration::ZERO, 0);
        assert_eq!(once(false), Some(TickOutcome::Postponed), "{schedule}");
        assert_eq!(once(false), Some(TickOutcome::Postponed), "{schedule}");
        assert_eq!(once(true), Some(TickOutcome::Published), "{schedule}");
        assert_eq!(once(false), Some(TickOutcome::Published), "{schedule}");
        let ticks = scene.ticks();
        let is_ahead: Vec<bool> = ticks.iter().map(|tick| *tick > at(100 * DAY)).collect();
        assert!(
            is_ahead.len() >= 4
                && !is_ahead[0]
                && is_ahead[1]
                && is_ahead[2..].iter().all(|ahead| !ahead),
            "{ticks:?}"
        );
    }
}
