//! Checkpoints (HOUSE 3): the state after an entry, sealed, so that a start need not read the whole
//! log. Each is disposable: one that is damaged, of another version or of another log is ignored,
//! and one with a person who was erased later is worthless. A large state is written in several
//! objects. The checkpoint itself names them and is written last: objects without one belong to a
//! writer that died, and are removed with the next checkpoint.

use serde::{Deserialize, Serialize};

use super::super::objects::pieces::ObjectPieces;
use super::super::state::FeedState;
use super::super::writer::LastCheckpoint;
use crate::engine::model::DetailSettings;
use crate::engine::release::Sha256;
use crate::error::Result;
use crate::formats::SealedFormat;
use crate::journal::store::{ListedObject, ReadStore};
use crate::journal::{CheckedEntry, Drafts, Entry, KeyRing, Log, ObjectReader, Ref, destroy_all};
use crate::wiped_bytes::WipedBytes;

const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// The number of entries from which on another checkpoint is worthwhile.
const OFTEN: u64 = 32;
/// The bytes of a checkpoint that are justified by one entry.
const PAID: u64 = 64 << 10;

#[derive(Serialize, Deserialize)]
struct Checkpoint {
    /// The version of the program. A state contains types of the engine, which may differ in
    /// another version.
    program: String,
    seq: u64,
    head: Sha256,
    /// The state, and the details of its columns, which the terms do not contain.
    objects: Vec<Ref>,
    rest: Vec<u8>,
}

/// The existing checkpoints, oldest first.
///
/// # Errors
/// The store cannot be read.
pub fn checkpoints(store: &dyn ReadStore, ring: &KeyRing) -> Result<Vec<ListedObject>> {
    Ok(ring
        .listed(store, "checkpoint")?
        .into_iter()
        .filter(|listed| !ObjectPieces::has(&listed.path))
        .collect())
}

/// The newest checkpoint of this log, and the entry after which it was taken.
///
/// # Errors
/// The store cannot be read.
pub(crate) fn newest(
    store: &dyn ReadStore,
    ring: &KeyRing,
) -> Result<Option<(FeedState, CheckedEntry)>> {
    let objects = ObjectReader::new(store, ring);
    for listed in checkpoints(store, ring)?.into_iter().rev() {
        let Ok(Some(opened)) = objects.read(&Ref { path: listed.path }) else {
            continue;
        };
        let Ok(checkpoint) = SealedFormat::Checkpoint.parse::<Checkpoint>(&opened) else {
            continue;
        };
        if checkpoint.program != PROGRAM {
            continue;
        }
        let Some(entry) = store.read(&Entry::path(checkpoint.seq))? else {
            continue;
        };
        let sha256 = Sha256::of(&entry);
        let (true, Ok(entry)) = (sha256 == checkpoint.head, Entry::parse(&entry, ring)) else {
            continue;
        };
        let pieces = ObjectPieces {
            objects: checkpoint.objects,
            rest: checkpoint.rest.into(),
        };
        let Some((state, details)) = pieces.read::<(FeedState, Vec<DetailSettings>)>(objects)
        else {
            continue;
        };
        return Ok(Some((
            state.with_release().with_details(&details),
            CheckedEntry { entry, sha256 },
        )));
    }
    Ok(None)
}

/// Writes a checkpoint, if one is due and nothing is half done. Returns the number of its entry
/// and its size in bytes.
pub(in crate::feed_writer) fn checkpoint(
    log: &mut Log,
    state: &FeedState,
    last: &mut LastCheckpoint,
) -> Result<Option<(u64, u64)>> {
    let half = state.closing.is_some()
        || state.due.is_some()
        || state.publishing.is_some()
        || state.cleaning;
    let since = log.next().saturating_sub(last.entries);
    let Some(head) = log.head().filter(|_| !half) else {
        return Ok(None);
    };
    if since < OFTEN.max(last.bytes / PAID) {
        return Ok(None);
    }
    let seq = log.next() - 1;
    let before = log.ring().listed(log.store(), "checkpoint")?;
    let (name, details) = (format!("{seq:020}"), state.terms.columns.details());
    let pieces = ObjectPieces::write(log, "checkpoint", &name, &(state, details))?;
    let whole = pieces.bytes();
    let ObjectPieces { objects, rest } = pieces;
    let content = Checkpoint {
        program: PROGRAM.to_owned(),
        seq,
        head,
        objects,
        rest: rest.into_bytes(),
    };
    let sealed = SealedFormat::Checkpoint.bytes(&content);
    drop(WipedBytes::from(content.rest));
    let mut drafts = Drafts::default();
    log.seal_as(&mut drafts, "checkpoint", &name, &sealed)?;
    drafts.put(log.store())?;
    destroy_all(
        log.store(),
        log.ring(),
        before.iter().map(|old| old.path.as_str()),
    )?;
    *last = LastCheckpoint {
        entries: log.next(),
        bytes: whole,
    };
    Ok(Some((seq, whole)))
}
