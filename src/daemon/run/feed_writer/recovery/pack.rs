//! Keeps the number of files small, however many entries and objects there are (HOUSE 3, Packs).

use std::collections::BTreeSet;

use super::super::state::FeedState;
use super::super::writer::FeedSettings;
use crate::error::Result;
use crate::journal::{Lifetime, Log};

/// The number of entries or objects from which on a running feed packs them.
pub const FEW: usize = 32;
/// The most packs that are written at once: a root of an earlier version has many files.
const AT_ONCE: usize = 8;
/// Folders with objects that each tick keeps for ever, except ledgers, which are beside counts.
const KEPT: [&str; 3] = ["mask", "members", "verdict"];

/// Packs single entries and objects, if there are enough of them; returns how many.
pub(in crate::feed_writer) fn pack(
    log: &mut Log,
    state: &FeedState,
    settings: &FeedSettings,
    packed: &mut u64,
) -> Result<u64> {
    let done = pack_loose(log, state, settings, packed);
    if done.is_err() {
        // A missing object may be one that another writer, which has taken over, does not need
        // any more.
        log.ours()?;
    }
    done
}

fn pack_loose(
    log: &mut Log,
    state: &FeedState,
    settings: &FeedSettings,
    packed: &mut u64,
) -> Result<u64> {
    let few = settings.few;
    let mut done = 0;
    for _ in 0..AT_ONCE {
        let mut some = log.pack_entries(few)?;
        some += log.pack(Lifetime::Kept, &kept(state), few)?;
        some += log.pack(Lifetime::Passing, &passing(state), few)?;
        done += some;
        if some == 0 {
            break;
        }
    }
    *packed = log.next();
    Ok(done)
}

/// Objects that are kept for ever.
fn kept(state: &FeedState) -> Vec<&str> {
    let raw: BTreeSet<&str> = state
        .raw
        .iter()
        .map(|raw| raw.object.path.as_str())
        .collect();
    let named = state
        .live
        .iter()
        .map(String::as_str)
        .filter(|path| !raw.contains(path));
    named
        .filter(|path| {
            path.split_once('/')
                .is_some_and(|(folder, _)| KEPT.contains(&folder))
        })
        .collect()
}

/// Objects that are deleted after a period, and rows that came since the last tick.
fn passing(state: &FeedState) -> Vec<&str> {
    let raw = state
        .spent()
        .map(|raw| &raw.object)
        .chain(state.segments.iter().map(|segment| &segment.object));
    raw.chain(state.quarantine.iter().map(|aside| &aside.object))
        .map(|object| object.path.as_str())
        .collect()
}
