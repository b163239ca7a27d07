//! Reading the log (HOUSE 3, Start): forward to the first gap, each entry behind the one before. Whatever lies beyond the
//! gap says that entries are lost.

use super::entry::{Entry, NoEntry};
use super::ring::{KeyRing, changed_since};
use super::store::{ReadStore, log};
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::formats::EntryBody;
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

/// Reads the entries from a place on, behind that one; ends at the first gap.
///
/// # Errors
/// An entry is damaged, foreign or out of its place, or something lies beyond the gap.
pub fn read(
    store: &dyn ReadStore,
    ring: &KeyRing,
    from: u64,
    behind: Option<&CheckedEntry>,
) -> Result<Vec<CheckedEntry>> {
    let (mut seq, mut entries) = (from, Vec::<CheckedEntry>::new());
    loop {
        while let Some(bytes) = store.read(&Entry::path(seq))? {
            let entry = parse(&bytes, seq, ring)?;
            in_place(&entry, seq, entries.last().or(behind), (store, ring))?;
            entries.push(entry);
            seq += 1;
        }
        // A writer at work may have appended since we looked.
        match beyond(store, seq)? {
            Some(_) if store.read(&Entry::path(seq))?.is_some() => {}
            Some(gap) => return Err(gap.into()),
            None => return Ok(entries),
        }
    }
}

/// Whether these are the entries of a log from its beginning on, each behind the one before.
///
/// # Errors
/// One is out of its place.
pub fn follow_each_other(entries: &[CheckedEntry], store: &dyn ReadStore, ring: &KeyRing) -> Result<()> {
    let before = [None].into_iter().chain(entries.iter().map(Some));
    entries.iter().zip(before).zip(0..).try_for_each(|((entry, last), seq)| in_place(entry, seq, last, (store, ring)))
}

fn parse(bytes: &[u8], seq: u64, ring: &KeyRing) -> std::result::Result<CheckedEntry, Gap> {
    let entry = Entry::parse(bytes, ring).map_err(|none| match none {
        NoEntry::Newer => wrong(seq, none.to_string()),
        _ => wrong(seq, format!("{none}: {RESTORE}")),
    })?;
    Ok(CheckedEntry { sha256: Sha256::of(bytes), entry })
}

/// An entry is in its place: behind this one, and under a key that holds.
fn in_place(
    CheckedEntry { entry, .. }: &CheckedEntry,
    seq: u64,
    last: Option<&CheckedEntry>,
    (store, ring): (&dyn ReadStore, &KeyRing),
) -> Result<()> {
    let follows = entry.seq == seq && entry.prev_sha256 == last.map(|last| last.sha256);
    let epoch = match (&entry.body, last) {
        (EntryBody::Fence(_), last) => entry.epoch == last.map_or(1, |last| last.entry.epoch + 1),
        (_, Some(last)) => entry.epoch == last.entry.epoch && entry.writer == last.entry.writer,
        (_, None) => false,
    };
    if !follows || !epoch {
        return Err(wrong(seq, format!("this entry does not follow the one before: {RESTORE}")).into());
    }
    // The operator's key was changed after we had looked which one holds.
    match entry.body {
        EntryBody::Rekey(_) if entry.epoch > ring.generation() => Err(changed_since(store)),
        _ => Ok(()),
    }
}

fn wrong(seq: u64, text: String) -> Gap {
    Gap { path: Entry::path(seq), text }
}

/// Whether entries lie beyond the place where the log ends.
fn beyond(store: &dyn ReadStore, end: u64) -> Result<Option<Gap>> {
    Ok(newest(store)?.filter(|&newest| newest >= end).map(|_| {
        wrong(end, format!("entry {end} of the log is missing, and later ones are there: entries were lost: {RESTORE}"))
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
