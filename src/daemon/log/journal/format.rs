//! `FORMAT`, the first object of a private root: its kind, its feed, and its version.

use serde::{Deserialize, Serialize};

use super::store::{PutOutcome, ReadStore, Store, put};
use crate::error::{Error, ErrorCategory, Result};

/// Its path.
const FORMAT: &str = "FORMAT";
/// The version that this program reads and writes.
const VERSION: u32 = 4;
/// The versions before, and which programs wrote them.
const EARLIER: [(u32, &str); 3] = [(1, "0.1 or 0.2"), (2, "0.2"), (3, "0.3")];

/// The content of `FORMAT`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootFormat {
    /// The version.
    pub tidegate: u32,
    /// The feed.
    pub feed: String,
}

impl RootFormat {
    /// The error for a root that belongs to another feed.
    pub fn is_of_another(&self, store: &dyn ReadStore) -> Error {
        let text = format!(
            "the private root {} belongs to the feed \"{}\": give each feed its own",
            store.place(),
            self.feed
        );
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
/// The root contains something else, or has a version that this program does not know.
pub fn begun(store: &dyn ReadStore) -> Result<Option<RootFormat>> {
    let Some(bytes) = store.read(FORMAT)? else {
        return Ok(None);
    };
    let other = |text: &str| Err(Error::new(ErrorCategory::Input, text).in_field(FORMAT));
    match serde_json::from_slice::<RootFormat>(&bytes) {
        Ok(format) if format.tidegate == VERSION && format.bytes() == bytes => Ok(Some(format)),
        Ok(format) if format.tidegate > VERSION => {
            other("this private root was written by a newer version of tidegate: use that version")
        }
        Ok(format)
            if let Some((_, by)) = EARLIER
                .iter()
                .find(|(version, _)| *version == format.tidegate) =>
        {
            other(&format!(
                "this private root was written by tidegate {by}: publish from it with that version, or begin a new feed"
            ))
        }
        _ => other(
            "this is not a private root of tidegate, or the file was changed: name the private root of this feed, or \
             restore the file from a backup",
        ),
    }
}

/// The error for a private root with keys and without `FORMAT`, which says to which feed they
/// belong.
pub(super) fn missing() -> Error {
    Error::new(
        ErrorCategory::Input,
        "this file is missing: restore it from a backup",
    )
    .in_field(FORMAT)
}

/// Begins a feed here.
///
/// # Errors
/// Another feed has begun here.
pub fn write(store: &dyn Store, feed: &str) -> Result<()> {
    let format = RootFormat {
        tidegate: VERSION,
        feed: feed.to_owned(),
    };
    match put(store, FORMAT, &format.bytes())? {
        PutOutcome::Ours => Ok(()),
        PutOutcome::Theirs => {
            let text = format!(
                "another feed uses the private root {}: give each feed its own",
                store.place()
            );
            Err(Error::new(ErrorCategory::Input, text))
        }
    }
}
