//! The places of messages that were set aside while a file is read, and the context that is needed
//! to read them again without that file. If the file can be read again, only places are held.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::raw::SecretBytes;
use super::topic::{KnownSchema, SchemaKey};

/// The place of a message.
pub enum MessagePlace {
    /// In memory.
    Here(SecretBytes),
    /// These bytes of the file.
    Bytes(Range<u64>),
    /// This row of the file, from 0.
    Row(u64),
    /// None: it is too long.
    Nowhere,
}

impl MessagePlace {
    /// Its size in bytes, if known.
    pub fn size(&self) -> usize {
        match self {
            MessagePlace::Here(raw) => raw.bytes().len(),
            MessagePlace::Bytes(bytes) => {
                usize::try_from(bytes.end.saturating_sub(bytes.start)).unwrap_or(usize::MAX)
            }
            MessagePlace::Row(_) | MessagePlace::Nowhere => 0,
        }
    }
}

/// The form of messages, and the bytes before them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum MessageForm {
    /// Rows of delimited text, under their header as in the file.
    Text {
        /// The separator.
        delimiter: u8,
        /// The header.
        header: SecretBytes,
    },
    /// Lines of JSON.
    Lines,
    /// Rows of Parquet or Arrow, as messages of an Arrow IPC stream under its schema.
    Arrow {
        /// The schema's message.
        schema: SecretBytes,
    },
    /// Messages of a topic, each one JSON object.
    Messages,
    /// Messages of a topic, each one record in Avro.
    Records {
        /// Their schemas.
        schemas: Vec<(SchemaKey, KnownSchema)>,
    },
    /// Messages of a topic, each an Arrow IPC stream.
    Streams,
}

impl MessageForm {
    /// The name in a feed file.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            MessageForm::Text { .. } => "csv",
            MessageForm::Lines | MessageForm::Messages => "json",
            MessageForm::Arrow { .. } | MessageForm::Streams => "arrow",
            MessageForm::Records { .. } => "avro",
        }
    }

    /// The number of bytes before messages.
    pub(crate) fn size(&self) -> usize {
        match self {
            MessageForm::Text { header: before, .. } | MessageForm::Arrow { schema: before } => {
                before.bytes().len()
            }
            MessageForm::Lines | MessageForm::Messages | MessageForm::Streams => 0,
            MessageForm::Records { schemas } => {
                schemas.iter().map(|(_, schema)| 32 + schema.size()).sum()
            }
        }
    }
}
