//! Where the messages are that were set aside while a file is read, and what they need around them to be read again
//! without that file. Only places are held of what the file can be asked for again.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::raw::SecretBytes;
use super::topic::{KnownSchema, SchemaKey};

/// Where a message is.
pub enum MessagePlace {
    /// In memory.
    Here(SecretBytes),
    /// Between these bytes of the file.
    Bytes(Range<u64>),
    /// In this row of the file, from 0.
    Row(u64),
    /// Nowhere: it is too long.
    Nowhere,
}

impl MessagePlace {
    /// Its bytes, as far as they are known.
    pub fn size(&self) -> usize {
        match self {
            MessagePlace::Here(raw) => raw.bytes().len(),
            MessagePlace::Bytes(bytes) => usize::try_from(bytes.end.saturating_sub(bytes.start)).unwrap_or(usize::MAX),
            MessagePlace::Row(_) | MessagePlace::Nowhere => 0,
        }
    }
}

/// What messages are, and what stands before them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessageForm {
    /// Rows of delimited text, under their header as it stood in the file.
    Text {
        /// Between fields.
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
    /// As a feed file names it.
    pub fn name(&self) -> &'static str {
        match self {
            MessageForm::Text { .. } => "csv",
            MessageForm::Lines | MessageForm::Messages => "json",
            MessageForm::Arrow { .. } | MessageForm::Streams => "arrow",
            MessageForm::Records { .. } => "avro",
        }
    }

    /// Bytes that stand before messages.
    pub fn size(&self) -> usize {
        match self {
            MessageForm::Text { header: before, .. } | MessageForm::Arrow { schema: before } => before.bytes().len(),
            MessageForm::Lines | MessageForm::Messages | MessageForm::Streams => 0,
            MessageForm::Records { schemas } => schemas.iter().map(|(_, schema)| 32 + schema.size()).sum(),
        }
    }
}
