//! Where the messages are that were set aside while a file is read, and what they need around them to be read again
//! without that file. Only places are held of what the file can be asked for again.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::raw::Raw;
use super::topic::{Key, Known};

/// Where a message is.
pub enum Kept {
    /// In memory.
    Here(Raw),
    /// Between these bytes of the file.
    Bytes(Range<u64>),
    /// In this row of the file, from 0.
    Row(u64),
    /// Nowhere: it is too long.
    Nowhere,
}

impl Kept {
    /// Its bytes, as far as they are known.
    pub fn size(&self) -> usize {
        match self {
            Kept::Here(raw) => raw.bytes().len(),
            Kept::Bytes(bytes) => usize::try_from(bytes.end.saturating_sub(bytes.start)).unwrap_or(usize::MAX),
            Kept::Row(_) | Kept::Nowhere => 0,
        }
    }
}

/// What messages are, and what stands before them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Rows of delimited text, under their header as it stood in the file.
    Text {
        /// Between fields.
        delimiter: u8,
        /// The header.
        header: Raw,
    },
    /// Lines of JSON.
    Lines,
    /// Rows of Parquet or Arrow, as messages of an Arrow IPC stream under its schema.
    Arrow {
        /// The schema's message.
        schema: Raw,
    },
    /// Messages of a topic, each one JSON object.
    Messages,
    /// Messages of a topic, each one record in Avro.
    Records {
        /// Their schemas.
        schemas: Vec<(Key, Known)>,
    },
    /// Messages of a topic, each an Arrow IPC stream.
    Streams,
}

impl Form {
    /// As a feed file names it.
    pub fn name(&self) -> &'static str {
        match self {
            Form::Text { .. } => "csv",
            Form::Lines | Form::Messages => "json",
            Form::Arrow { .. } | Form::Streams => "arrow",
            Form::Records { .. } => "avro",
        }
    }

    /// Bytes that stand before messages.
    pub fn size(&self) -> usize {
        match self {
            Form::Text { header: before, .. } | Form::Arrow { schema: before } => before.bytes().len(),
            Form::Lines | Form::Messages | Form::Streams => 0,
            Form::Records { schemas } => schemas.iter().map(|(_, schema)| 32 + schema.size()).sum(),
        }
    }
}
