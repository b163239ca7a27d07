//! Messages of a topic: valid rows, or others. A message without content is a tombstone, and one of
//! a stream of changes may say that a record was deleted: the feed file says what happens to those,
//! which never depends on how they decode.

use super::schemas::Schemas;
use crate::config::Unwanted as UnwantedSetting;
use crate::engine::histogram::{CellReading, MisfitKind};
use crate::raw::SecretBytes;
use crate::row_batch::RowBatch;

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

/// Messages of a topic in order: their offsets and contents.
pub struct Messages<'m> {
    /// All messages.
    pub all: Vec<(u64, Option<&'m [u8]>)>,
}

/// The rows of some messages.
pub(super) struct Coded {
    /// The rows, in order, without skipped messages. The offset of an invalid one is given as its
    /// line.
    pub parts: Vec<RowBatch>,
    /// The number of skipped messages.
    pub skipped: u64,
    /// The offset of the first message for which the feed has to halt, and what it is.
    pub halt: Option<(u64, MisfitKind)>,
    /// If messages may contain many rows: the stored content of each invalid row.
    pub rest: Option<Vec<Option<SecretBytes>>>,
}

/// The status of a message before it is decoded.
pub enum MessageStatus {
    /// To be decoded.
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

    /// The status of a message without looking into it; `Err` contains the content to be decoded.
    pub fn before(self, content: Option<&[u8]>) -> Result<MessageStatus, &[u8]> {
        match content {
            None => Ok(MessageStatus::of(self.tombstones, MisfitKind::Tombstone)),
            Some(content) => Err(content),
        }
    }

    /// The status of a message that says that a record was deleted.
    pub fn of_delete(self) -> MessageStatus {
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
