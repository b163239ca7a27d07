//! Reading the log (HOUSE 3, Start): forward to the first gap, each entry after the previous one.
//! Entries after the gap mean that entries are lost.

use super::entry::{Entry, NoEntry};
use super::ring::{KeyRing, changed_since};
use super::store::{ReadStore, log};
use crate::engine::release::Sha256;
use crate::error::{Error, ErrorCategory, Result};
use crate::formats::EntryBody;

/// A valid entry in its place, and its digest.
#[derive(Debug, Clone)]
pub struct CheckedEntry {
    /// The entry.
    pub entry: Entry,
    /// The digest of its bytes.
    pub sha256: Sha256,
}

/// A fault of a log, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The path of the object.
    pub path: String,
    /// The fault.
    pub text: String,
}

impl From<Gap> for Error {
    fn from(gap: Gap) -> Error {
        Error::new(ErrorCategory::Input, gap.text).in_field(gap.path)
    }
}

/// Reads the entries after a given one; ends at the first gap.
///
/// # Errors
/// An entry is damaged, foreign or in the wrong place, or there are entries after the gap.
pub fn read(
    store: &dyn ReadStore,
    ring: &KeyRing,
    from: u64,
    behind: Option<&CheckedEntry>,
) -> Result<Vec<CheckedEntry>> {
    let (mut seq, mut entries) = (from, Vec::<CheckedEntry>::new());
    loop {
        while let Some(bytes) = store.read(&Entry::path(seq))? {
            let entry = parse(&bytes, seq, (store, ring))?;
            in_place(&entry, seq, entries.last().or(behind), ring)?;
            entries.push(entry);
            seq += 1;
        }
        // A running writer may have appended since the last read.
        match beyond(store, seq, ring)? {
            Some(_) if store.read(&Entry::path(seq))?.is_some() => {}
            Some(gap) => return Err(gap.into()),
            None => return Ok(entries),
        }
    }
}

/// Checks that these are the entries of a log from its beginning, each after the previous one.
///
/// # Errors
/// One is in the wrong place.
pub fn follow_each_other(entries: &[CheckedEntry], ring: &KeyRing) -> Result<()> {
    let before = [None].into_iter().chain(entries.iter().map(Some));
    entries
        .iter()
        .zip(before)
        .zip(0..)
        .try_for_each(|((entry, last), seq)| in_place(entry, seq, last, ring))
}

fn parse(
    bytes: &[u8],
    seq: u64,
    (store, ring): (&dyn ReadStore, &KeyRing),
) -> Result<CheckedEntry> {
    match Entry::parse(bytes, ring) {
        Ok(entry) => Ok(CheckedEntry {
            sha256: Sha256::of(bytes),
            entry,
        }),
        // The operator's key was changed after we had determined which one is valid.
        Err(_) if changes_key(bytes, ring) => Err(changed_since(store)),
        Err(none @ NoEntry::Newer) => Err(wrong(seq, none.to_string()).into()),
        Err(none) => Err(wrong(seq, format!("{none}: {RESTORE}")).into()),
    }
}

/// Whether these bytes are the entry with which a later generation of keys begins, as far as an
/// earlier one can see.
fn changes_key(bytes: &[u8], ring: &KeyRing) -> bool {
    let entry = Entry::unproven(bytes).ok();
    entry.is_some_and(|entry| {
        matches!(entry.body, EntryBody::Rekey(_)) && entry.epoch > ring.generation()
    })
}

/// Checks that an entry follows this one.
fn in_place(
    CheckedEntry { entry, sha256 }: &CheckedEntry,
    seq: u64,
    last: Option<&CheckedEntry>,
    ring: &KeyRing,
) -> Result<()> {
    let follows = entry.seq == seq
        && entry.prev_sha256 == last.map(|last| last.sha256)
        && ring.fits(seq, *sha256);
    let epoch = match (&entry.body, last) {
        (EntryBody::Fence(_), last) => entry.epoch == last.map_or(1, |last| last.entry.epoch + 1),
        (_, Some(last)) => entry.epoch == last.entry.epoch && entry.writer == last.entry.writer,
        (_, None) => false,
    };
    if !follows || !epoch {
        return Err(wrong(
            seq,
            format!("this entry does not follow the one before: {RESTORE}"),
        )
        .into());
    }
    Ok(())
}

fn wrong(seq: u64, text: String) -> Gap {
    Gap {
        path: Entry::path(seq),
        text,
    }
}

/// Whether there are entries after the end of the log, or were when the keys were changed.
fn beyond(store: &dyn ReadStore, end: u64, ring: &KeyRing) -> Result<Option<Gap>> {
    let known = newest(store)?.max(ring.proved().map(|proved| proved.seq));
    Ok(known.filter(|&known| known >= end).map(|_| {
        wrong(end, format!("entry {end} of the log is missing, but later ones exist, so entries were lost: {RESTORE}"))
    }))
}

/// The number of the newest entry. It always has an object of its own, others may be in packs.
///
/// # Errors
/// The store cannot be read.
pub fn newest(store: &dyn ReadStore) -> Result<Option<u64>> {
    Ok(store
        .list("log")?
        .iter()
        .filter_map(|entry| log::place(&entry.path))
        .max())
}

const RESTORE: &str = "restore the whole private root from a newer backup";
