//! The slots of the log (HOUSE 3, Append): the place of an entry, and the error of a writer whose
//! next place is taken.

use super::store::{ReadStore, log};
use crate::error::{Error, ErrorCategory, OtherProcess, Result};

/// Checks that no writer has appended at this place, which is a writer's next one.
///
/// # Errors
/// Another writer has taken over, or the store cannot be read.
pub(super) fn free(store: &dyn ReadStore, next: u64) -> Result<()> {
    match store.read(&log::path(next))? {
        None => Ok(()),
        Some(_) => Err(fenced(store)),
    }
}

/// The error if another writer has taken over.
pub fn fenced(store: &dyn ReadStore) -> Error {
    let text = format!(
        "another tidegate has taken over this feed (its private root is {}), so this one ends. Run only one at a time",
        store.place()
    );
    Error::new(ErrorCategory::Io, text).because_of(OtherProcess::TookOver)
}
