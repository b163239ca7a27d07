//! Messages are taken in (HOUSE 3, Ingest order): decoded, put into segments that last, named by an entry, and only then
//! counted among those who came.

use super::reading::VERSION;
use super::roll::{Roll, bytes};
use super::state::{Consumed, Share};
use super::work::Live;
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::ingest::PersonHasher;
use crate::daemon::journal::{Body, Drafts, Ingest, Kept, Part, Quarantined};
use crate::engine::histogram::Rows;
use crate::engine::policy::Decimal;
use zeroize::Zeroizing;

/// Rows of a segment at most.
const MOST_ROWS: usize = 1 << 20;
/// Messages from which on their share is judged before the tick is closed.
const EARLY: u64 = 1000;

/// Messages that were decoded.
pub struct Taken {
    /// The file they are from.
    pub file: String,
    /// How it is recognised.
    pub look: Consumed,
    /// How many there were.
    pub seen: u64,
    /// The rows that count.
    pub rows: Rows,
    /// How many are set aside, and their content, to be sealed.
    pub aside: Option<(u64, Zeroizing<Vec<u8>>)>,
    /// Sensitive cells that were missing or malformed.
    pub nulled: u64,
}

/// What became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Came {
    /// Messages.
    pub seen: u64,
    /// Rows that count.
    pub kept: u64,
    /// Rows of people who have one already.
    pub duplicate: u64,
    /// Messages that are set aside.
    pub quarantined: u64,
}

/// Messages since the last tick, judged by `max_quarantine_share`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetAside {
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

impl Live {
    /// Hashes the people of this feed.
    pub fn hasher(&self) -> &PersonHasher {
        &self.hasher
    }

    /// Takes in the messages of a file, all or none of them.
    ///
    /// # Errors
    /// They cannot be written; nothing is taken in then.
    pub fn take(&mut self, taken: Taken, now: &str) -> Result<Came> {
        let Taken { file, look, seen, rows, aside, nulled } = taken;
        let tick = self.state.feed.ticks();
        let (rows, duplicate) = self.state.feed.accept(rows, &self.policy);
        let mut drafts = Drafts::default();
        let trees = self.state.terms.columns.trees();
        let mut segments = Vec::new();
        for from in (0..rows.len()).step_by(MOST_ROWS) {
            let some = if rows.len() <= MOST_ROWS { None } else { Some(from..(from + MOST_ROWS)) };
            let part = some.map(|some| rows.only(|row| some.contains(&row)));
            let roll = Roll::of(part.as_ref().unwrap_or(&rows), &trees);
            let object = self.log.seal(&mut drafts, "seg", &bytes(VERSION, &roll))?;
            segments.push(Kept { object, rows: roll.len() as u64 });
        }
        let quarantine = match aside {
            None => None,
            Some((messages, content)) => {
                Some(Quarantined { object: self.log.seal(&mut drafts, "quarantine", &content)?, messages })
            }
        };
        let (kept, quarantined) = (rows.len() as u64, quarantine.as_ref().map_or(0, |aside| aside.messages));
        let Consumed { sha256, size, modified } = look;
        let (from, next, skipped) = (0, seen, 0);
        let part = Part { file, sha256, size, modified, from, next, seen, kept, duplicate, skipped, quarantined };
        assert!(part.adds_up(), "every message became something");
        drafts.put(self.log.store())?;
        let ingest = Ingest { time: now.to_owned(), tick, segments, quarantine, parts: vec![part], nulled };
        self.append(Body::Ingest(ingest.clone()))?;
        self.state.ingest(&ingest);
        self.state.feed.arrive(&rows, tick);
        Ok(Came { seen, kept, duplicate, quarantined })
    }

    /// Whether a file was taken in, and with which content.
    pub fn taken(&self, file: &str) -> Option<Consumed> {
        self.state.files.get(file)?.last().copied()
    }

    /// What is set aside, where it is judged: when so many messages have come that their share says something, or when the
    /// tick is `closing`.
    pub fn set_aside(&self, closing: bool) -> Option<SetAside> {
        let Share { seen, aside } = self.state.share;
        if (seen < EARLY && !closing) || seen == 0 {
            return None;
        }
        let most = self.settings.max_quarantine_share;
        let (above, near) =
            (!most.times_is_at_least(seen, aside), !most.times_is_at_least(seen, aside.saturating_mul(2)));
        Some(SetAside { seen, aside, most, above, near })
    }

    /// Whether too large a share of the messages since the last tick is set aside: a release of the rest would be biased.
    /// `closing`: however few they are.
    ///
    /// # Errors
    /// It is.
    pub fn bearable(&self, closing: bool) -> Result<()> {
        let Some(SetAside { seen, aside, most, .. }) = self.set_aside(closing).filter(|share| share.above) else {
            return Ok(());
        };
        let text = format!(
            "{aside} of {seen} messages since the last tick cannot be decoded and are set aside, a larger share than \
             max_quarantine_share = {most}: nothing is lost and nothing is published. `tidegate quarantine` \
             says what is wrong with them: add what a taxonomy lacks and offer them again with --retry, have the source \
             send them again, corrected, in a file of a new name, or allow the share"
        );
        Err(Error::new(Kind::Input, text).in_field("source.max_quarantine_share"))
    }
}
