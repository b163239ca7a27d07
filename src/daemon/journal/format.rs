//! `FORMAT`, the first object of a private root: what lies here, whose it is, and in which form.

use serde::{Deserialize, Serialize};

use super::store::{PutOutcome, ReadStore, Store, put};
use crate::daemon::error::{Error, ErrorCategory, Result};

/// The path of it.
const FORMAT: &str = "FORMAT";
/// The form of a root that begins.
const FIRST: u32 = 1;
/// The newest form that this program knows: objects may lie in packs.
const PACKS: u32 = 2;

/// What lies in a private root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootFormat {
    /// The version of the form.
    pub tidegate: u32,
    /// The feed.
    pub feed: String,
}

impl RootFormat {
    /// What to say where the root is said to be another feed's.
    pub fn is_of_another(&self, store: &dyn ReadStore) -> Error {
        let text =
            format!("the private root {} belongs to the feed \"{}\": each feed has its own", store.place(), self.feed);
        Error::new(ErrorCategory::Input, text)
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).expect("a format is JSON");
        bytes.push(b'\n');
        bytes
    }
}

/// Whether a feed has begun here, and which.
///
/// # Errors
/// The root holds something else, or a form that this program does not know.
pub fn begun(store: &dyn ReadStore) -> Result<Option<RootFormat>> {
    let Some(bytes) = store.read(FORMAT)? else { return Ok(None) };
    let other = |text: &str| Err(Error::new(ErrorCategory::Input, text).in_field(FORMAT));
    match serde_json::from_slice::<RootFormat>(&bytes) {
        Ok(format) if (FIRST..=PACKS).contains(&format.tidegate) && format.bytes() == bytes => Ok(Some(format)),
        Ok(format) if format.tidegate > PACKS => {
            other("this private root was written by a newer version of tidegate: use that one")
        }
        _ => other(
            "this is no private root of tidegate, or the file was changed: name the private root of this feed, or put the \
             file back from a backup",
        ),
    }
}

/// Begins a feed here.
///
/// # Errors
/// Another feed has begun here.
pub fn write(store: &dyn Store, feed: &str) -> Result<()> {
    let format = RootFormat { tidegate: FIRST, feed: feed.to_owned() };
    match put(store, FORMAT, &format.bytes())? {
        PutOutcome::Ours => Ok(()),
        PutOutcome::Theirs => {
            let text = format!("another feed has begun in the private root {}: each feed has its own", store.place());
            Err(Error::new(ErrorCategory::Input, text))
        }
    }
}

/// From now on objects may lie in packs here, and versions of this program that know of none refuse the root.
///
/// # Errors
/// The store cannot be read or written.
pub fn raise(store: &dyn Store) -> Result<()> {
    match begun(store)? {
        Some(format) if format.tidegate < PACKS => {
            store.replace(FORMAT, &RootFormat { tidegate: PACKS, ..format }.bytes())
        }
        _ => Ok(()),
    }
}
