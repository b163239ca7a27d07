//! The set-aside messages of one file or partition, with everything that is needed to decode them
//! again without it, so that they can be offered again once the feed file was corrected. The writer
//! that stores it seals it; nothing here prints a byte of a message.

use crate::wiped_bytes::WipedBytes;
use serde::{Deserialize, Serialize};

use super::message_places::MessageForm;
use super::raw::SecretBytes;
use super::row_faults::Misplaced;
use super::topic::{KnownSchema, SchemaKey};
use crate::error::Result;
use crate::formats::SealedFormat;

/// A message that was set aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAsideMessage {
    /// Its place, and what is wrong with it; for a partition its row is the offset.
    pub place: Misplaced,
    /// Its content, to be decoded again; `None` for one of more than 16 MiB, which will never be.
    pub raw: Option<SecretBytes>,
}

/// The set-aside messages of one file or partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    name: String,
    partition: Option<i32>,
    form: MessageForm,
    messages: Vec<SetAsideMessage>,
}

impl Offer {
    /// Messages of a file of this name, in file order.
    pub(super) fn new(name: String, form: MessageForm, messages: Vec<SetAsideMessage>) -> Offer {
        Offer {
            name,
            partition: None,
            form,
            messages,
        }
    }

    /// Messages of a partition of a topic, by offset.
    pub(super) fn of_partition(
        topic: &str,
        partition: i32,
        form: MessageForm,
        messages: Vec<SetAsideMessage>,
    ) -> Offer {
        let partition = Some(partition);
        Offer {
            name: topic.to_owned(),
            partition,
            form,
            messages,
        }
    }

    /// The same with these messages.
    pub(super) fn with(&self, messages: Vec<SetAsideMessage>) -> Offer {
        Offer {
            messages,
            ..Offer::of(self)
        }
    }

    fn of(other: &Offer) -> Offer {
        let Offer {
            name,
            partition,
            form,
            ..
        } = other;
        let (name, form) = (name.clone(), form.clone());
        Offer {
            name,
            partition: *partition,
            form,
            messages: Vec::new(),
        }
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
