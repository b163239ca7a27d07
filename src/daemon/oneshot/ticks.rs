//! One tick after the other: an input is closed, what came of it is judged, and the folder is made to know it. Decides
//! nothing itself.

use std::path::Path;

use super::entry::{Entry, Outcome, Told};
use super::folder::Folder;
use super::inputs::{self, Input};
use super::outcome::TickVerdict;
use super::published::intact;
use super::saved::{Line, Saved};
use super::task::{Task, Watch};
use crate::daemon::config::Feed;
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::live::Recorded;
use crate::engine::feed::Closed;
use crate::engine::gate::bytes;
use crate::engine::gate::own::{Approved, History};

/// Runs all ticks.
///
/// # Errors
/// An input that cannot be decoded (the folder is unchanged then), or a folder that cannot be read or written.
pub fn run(task: &Task<'_>, watch: &mut dyn Watch) -> Result<Vec<Entry>> {
    // Whoever continues a chain has the folder for itself from the first look on. Where none is begun, nothing is made
    // on the disk before the inputs are known to be good.
    let begun = if Folder::begun(task.folder)? { Some(Work::open(task, watch)?) } else { None };
    let inputs = inputs::read(task, begun.as_ref().map(|work| &work.saved), watch)?;
    let mut work = match begun {
        Some(work) => work,
        None => Work::open(task, watch)?,
    };
    let ticks = inputs.into_iter().enumerate();
    let entry = |(at, input): (usize, Input)| {
        watch.deciding(at);
        work.tick(at, input)
    };
    ticks.map(entry).collect()
}

/// The chain's releases as they lie in the folder, after a look at every published file.
fn history(folder: &Path, saved: &Saved, feed: &Feed) -> Result<History> {
    let mut history = History::default();
    let mut published = saved.feed.published().iter();
    for line in &saved.releases {
        let data = intact(folder, line)?;
        if line.chain != saved.feed.chain() || saved.terms.disjoint {
            continue;
        }
        let (table, _) = bytes::read(&data, &feed.columns);
        let pushed = table.zip(published.next()).and_then(|(table, known)| history.push(&table, &known.recoding).ok());
        pushed.ok_or_else(|| {
            Error::new(Kind::Internal, format!("release {} cannot be read back as it was published", line.release))
        })?;
    }
    Ok(history)
}

/// A folder at work.
pub(super) struct Work<'t> {
    pub(super) task: &'t Task<'t>,
    pub(super) folder: Folder,
    pub(super) saved: Saved,
    pub(super) history: History,
}

impl<'t> Work<'t> {
    /// Locks the folder, finishes what a kill has left half done, and looks at all that is in it.
    fn open(task: &'t Task<'t>, watch: &mut dyn Watch) -> Result<Work<'t>> {
        let folder = Folder::open(task.folder)?;
        if task.made.is_some() && Folder::begun(task.folder)? {
            let text =
                "another tidegate has begun this folder meanwhile, with a key of its own: give the command again";
            return Err(Error::new(Kind::Io, text).in_file(task.folder));
        }
        let known = folder.load(&task.key)?;
        if let (None, Some(made)) = (&known, &task.made) {
            made.keep()?;
            watch.kept(made.file());
        }
        let mut saved = known.unwrap_or_else(|| Saved::new(task.feed));
        saved.frozen(task.feed)?;
        saved.grow(task.feed);
        let history = history(task.folder, &saved, task.feed)?;
        Ok(Work { task, folder, saved, history })
    }

    /// One input.
    fn tick(&mut self, at: usize, input: Input) -> Result<Entry> {
        // Somebody else may have put it in while it was read.
        let Some(rows) = input.rows.filter(|_| !self.saved.knows(&input.name, &input.digest)) else {
            return Ok(Entry::known(at, self.told(0)));
        };
        self.saved.inputs.push((input.name.clone(), *input.digest.bytes()));
        let feed = self.task.feed;
        let mut ticked = self.saved.feed.tick(rows, &feed.policy, &feed.columns.trees());
        let closed = std::mem::replace(&mut ticked.closed, Closed::Waiting);
        let mut recorded = Recorded::new(&ticked, &feed.columns);
        let (outcome, approved) = match closed {
            Closed::Held => (Outcome::Held, None),
            Closed::Waiting => (Outcome::Waiting, None),
            Closed::Stopped => {
                recorded.stopped_before();
                (Outcome::Stopped, None)
            }
            Closed::Impossible(why) => {
                recorded.impossible(&why, &feed.columns);
                (Outcome::Rejected, None)
            }
            Closed::Candidate(candidate) => self.candidate(*candidate, &mut recorded)?,
        };
        let release = approved.as_ref().map(|(line, _)| line.release);
        let mut entry = Entry::new(at, outcome, release, self.told(self.rows(approved.as_ref())));
        (entry.added, entry.duplicate, entry.quarantined) = (ticked.added, ticked.duplicate, input.quarantined);
        if outcome == Outcome::Rejected || outcome == Outcome::Stopped {
            entry.added = if self.saved.feed.pending() > 0 { ticked.added } else { 0 };
        }
        entry.reasons.clone_from(&recorded.reasons);
        let chain = self.saved.feed.chain();
        let verdict = TickVerdict::bytes(&recorded, &input.name, &entry, self.task.time, chain);
        self.folder.verdict(ticked.tick, &verdict)?;
        self.commit(approved)?;
        Ok(entry)
    }

    /// The rows of the newest release.
    fn rows(&self, approved: Option<&(Line, Approved)>) -> u64 {
        let newest = approved.map(|(line, _)| line.rows);
        newest.or_else(|| self.saved.releases.last().map(|line| line.rows)).unwrap_or(0)
    }

    fn told(&self, rows: u64) -> Told {
        let feed = &self.saved.feed;
        let rows = if rows > 0 { rows } else { self.rows(None) };
        Told { rows, waiting: feed.waiting().rows(), withheld: feed.withheld().rows(), pending: feed.pending() }
    }

    /// Makes the sealed state the one of this tick, and the release visible.
    fn commit(&mut self, approved: Option<(Line, Approved)>) -> Result<()> {
        if let Some((line, _)) = &approved {
            self.saved.releases.push(line.clone());
        }
        let done = self.folder.commit(&self.saved, &self.task.key, approved)?;
        if let (Some(files), Some(published)) = (done, self.saved.feed.published().last())
            && !self.saved.terms.disjoint
        {
            let pushed = self.history.push(&files.table, &published.recoding);
            pushed.expect("the gate has looked at the labels");
        }
        Ok(())
    }
}
