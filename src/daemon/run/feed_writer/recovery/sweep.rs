//! Removes what no entry names (HOUSE 3): objects of lower epochs that were written and never
//! committed, raw rows whose period is over, and keys and objects under another key of the
//! operator. Objects of this epoch or a higher one are left alone: their writer may be about to
//! name them.

use std::collections::BTreeSet;

use super::super::state::FeedState;
use crate::error::Result;
use crate::journal::{FOLDERS, Log, WrappedKey, destroy_all, remove_others};

/// Removes what a crash has left behind; returns the number of objects.
pub(in crate::feed_writer) fn sweep(log: &Log, state: &FeedState) -> Result<u64> {
    let pending = state.publishing.iter().chain(&state.held);
    let staged = pending.flat_map(|pending| pending.approved.staged());
    let staged: BTreeSet<&str> = staged.map(|file| file.stage.as_str()).collect();
    let (store, epoch) = (log.store(), log.writer().epoch);
    let mut gone = Vec::new();
    for folder in FOLDERS {
        for object in log.ring().listed(store, folder)? {
            let named = state.live.contains(&object.path) || staged.contains(object.path.as_str());
            if !named && epoch_of(&object.path).is_some_and(|of| of < epoch) {
                gone.push(object.path);
            }
        }
    }
    destroy_all(store, log.ring(), gone.iter().map(String::as_str))?;
    let mut gone = gone.len() as u64;
    let checkpoints = log.ring().listed(store, "checkpoint")?;
    let checkpoints: BTreeSet<String> = checkpoints.into_iter().map(|object| object.path).collect();
    gone += remove_others(store, log.ring(), epoch)?;
    let mut orphans = Vec::new();
    for key in store.list("keys")? {
        let named = |folder: &str, of: &str| {
            let path = format!("{folder}/{of}");
            state.live.contains(&path) || staged.contains(path.as_str())
        };
        let orphan = |of: &str| {
            !checkpoints.contains(&format!("checkpoint/{of}"))
                && !FOLDERS.iter().any(|folder| named(folder, of))
        };
        let wrap =
            WrappedKey::at(&key.path).filter(|wrap| wrap.generation == log.ring().generation());
        let lower = epoch_of(&key.path).is_some_and(|of| of < epoch && of > 0);
        if lower && wrap.and_then(|wrap| wrap.object).is_some_and(orphan) {
            orphans.push(key.path);
        }
    }
    store.delete_all(&orphans.iter().map(String::as_str).collect::<Vec<_>>())?;
    Ok(gone + orphans.len() as u64)
}

/// The epoch in the path of an object.
fn epoch_of(path: &str) -> Option<u64> {
    path.split('/').nth(1)?.parse().ok()
}
