//! Messages of a topic: valid rows, or others. A message without content is a tombstone, and one of
//! a stream of changes may say that a record was deleted: the feed file says what happens to those,
//! which never depends on how they decode.

use super::schemas::Schemas;
use crate::coder::RowBatch;
use crate::config::Unwanted as UnwantedSetting;
use crate::engine::histogram::{CellReading, MisfitKind};

/// What happens to messages that are no rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnwantedPolicies {
    /// For a message without content.
    pub tombstones: UnwantedSetting,
    /// For a message that says that a record was deleted.
    pub deletes: UnwantedSetting,
}

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

/// Messages in order: their offsets, and their contents.
pub(crate) type Messages<'m> = Vec<(u64, Option<&'m [u8]>)>;

/// The rows of some messages.
#[derive(Default)]
pub(crate) struct CodedMessages {
    /// The rows, in order, without skipped messages; their places are those of their messages.
    pub parts: Vec<RowBatch>,
    /// The number of skipped messages.
    pub skipped: u64,
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

impl UnwantedPolicies {
    /// They are set aside.
    pub const SET_ASIDE: UnwantedPolicies = UnwantedPolicies {
        tombstones: UnwantedSetting::Quarantine,
        deletes: UnwantedSetting::Quarantine,
    };

    /// The status of a message without looking into it.
    pub(super) fn before(self, content: Option<&[u8]>) -> MessageStatus {
        match content {
            None => MessageStatus::of(self.tombstones, MisfitKind::Tombstone),
            Some(_) => MessageStatus::Row,
        }
    }

    /// The status of a message that says that a record was deleted.
    pub(super) fn of_delete(self) -> MessageStatus {
        MessageStatus::of(self.deletes, MisfitKind::Delete)
    }
}

impl MessageStatus {
    fn of(said: UnwantedSetting, kind: MisfitKind) -> MessageStatus {
        match said {
            UnwantedSetting::Skip => MessageStatus::Skipped,
            UnwantedSetting::Quarantine => MessageStatus::Refused(kind),
            UnwantedSetting::Halt => MessageStatus::Halt(kind),
        }
    }
}
