//! The messages of one file or partition that were set aside, and all that is needed to decode them again without it, so that
//! they can be offered again once the feed file was corrected. It is written as it is and sealed by whoever stores it;
//! nothing here prints a byte of a message.

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::message_places::MessageForm;
use super::raw::SecretBytes;
use super::row_faults::Misplaced;
use super::topic::{KnownSchema, SchemaKey};
use crate::daemon::error::{Error, ErrorCategory, Result};

/// Of the bytes.
const VERSION: u32 = 2;

/// A message that was set aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAsideMessage {
    /// Where it stood, and what is wrong with it; of a partition its row is the offset.
    pub place: Misplaced,
    /// What it was, to be decoded again; `None` for one of more than 16 MiB, which never will be.
    pub raw: Option<SecretBytes>,
}

/// The messages of one file or partition that were set aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    version: u32,
    name: String,
    partition: Option<i32>,
    form: MessageForm,
    messages: Vec<SetAsideMessage>,
}

impl Offer {
    /// Messages of a file of this name, in file order.
    pub(super) fn new(name: String, form: MessageForm, messages: Vec<SetAsideMessage>) -> Offer {
        Offer { version: VERSION, name, partition: None, form, messages }
    }

    /// Messages of a partition of a topic, by offset.
    pub(super) fn of_partition(
        topic: &str,
        partition: i32,
        form: MessageForm,
        messages: Vec<SetAsideMessage>,
    ) -> Offer {
        let partition = Some(partition);
        Offer { version: VERSION, name: topic.to_owned(), partition, form, messages }
    }

    /// The same with these messages.
    pub(super) fn with(&self, messages: Vec<SetAsideMessage>) -> Offer {
        Offer { messages, ..Offer::of(self) }
    }

    fn of(other: &Offer) -> Offer {
        let Offer { version, name, partition, form, .. } = other;
        let (name, form) = (name.clone(), form.clone());
        Offer { version: *version, name, partition: *partition, form, messages: Vec::new() }
    }

    /// The file's own name, or that of the topic.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The partition of a topic.
    pub fn partition(&self) -> Option<i32> {
        self.partition
    }

    /// The format that messages are decoded from, as a feed file names it; `arrow` for those of Parquet too.
    pub fn format(&self) -> &'static str {
        self.form.name()
    }

    /// What the messages are.
    pub(super) fn form(&self) -> &MessageForm {
        &self.form
    }

    /// Schemas of messages that were not known when they were set aside.
    pub(super) fn learn<'k>(&mut self, known: impl Iterator<Item = &'k (SchemaKey, KnownSchema)>) {
        if let MessageForm::Records { schemas } = &mut self.form {
            schemas.extend(known.cloned());
        }
    }

    /// The messages, in file order.
    pub fn messages(&self) -> &[SetAsideMessage] {
        &self.messages
    }

    /// As bytes, to be sealed.
    pub fn bytes(&self) -> Zeroizing<Vec<u8>> {
        // Reserved at once: what grows leaves copies behind that nobody wipes.
        let size = |one: &SetAsideMessage| {
            let column = one.place.column.as_ref().map_or(0, |column| column.len());
            one.raw.as_ref().map_or(0, |raw| raw.bytes().len()) + column + 64
        };
        let size = self.name.len() + self.form.size() + self.messages.iter().map(size).sum::<usize>() + 64;
        let bytes = postcard::to_extend(self, Vec::with_capacity(size));
        Zeroizing::new(bytes.expect("serialisation failed (this is a bug)"))
    }

    /// From bytes that were sealed.
    ///
    /// # Errors
    /// They are of another version.
    pub fn parse(bytes: &[u8]) -> Result<Offer> {
        let other =
            || Error::new(ErrorCategory::Input, "the messages set aside were written by another version of tidegate");
        let (version, _) = postcard::take_from_bytes::<u32>(bytes).map_err(|_| other())?;
        if version != VERSION {
            return Err(other());
        }
        postcard::from_bytes(bytes).map_err(|_| other())
    }
}
