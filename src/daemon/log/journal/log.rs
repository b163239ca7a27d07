//! Appending to the log (HOUSE 3): an entry is created where none exists. If one with other bytes
//! exists, another writer has taken over and this one ends; no clock and no lock is involved.
//!
//! This is code of our own: one object per entry, created where none exists and proved by the
//! previous one, works on every store with conditional creation. Logs of libraries need a server, a
//! lock or a file to which data is appended.

use std::sync::Arc;

use super::entry::Entry;
use super::log_reading::newest;
use super::new_entry::NewEntry;
use super::objects::{Drafts, ObjectReader, UnsealedObject};
use super::rekey::reseal;
use super::ring::{KeyRing, LogHead};
use super::slot;
use super::store::{PutOutcome, Store, put};
use crate::chance::{self, Chance};
use crate::engine::release::Sha256;
use crate::error::{Error, ErrorCategory, Result};
use crate::formats::{EntryBody, Ref, Rekey, RequestOrigin};
use crate::seal::OperatorKey;
use crate::wiped_bytes::WipedBytes;

/// The identity of a writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    /// Its name.
    pub name: String,
    /// Its epoch.
    pub epoch: u64,
}

/// A log that is open for writing.
pub struct Log {
    store: Arc<dyn Store>,
    ring: KeyRing,
    chance: Box<dyn Chance>,
    writer: Writer,
    next: u64,
    head: Option<Sha256>,
    /// Whether an append has failed: then it is unknown what is durable.
    ended: bool,
}

impl Log {
    /// Takes over after the last entry, under this name or a drawn one. Nothing is written before
    /// the fence.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn behind(
        store: Arc<dyn Store>,
        ring: KeyRing,
        mut chance: Box<dyn Chance>,
        name: Option<String>,
        last: Option<&Entry>,
        head: Option<Sha256>,
    ) -> Result<Log> {
        let name = name.map_or_else(|| chance::name(&mut *chance), Ok)?;
        let (next, epoch) = last.map_or((0, 1), |last| (last.seq + 1, last.epoch + 1));
        Ok(Log {
            store,
            ring,
            chance,
            writer: Writer { name, epoch },
            next,
            head,
            ended: false,
        })
    }

    /// Appends an entry, which is durable when this returns; returns its digest.
    ///
    /// # Errors
    /// Another writer has taken over, or the store cannot be written. Then this log must not be
    /// used any more.
    pub fn append(&mut self, entry: impl Into<NewEntry>) -> Result<Sha256> {
        self.append_body(entry.into().into_body())
    }

    fn append_body(&mut self, body: EntryBody) -> Result<Sha256> {
        if self.ended {
            return Err(Error::new(
                ErrorCategory::Internal,
                "this writer has ended with an error, and must open the log again",
            ));
        }
        self.ended = true;
        let head = self.put(body)?;
        self.ended = false;
        Ok(head)
    }

    fn put(&mut self, body: EntryBody) -> Result<Sha256> {
        let Writer { name, epoch } = self.writer.clone();
        let is_fence = matches!(body, EntryBody::Fence(_));
        let unsigned = Entry {
            seq: self.next,
            epoch,
            writer: name,
            prev_sha256: self.head,
            body,
            signature: String::new(),
        };
        let bytes = unsigned.signed(&self.ring);
        match put(&*self.store, &Entry::path(self.next), &bytes)? {
            // The entry with this number may have been packed since the log was read, which frees
            // its place.
            PutOutcome::Ours if is_fence && self.is_overtaken(&bytes)? => {
                Err(slot::fenced(&*self.store))
            }
            PutOutcome::Ours => {
                self.next += 1;
                let head = Sha256::of(&bytes);
                self.head = Some(head);
                Ok(head)
            }
            PutOutcome::Theirs => Err(slot::fenced(&*self.store)),
        }
    }

    /// Whether the fence that was just written is not the newest entry: another writer has
    /// continued meanwhile, and packed what it appended.
    fn is_overtaken(&self, fence: &[u8]) -> Result<bool> {
        let newest = newest(&*self.store)?;
        Ok(newest != Some(self.next)
            || self.store.read(&Entry::path(self.next))?.as_deref() != Some(fence))
    }

    /// Checks that this writer was not taken over: its state then follows from the whole log.
    ///
    /// # Errors
    /// Another writer has taken over, or the store cannot be read.
    pub fn ours(&self) -> Result<()> {
        slot::free(&*self.store, self.next)
    }

    /// The feed and the newest entry, for requests.
    ///
    /// # Panics
    /// If no entry exists: a writer begins with a fence.
    pub fn place(&self) -> (&str, LogHead) {
        let seq = self
            .next
            .checked_sub(1)
            .expect("a writer begins with a fence");
        let sha256 = self.head.expect("a writer begins with a fence");
        (self.ring.feed(), LogHead { seq, sha256 })
    }

    /// Whether this log has this entry.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn holds(&self, entry: &LogHead) -> Result<bool> {
        let bytes = self.store.read(&Entry::path(entry.seq))?;
        Ok(entry.seq < self.next && bytes.is_some_and(|bytes| Sha256::of(&bytes) == entry.sha256))
    }

    /// Seals an object among those that are written together.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn seal(&mut self, drafts: &mut Drafts, folder: &str, bytes: &WipedBytes) -> Result<Ref> {
        drafts.seal(
            folder,
            self.writer.epoch,
            bytes,
            &self.ring,
            &mut *self.chance,
        )
    }

    /// Seals an object with this name among those that are written together; the name must be
    /// unique in this epoch.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn seal_as(
        &mut self,
        drafts: &mut Drafts,
        folder: &str,
        name: &str,
        bytes: &WipedBytes,
    ) -> Result<Ref> {
        let path = format!("{folder}/{:010}/{name}", self.writer.epoch);
        drafts.seal_as(&path, bytes, &self.ring, &mut *self.chance)
    }

    /// An object with this name that another thread can seal; the name must be unique in this
    /// epoch.
    ///
    /// # Errors
    /// There are no random bytes.
    pub fn unsealed(&mut self, folder: &str, name: &str) -> Result<UnsealedObject> {
        let path = format!("{folder}/{:010}/{name}", self.writer.epoch);
        UnsealedObject::draw(&path, &self.ring, &mut *self.chance)
    }

    /// Seals one object and writes it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep(&mut self, folder: &str, bytes: &WipedBytes) -> Result<Ref> {
        let mut drafts = Drafts::default();
        let object = self.seal(&mut drafts, folder, bytes)?;
        drafts.put(&*self.store)?;
        Ok(object)
    }

    /// Replaces the keys of this log by those of the next generation, under another key of the
    /// operator, and seals every object under them. The entry is the first that they prove. Returns
    /// the number of objects.
    ///
    /// # Errors
    /// An object or a key was changed, another writer has taken over, or the store cannot be
    /// written.
    pub fn rekey(&mut self, to: &OperatorKey, wanted: RequestOrigin) -> Result<u64> {
        let (_, head) = self.place();
        let new = self
            .ring
            .renewed(to, self.writer.epoch, head, &mut *self.chance)?;
        let objects = reseal(&*self.store, &self.ring, &new, &mut *self.chance)?;
        self.ring = new;
        self.append_body(EntryBody::Rekey(Rekey { wanted, objects }))?;
        Ok(objects)
    }

    /// The sealed objects.
    pub fn objects(&self) -> ObjectReader<'_> {
        ObjectReader::new(&*self.store, &self.ring).before(self.next)
    }

    /// The store.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The keys.
    pub fn ring(&self) -> &KeyRing {
        &self.ring
    }

    /// The source of randomness.
    pub fn chance(&mut self) -> &mut dyn Chance {
        &mut *self.chance
    }

    /// The identity of the writer.
    pub fn writer(&self) -> &Writer {
        &self.writer
    }

    /// The number of the next entry.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The digest of the newest entry.
    pub fn head(&self) -> Option<Sha256> {
        self.head
    }
}
