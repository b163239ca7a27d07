//! A feed and everything around it: the folder that it watches, its schedule, and whoever is told what happens. Does what
//! an event says, one step after the other; what goes wrong ends it.

use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::begin::{Roots, directory, live, possible, roots};
use super::event::Event;
use super::outcome::{Outcome, Tick};
use super::timetable;
use crate::daemon::clock;
use crate::daemon::config::{Feed, Format, Schedule, Ticks};
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::ingest::directory::{Directory, Seen};
use crate::daemon::ingest::{Source, Taken as Decoded, digest, take};
use crate::daemon::journal::store::Local;
use crate::daemon::live::{Came, Consumed, Live, Taken};
use crate::daemon::observe::FeedObserver;
use crate::daemon::observe::events::{
    CheckpointWritten, FenceAppended, FileName, FileTaken, Forgotten, LateFile, Recovered, Rows, Standing, Started,
    Swept,
};
use crate::engine::release::Sha256;

/// How often files that were taken are looked at again.
const AGAIN: Duration = Duration::from_secs(60);

/// A feed at work, with everything around it.
pub struct Keeper {
    pub(super) feed: Feed,
    pub(super) live: Live,
    pub(super) told: FeedObserver,
    source: Directory,
    looked: Option<Instant>,
    /// What was last told of messages that are set aside was more than none.
    pub(super) aside: bool,
    _roots: Roots,
}

impl Keeper {
    /// Begins or goes on.
    ///
    /// # Errors
    /// The feed cannot be opened; the message says what to do.
    pub fn open(feed: Feed, told: FeedObserver) -> Result<Keeper> {
        let begun = Instant::now();
        told.emit(&Started { version: env!("CARGO_PKG_VERSION") });
        possible(&feed)?;
        let source = directory(&feed)?;
        let now = clock::now();
        let Some(roots) = roots(&feed)? else {
            let place = super::begin::store(&feed)?.private.as_ref();
            return Err(match place {
                Some(crate::daemon::config::Root::Directory(path)) => Local::busy(path),
                _ => Error::new(Kind::Io, "another tidegate is at work here"),
            });
        };
        let (live, found) = live(&feed, &roots, &now)?;
        let mut keeper = Keeper { feed, live, told, source, looked: None, aside: false, _roots: roots };
        keeper.told.emit(&FenceAppended { seq: found.fence, epoch: keeper.live.log().writer().epoch });
        let rolled = keeper.go_on(&now)?;
        keeper.live.shown(false)?;
        if found.swept > 0 {
            keeper.told.emit(&Swept { objects: found.swept });
        }
        let state = keeper.live.state();
        let newest = state.releases.last();
        keeper.told.emit(&Recovered {
            log_entries: keeper.live.log().next(),
            entries_read: found.read,
            checkpoint: found.checkpoint,
            rolled_forward: rolled,
            release: newest.map(|line| u64::from(line.release)),
            rows: newest.map(|line| line.rows),
            new_rows: state.feed.new_rows(),
            standing: keeper.standing(),
            last_tick: state.ticked.as_deref().and_then(clock::parse),
            last_publication: state.visible.as_deref().and_then(clock::parse),
            seconds: begun.elapsed(),
        });
        // What has halted it may be so still: nobody is to think that all is well until the next tick.
        keeper.bearable()?;
        Ok(keeper)
    }

    /// Finishes what the process before has left half done; how many releases came of it.
    fn go_on(&mut self, now: &str) -> Result<u64> {
        let mut rolled = 0;
        if let Some(left) = self.live.roll_forward(now)? {
            self.published(&left, None, Instant::now(), false);
            rolled += 1;
        }
        if self.live.state().due.is_some() {
            let tick = self.judge(Instant::now())?;
            rolled += u64::from(tick.release.is_some());
        }
        if matches!(self.schedule().ticks, Ticks::PerFile) && !self.live.state().fresh.is_empty() {
            let tick = self.tick(now)?;
            rolled += u64::from(tick.release.is_some());
        }
        Ok(rolled)
    }

    pub(super) fn standing(&self) -> Standing {
        let feed = &self.live.state().feed;
        Standing { waiting: feed.waiting().rows(), withheld: feed.withheld().rows(), pending: feed.pending() }
    }

    /// Does what an event says; the ticks that came of it.
    ///
    /// # Errors
    /// The feed halts.
    pub fn handle(&mut self, event: Event) -> Result<Vec<Tick>> {
        match event {
            Event::Look => {
                self.inbox()?;
                self.look()
            }
            Event::Tick { due, missed } => {
                self.inbox()?;
                let mut ticks = self.look()?;
                self.live.shown(true)?;
                self.overdue(due, missed);
                ticks.push(self.tick(&clock::text(due))?);
                self.upkeep()?;
                Ok(ticks)
            }
            Event::Stop => Ok(Vec::new()),
        }
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        self.feed.services.schedule.as_ref().expect("a feed at work has a schedule")
    }

    /// A tick that was missed while nobody was at work: rows are there that came before it. How many ticks before it were
    /// missed as well.
    pub fn missed(&self, now: Timestamp) -> Option<(Timestamp, u64)> {
        let due = timetable::last(self.schedule(), now)?;
        let state = self.live.state();
        let since = state.since.as_deref().and_then(clock::parse).filter(|since| *since <= due)?;
        let last = state.ticked.as_deref().and_then(clock::parse);
        let from = last.map_or(since, |last| last.max(since));
        last.is_none_or(|last| last < due).then(|| (due, timetable::between(self.schedule(), from, due)))
    }

    /// Whether files are there that still change.
    pub fn waits(&self) -> bool {
        self.source.waits()
    }

    /// How long a file must stand still.
    pub fn settle(&self) -> Duration {
        self.source.settle()
    }

    /// Looks at the folder, and takes what stands still.
    fn look(&mut self) -> Result<Vec<Tick>> {
        let now = Instant::now();
        let live = &self.live;
        let (ready, taken) = self.source.look(now, &|name| live.taken(name).is_some())?;
        if self.looked.is_none_or(|looked| now.duration_since(looked) >= AGAIN) {
            taken.iter().try_for_each(|seen| self.unchanged(seen))?;
            // Whoever has nothing to write is to notice, too, that another has taken over.
            self.live.log().ours()?;
            self.looked = Some(now);
        }
        let mut ticks = Vec::new();
        for seen in ready {
            if self.take(&seen)?.is_some() && matches!(self.schedule().ticks, Ticks::PerFile) {
                self.live.shown(true)?;
                ticks.push(self.tick(&clock::now())?);
                self.upkeep()?;
            }
        }
        Ok(ticks)
    }

    /// A file that was taken must stay what it was.
    fn unchanged(&self, seen: &Seen) -> Result<()> {
        let Some(known) = self.live.taken(&seen.name) else { return Ok(()) };
        if known.looks(seen.look.size, seen.look.modified) {
            return Ok(());
        }
        let file = self.source.file(&seen.name);
        let now = digest(&file);
        // A file that was taken may be moved away at any time.
        if self.source.again(&seen.name).is_none() || now? == known.sha256 {
            return Ok(());
        }
        let text = "this file was taken in already and has changed since: put it back as it was, or move it away. What is new \
                    in it belongs in a file of another name; rows that were taken in stay as they were";
        Err(Error::new(Kind::Input, text).in_file(&file))
    }

    /// What is in a file; `None` if it does not stand still to the end, or is gone: it is looked at again then.
    fn read(&self, seen: &Seen) -> Result<Option<(Sha256, Decoded)>> {
        let file = self.source.file(&seen.name);
        let read = || {
            let sha256 = digest(&file)?;
            self.fitting(&file).map_err(untaken)?;
            let columns = &self.live.state().terms.columns;
            let decoded = take(&file, columns, self.live.hasher(), &mut |_| {}).map_err(untaken)?;
            Ok((digest(&file)? == sha256).then_some((sha256, decoded)))
        };
        let read = read();
        if self.source.again(&seen.name) == Some(seen.look) { read } else { Ok(None) }
    }

    /// Takes a file in.
    fn take(&mut self, seen: &Seen) -> Result<Option<Came>> {
        let (begun, file) = (Instant::now(), self.source.file(&seen.name));
        let Some((sha256, decoded)) = self.read(seen)? else { return Ok(None) };
        let newest = self.live.state().files.keys().next_back().filter(|newest| **newest > seen.name).cloned();
        if let Some(newest) = newest {
            let [file, after] = [&seen.name, &newest].map(|name| FileName::of(Path::new(name)));
            self.told.emit(&LateFile { file, after });
        }
        let seen_rows = decoded.seen();
        let Decoded { rows, aside, nulled, .. } = decoded;
        let aside = (!aside.messages().is_empty()).then(|| (aside.messages().len() as u64, aside.bytes()));
        let look = Consumed::new(sha256, seen.look.size, seen.look.modified);
        let taken = Taken { file: seen.name.clone(), look, seen: seen_rows, rows, aside, nulled };
        let came = self.live.take(taken, &clock::now())?;
        self.told.emit(&FileTaken {
            file: FileName::of(&file),
            seq: self.live.log().next() - 1,
            rows: Rows {
                seen: came.seen,
                kept: came.kept,
                duplicate: came.duplicate,
                skipped: 0,
                quarantined: came.quarantined,
            },
            nulled,
            new_rows: self.live.state().feed.new_rows(),
            seconds: begun.elapsed(),
        });
        self.bearable()?;
        Ok(Some(came))
    }

    /// Whether a file is of the format that the feed file names.
    fn fitting(&self, file: &Path) -> Result<()> {
        let named = self.feed.services.source.as_ref().and_then(|source| source.format);
        let word = match named {
            None => return Ok(()),
            Some(Format::Json) => "json",
            Some(Format::Avro) => "avro",
            Some(Format::Arrow) => "arrow",
            Some(Format::Csv) => "csv",
            Some(Format::Parquet) => "parquet",
        };
        let found = Source::open(file)?.format();
        if found == word {
            return Ok(());
        }
        let text =
            format!("the file is {found}, and the feed file says format = \"{word}\": correct the one or the other");
        Err(Error::new(Kind::Input, text).in_file(file).in_field("source.format"))
    }

    /// What is done after a tick, when there is time.
    fn upkeep(&mut self) -> Result<()> {
        let begun = Instant::now();
        self.live.log().ours()?;
        let gone = self.live.forget(clock::instant())?;
        if gone > 0 {
            self.told.emit(&Forgotten { objects: gone });
        }
        if let Some((seq, bytes)) = self.live.checkpoint()? {
            self.told.emit(&CheckpointWritten { seq, bytes, seconds: begun.elapsed() });
        }
        Ok(())
    }

    /// What came of the last tick, where nothing is due.
    pub(super) fn nothing(&self) -> Tick {
        let feed = &self.live.state().feed;
        Tick {
            feed: self.feed.name.clone(),
            tick: None,
            outcome: Outcome::Idle,
            release: None,
            rows: self.live.state().releases.last().map_or(0, |line| line.rows),
            added: 0,
            new: feed.new_rows(),
            waiting: feed.waiting().rows(),
            withheld: feed.withheld().rows(),
            pending: feed.pending(),
            reasons: Vec::new(),
        }
    }
}

/// What to do about a file that cannot be read as such.
fn untaken(mut error: Error) -> Error {
    if error.kind == Kind::Input {
        error.text += ". Nothing of this file was taken: put a whole one in its place, or move it away or rename it to begin \
                       with `_`; then start again";
    }
    error
}
