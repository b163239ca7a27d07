//! Set-aside messages (HOUSE 4): their places in a file, and the offers that they are stored in, with
//! everything that is needed to decode them again. Nothing here prints a byte of a message; the
//! writer that stores an offer seals it.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::raw::SecretBytes;
use super::row_faults::Misplaced;
use super::topic::{KnownSchema, SchemaKey};
use crate::error::Result;
use crate::formats::SealedFormat;
use crate::wiped_bytes::WipedBytes;

/// A message that was set aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAsideMessage {
    /// Its place, and what is wrong with it; for a partition its row is the offset.
    pub place: Misplaced,
    /// Its content, to be decoded again; `None` for one of more than 16 MiB, which will never be.
    pub raw: Option<SecretBytes>,
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
    fn name(&self) -> &'static str {
        match self {
            MessageForm::Text { .. } => "csv",
            MessageForm::Lines | MessageForm::Messages => "json",
            MessageForm::Arrow { .. } | MessageForm::Streams => "arrow",
            MessageForm::Records { .. } => "avro",
        }
    }

    /// The number of bytes before messages.
    fn size(&self) -> usize {
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

/// The place of a message in a file that is being read.
pub(crate) enum MessagePlace {
    /// In memory.
    Here(SecretBytes),
    /// These bytes of the file.
    Bytes(Range<u64>),
    /// This row of the file, from 0.
    Row(u64),
    /// None: it is too long.
    Nowhere,
}

/// The set-aside messages of one file or partition, with everything that is needed to decode them
/// again without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    name: String,
    partition: Option<i32>,
    form: MessageForm,
    messages: Vec<SetAsideMessage>,
}

impl Offer {
    /// Messages of a file of this name, in file order, or of a partition of a topic, by offset.
    pub(super) fn new(
        (name, partition): (String, Option<i32>),
        form: MessageForm,
        messages: Vec<SetAsideMessage>,
    ) -> Offer {
        Offer {
            name,
            partition,
            form,
            messages,
        }
    }

    /// The same with these messages.
    pub(super) fn with(&self, messages: Vec<SetAsideMessage>) -> Offer {
        let from = (self.name.clone(), self.partition);
        Offer::new(from, self.form.clone(), messages)
    }

    /// The file's own name, or that of the topic.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The partition of a topic.
    pub fn partition(&self) -> Option<i32> {
        self.partition
    }

    /// The format of the messages, in the notation of a feed file; `arrow` for those of Parquet as
    /// well.
    pub fn format(&self) -> &'static str {
        self.form.name()
    }

    /// The form of the messages.
    pub(super) fn form(&self) -> &MessageForm {
        &self.form
    }

    /// Adds schemas of messages that were unknown when they were set aside.
    pub(super) fn learn<'k>(&mut self, known: impl Iterator<Item = &'k (SchemaKey, KnownSchema)>) {
        if let MessageForm::Records { schemas } = &mut self.form {
            schemas.extend(known.cloned());
        }
    }

    /// The messages, in file order.
    pub fn messages(&self) -> &[SetAsideMessage] {
        &self.messages
    }

    /// The number of messages that are set aside because of a fault, not counting repeats.
    pub fn faults(&self) -> u64 {
        let faults = self
            .messages
            .iter()
            .filter(|message| !message.place.is_repeat());
        faults.count() as u64
    }

    /// The bytes to be sealed.
    pub fn bytes(&self) -> WipedBytes {
        // Reserved at once: growing would leave copies that are not wiped.
        let size = |one: &SetAsideMessage| {
            let column = one.place.column.as_ref().map_or(0, |column| column.len());
            one.raw.as_ref().map_or(0, |raw| raw.bytes().len()) + column + 64
        };
        let size =
            self.name.len() + self.form.size() + self.messages.iter().map(size).sum::<usize>() + 64;
        SealedFormat::SetAside.bytes_within(size, self)
    }

    /// From the sealed bytes.
    ///
    /// # Errors
    /// They have another version.
    pub fn parse(bytes: &[u8]) -> Result<Offer> {
        SealedFormat::SetAside.parse(bytes)
    }
}
