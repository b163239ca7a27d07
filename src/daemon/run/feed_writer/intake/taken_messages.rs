//! Takes messages in (HOUSE 3, Ingest order): they are decoded, written to durable segments, named
//! by an entry, and only then counted.

use super::super::state::FeedState;
use super::super::state_parts::{Consumed, MessageShare};
use super::super::writer::FeedSettings;
use crate::engine::histogram::CodedRows;
use crate::engine::policy::Decimal;
use crate::error::{Error, ErrorCategory, Result};
use crate::formats::RowColumns;
use crate::journal::{Drafts, Log, MessageOrigin, SealedRows};
use crate::wiped_bytes::WipedBytes;

/// The most rows of a segment.
const MOST_ROWS: usize = 1 << 20;
/// The number of messages from which on their share is judged before the tick is closed.
const EARLY: u64 = 1000;

/// Decoded messages, from files or from partitions.
pub struct TakenMessages {
    /// Their origins, in order.
    pub parts: Vec<TakenPart>,
    /// The valid rows, part after part.
    pub rows: CodedRows,
    /// Sensitive cells that were missing or malformed.
    pub nulled: u64,
}

/// Messages of one file or partition.
pub struct TakenPart {
    /// The origin.
    pub origin: MessageOrigin,
    /// The offset of the first message.
    pub from: u64,
    /// The offset after the last message.
    pub next: u64,
    /// The leader epoch of the last message, which distinguishes it from another one with the same
    /// offset.
    pub epoch: Option<i32>,
    /// The number of messages.
    pub seen: u64,
    /// The number of valid rows.
    pub rows: u64,
    /// The number of messages that the policy skips, and of records that are not read.
    pub skipped: u64,
    /// The number of set-aside messages, and their content, to be sealed.
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
        let Consumed {
            code,
            generation,
            size,
            modified,
        } = look;
        let origin = MessageOrigin::File {
            file,
            code,
            generation,
            size,
            modified,
        };
        let (next, count) = (seen, rows.len() as u64);
        let part = TakenPart {
            origin,
            from: 0,
            next,
            epoch: None,
            seen,
            rows: count,
            skipped: 0,
            aside,
            repeats: 0,
        };
        TakenMessages {
            parts: vec![part],
            rows,
            nulled,
        }
    }

    /// Sets how many of the set-aside messages are rows of people who have one already.
    #[must_use]
    pub fn with_repeats(mut self, repeats: u64) -> TakenMessages {
        self.parts
            .iter_mut()
            .for_each(|part| part.repeats = repeats);
        self
    }

    /// Sets how many records of the file are not read.
    #[must_use]
    pub fn with_skipped(mut self, skipped: u64) -> TakenMessages {
        self.parts
            .iter_mut()
            .for_each(|part| part.skipped = skipped);
        self
    }
}

/// Messages since the last tick, judged by `max_quarantine_share`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetAsideCounts {
    /// All messages.
    pub seen: u64,
    /// Those that are set aside.
    pub aside: u64,
    /// The largest share allowed.
    pub most: Decimal,
    /// Whether the share is larger.
    pub above: bool,
    /// Whether the share is above half of that.
    pub near: bool,
}

/// The rows in sealed objects of at most [`MOST_ROWS`] rows.
pub(super) fn segments(
    log: &mut Log,
    state: &FeedState,
    rows: &CodedRows,
    drafts: &mut Drafts,
) -> Result<Vec<SealedRows>> {
    let trees = state.terms.columns.trees();
    let mut segments = Vec::new();
    for from in (0..rows.len()).step_by(MOST_ROWS) {
        let some = if rows.len() <= MOST_ROWS {
            None
        } else {
            Some(from..(from + MOST_ROWS))
        };
        let part = some.map(|some| rows.only(|row| some.contains(&row)));
        let roll = RowColumns::of(part.as_ref().unwrap_or(rows), &trees);
        let object = log.seal(drafts, "seg", &roll.bytes())?;
        segments.push(SealedRows {
            object,
            rows: roll.count() as u64,
        });
    }
    Ok(segments)
}

/// The set-aside counts, if they are judged: when there are enough messages for their share to
/// be meaningful, or when the tick is `closing`.
pub(in crate::feed_writer) fn set_aside(
    state: &FeedState,
    settings: &FeedSettings,
    closing: bool,
) -> Option<SetAsideCounts> {
    let MessageShare { seen, aside } = state.share;
    if (seen < EARLY && !closing) || seen == 0 {
        return None;
    }
    let most = settings.max_quarantine_share;
    let (above, near) = (
        !most.times_is_at_least(seen, aside),
        !most.times_is_at_least(seen, aside.saturating_mul(2)),
    );
    Some(SetAsideCounts {
        seen,
        aside,
        most,
        above,
        near,
    })
}

/// Checks that the share of set-aside messages since the last tick is not too large: a release
/// of the other rows would be biased. `closing`: however few messages there are.
pub(in crate::feed_writer) fn bearable(
    state: &FeedState,
    settings: &FeedSettings,
    closing: bool,
) -> Result<()> {
    let Some(SetAsideCounts {
        seen, aside, most, ..
    }) = set_aside(state, settings, closing).filter(|share| share.above)
    else {
        return Ok(());
    };
    let text = format!(
        "{aside} of {seen} messages since the last tick cannot be decoded and are set aside, a larger share than \
         max_quarantine_share = {most}: nothing is lost and nothing is published. `tidegate quarantine` lists the \
         reasons and remedies: offer them again with --retry once they can be decoded, send corrected rows in a \
         file with a new name, or raise the share"
    );
    Err(Error::new(ErrorCategory::Input, text).in_field("source.max_quarantine_share"))
}
