//! Messages of a topic: valid rows, or others. A message without content is a tombstone, and one of
//! a stream of changes may say that a record was deleted: the feed file says what happens to those,
//! which never depends on how they decode.

use super::schemas::Schemas;
use crate::coder::RowBatch;
use crate::config::{RecordRules, Unwanted as UnwantedSetting};
use crate::engine::histogram::{CellReading, MisfitKind};

/// The encoding of messages.
#[derive(Debug, Clone, Default)]
pub enum Writing {
    /// Each is one JSON object.
    #[default]
    Json,
    /// Each is one Avro record, preceded by its schema key.
    Avro(Schemas),
    /// Each is an Arrow IPC stream.
    Arrow,
}

impl Writing {
    /// The kind of the cells.
    pub fn reading(&self) -> CellReading {
        match self {
            Writing::Json => CellReading::Json,
            Writing::Avro(_) => CellReading::Avro,
            Writing::Arrow => CellReading::Typed,
        }
    }
}

/// A message.
#[derive(Clone, Copy)]
pub(crate) struct Message<'m> {
    /// Its offset, or its place in an offer.
    pub place: u64,
    /// Its content, if it has one.
    pub content: Option<&'m [u8]>,
    /// Whether it was one of many records of a message, so that it is one record now.
    pub is_record: bool,
}

/// The rows of some messages.
#[derive(Default)]
pub(crate) struct CodedMessages {
    /// The rows, in order; their places are those of their messages.
    pub parts: Vec<RowBatch>,
    /// The place of the first message for which the feed has to halt, and what it is.
    pub halt: Option<(u64, MisfitKind)>,
}

/// The status of a message.
pub(super) enum MessageStatus {
    /// One row, or several.
    Row,
    /// Skipped.
    Skipped,
    /// Set aside.
    Refused(MisfitKind),
    /// The feed has to halt.
    Halt(MisfitKind),
}

impl MessageStatus {
    /// Of a message, without looking into it.
    pub(super) fn before(message: &Message<'_>, rules: &RecordRules) -> MessageStatus {
        match message.content {
            None => MessageStatus::of(rules.tombstones, MisfitKind::Tombstone),
            Some(_) => MessageStatus::Row,
        }
    }

    /// Of a message that says that a record was deleted.
    pub(super) fn of_delete(rules: &RecordRules) -> MessageStatus {
        MessageStatus::of(rules.deletes, MisfitKind::Delete)
    }

    fn of(said: UnwantedSetting, kind: MisfitKind) -> MessageStatus {
        match said {
            UnwantedSetting::Skip => MessageStatus::Skipped,
            UnwantedSetting::Quarantine => MessageStatus::Refused(kind),
            UnwantedSetting::Halt => MessageStatus::Halt(kind),
        }
    }
}
