//! Fetched messages: partition by partition in the order of their offsets, with their bytes in one
//! buffer. Wiped when they are dropped, and never shown.

use crate::wiped_bytes::WipedBytes;
use std::collections::BTreeMap;
use std::fmt;

use super::messages::Writing;

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// Its offset.
    pub offset: u64,
    /// The beginning of its bytes.
    from: usize,
    /// The end of its bytes; `None`: it has no content, not even an empty text.
    to: Option<usize>,
}

/// Messages of one partition.
#[derive(Default)]
pub struct Fetched {
    bytes: WipedBytes,
    messages: Vec<Message>,
    epoch: Option<i32>,
}

impl Fetched {
    /// Adds a message, with a prefix before its content, if it has content.
    pub fn push(&mut self, offset: u64, before: &[u8], content: Option<&[u8]>) {
        let from = self.bytes.len();
        let to = content.map(|content| {
            self.bytes.extend_from_slice(before);
            self.bytes.extend_from_slice(content);
            self.bytes.len()
        });
        self.messages.push(Message { offset, from, to });
    }

    /// The leader epoch of the last message.
    pub fn epoch(&self) -> Option<i32> {
        self.epoch
    }

    /// All messages, by offset.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The content of a message; `None` if it has none.
    pub fn content(&self, message: &Message) -> Option<&[u8]> {
        message.to.map(|to| &self.bytes[message.from..to])
    }
}

impl fmt::Debug for Fetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fetched({} messages)", self.messages.len())
    }
}

/// Messages that are accepted together.
#[derive(Debug, Default)]
pub struct Batch {
    /// By partition.
    pub partitions: BTreeMap<i32, Fetched>,
    /// How they are encoded.
    pub writing: Writing,
    bytes: usize,
    messages: usize,
}

impl Batch {
    /// Adds a message of a partition.
    pub fn push(&mut self, partition: i32, offset: u64, content: Option<&[u8]>) {
        self.push_behind(partition, offset, None, &[], content);
    }

    /// Adds a message of a partition, with its leader epoch; the schema key of its headers becomes
    /// a prefix of its content, so that later code handles only one framing.
    pub fn push_behind(
        &mut self,
        partition: i32,
        offset: u64,
        epoch: Option<i32>,
        before: &[u8],
        content: Option<&[u8]>,
    ) {
        self.bytes += content.map_or(0, |content| before.len() + content.len());
        self.messages += 1;
        let fetched = self.partitions.entry(partition).or_default();
        fetched.push(offset, before, content);
        fetched.epoch = epoch;
    }

    /// The contents of all messages.
    pub fn contents(&self) -> impl Iterator<Item = &[u8]> {
        self.partitions.values().flat_map(|one| {
            one.messages
                .iter()
                .filter_map(|message| one.content(message))
        })
    }

    /// The number of bytes of its messages.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        self.messages
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.messages == 0
    }
}
