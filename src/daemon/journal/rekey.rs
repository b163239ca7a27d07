//! The operator's key and its change (HOUSE 3): which key opens a private root, wrapping every key with another one
//! beside the old wrapping, and removing the old ones.
//!
//! A change is done when its `Rekey` entry is in the log, and not before: until then the old key opens everything and
//! the new one nothing; from then on it is the reverse, whatever wrappings still exist.

use std::cmp::Ordering;

use super::entry::Entry;
use super::log_reading::newest;
use super::ring::{KeyRing, WrappedKey, changed_since};
use super::store::{ReadStore, Store, put_all};
use crate::daemon::chance::Chance;
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::formats::EntryBody;
use crate::daemon::seal::OperatorKey;

/// The number of keys that are written together.
const AT_ONCE: usize = 256;

impl KeyRing {
    /// Unwraps the feed's key; `None` if no feed has begun.
    ///
    /// # Errors
    /// All keys are gone while there is a log, or the operator's key does not fit, or was replaced, or is the new key of a change that was not completed.
    pub fn open(store: &dyn ReadStore, key: &OperatorKey) -> Result<Option<KeyRing>> {
        let listed = store.list("keys")?;
        let own = |path: &str| WrappedKey::at(path).filter(|wrap| wrap.object.is_none()).map(|wrap| wrap.generation);
        let feeds: Vec<(&str, u64)> =
            listed.iter().rev().filter_map(|wrap| Some((wrap.path.as_str(), own(&wrap.path)?))).collect();
        let Some(&(newest, _)) = feeds.first() else {
            if store.list("log")?.is_empty() {
                return Ok(None);
            }
            // Another process may have begun the feed since: its keys are there before its log.
            let is_begun = store.list("keys")?.iter().any(|wrap| own(&wrap.path).is_some());
            return if is_begun { KeyRing::open(store, key) } else { Err(keys_missing()) };
        };
        for &(path, generation) in &feeds {
            let sealed = store.read(path)?.unwrap_or_default();
            let Some(ring) = KeyRing::unwrapped(key, &sealed, generation) else { continue };
            ring.holds(store, &feeds)?;
            return Ok(Some(ring));
        }
        let text = format!(
            "the key does not open the private root {}: name the key with which this feed began, or its newest one \
             after `tidegate rekey` (store.key, --key). If it is the right one, `{newest}` was changed: restore it \
             from a backup",
            store.place(),
        );
        Err(Error::new(ErrorCategory::Input, text))
    }

    /// Whether this generation is the valid one, if there is another one beside it.
    fn holds(&self, store: &dyn ReadStore, beside: &[(&str, u64)]) -> Result<()> {
        if beside.len() == 1 {
            return Ok(());
        }
        let made = beside.iter().map(|(_, generation)| *generation).filter(|generation| *generation > 0).min();
        match self.generation().cmp(&holding(store, self, made.unwrap_or(0))?) {
            Ordering::Equal => Ok(()),
            Ordering::Less => Err(changed_since(store)),
            Ordering::Greater => {
                let text = format!(
                    "a change to this operator's key was begun in the private root {} and not completed: the earlier \
                     key still applies, and nothing is lost. Name the earlier key (store.key, --key); `tidegate rekey` \
                     begins the change again",
                    store.place()
                );
                Err(Error::new(ErrorCategory::Input, text))
            }
        }
    }
}

/// The error for a log whose keys are gone: the first key of a feed is written before its first entry.
fn keys_missing() -> Error {
    let text = "the keys of this private root are missing: restore them from a backup of the whole root";
    Error::new(ErrorCategory::Input, text).in_field("keys")
}

/// The valid generation according to the newest entries of the log, those of this epoch and later; 0 if they contain no
/// change.
fn holding(store: &dyn ReadStore, ring: &KeyRing, from: u64) -> Result<u64> {
    for seq in (0..newest(store)?.map_or(0, |newest| newest + 1)).rev() {
        let path = Entry::path(seq);
        let Some(bytes) = store.read(&path)? else { continue };
        let entry = Entry::parse(&bytes, ring).map_err(|none| {
            let text = format!("{none}: restore the whole private root from a newer backup");
            Error::new(ErrorCategory::Input, text).in_field(path)
        })?;
        match entry.body {
            _ if entry.epoch < from => break,
            EntryBody::Rekey(_) => return Ok(entry.epoch),
            _ => {}
        }
    }
    Ok(0)
}

/// Wraps every key of a ring with another one, beside the existing wrappings; the feed's own comes last. Returns their number.
///
/// # Errors
/// A key was changed, or the store cannot be written.
pub fn rewrap(store: &dyn Store, from: &KeyRing, to: &KeyRing, chance: &mut dyn Chance) -> Result<u64> {
    let listed = store.list("keys")?;
    let of = |path: &str| {
        WrappedKey::at(path).filter(|wrap| wrap.generation == from.generation())?.object.map(str::to_owned)
    };
    let keys: Vec<(&str, String)> =
        listed.iter().filter_map(|wrap| Some((wrap.path.as_str(), of(&wrap.path)?))).collect();
    for some in keys.chunks(AT_ONCE) {
        let mut anew = Vec::with_capacity(some.len());
        for (path, object) in some {
            // An object that was erased meanwhile needs no key.
            let Some(sealed) = store.read(path)? else { continue };
            let key = from.unwrap(&sealed, path).ok_or_else(|| {
                let text = "this key of the private root was changed: restore it from a backup";
                Error::new(ErrorCategory::Input, text).in_field(*path)
            })?;
            let place = to.place_of(object);
            anew.push((place.clone(), to.wrap(&key, &place, chance)?));
        }
        put_all(store, &anew)?;
    }
    to.keep(store, chance)?;
    Ok(keys.len() as u64 + 1)
}

/// Removes every wrapped key of another generation: of one that is no longer valid, and of a change that was not completed.
/// Keys that writers after this epoch may have written are left alone. Returns their number.
///
/// # Errors
/// The store cannot be written.
pub fn remove_others(store: &dyn Store, ring: &KeyRing, epoch: u64) -> Result<u64> {
    let listed = store.list("keys")?;
    let wraps = listed.iter().filter_map(|wrap| Some((wrap.path.as_str(), WrappedKey::at(&wrap.path)?)));
    let other = |wrap: &WrappedKey<'_>| wrap.generation != ring.generation() && wrap.generation < epoch;
    let mut others: Vec<(&str, WrappedKey<'_>)> = wraps.filter(|(_, wrap)| other(wrap)).collect();
    // The feed's own key comes last, so that a command with that key gets the right error as long as any wrapping with
    // it exists.
    others.sort_by_key(|(_, wrap)| wrap.object.is_none());
    store.delete_all(&others.iter().map(|(path, _)| *path).collect::<Vec<_>>())?;
    Ok(others.len() as u64)
}
