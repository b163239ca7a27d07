//! Making sure of an object (HOUSE 3, Append): what a store leaves open is read back. The same bytes are ours, others are
//! another writer's, and what is not there is sent again as it was.

use super::{CreateOutcome, Store};
use crate::daemon::error::{Error, ErrorCategory, Result};

/// How often an object is sent before we give up.
const TRIES: usize = 8;

/// Whose bytes lie at a path after an object was put there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutOutcome {
    /// These bytes are there.
    Ours,
    /// Other bytes are.
    Theirs,
}

/// Puts an object and makes sure of it.
///
/// # Errors
/// The store cannot be written or read, or never says what it did.
pub fn put(store: &dyn Store, path: &str, bytes: &[u8]) -> Result<PutOutcome> {
    for _ in 0..TRIES {
        if store.create(path, bytes)? == CreateOutcome::Made {
            return Ok(PutOutcome::Ours);
        }
        match store.read(path)? {
            Some(there) if there == bytes => return Ok(PutOutcome::Ours),
            Some(_) => return Ok(PutOutcome::Theirs),
            None => {}
        }
    }
    let text = format!("the store at {} never says whether `{path}` was written: look at the store", store.place());
    Err(Error::new(ErrorCategory::Io, text))
}

/// Puts several objects whose names no other writer can have, and makes sure of all.
///
/// # Errors
/// As [`put`], or another object has one of the names.
pub fn put_all(store: &dyn Store, objects: &[(String, Vec<u8>)]) -> Result<()> {
    let created = store.create_all(objects)?;
    for ((path, bytes), created) in objects.iter().zip(created) {
        if created != CreateOutcome::Made && put(store, path, bytes)? == PutOutcome::Theirs {
            let text = format!("`{path}` at {} is there already with other content", store.place());
            return Err(Error::new(ErrorCategory::Io, text));
        }
    }
    Ok(())
}
