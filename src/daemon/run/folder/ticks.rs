//! Runs one tick after the other: an input is accepted, closed, judged and published as the daemon
//! does it, and the outcome is reported. Decides nothing itself.

use std::sync::Arc;

use super::entry::InputEntry;
use super::inputs::{self, Input, InputLook};
use super::place::{ReleaseFolder, begun};
use super::summary::{newest, totals};
use super::task::{Task, TaskProgress};
use crate::chance::SystemChance;
use crate::clock;
use crate::engine::policy::Decimal;
use crate::engine::release::{Layout, Sha256};
use crate::error::{Error, ErrorCategory, Result};
use crate::feed_writer::{
    Consumed, FEW, FeedSettings, FeedWriter, OpenedFeed, Opening, PublicRoot, TakenMessages,
};
use crate::ingest::PersonHasher;
use crate::journal::store::{Memory, Store};
use crate::journal::{IntakePart, KeyRing, MessageOrigin};

/// The remedy if the feed file has changed frozen settings.
const REMEDY: &str = "begin a new folder (its people must not be published in both)";

/// The outcome of a command.
pub struct CommandOutcome {
    /// One entry for each input.
    pub entries: Vec<InputEntry>,
    /// The outcome of a file that an earlier command had begun, and that is none of the inputs.
    pub finished: Option<InputEntry>,
}

/// Runs all ticks.
///
/// # Errors
/// An input cannot be decoded (then the folder is unchanged), or the folder cannot be read or
/// written.
pub fn run(task: &Task<'_>, watch: &mut dyn TaskProgress) -> Result<CommandOutcome> {
    // A command that continues a chain locks the folder from the first read on. If no chain exists,
    // nothing is created on the disk before the inputs are known to be valid.
    if begun(task.folder)? {
        let place = ReleaseFolder::open(task.folder)?;
        let ahead = ahead(task, place.private.clone(), place.public.clone(), None)?;
        ahead.state().map_or(Ok(()), |state| place.sound(state))?;
        let outside = inputs::outside(ahead.state())?;
        let inputs = inputs::read(task, ahead.known(), &ahead.hasher(), &outside, watch)?;
        return Work::begin(task, Some(place), ahead)?.ran(inputs, watch);
    }
    let ring = KeyRing::draw(&task.key, &task.feed.name, &mut SystemChance)?;
    let inputs = inputs::read(
        task,
        None,
        &PersonHasher::new(&ring.people()),
        &inputs::outside(None)?,
        watch,
    )?;
    let place = ReleaseFolder::open(task.folder)?;
    let ahead = ahead(
        task,
        place.private.clone(),
        place.public.clone(),
        Some(ring),
    )?;
    if let Some(made) = &task.made {
        made.keep()?;
        watch.kept(made.file());
    }
    Work::begin(task, Some(place), ahead)?.ran(inputs, watch)
}

/// Runs all ticks of inputs in memory; returns their outcomes, and the public files.
///
/// # Errors
/// No chain can begin under the feed file.
pub(super) fn in_memory(
    task: &Task<'_>,
    inputs: Vec<Input>,
    watch: &mut dyn TaskProgress,
) -> Result<(Vec<InputEntry>, Memory)> {
    let public = Memory::default();
    let ring = KeyRing::draw(&task.key, &task.feed.name, &mut SystemChance)?;
    let ahead = ahead(
        task,
        Arc::new(Memory::default()),
        Arc::new(public.clone()),
        Some(ring),
    )?;
    let entries = Work::begin(task, None, ahead)?.ticks(inputs, watch)?;
    Ok((entries, public))
}

/// Reads the log of a folder.
fn ahead<'t>(
    task: &'t Task<'t>,
    private: Arc<dyn Store>,
    public: Arc<dyn Store>,
    drawn: Option<KeyRing>,
) -> Result<OpenedFeed<'t>> {
    let feed = task.feed;
    let text = std::fs::read(&feed.file)
        .map_err(|error| Error::io(&feed.file, "read the feed file", &error))?;
    let settings = FeedSettings {
        layout: Layout::Folders,
        signing: None,
        approval: None,
        // Every file is a tick.
        min_records: 0,
        // Checked for each file when it is read.
        max_quarantine_share: Decimal::ONE,
        records: Arc::clone(&feed.records),
        // The operator who names the files has the raw rows.
        keep_raw: 0,
        registry: None,
        keep_aside: 0,
        keep: None,
        retain: None,
        few: FEW,
        pages: feed.services.publish.pages.clone(),
    };
    OpenedFeed::read(Opening {
        private,
        public: PublicRoot::over(public),
        key: &task.key,
        drawn,
        writer: None,
        feed,
        services: Sha256::of(&text),
        chance: Box::new(SystemChance),
        settings,
        now: task.time,
        remedy: REMEDY,
        changed: false,
    })
}

/// A folder in use, or memory.
struct Work {
    /// The folder.
    place: Option<ReleaseFolder>,
    writer: FeedWriter,
    /// The time at which the command began, for all that is written: times of a folder never go
    /// back.
    time: String,
    /// The tick that a kill had interrupted and that is complete now.
    resumed: Option<(IntakePart, InputEntry)>,
}

impl Work {
    /// Takes the folder over, and completes what a kill left half done.
    fn begin(task: &Task<'_>, place: Option<ReleaseFolder>, ahead: OpenedFeed<'_>) -> Result<Work> {
        let (writer, _) = ahead.begin()?;
        let newest = writer.state().newest().map(clock::text);
        let time = newest.map_or_else(
            || task.time.to_owned(),
            |newest| newest.max(task.time.to_owned()),
        );
        let mut work = Work {
            place,
            writer,
            time,
            resumed: None,
        };
        let newest = work.writer.state().feed.ticks().checked_sub(1);
        let interrupted = newest.is_some_and(|tick| {
            work.place
                .as_ref()
                .is_some_and(|place| !place.has_verdict(tick))
        }) || !work.writer.state().fresh.is_empty();
        if interrupted {
            work.resumed = Some(work.finish(0)?);
        }
        Ok(work)
    }

    /// One input after the other.
    fn ticks(
        &mut self,
        inputs: Vec<Input>,
        watch: &mut dyn TaskProgress,
    ) -> Result<Vec<InputEntry>> {
        let tick = |(at, input)| {
            watch.deciding(at);
            self.tick(at, input)
        };
        inputs.into_iter().enumerate().map(tick).collect()
    }

    /// All ticks of a command, and its durable result.
    fn ran(mut self, inputs: Vec<Input>, watch: &mut dyn TaskProgress) -> Result<CommandOutcome> {
        for (at, input) in inputs.iter().enumerate() {
            input
                .spellings
                .iter()
                .for_each(|found| watch.spelled(at, found));
        }
        let entries = self.ticks(inputs, watch)?;
        self.writer.forget(clock::instant())?;
        self.writer.pack()?;
        self.writer.checkpoint()?;
        let finished = self.resumed.take();
        finished
            .iter()
            .for_each(|(part, entry)| watch.finished(&part.origin.name(), entry));
        Ok(CommandOutcome {
            entries,
            finished: finished.map(|(_, entry)| entry),
        })
    }

    /// One input.
    fn tick(&mut self, at: usize, input: Input) -> Result<InputEntry> {
        let (
            name,
            InputLook {
                sha256,
                size,
                modified,
            },
            ring,
        ) = (&input.name, input.look, self.writer.log().ring());
        if let Some((_, entry)) = self
            .resumed
            .take_if(|(part, _)| is(part, name, &sha256, ring))
        {
            return Ok(InputEntry { input: at, ..entry });
        }
        let known = self.writer.state().knows(name, &sha256, ring);
        let Some(rows) = input.rows.filter(|_| !known) else {
            return Ok(InputEntry::known(at, totals(&self.writer)));
        };
        let look = Consumed::new(ring, &sha256, size, modified);
        let Input {
            name: file,
            aside,
            nulled,
            skipped,
            ..
        } = input;
        let messages = aside.as_ref().map_or(0, |(messages, _)| *messages);
        let seen = rows.len() as u64 + messages + skipped;
        self.writer.take(
            TakenMessages::file(file, look, seen, rows, aside, nulled).with_skipped(skipped),
            &self.time,
        )?;
        Ok(self.finish(at)?.1)
    }

    /// Continues the newest tick from wherever it is.
    fn finish(&mut self, input: usize) -> Result<(IntakePart, InputEntry)> {
        let time = self.time.clone();
        self.writer.leave(&time)?;
        if !self.writer.state().fresh.is_empty() {
            self.writer.close(&time)?;
        }
        if self.writer.state().due.is_some() {
            let release = self.writer.state().feed.releases() + 1;
            self.place
                .as_ref()
                .map_or(Ok(()), |place| place.free(release))?;
            self.writer.decide()?;
        }
        self.writer.leave(&time)?;
        let newest_tick = newest(&self.writer, input)?;
        let (part, verdict) =
            newest_tick.ok_or_else(|| Error::new(ErrorCategory::Internal, "a tick went by"))?;
        self.place
            .as_ref()
            .map_or(Ok(()), |place| place.store_verdict(&verdict))?;
        Ok((part, verdict.answer))
    }
}

/// Whether messages are those of this file.
fn is(part: &IntakePart, name: &str, sha256: &Sha256, ring: &KeyRing) -> bool {
    match &part.origin {
        MessageOrigin::File {
            file,
            code,
            generation,
            ..
        } => file == name && ring.file_code(*generation, sha256) == Some(*code),
        MessageOrigin::Partition { .. } => false,
    }
}
