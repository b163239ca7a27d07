//! Messages of a topic, and what they come to: rows, or what is none. One without content is a tombstone, and one of a stream
//! of changes may say that a record is gone: what becomes of those is said by the feed file, and never follows from how
//! they decode.

use super::schemas::Schemas;
use crate::daemon::config::Unwanted as Said;
use crate::daemon::ingest::raw::SecretBytes;
use crate::daemon::ingest::row_batch::RowBatch;
use crate::engine::histogram::{CellReading, MisfitKind};

/// What becomes of messages that are no rows by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnwantedPolicies {
    /// Of one without content.
    pub tombstones: Said,
    /// Of one that says that a record is gone.
    pub deletes: Said,
}

/// How messages are written.
#[derive(Debug, Clone, Default)]
pub enum Writing {
    /// Each is one JSON object.
    #[default]
    Json,
    /// Each is one Avro record, behind what names its schema.
    Avro(Schemas),
    /// Each is an Arrow IPC stream.
    Arrow,
}

impl Writing {
    /// How cells are to be read.
    pub fn reading(&self) -> CellReading {
        match self {
            Writing::Json => CellReading::Json,
            Writing::Avro(_) => CellReading::Avro,
            Writing::Arrow => CellReading::Typed,
        }
    }
}

/// Messages of a topic in order: their offsets, and what they hold.
pub struct Messages<'m> {
    /// One after the other.
    pub all: Vec<(u64, Option<&'m [u8]>)>,
}

/// The rows of some messages.
pub struct Coded {
    /// The rows, in order; what is passed over is none. The offset of one that does not count is told as its line.
    pub parts: Vec<RowBatch>,
    /// How many messages are passed over.
    pub skipped: u64,
    /// The offset of the first message that may not come at all, and what it is.
    pub halt: Option<(u64, MisfitKind)>,
    /// Where a message is not one row: what is kept of each row that does not count.
    pub rest: Option<Vec<Option<SecretBytes>>>,
}

/// What a message is before it is decoded.
pub enum MessageStatus {
    /// Decoded.
    Row,
    /// Passed over.
    Skipped,
    /// Set aside.
    Refused(MisfitKind),
    /// It may not come.
    Halt(MisfitKind),
}

impl UnwantedPolicies {
    /// They are set aside.
    pub const SET_ASIDE: UnwantedPolicies =
        UnwantedPolicies { tombstones: Said::Quarantine, deletes: Said::Quarantine };

    /// What a message is without a look into it; `Err` what there is to be decoded.
    pub fn before(self, content: Option<&[u8]>) -> Result<MessageStatus, &[u8]> {
        match content {
            None => Ok(MessageStatus::of(self.tombstones, MisfitKind::Tombstone)),
            Some(content) => Err(content),
        }
    }

    /// What one is that says that a record is gone.
    pub fn of_delete(self) -> MessageStatus {
        MessageStatus::of(self.deletes, MisfitKind::Delete)
    }
}

impl MessageStatus {
    fn of(said: Said, kind: MisfitKind) -> MessageStatus {
        match said {
            Said::Skip => MessageStatus::Skipped,
            Said::Quarantine => MessageStatus::Refused(kind),
            Said::Halt => MessageStatus::Halt(kind),
        }
    }
}
