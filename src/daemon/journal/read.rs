//! Reading the log (HOUSE 3, Start): forward to the first gap, each entry behind the one before. Whatever lies beyond the
//! gap says that entries are lost.

use super::entry::{Entry, NoEntry};
use super::ring::{KeyRing, changed_since};
use super::store::{ReadStore, log};
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::formats::Body;
use crate::engine::release::Sha256;

/// An entry that is where it belongs, and its digest.
#[derive(Debug, Clone)]
pub struct CheckedEntry {
    /// The entry.
    pub entry: Entry,
    /// The digest of its bytes.
    pub sha256: Sha256,
}

/// What is wrong with a log, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The path of the object.
    pub path: String,
    /// What it is.
    pub text: String,
}

impl From<Gap> for Error {
    fn from(gap: Gap) -> Error {
        Error::new(ErrorCategory::Input, gap.text).in_field(gap.path)
    }
}

/// Reads the entries from a place on, behind the entry with this digest, and gives each to `take`; ends at the first gap.
/// Returns the place of the gap.
///
/// # Errors
/// An entry is damaged, foreign or out of its place, something lies beyond the gap, or `take` refuses.
pub fn read(
    store: &dyn ReadStore,
    ring: &KeyRing,
    from: u64,
    behind: Option<CheckedEntry>,
    take: &mut dyn FnMut(&CheckedEntry) -> Result<()>,
) -> Result<u64> {
    let (mut seq, mut last) = (from, behind);
    loop {
        while let Some(bytes) = store.read(&Entry::path(seq))? {
            let entry = check(&bytes, seq, last.as_ref(), ring)?;
            // The operator's key was changed after we had looked which one holds.
            if matches!(entry.entry.body, Body::Rekey(_)) && entry.entry.epoch > ring.generation() {
                return Err(changed_since(store));
            }
            take(&entry)?;
            last = Some(entry);
            seq += 1;
        }
        // A writer at work may have appended since we looked.
        match beyond(store, seq)? {
            Some(_) if store.read(&Entry::path(seq))?.is_some() => {}
            Some(gap) => return Err(gap.into()),
            None => return Ok(seq),
        }
    }
}

/// An entry in its place.
///
/// # Errors
/// It is damaged, foreign, or not behind the one before.
pub fn check(
    bytes: &[u8],
    seq: u64,
    last: Option<&CheckedEntry>,
    ring: &KeyRing,
) -> std::result::Result<CheckedEntry, Gap> {
    let path = Entry::path(seq);
    let wrong = |text: String| Gap { path: path.clone(), text };
    let entry = Entry::parse(bytes, ring).map_err(|none| match none {
        NoEntry::Newer => wrong(none.to_string()),
        _ => wrong(format!("{none}: {RESTORE}")),
    })?;
    let follows = entry.seq == seq && entry.prev_sha256 == last.map(|last| last.sha256);
    let epoch = match (&entry.body, last) {
        (Body::Fence(_), last) => entry.epoch == last.map_or(1, |last| last.entry.epoch + 1),
        (_, Some(last)) => entry.epoch == last.entry.epoch && entry.writer == last.entry.writer,
        (_, None) => false,
    };
    if !follows || !epoch {
        return Err(wrong(format!("this entry does not follow the one before: {RESTORE}")));
    }
    Ok(CheckedEntry { sha256: Sha256::of(bytes), entry })
}

/// Whether entries lie beyond the place where the log ends.
fn beyond(store: &dyn ReadStore, end: u64) -> Result<Option<Gap>> {
    Ok(newest(store)?.filter(|&newest| newest >= end).map(|_| {
        let text = format!("entry {end} of the log is missing, and later ones are there: entries were lost: {RESTORE}");
        Gap { path: Entry::path(end), text }
    }))
}

/// The place of the newest entry that is there. It always has a place of its own, others may lie in packs.
///
/// # Errors
/// The store cannot be read.
pub fn newest(store: &dyn ReadStore) -> Result<Option<u64>> {
    Ok(store.list("log")?.iter().filter_map(|entry| log::place(&entry.path)).max())
}

const RESTORE: &str = "put the private root back from a backup that is newer, as a whole";
