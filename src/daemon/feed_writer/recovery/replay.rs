//! The log as it lies there, read to its end: from its beginning, or from the newest checkpoint on. Changes nothing, and takes
//! no lock: a writer at work goes on.

use super::super::objects::reading::{ObjectSources, forgotten, moved};
use super::super::state::FeedState;
use super::checkpoint::newest;
use crate::daemon::error::Result;
use crate::daemon::journal::store::ReadStore;
use crate::daemon::journal::{Body, CheckedEntry, KeyRing, ObjectReader, newest as newest_entry, read};

/// The log as it lies there.
pub struct ReplayedLog {
    /// The state after the last entry; `None` before the first chain.
    pub state: Option<FeedState>,
    /// The last entry.
    pub last: Option<CheckedEntry>,
    /// Entries that were read.
    pub read: u64,
    /// The place of the entry that a checkpoint stood behind.
    pub checkpoint: Option<u64>,
}

/// Reads a log from its beginning to its end.
///
/// # Errors
/// It was changed, or something that is needed is missing.
pub fn past(private: &dyn ReadStore, public: &dyn ReadStore, ring: &KeyRing) -> Result<ReplayedLog> {
    steadily(private, || read_on(private, public, ring, None))
}

/// How often a log is read again that is written meanwhile.
const AGAIN: u32 = 8;

/// Reads; a writer at work may append and remove while we do, and then we look again.
pub(in crate::daemon::feed_writer) fn steadily<T>(private: &dyn ReadStore, reads: impl Fn() -> Result<T>) -> Result<T> {
    for _ in 0..AGAIN {
        let before = newest_entry(private)?;
        match reads() {
            Err(_) if newest_entry(private)? != before => {}
            read => return read,
        }
    }
    reads()
}

/// Reads a log from its newest checkpoint to its end.
///
/// # Errors
/// It was changed, or something that is needed is missing.
pub fn past_quickly(private: &dyn ReadStore, public: &dyn ReadStore, ring: &KeyRing) -> Result<ReplayedLog> {
    steadily(private, || read_quickly(private, public, ring))
}

pub(in crate::daemon::feed_writer) fn read_quickly(
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
    let (mut state, behind) = known.map_or((None, None), |(state, behind)| (Some(state), Some(behind)));
    let from = behind.as_ref().map_or(0, |behind| behind.entry.seq + 1);
    let mut entries: Vec<CheckedEntry> = Vec::new();
    read(private, ring, from, behind.clone(), &mut |entry| {
        entries.push(entry.clone());
        Ok(())
    })?;
    // Who was erased since is in it still.
    let erases = |entry: &CheckedEntry| matches!(&entry.entry.body, Body::Erase(erase) if !erase.leaves_state());
    if behind.is_some() && entries.iter().any(erases) {
        return read_on(private, public, ring, None);
    }
    let moved = moved(&entries);
    let reading =
        ObjectSources { objects: ObjectReader::new(private, ring), moved: &moved, forgotten: forgotten(&entries) };
    for entry in &entries {
        if let (None, Body::Chain(chain)) = (&state, &entry.entry.body) {
            state = Some(FeedState::begin(chain, &reading)?);
        }
        if let Some(state) = &mut state {
            state.apply(entry, &reading)?;
        }
    }
    if let Some(state) = &mut state {
        state.complete(&reading, private)?;
        state.remember(private, public)?;
    }
    let (read, entry) = (entries.len() as u64, behind.as_ref().map(|behind| behind.entry.seq));
    Ok(ReplayedLog { state, last: entries.pop().or(behind), read, checkpoint: entry })
}
