//! A feed and everything around it: the folder that it watches, its schedule, and its receivers of
//! notifications. It acts on events, one after the other; an error ends it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::clock_check::{ClockReading, ClockState, ClockWait};
use super::event::LoopEvent;
use super::halt::forget;
use super::intake::Intake;
use super::known_log::KnownLog;
use super::outcome::{FeedTick, TickOutcome};
use super::queries::RunEnd;
use super::root_opening::{named_writer, possible, store};
use super::running_feed::RunningFeed;
use super::scrub_progress::Rounds;
use super::timetable;
use super::world::{OpenedRoots, World};
use crate::clock;
use crate::config::{FeedConfig, Root, Schedule, Ticks};
use crate::error::{Error, ErrorCategory, OtherProcess, Result};
use crate::feed_writer::{FeedState, FeedWriter, OpeningReport};
use crate::ingest::topic::FetchBell;
use crate::journal::store::Local;
use crate::notify::Notifier;
use crate::observe::FeedObserver;
use crate::observe::events::{
    CheckpointWritten, ClockAhead, ClockBehind, ClockRight, ClockStepped, FenceAppended, Forgotten,
    Recovered, Swept, UnpublishedRows,
};

/// The time that receivers of notifications have: before a halt is reported, and in a command that
/// ends.
const BEFORE_A_HALT: Duration = Duration::from_secs(2);
const AT_THE_END: Duration = Duration::from_secs(10);

/// The number of entries that are many to read at a start.
const MANY: u64 = 128;

/// A running feed, with everything around it.
pub struct Keeper {
    pub(super) feed: Arc<FeedConfig>,
    pub(super) writer: FeedWriter,
    pub(super) observer: FeedObserver,
    pub(super) source: Intake,
    /// When files that were read were last compared with the log, by the age of the process.
    pub(super) looked: Option<Duration>,
    pub(super) world: Arc<dyn World>,
    /// Whether the last report about messages that are set aside was about more than none.
    pub(super) aside: bool,
    /// For each column the most values of a file or batch that differed in spelling alone, as
    /// reported.
    pub(super) spelled: BTreeMap<String, u64>,
    pub(super) sense: ClockState,
    /// Whether no halt lasts: a file that records one then belongs to a writer that was taken over
    /// by this one.
    pub(super) settled: bool,
    /// The progress of the slow check of everything.
    pub(super) rounds: Rounds,
    notifier: Notifier,
    pub(super) known: Arc<KnownLog>,
    _roots: OpenedRoots,
}

impl Keeper {
    /// Begins or continues.
    ///
    /// # Errors
    /// The feed cannot be opened; the message says what to do.
    pub fn open(running: &RunningFeed) -> Result<Keeper> {
        let begun = Instant::now();
        let RunningFeed {
            feed,
            observer,
            how,
            known,
            world,
            ..
        } = running.clone();
        possible(&feed)?;
        let (step, read) = (
            feed.services.max_clock_step.get(),
            (world.now(), world.age()),
        );
        let now = clock::text(known.clock.time(read, step));
        known.is_there(&feed)?;
        let roots = world.roots(&feed)?.ok_or_else(|| busy(&feed))?;
        known.check_newest(&roots)?;
        known.damage.is_repaired(&feed, &roots)?;
        let (tried, accepts_clock) = (known.has_begun(), known.accepts_clock(how.accept_clock));
        let (mut writer, found) = named_writer(&feed, &roots, &now, known.name(), &*world)?;
        known.saw(writer.log());
        // A halted feed is opened again and again, and appends a fence each time, so the next
        // attempt must have little to read. The checkpoint is written now, while the state agrees
        // with the log: what follows may fail half-way.
        if found.read >= MANY && (tried || writer.bearable(true).is_err()) {
            writer.checkpoint()?;
            writer.pack()?;
        }
        let notifier = Notifier::begin(
            &feed,
            (&roots.private, &roots.public.read_only()),
            writer.log().next(),
            &observer,
        )?;
        let source = Intake::begin(&feed, writer.state(), how.until == RunEnd::Once, &*world)?;
        source.watched(&feed, &observer);
        let times = (writer.state().newest(), ticked(writer.state()));
        let clock = Arc::clone(&known.clock);
        let sense = ClockState::begin(
            Arc::clone(&roots.private),
            (step, accepts_clock),
            times,
            clock,
            read,
        )?;
        known.has_accepted();
        let mut keeper = Keeper {
            feed,
            writer,
            observer,
            source,
            looked: None,
            world,
            aside: false,
            spelled: BTreeMap::new(),
            sense,
            settled: false,
            rounds: Rounds::default(),
            notifier,
            known,
            _roots: roots,
        };
        let now = keeper.now();
        keeper.observer.emit(&FenceAppended {
            seq: found.fence,
            epoch: keeper.writer.log().writer().epoch,
        });
        keeper.look_at_clock()?;
        let rolled = keeper.complete(&now);
        let rolled = keeper.after_notices(rolled)?;
        let shown = keeper.writer.shown(false);
        keeper.after_notices(shown)?;
        if found.swept > 0 {
            keeper.observer.emit(&Swept {
                objects: found.swept,
            });
        }
        keeper.report_recovery(&found, rolled, begun)?;
        // What halted the feed may still exist: the feed then halts now, and not only at the next
        // tick.
        let bearable = keeper.bearable();
        keeper.after_notices(bearable)?;
        if tried {
            // Each attempt appends a fence, and a halt may last for days.
            let written = keeper.checkpoint();
            keeper.after_notices(written)?;
        }
        Ok(keeper)
    }

    fn report_recovery(
        &self,
        found: &OpeningReport,
        rolled_forward: u64,
        begun: Instant,
    ) -> Result<()> {
        let sums = self.after_notices(self.writer.newest_sums())?;
        let state = self.writer.state();
        let newest = state.releases.last();
        self.observer.emit(&Recovered {
            log_entries: self.writer.log().next(),
            entries_read: found.read,
            checkpoint: found.checkpoint,
            rolled_forward,
            release: newest.map(|line| u64::from(line.release)),
            rows: newest.map(|line| line.rows),
            sums: sums.map(|sums| sums.shown),
            sums_left_out: sums.map(|sums| sums.left_out),
            new_rows: state.feed.new_rows(),
            standing: self.standing(),
            last_tick: ticked(state),
            last_publication: state.visible.as_deref().and_then(clock::parse),
            seconds: begun.elapsed(),
        });
        Ok(())
    }

    /// Completes what the previous process has left half done; returns the number of releases that
    /// it published.
    fn complete(&mut self, now: &str) -> Result<u64> {
        let mut rolled = 0;
        if let Some(left) = self.writer.roll_forward(now)? {
            self.published(&left, None, Instant::now(), false);
            rolled += 1;
        }
        if self.writer.state().due.is_some() {
            let tick = self.judge(Instant::now())?;
            rolled += u64::from(tick.release.is_some());
        }
        let is_fresh = !self.writer.state().fresh.is_empty();
        if matches!(self.schedule().ticks, Ticks::PerFile)
            && is_fresh
            && self.clock_wait().is_none()
        {
            let tick = self.tick(now)?;
            rolled += u64::from(tick.release.is_some());
        }
        Ok(rolled)
    }

    fn reading(&self) -> ClockReading {
        (self.world.now(), self.world.age())
    }

    /// The time that it is, whatever the clock was set to while the process ran.
    pub fn time(&self) -> Timestamp {
        self.sense.time(self.reading())
    }

    /// The current time as it is written: never before any time that was written already, unless a
    /// wrong clock wrote it.
    pub(super) fn now(&self) -> String {
        let now = self.time();
        let newest = self.sense.plausible(self.writer.state().newest(), now);
        clock::text(newest.map_or(now, |newest| now.max(newest)))
    }

    /// Why no tick closes, if the clock or the time of the newest tick is wrong.
    fn clock_wait(&self) -> Option<ClockWait> {
        self.sense.wait(ticked(self.writer.state()), self.reading())
    }

    /// Whether no tick closes because of the clock.
    pub fn waits_for_clock(&self) -> bool {
        self.clock_wait().is_some()
    }

    /// Reports a clock that cannot be trusted.
    fn look_at_clock(&mut self) -> Result<()> {
        self.sense.look(self.reading());
        let (now, wait) = (self.time(), self.clock_wait());
        if let Some(ahead) = self.sense.record(now)? {
            self.observer.emit(&ClockAhead { now, ahead });
        }
        if !self.known.clock.is_news(wait) {
            return Ok(());
        }
        match wait {
            Some(ClockWait::Stepped(by)) => self.observer.emit(&ClockStepped {
                now: self.world.now(),
                by,
            }),
            Some(ClockWait::FutureTick(last)) => {
                self.observer.emit(&ClockBehind { due: now, last })
            }
            None => self.observer.emit(&ClockRight { now }),
        }
        self.observer.waits_for_clock(wait.map(ClockWait::text));
        Ok(())
    }

    pub(super) fn standing(&self) -> UnpublishedRows {
        let feed = &self.writer.state().feed;
        UnpublishedRows {
            waiting: feed.waiting().rows(),
            pending: feed.pending(),
        }
    }

    /// Acts on an event; returns the ticks that it closed.
    ///
    /// # Errors
    /// The feed halts.
    pub fn handle(&mut self, event: LoopEvent) -> Result<Vec<FeedTick>> {
        let ticks = self.does(event);
        self.after_notices(ticks)
    }

    /// Receivers are notified of what was done; before a halt they are notified of what preceded
    /// it.
    fn after_notices<T>(&self, done: Result<T>) -> Result<T> {
        self.known.saw(self.writer.log());
        self.notifier.entries(self.writer.log().next());
        if done.is_err() {
            self.notifier.finish(BEFORE_A_HALT);
        }
        done
    }

    /// Ends; receivers that answer are sent what they were not sent yet.
    pub fn finish(self) {
        self.notifier.finish(AT_THE_END);
    }

    fn does(&mut self, event: LoopEvent) -> Result<Vec<FeedTick>> {
        self.look_at_clock()?;
        match event {
            LoopEvent::Round => {
                self.daily_round()?;
                Ok(Vec::new())
            }
            LoopEvent::Look => {
                self.inbox()?;
                let ticks = self.look()?;
                if self.writer.packs_soon() {
                    self.writer.log().ours()?;
                    self.writer.pack()?;
                }
                self.scrub()?;
                Ok(ticks)
            }
            LoopEvent::Tick { due, missed } => {
                self.inbox()?;
                let mut ticks = self.look()?;
                self.writer.shown(true)?;
                self.overdue(due, missed);
                let later = ticked(self.writer.state())
                    .filter(|last| *last > due && !self.sense.disowns(*last));
                if self.waits_for_clock() || later.is_some() {
                    ticks.push(FeedTick {
                        outcome: TickOutcome::Postponed,
                        ..self.nothing()
                    });
                } else {
                    ticks.push(self.tick(&clock::text(due))?);
                }
                self.upkeep()?;
                Ok(ticks)
            }
        }
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        self.feed
            .services
            .schedule
            .as_ref()
            .expect("a running feed has a schedule")
    }

    /// A tick that was missed while no process was running, if rows arrived before it; with the
    /// number of ticks before it that were missed as well.
    pub fn missed(&self, now: Timestamp) -> Option<(Timestamp, u64)> {
        let due = timetable::last(self.schedule(), now)?;
        let state = self.writer.state();
        let since = state
            .since
            .as_deref()
            .and_then(clock::parse)
            .filter(|since| *since <= due)?;
        let last = ticked(state);
        let from = last.map_or(since, |last| last.max(since));
        last.is_none_or(|last| last < due)
            .then(|| (due, timetable::between(self.schedule(), from, due)))
    }

    /// Whether the source has something that cannot be read yet.
    pub fn waits(&self) -> bool {
        if matches!(self.schedule().ticks, Ticks::PerFile) && self.waits_for_clock() {
            // Files stay where they are for as long as that lasts.
            return false;
        }
        match &self.source {
            Intake::Folder(folder) => folder.waits(),
            Intake::Topic(topic) => topic.fetch.waits(),
        }
    }

    /// The time until the next look at a source that waits.
    pub fn settle(&self) -> Duration {
        match &self.source {
            Intake::Folder(folder) => folder.settle(),
            Intake::Topic(_) => Duration::ZERO,
        }
    }

    /// A signal of new messages, if the source can give one.
    pub fn bell(&self) -> Option<FetchBell> {
        match &self.source {
            Intake::Folder(_) => None,
            Intake::Topic(topic) => Some(topic.fetch.bell()),
        }
    }

    /// Looks into the source, and reads what it has.
    fn look(&mut self) -> Result<Vec<FeedTick>> {
        match &self.source {
            Intake::Folder(_) => self.look_at_files(),
            Intake::Topic(_) => self.look_at_topic(),
        }
    }

    /// The work after a tick, when there is time.
    pub(super) fn upkeep(&mut self) -> Result<()> {
        self.writer.log().ours()?;
        self.writer.removed_stay_away()?;
        if self.settled {
            forget(self.writer.log().store())?;
        }
        let gone = if self.sense.is_believed() {
            self.writer.forget(self.time())?
        } else {
            0
        };
        if gone > 0 {
            self.observer.emit(&Forgotten { objects: gone });
        }
        self.writer.pack()?;
        self.checkpoint()
    }

    /// Writes a checkpoint, if one is due, so that the next start need not read the whole log.
    fn checkpoint(&mut self) -> Result<()> {
        let begun = Instant::now();
        if let Some((seq, bytes)) = self.writer.checkpoint()? {
            self.observer.emit(&CheckpointWritten {
                seq,
                bytes,
                seconds: begun.elapsed(),
            });
        }
        Ok(())
    }

    /// The result of the last tick, if nothing is due.
    pub(super) fn nothing(&self) -> FeedTick {
        let feed = &self.writer.state().feed;
        FeedTick {
            feed: self.feed.name.clone(),
            tick: None,
            files: 0,
            outcome: TickOutcome::Idle,
            release: None,
            rows: self
                .writer
                .state()
                .releases
                .last()
                .map_or(0, |line| line.rows),
            added: 0,
            new: feed.new_rows(),
            waiting: feed.waiting().rows(),
            withheld: 0,
            pending: feed.pending(),
            without_detail: Vec::new(),
            reasons: Vec::new(),
        }
    }
}

/// The time of the newest tick.
fn ticked(state: &FeedState) -> Option<Timestamp> {
    state.ticked.as_deref().and_then(clock::parse)
}

/// The error if another process holds the lock.
fn busy(feed: &FeedConfig) -> Error {
    match store(feed).map(|table| table.private.as_ref()) {
        Ok(Some(Root::Directory(path))) => Local::busy(path),
        _ => Error::new(ErrorCategory::Io, "another tidegate is running here")
            .because_of(OtherProcess::Works),
    }
}
