//! Where objects lie (HOUSE 3): a folder, a bucket, or memory, one by one or in packs. One seam, one conformance suite (`tests/journal`).
//!
//! Knows nothing of what is in an object, and never changes one that is there.

mod advisory_object;
mod bucket;
mod confirmed_put;
mod local;
pub mod log;
mod memory;
mod packs;
mod read_only;
mod store_opening;

pub use advisory_object::{put_beside, read_beside};
pub use bucket::{Bucket, BucketTimeouts, Variables};
pub use confirmed_put::{PutOutcome, put, put_all};
pub use local::{Local, Lock};
pub use memory::Memory;
pub use packs::Packs;
pub use read_only::ReadOnlyFolder;
pub use store_opening::open;

use std::ops::Range;
use std::sync::Arc;

use crate::daemon::error::{Error, ErrorCategory, Result};

/// What came of putting an object where none was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreateOutcome {
    /// It is there, and lasts.
    Made,
    /// Something of this name is there, or the store says so.
    Exists,
    /// The store did not say: it may be there, it may come to be there later, or never.
    Unknown,
}

/// An object in a listing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedObject {
    /// Its path.
    pub path: String,
    /// Its bytes.
    pub size: u64,
}

/// A place to read objects from. Paths are relative, of letters, digits, `.`, `_`, `-` and `/`, and no part of one begins with a
/// dot.
pub trait ReadStore: Send + Sync {
    /// Where it is, for people; holds no secret.
    fn place(&self) -> String;

    /// The bytes of an object; `None` when there is none.
    ///
    /// # Errors
    /// The store cannot be read.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>>;

    /// All objects whose path is `prefix` or lies below it, in the order of their paths; `""` lists all.
    ///
    /// # Errors
    /// The store cannot be read.
    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>>;

    /// Some of the bytes of an object, as far as there are any; `None` when there is no object.
    ///
    /// # Errors
    /// As [`ReadStore::read`].
    fn read_part(&self, path: &str, part: Range<u64>) -> Result<Option<Vec<u8>>> {
        let within = |bytes: Vec<u8>| {
            let [from, to] =
                [part.start, part.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len()));
            bytes[from..to.max(from)].to_vec()
        };
        Ok(self.read(path)?.map(within))
    }

    /// The same store, without anything of it that is kept in memory to read it faster: what lies there now is read. `None` where nothing
    /// is kept.
    ///
    /// # Errors
    /// The store cannot be read.
    fn afresh(&self) -> Result<Option<Arc<dyn ReadStore>>> {
        Ok(None)
    }

    /// What lies in a place of its own and says something else there than in its pack: the paths, and what it says there.
    ///
    /// # Errors
    /// The store cannot be read.
    fn differing(&self) -> Result<Vec<(String, Vec<u8>)>> {
        Ok(Vec::new())
    }
}

/// A place to write objects to.
pub trait Store: ReadStore {
    /// Puts an object where none is. An object is there as a whole or not at all, whatever happens meanwhile, and lasts
    /// from the moment that this returns [`CreateOutcome::Made`].
    ///
    /// # Errors
    /// The store cannot be written; on a local disk nothing is known of what lasts from then on, and the caller stops.
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome>;

    /// Removes an object, if it is there.
    ///
    /// # Errors
    /// The store cannot be written.
    fn delete(&self, path: &str) -> Result<()>;

    /// Puts an object whether one is there or not; readers see the old one or the new one. For what is advisory only.
    ///
    /// # Errors
    /// The store cannot be written.
    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()>;

    /// Puts several objects, as [`Store::create`] does, in any order and with as few waits for the disk as it takes.
    ///
    /// # Errors
    /// As [`Store::create`]; then any of them may be there.
    fn create_all(&self, objects: &[(String, Vec<u8>)]) -> Result<Vec<CreateOutcome>> {
        objects.iter().map(|(path, bytes)| self.create(path, bytes)).collect()
    }

    /// Removes several objects; whatever is not there is fine.
    ///
    /// # Errors
    /// The store cannot be written.
    fn delete_all(&self, paths: &[&str]) -> Result<()> {
        paths.iter().try_for_each(|path| self.delete(path))
    }

    /// The writer of this epoch begins, and its fence lasts: what a writer before it has left half done of packing is finished. Of
    /// entries those that must keep their places are told by their bytes.
    ///
    /// # Errors
    /// The store cannot be read or written.
    fn settle(&self, _epoch: u64, _stays: &dyn Fn(&[u8]) -> bool) -> Result<()> {
        Ok(())
    }

    /// Puts these objects together, where objects of a group can lie together, and unless there are too few of them. How many.
    ///
    /// # Errors
    /// The store cannot be read or written.
    fn pack(&self, _group: &str, _paths: &[&str], _few: usize) -> Result<u64> {
        Ok(0)
    }

    /// Puts entries of the log together, all before the newest one; `next` is the place of the next. How many.
    ///
    /// # Errors
    /// As [`Store::pack`].
    fn pack_entries(&self, _next: u64, _few: usize, _stays: &dyn Fn(&[u8]) -> bool) -> Result<u64> {
        Ok(0)
    }
}

/// Refuses what is no path of an object, so that none leads out of a store.
fn fitting(path: &str) -> Result<()> {
    // It is asked of each object of each list.
    let mut before = b'/';
    let mut fits = true;
    for &byte in path.as_bytes() {
        fits &= match byte {
            b'/' | b'.' => before != b'/',
            b'_' | b'-' => true,
            byte => byte.is_ascii_alphanumeric(),
        };
        before = byte;
    }
    if fits && before != b'/' {
        return Ok(());
    }
    Err(Error::new(ErrorCategory::Internal, format!("{path:?} is no path of an object")))
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn paths_of_objects_lead_nowhere_else() {
        for path in ["a", "log/0/00000000000000000001.json", "data/part-1_a.parquet", "_delta_log/1.json", "a.b./-"] {
            assert!(fitting(path).is_ok(), "{path}");
        }
        for path in ["", "/", "/a", "a/", "a//b", ".", "..", ".a", "a/.b", "a/../b", "a b", "a\\b", "a\0", "ä", "a:b"]
        {
            assert!(fitting(path).is_err(), "{path}");
        }
    }
}
