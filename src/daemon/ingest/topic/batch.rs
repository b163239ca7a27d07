//! Messages as they were fetched: partition by partition in the order of their offsets, their bytes in one piece. Wiped when
//! they are dropped, and never shown.

use crate::daemon::wiped_bytes::WipedBytes;
use std::collections::BTreeMap;
use std::fmt;

use super::messages::Writing;

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// Its offset.
    pub offset: u64,
    /// Where its bytes begin.
    from: usize,
    /// Where they end; `None`: it has none, not even an empty text.
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
    /// The next one, and what is put before what it holds, if it holds something.
    pub fn push(&mut self, offset: u64, before: &[u8], content: Option<&[u8]>) {
        let from = self.bytes.len();
        let to = content.map(|content| {
            self.bytes.extend_from_slice(before);
            self.bytes.extend_from_slice(content);
            self.bytes.len()
        });
        self.messages.push(Message { offset, from, to });
    }

    /// What tells the last one from another one at its offset.
    pub fn epoch(&self) -> Option<i32> {
        self.epoch
    }

    /// All of them, by offset.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// What one of them holds; `None`: nothing at all.
    pub fn content(&self, message: &Message) -> Option<&[u8]> {
        message.to.map(|to| &self.bytes[message.from..to])
    }
}

impl fmt::Debug for Fetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fetched({} messages)", self.messages.len())
    }
}

/// Messages that are taken in together.
#[derive(Debug, Default)]
pub struct Batch {
    /// By partition.
    pub partitions: BTreeMap<i32, Fetched>,
    /// How they are written.
    pub writing: Writing,
    bytes: usize,
    messages: usize,
}

impl Batch {
    /// The next message of a partition.
    pub fn push(&mut self, partition: i32, offset: u64, content: Option<&[u8]>) {
        self.push_behind(partition, offset, None, &[], content);
    }

    /// The next message of a partition, with what tells it from another one at its offset; what names its schema beside it is
    /// put before what it holds, so that all that comes after knows one framing.
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

    /// What all of them hold.
    pub fn contents(&self) -> impl Iterator<Item = &[u8]> {
        self.partitions.values().flat_map(|one| one.messages.iter().filter_map(|message| one.content(message)))
    }

    /// How many bytes its messages have.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many messages.
    pub fn len(&self) -> usize {
        self.messages
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.messages == 0
    }
}
