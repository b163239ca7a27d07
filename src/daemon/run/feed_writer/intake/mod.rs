//! Converts batches into segments and entries (HOUSE 3, Ingest order); messages that cannot be
//! decoded are set aside, and offered again later.

pub(super) mod retry;
pub(super) mod set_aside;
pub(super) mod taken_messages;

use super::state_parts::Consumed;
use super::writer::FeedWriter;
use crate::engine::histogram::Person;
use crate::engine::policy::OnRepeat;
use crate::error::Result;
use crate::ingest::{InputFile, TakenRows};
use crate::intake_counts::IntakeCounts;
use crate::journal::{Drafts, Ingest, IntakePart, Quarantined};
use set_aside::{UnnamedObjects, read};
use taken_messages::{SetAsideCounts, TakenMessages, TakenPart, bearable, segments, set_aside};

impl FeedWriter {
    /// Reads a file. When too many messages are set aside, the first of them are already written.
    ///
    /// # Errors
    /// As [`take_cut`], or they cannot be written.
    pub fn read(&mut self, file: &InputFile) -> Result<(TakenRows, UnnamedObjects)> {
        let how = (&self.hasher, &*self.settings.records);
        read(&mut self.log, &self.state, &self.policy, how, file)
    }

    /// The written objects will not be named.
    pub fn let_go(&self, shelf: UnnamedObjects) {
        shelf.clear(&self.log);
    }

    /// Whether a person has a row already, if rows of such people are to be set aside.
    pub fn knows(&self) -> Option<impl Fn(Person) -> bool + '_> {
        let wanted = self.policy.on_repeat() == OnRepeat::DeadLetter;
        wanted.then_some(|person| self.state.feed.people().knows(person))
    }

    /// Takes in all of the messages, or none of them.
    ///
    /// # Errors
    /// They cannot be written; then none is accepted.
    pub fn take(&mut self, taken: TakenMessages, now: &str) -> Result<IntakeCounts> {
        self.take_with(taken, UnnamedObjects::default(), now)
    }

    /// As [`FeedWriter::take`], for a file whose first set-aside messages are already written.
    ///
    /// # Errors
    /// As [`FeedWriter::take`].
    pub fn take_with(
        &mut self,
        taken: TakenMessages,
        mut shelf: UnnamedObjects,
        now: &str,
    ) -> Result<IntakeCounts> {
        let TakenMessages {
            parts,
            rows,
            nulled,
        } = taken;
        let tick = self.state.feed.ticks();
        let (rows, repeats) = self.state.feed.accept(rows, &self.policy);
        let mut drafts = Drafts::default();
        let segments = segments(&mut self.log, &self.state, &rows, &mut drafts)?;
        let mut quarantine = Vec::new();
        let mut became = Vec::with_capacity(parts.len());
        let mut first = 0;
        for TakenPart {
            origin,
            from,
            next,
            epoch,
            seen,
            rows,
            skipped,
            aside,
            repeats: again,
        } in parts
        {
            let own = |row: &&u32| (first..first + rows).contains(&u64::from(**row));
            let duplicate = repeats.iter().filter(own).count() as u64;
            first += rows;
            // They belong to the only file.
            let shelf = std::mem::take(&mut shelf);
            let quarantined =
                shelf.messages() + aside.as_ref().map_or(0, |(messages, _)| *messages);
            quarantine.extend(shelf.objects);
            if let Some((messages, content)) = aside {
                quarantine.push(Quarantined {
                    object: self.log.seal(&mut drafts, "quarantine", &content)?,
                    messages,
                });
            }
            let kept = rows - duplicate;
            let counts = IntakeCounts {
                seen,
                kept,
                duplicate,
                skipped,
                quarantined,
            };
            let part = IntakePart {
                origin,
                from,
                next,
                epoch,
                counts,
                repeats: again,
            };
            assert!(part.adds_up(), "every message became something");
            became.push(part);
        }
        drafts.put(self.log.store())?;
        let ingest = Ingest {
            time: now.to_owned(),
            tick,
            segments,
            quarantine,
            parts: became,
            nulled,
        };
        self.log.append(ingest.clone())?;
        self.state.ingest(&ingest);
        self.state.feed.arrive(rows, tick);
        Ok(ingest.parts.iter().map(|part| part.counts).sum())
    }

    /// Whether a file was accepted, and with which content.
    pub fn taken(&self, file: &str) -> Option<Consumed> {
        self.state.files.get(file)?.last().copied()
    }

    /// The set-aside counts, if they are judged: when there are enough messages for their share to
    /// be meaningful, or when the tick is `closing`.
    pub fn set_aside(&self, closing: bool) -> Option<SetAsideCounts> {
        set_aside(&self.state, &self.settings, closing)
    }

    /// Checks that the share of set-aside messages since the last tick is not too large: a release
    /// of the other rows would be biased. `closing`: however few messages there are.
    ///
    /// # Errors
    /// The share is too large.
    pub fn bearable(&self, closing: bool) -> Result<()> {
        bearable(&self.state, &self.settings, closing)
    }
}
