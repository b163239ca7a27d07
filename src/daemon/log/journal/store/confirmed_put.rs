//! Confirmed writes (HOUSE 3, Append): if the result of a write is unclear, the object is read
//! back. The same bytes are ours, others are another writer's, and a missing object is sent again.

use super::{CreateOutcome, Store};
use crate::error::{Error, ErrorCategory, Result};

/// The number of attempts.
const TRIES: usize = 8;

/// Whose bytes are at a path after a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutOutcome {
    /// The same bytes.
    Ours,
    /// Other bytes.
    Theirs,
}

/// Writes an object and confirms it.
///
/// # Errors
/// The store cannot be written or read, or every result is unclear.
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
    let text = format!(
        "the store at {} does not confirm whether `{path}` was written: check the store",
        store.place()
    );
    Err(Error::new(ErrorCategory::Io, text))
}

/// Writes several objects with names that no other writer can have, and confirms all.
///
/// # Errors
/// As [`put`], or another object has one of the names.
pub fn put_all(store: &dyn Store, objects: &[(String, Vec<u8>)]) -> Result<()> {
    let created = store.create_all(objects)?;
    for ((path, bytes), created) in objects.iter().zip(created) {
        if created != CreateOutcome::Made && put(store, path, bytes)? == PutOutcome::Theirs {
            let text = format!(
                "`{path}` at {} already exists with different content",
                store.place()
            );
            return Err(Error::new(ErrorCategory::Io, text));
        }
    }
    Ok(())
}
