//! Checkpoints (HOUSE 3): the state as it was behind an entry, sealed, so that a start need not read the whole log. Each is
//! disposable: one that is damaged, of another version or of another log is passed over, and one that knows somebody who was
//! erased later is worth nothing.

use serde::{Deserialize, Serialize};

use super::roll::{bytes, parse};
use super::state::State;
use super::work::{Last, Live};
use crate::daemon::error::Result;
use crate::daemon::journal::store::Store;
use crate::daemon::journal::{Checked, Drafts, Entry, Objects, Ref, Ring, destroy_all};
use crate::engine::model::Detail;
use crate::engine::release::Sha256;

const VERSION: u32 = 17;
/// Entries from which on another one is worth its while.
const OFTEN: u64 = 32;
/// Bytes of a checkpoint that one entry pays for.
const PAID: u64 = 64 << 10;

#[derive(Serialize, Deserialize)]
struct Checkpoint {
    seq: u64,
    head: Sha256,
    state: State,
    /// Of the columns in the terms, which do not keep them.
    details: Vec<Detail>,
}

/// The newest checkpoint of this log, and the entry that it stands behind.
///
/// # Errors
/// The store cannot be read.
pub fn newest(store: &dyn Store, ring: &Ring) -> Result<Option<(State, Checked)>> {
    for listed in store.list("checkpoint")?.into_iter().rev() {
        let Some(sealed) = store.read(&listed.path)? else { continue };
        let object = Ref { sha256: Sha256::of(&sealed), path: listed.path };
        let Ok(Some(opened)) = Objects::new(store, ring).read(&object) else { continue };
        let Ok(checkpoint) = parse::<Checkpoint>(VERSION, &opened) else { continue };
        let Some(entry) = store.read(&Entry::path(checkpoint.seq))? else { continue };
        let sha256 = Sha256::of(&entry);
        if let (true, Ok(entry)) = (sha256 == checkpoint.head, Entry::parse(&entry, ring)) {
            let Checkpoint { state, details, .. } = checkpoint;
            return Ok(Some((state.with_release().with_details(&details), Checked { entry, sha256 })));
        }
    }
    Ok(None)
}

impl Live {
    /// Writes a checkpoint, if one is due and nothing is half done. The place of its entry and its bytes.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn checkpoint(&mut self) -> Result<Option<(u64, u64)>> {
        let state = &self.state;
        let half = state.closing.is_some() || state.due.is_some() || state.publishing.is_some() || state.cleaning;
        let since = self.log.next().saturating_sub(self.last.entries);
        let Some(head) = self.log.head().filter(|_| !half && state.segments.is_empty()) else { return Ok(None) };
        if since < OFTEN.max(self.last.bytes / PAID) {
            return Ok(None);
        }
        let seq = self.log.next() - 1;
        let (empty, details) = (State::new(self.state.terms.clone()), self.state.terms.columns.details());
        let state = std::mem::replace(&mut self.state, empty);
        let checkpoint = Checkpoint { seq, head, state, details };
        let content = bytes(VERSION, &checkpoint);
        self.state = checkpoint.state;
        let before = self.log.store().list("checkpoint")?;
        let mut drafts = Drafts::default();
        let name = format!("{seq:020}");
        self.log.seal_as(&mut drafts, "checkpoint", &name, &content)?;
        drafts.put(self.log.store())?;
        destroy_all(self.log.store(), self.log.ring(), before.iter().map(|old| old.path.as_str()))?;
        self.last = Last { entries: self.log.next(), bytes: content.len() as u64 };
        Ok(Some((seq, content.len() as u64)))
    }
}
