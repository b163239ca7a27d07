//! Reads the stored log to its end: from its beginning, or from the newest checkpoint. Changes
//! nothing, and takes no lock: a running writer continues.

use super::super::objects::reading::{ObjectSources, forgotten, moved};
use super::super::state::FeedState;
use super::checkpoint::newest;
use super::published_releases::read_releases;
use crate::error::Result;
use crate::journal::store::ReadStore;
use crate::journal::{
    CheckedEntry, EntryBody, KeyRing, ObjectReader, follow_each_other, newest as newest_entry, read,
};

/// The result of reading a stored log.
pub struct ReplayedLog {
    /// The state after the last entry; `None` before the first chain.
    pub state: Option<FeedState>,
    /// The last entry.
    pub last: Option<CheckedEntry>,
    /// The number of entries that were read.
    pub read: u64,
    /// The number of the entry after which the checkpoint was taken.
    pub checkpoint: Option<u64>,
}

/// Reads a log from its beginning to its end.
///
/// # Errors
/// It was changed, or something that is needed is missing.
pub fn past(
    private: &dyn ReadStore,
    public: &dyn ReadStore,
    ring: &KeyRing,
) -> Result<ReplayedLog> {
    steadily(private, || read_on(private, public, ring, None))
}

/// How often a log is read again if it is written meanwhile.
const AGAIN: u32 = 8;

/// Reads; if a running writer appends or removes objects meanwhile, reads again.
pub(in crate::feed_writer) fn steadily<T>(
    private: &dyn ReadStore,
    reads: impl Fn() -> Result<T>,
) -> Result<T> {
    for _ in 0..AGAIN {
        let before = newest_entry(private)?;
        match reads() {
            Err(_) if newest_entry(private)? != before => {}
            read => return read,
        }
    }
    reads()
}

/// The same for entries that were read already; if that fails, they are read again, since a running
/// writer may have continued.
///
/// # Errors
/// They were changed, or something that is needed is missing.
pub fn past_of(
    private: &dyn ReadStore,
    public: &dyn ReadStore,
    ring: &KeyRing,
    entries: &[CheckedEntry],
) -> Result<ReplayedLog> {
    let folded =
        follow_each_other(entries, ring).and_then(|()| fold(private, public, ring, None, entries));
    folded.or_else(|_| past(private, public, ring))
}

/// The state after the last of these entries of a whole log, as a start from the newest checkpoint
/// computes it. `None`: a start reads all of them.
///
/// # Errors
/// Something that is needed is missing.
pub fn from_checkpoint(
    private: &dyn ReadStore,
    public: &dyn ReadStore,
    ring: &KeyRing,
    entries: &[CheckedEntry],
) -> Result<Option<FeedState>> {
    let Some((state, behind)) = newest(private, ring)? else {
        return Ok(None);
    };
    let from = usize::try_from(behind.entry.seq).map_or(usize::MAX, |seq| seq + 1);
    match entries.get(from..) {
        Some(since) if !since.iter().any(erases) => {
            Ok(fold(private, public, ring, Some((state, behind)), since)?.state)
        }
        _ => Ok(None),
    }
}

/// Reads a log from its newest checkpoint to its end.
///
/// # Errors
/// It was changed, or something that is needed is missing.
pub fn past_quickly(
    private: &dyn ReadStore,
    public: &dyn ReadStore,
    ring: &KeyRing,
) -> Result<ReplayedLog> {
    steadily(private, || read_quickly(private, public, ring))
}

pub(in crate::feed_writer) fn read_quickly(
    private: &dyn ReadStore,
    public: &dyn ReadStore,
    ring: &KeyRing,
) -> Result<ReplayedLog> {
    read_on(private, public, ring, newest(private, ring)?)
}

fn read_on(
    private: &dyn ReadStore,
    public: &dyn ReadStore,
    ring: &KeyRing,
    known: Option<(FeedState, CheckedEntry)>,
) -> Result<ReplayedLog> {
    let behind = known.as_ref().map(|(_, behind)| behind);
    let from = behind.map_or(0, |behind| behind.entry.seq + 1);
    let entries = read(private, ring, from, behind)?;
    let known = known.filter(|_| !entries.iter().any(erases));
    if from > 0 && known.is_none() {
        return read_on(private, public, ring, None);
    }
    fold(private, public, ring, known, &entries)
}

/// Whether people were erased who are still in earlier states.
fn erases(entry: &CheckedEntry) -> bool {
    matches!(&entry.entry.body, EntryBody::Erase(erase) if !erase.leaves_state())
}

/// Applies the entries that follow to a state.
fn fold(
    private: &dyn ReadStore,
    public: &dyn ReadStore,
    ring: &KeyRing,
    known: Option<(FeedState, CheckedEntry)>,
    entries: &[CheckedEntry],
) -> Result<ReplayedLog> {
    let (mut state, behind) = known.unzip();
    let moved = moved(entries);
    let reading = ObjectSources {
        objects: ObjectReader::new(private, ring),
        moved: &moved,
        forgotten: forgotten(entries),
    };
    for entry in entries {
        if let (None, EntryBody::Chain(chain)) = (&state, &entry.entry.body) {
            state = Some(FeedState::begin(chain, &reading)?);
        }
        if let Some(state) = &mut state {
            state.apply(entry, &reading)?;
        }
    }
    if let Some(state) = &mut state {
        state.complete(&reading)?;
        read_releases(state, reading.objects, public)?;
    }
    let (read, checkpoint) = (
        entries.len() as u64,
        behind.as_ref().map(|behind| behind.entry.seq),
    );
    Ok(ReplayedLog {
        state,
        last: entries.last().cloned().or(behind),
        read,
        checkpoint,
    })
}
