//! The position of a receiver: the number of processed entries of the log, in the private root.
//! Advisory: a repeated notification has the same key.

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorCategory, Result};
use crate::journal::store::Store;
use crate::observe::events::Receiver;

#[derive(Serialize, Deserialize)]
struct NotifiedEntries {
    entries: u64,
}

fn path(receiver: Receiver) -> String {
    format!("told/{}.json", receiver.word())
}

/// The number of processed entries of a receiver, given the number of entries; a new receiver is
/// not notified of earlier entries.
///
/// # Errors
/// The private root cannot be read or written, or the stored position is invalid.
pub(super) fn begin(store: &dyn Store, receiver: Receiver, entries: u64) -> Result<u64> {
    let path = path(receiver);
    let Some(bytes) = store.read(&path)? else {
        put(store, receiver, entries)?;
        return Ok(entries);
    };
    match serde_json::from_slice::<NotifiedEntries>(&bytes) {
        // A private root that was restored from a backup may have fewer entries.
        Ok(content) => Ok(content.entries.min(entries)),
        Err(_) => {
            let text = "this file does not contain the progress of a receiver: remove it; notifications that are not \
                sent yet will then not be sent";
            Err(Error::new(ErrorCategory::Input, text).in_field(path))
        }
    }
}

/// Stores the number of processed entries of a receiver.
///
/// # Errors
/// The private root cannot be written.
pub(super) fn put(store: &dyn Store, receiver: Receiver, entries: u64) -> Result<()> {
    let content = serde_json::to_vec(&NotifiedEntries { entries }).expect("a number is JSON");
    store.replace(&path(receiver), &content)
}
