//! The operator's key and its change (HOUSE 3): which key opens a private root, sealing every
//! object under keys of another generation beside the old ones, and removing those.
//!
//! A change is done when its `Rekey` entry is in the log, and not before: until then the old key
//! opens everything and the new one nothing; from then on it is the reverse, whatever wrapped keys
//! and objects still exist.

use std::cmp::Ordering;

use super::entry::Entry;
use super::format;
use super::log_reading::newest;
use super::objects::{Drafts, FOLDERS, ObjectReader};
use super::ring::{KeyRing, WrappedKey, changed_since, split_generation};
use super::slot;
use super::store::{ReadStore, Store};
use crate::chance::Chance;
use crate::error::{Error, ErrorCategory, Result};
use crate::formats::{EntryBody, Ref};
use crate::seal::OperatorKey;

/// The number of objects, and of their bytes, that are written together.
const AT_ONCE: (usize, usize) = (256, 16 << 20);

impl KeyRing {
    /// Unwraps the feed's keys; `None` if no feed has begun.
    ///
    /// # Errors
    /// All keys are gone while there is a log, or the operator's key does not fit, or was replaced,
    /// or is the new key of a change that was not completed.
    pub fn open(store: &dyn ReadStore, key: &OperatorKey) -> Result<Option<KeyRing>> {
        let format = format::begun(store)?;
        let listed = store.list("keys")?;
        let own = |path: &str| {
            WrappedKey::at(path)
                .filter(|wrap| wrap.object.is_none())
                .map(|wrap| wrap.generation)
        };
        let feeds: Vec<(&str, u64)> = listed
            .iter()
            .rev()
            .filter_map(|wrap| Some((wrap.path.as_str(), own(&wrap.path)?)))
            .collect();
        let Some(&(newest, _)) = feeds.first() else {
            if store.list("log")?.is_empty() {
                return Ok(None);
            }
            // Another process has begun the feed since the first look: its keys are there before
            // its log.
            let is_begun = store
                .list("keys")?
                .iter()
                .any(|wrap| own(&wrap.path).is_some());
            return if is_begun {
                Err(slot::fenced(store))
            } else {
                Err(keys_missing())
            };
        };
        let format = format.ok_or_else(format::missing)?;
        for &(path, generation) in &feeds {
            let sealed = store.read(path)?.unwrap_or_default();
            let Some(ring) = KeyRing::unwrapped(key, &format.feed, &sealed, generation) else {
                continue;
            };
            ring.holds(store, &feeds)?;
            return Ok(Some(ring));
        }
        let text = format!(
            "the key does not open the private root {}: name the key with which this feed began, or its newest one \
             after `tidegate rekey` (store.key, --key). If it is the right one, `{newest}` or `FORMAT` was changed, or \
             belongs to another feed: restore it from a backup",
            store.place(),
        );
        Err(Error::new(ErrorCategory::Input, text))
    }

    /// Whether this generation is the valid one, if there is another one beside it.
    fn holds(&self, store: &dyn ReadStore, beside: &[(&str, u64)]) -> Result<()> {
        if beside.len() == 1 {
            return Ok(());
        }
        let made = beside
            .iter()
            .map(|(_, generation)| *generation)
            .filter(|generation| *generation > 0)
            .min();
        match self.generation().cmp(&holding(store, made.unwrap_or(0))?) {
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

/// The error for a log whose keys are gone: the first key of a feed is written before its first
/// entry.
fn keys_missing() -> Error {
    let text =
        "the keys of this private root are missing: restore them from a backup of the whole root";
    Error::new(ErrorCategory::Input, text).in_field("keys")
}

/// The valid generation according to the newest entries of the log, those of this epoch and later;
/// 0 if they contain no change. Their codes are not checked: only the key of a generation can check
/// what it has written, and each reader of the log who has these keys checks it.
fn holding(store: &dyn ReadStore, from: u64) -> Result<u64> {
    for seq in (0..newest(store)?.map_or(0, |newest| newest + 1)).rev() {
        let path = Entry::path(seq);
        let Some(bytes) = store.read(&path)? else {
            continue;
        };
        let entry = Entry::unproven(&bytes).map_err(|none| {
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

/// Seals every object of a ring under another one, with a key of its own, beside the existing
/// object; the feed's own keys come last. Checkpoints are left out: a start can do without. Returns
/// the number of objects.
///
/// # Errors
/// An object or its key was changed, or the store cannot be written.
pub(super) fn reseal(
    store: &dyn Store,
    from: &KeyRing,
    to: &KeyRing,
    chance: &mut dyn Chance,
) -> Result<u64> {
    let (objects, mut count) = (ObjectReader::new(store, from), 0);
    let (mut drafts, mut drafted) = (Drafts::default(), (0, 0));
    for folder in FOLDERS {
        for listed in from.listed(store, folder)? {
            let object = Ref { path: listed.path };
            // An object that is being forgotten has no key any more, and needs none.
            let Some(sealed) = objects.sealed(&object)? else {
                continue;
            };
            let content = objects.opened(&sealed)?;
            drafts.seal_as(&object.path, &content, to, chance)?;
            count += 1;
            drafted = (drafted.0 + 1, drafted.1 + content.len());
            if drafted.0 >= AT_ONCE.0 || drafted.1 >= AT_ONCE.1 {
                std::mem::take(&mut drafts).put(store)?;
                drafted = (0, 0);
            }
        }
    }
    drafts.put(store)?;
    to.keep(store, chance)?;
    Ok(count)
}

/// Removes every object and every wrapped key of another generation: of one that is no longer
/// valid, and of a change that was not completed. What writers after this epoch may have written is
/// left alone. Returns the number of keys.
///
/// # Errors
/// The store cannot be written.
pub fn remove_others(store: &dyn Store, ring: &KeyRing, epoch: u64) -> Result<u64> {
    let is_other = |generation: u64| generation != ring.generation() && generation < epoch;
    let listed = store.list("keys")?;
    let (mut feeds, mut keys) = (Vec::new(), Vec::new());
    for wrap in &listed {
        let Some(key) = WrappedKey::at(&wrap.path).filter(|key| is_other(key.generation)) else {
            continue;
        };
        let others = if key.object.is_none() {
            &mut feeds
        } else {
            &mut keys
        };
        others.push(wrap.path.as_str());
    }
    store.delete_all(&keys)?;
    let mut objects = Vec::new();
    for folder in FOLDERS.into_iter().chain(["checkpoint"]) {
        let listed = store.list(folder)?.into_iter().map(|object| object.path);
        objects.extend(listed.filter(|path| is_other(split_generation(path).1)));
    }
    store.delete_all(&objects.iter().map(String::as_str).collect::<Vec<_>>())?;
    // The feed's own keys come last, so that a command with that key gets the right error, and the
    // next start finds what is left, as long as anything of that generation exists.
    store.delete_all(&feeds)?;
    Ok((feeds.len() + keys.len()) as u64)
}
