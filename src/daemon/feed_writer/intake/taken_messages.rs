//! Messages are taken in (HOUSE 3, Ingest order): decoded, put into segments that last, named by an entry, and only then
//! counted among those who came.

use super::super::state_parts::{Consumed, MessageShare};
use super::super::writer::FeedWriter;
use super::set_aside::UnnamedObjects;
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::formats::RowColumns;
use crate::daemon::ingest::PersonHasher;
use crate::daemon::intake_counts::IntakeCounts;
use crate::daemon::journal::{Drafts, Ingest, IntakePart, MessageOrigin, Quarantined, SealedRows};
use crate::daemon::wiped_bytes::WipedBytes;
use crate::engine::histogram::{CodedRows, Person};
use crate::engine::policy::{Decimal, OnRepeat};

/// Rows of a segment at most.
const MOST_ROWS: usize = 1 << 20;
/// Messages from which on their share is judged before the tick is closed.
const EARLY: u64 = 1000;

/// Messages that were decoded, of files or of partitions.
pub struct TakenMessages {
    /// Where they are from, in order.
    pub parts: Vec<TakenPart>,
    /// The rows that count, part after part.
    pub rows: CodedRows,
    /// Sensitive cells that were missing or malformed.
    pub nulled: u64,
}

/// Messages of one file or partition.
pub struct TakenPart {
    /// What they are from.
    pub origin: MessageOrigin,
    /// The first one.
    pub from: u64,
    /// The one after the last.
    pub next: u64,
    /// What tells the last one from another one that was given its offset.
    pub epoch: Option<i32>,
    /// How many there were.
    pub seen: u64,
    /// How many of them are rows that count.
    pub rows: u64,
    /// How many are passed over by policy.
    pub skipped: u64,
    /// How many are set aside, and their content, to be sealed.
    pub aside: Option<(u64, WipedBytes)>,
    /// How many of those are rows of people who have one already.
    pub repeats: u64,
}

impl TakenMessages {
    /// The messages of a file.
    pub fn file(
        file: String,
        look: Consumed,
        seen: u64,
        rows: CodedRows,
        aside: Option<(u64, WipedBytes)>,
        nulled: u64,
    ) -> TakenMessages {
        let Consumed { sha256, size, modified } = look;
        let origin = MessageOrigin::File { file, sha256, size, modified };
        let (next, count) = (seen, rows.len() as u64);
        let part = TakenPart { origin, from: 0, next, epoch: None, seen, rows: count, skipped: 0, aside, repeats: 0 };
        TakenMessages { parts: vec![part], rows, nulled }
    }

    /// So many of the messages that are set aside are rows of people who have one already.
    #[must_use]
    pub fn with_repeats(mut self, repeats: u64) -> TakenMessages {
        self.parts.iter_mut().for_each(|part| part.repeats = repeats);
        self
    }
}

/// Messages since the last tick, judged by `max_quarantine_share`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetAsideCounts {
    /// All.
    pub seen: u64,
    /// Those that are set aside.
    pub aside: u64,
    /// The share that may be.
    pub most: Decimal,
    /// It is more than that.
    pub above: bool,
    /// It is more than half of that.
    pub near: bool,
}

impl FeedWriter {
    /// Hashes the people of this feed.
    pub fn hasher(&self) -> &PersonHasher {
        &self.hasher
    }

    /// Whether a person has a row already, where rows of such people are to be set aside.
    pub fn knows(&self) -> Option<impl Fn(Person) -> bool + '_> {
        let wanted = self.policy.on_repeat() == OnRepeat::DeadLetter;
        wanted.then_some(|person| self.state.feed.people().knows(person))
    }

    /// Takes in messages, all or none of them.
    ///
    /// # Errors
    /// They cannot be written; nothing is taken in then.
    pub fn take(&mut self, taken: TakenMessages, now: &str) -> Result<IntakeCounts> {
        self.take_with(taken, UnnamedObjects::default(), now)
    }

    /// [`FeedWriter::take`], of a file whose first messages that are set aside were put already.
    ///
    /// # Errors
    /// As [`FeedWriter::take`].
    pub fn take_with(&mut self, taken: TakenMessages, mut shelf: UnnamedObjects, now: &str) -> Result<IntakeCounts> {
        let TakenMessages { parts, rows, nulled } = taken;
        let tick = self.state.feed.ticks();
        let (rows, repeats) = self.state.feed.accept(rows, &self.policy);
        let mut drafts = Drafts::default();
        let segments = self.segments(&rows, &mut drafts)?;
        let mut quarantine = Vec::new();
        let mut became = Vec::with_capacity(parts.len());
        let mut first = 0;
        for TakenPart { origin, from, next, epoch, seen, rows, skipped, aside, repeats: again } in parts {
            let own = |row: &&u32| (first..first + rows).contains(&u64::from(**row));
            let duplicate = repeats.iter().filter(own).count() as u64;
            first += rows;
            // They are of the one file that there is.
            let shelf = std::mem::take(&mut shelf);
            let quarantined = shelf.messages() + aside.as_ref().map_or(0, |(messages, _)| *messages);
            quarantine.extend(shelf.objects);
            if let Some((messages, content)) = aside {
                quarantine.push(Quarantined { object: self.log.seal(&mut drafts, "quarantine", &content)?, messages });
            }
            let kept = rows - duplicate;
            let counts = IntakeCounts { seen, kept, duplicate, skipped, quarantined };
            let part = IntakePart { origin, from, next, epoch, counts, repeats: again };
            assert!(part.adds_up(), "every message became something");
            became.push(part);
        }
        drafts.put(self.log.store())?;
        let ingest = Ingest { time: now.to_owned(), tick, segments, quarantine, parts: became, nulled };
        self.append(ingest.clone())?;
        self.state.ingest(&ingest);
        self.state.feed.arrive(&rows, tick);
        Ok(ingest.parts.iter().map(|part| part.counts).sum())
    }

    /// Rows in sealed objects of no more than [`MOST_ROWS`].
    fn segments(&mut self, rows: &CodedRows, drafts: &mut Drafts) -> Result<Vec<SealedRows>> {
        let trees = self.state.terms.columns.trees();
        let mut segments = Vec::new();
        for from in (0..rows.len()).step_by(MOST_ROWS) {
            let some = if rows.len() <= MOST_ROWS { None } else { Some(from..(from + MOST_ROWS)) };
            let part = some.map(|some| rows.only(|row| some.contains(&row)));
            let roll = RowColumns::of(part.as_ref().unwrap_or(rows), &trees);
            let object = self.log.seal(drafts, "seg", &roll.bytes())?;
            segments.push(SealedRows { object, rows: roll.count() as u64 });
        }
        Ok(segments)
    }

    /// Whether a file was taken in, and with which content.
    pub fn taken(&self, file: &str) -> Option<Consumed> {
        self.state.files.get(file)?.last().copied()
    }

    /// What is set aside, where it is judged: when so many messages have come that their share says something, or when the
    /// tick is `closing`.
    pub fn set_aside(&self, closing: bool) -> Option<SetAsideCounts> {
        let MessageShare { seen, aside } = self.state.share;
        if (seen < EARLY && !closing) || seen == 0 {
            return None;
        }
        let most = self.settings.max_quarantine_share;
        let (above, near) =
            (!most.times_is_at_least(seen, aside), !most.times_is_at_least(seen, aside.saturating_mul(2)));
        Some(SetAsideCounts { seen, aside, most, above, near })
    }

    /// Whether too large a share of the messages since the last tick is set aside: a release of the rest would be biased.
    /// `closing`: however few they are.
    ///
    /// # Errors
    /// It is.
    pub fn bearable(&self, closing: bool) -> Result<()> {
        let Some(SetAsideCounts { seen, aside, most, .. }) = self.set_aside(closing).filter(|share| share.above) else {
            return Ok(());
        };
        let text = format!(
            "{aside} of {seen} messages since the last tick cannot be decoded and are set aside, a larger share than \
             max_quarantine_share = {most}: nothing is lost and nothing is published. `tidegate quarantine` \
             says what is wrong with them and what helps: offer them again with --retry when they can be decoded, have the \
             source send them again, corrected, in a file of a new name, or allow the share"
        );
        Err(Error::new(ErrorCategory::Input, text).in_field("source.max_quarantine_share"))
    }
}
