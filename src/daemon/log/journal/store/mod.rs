//! Stores of objects (HOUSE 3): a folder, a bucket, or memory, with single objects or packs. One
//! interface, one conformance suite (`tests/journal`).
//!
//! Knows nothing about the content of an object, and never changes an existing one.

mod advisory_object;
mod bucket;
mod confirmed_put;
mod folder;
mod local;
pub mod log;
mod memory;
mod packs;
mod read_only;
mod regular_files;
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

use crate::engine::release::is_below_root;
use crate::error::{Error, ErrorCategory, Result};

/// The result of creating an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreateOutcome {
    /// It was created and is durable.
    Made,
    /// An object with this name exists, or the store says so.
    Exists,
    /// The store did not say: it may exist, may appear later, or never.
    Unknown,
}

/// An object in a listing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedObject {
    /// Its path.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
}

/// Something in a store that is no object, and that no command opens.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ForeignEntry {
    /// Its path.
    pub path: String,
    /// What it is, as a noun with its article.
    pub kind: &'static str,
}

/// A store for reading. Paths are relative and consist of letters, digits, `.`, `_`, `-` and `/`,
/// and no part of one begins with a dot.
pub trait ReadStore: Send + Sync {
    /// The place of the store, for people; contains no secret.
    fn place(&self) -> String;

    /// The bytes of an object; `None` if it does not exist.
    ///
    /// # Errors
    /// The store cannot be read.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>>;

    /// All objects whose path is `prefix` or is below it, in the order of their paths; `""` lists
    /// all.
    ///
    /// # Errors
    /// The store cannot be read.
    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>>;

    /// Everything that is no object: links, pipes, devices, and names that no object has, such as
    /// hidden ones. A bucket has none.
    ///
    /// # Errors
    /// The store cannot be read.
    fn foreign(&self) -> Result<Vec<ForeignEntry>> {
        Ok(Vec::new())
    }

    /// The existing bytes in a range of an object; `None` if it does not exist.
    ///
    /// # Errors
    /// As [`ReadStore::read`].
    fn read_part(&self, path: &str, part: Range<u64>) -> Result<Option<Vec<u8>>> {
        let within = |bytes: Vec<u8>| {
            let [from, to] = [part.start, part.end]
                .map(|at| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len()));
            bytes[from..to.max(from)].to_vec()
        };
        Ok(self.read(path)?.map(within))
    }

    /// The same store without its caches, so that the stored data is read again. `None` if nothing
    /// is cached.
    ///
    /// # Errors
    /// The store cannot be read.
    fn afresh(&self) -> Result<Option<Arc<dyn ReadStore>>> {
        Ok(None)
    }

    /// Single objects whose content differs from that in their pack: their paths and their content.
    ///
    /// # Errors
    /// The store cannot be read.
    fn differing(&self) -> Result<Vec<(String, Vec<u8>)>> {
        Ok(Vec::new())
    }
}

/// A store for writing.
pub trait Store: ReadStore {
    /// Creates an object where none exists. An object is either complete or does not exist,
    /// whatever happens meanwhile, and is durable from the moment that this returns
    /// [`CreateOutcome::Made`].
    ///
    /// # Errors
    /// The store cannot be written; on a local disk it is unknown from then on what is durable, and
    /// the caller stops.
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome>;

    /// Removes an object, if it exists.
    ///
    /// # Errors
    /// The store cannot be written.
    fn delete(&self, path: &str) -> Result<()>;

    /// Creates or replaces an object; readers see the old one or the new one. Only for advisory
    /// objects.
    ///
    /// # Errors
    /// The store cannot be written.
    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()>;

    /// Creates several objects, as [`Store::create`] does, in any order and with as few syncs as
    /// possible.
    ///
    /// # Errors
    /// As [`Store::create`]; then any of them may exist.
    fn create_all(&self, objects: &[(String, Vec<u8>)]) -> Result<Vec<CreateOutcome>> {
        objects
            .iter()
            .map(|(path, bytes)| self.create(path, bytes))
            .collect()
    }

    /// Removes several objects, some of which may be missing.
    ///
    /// # Errors
    /// The store cannot be written.
    fn delete_all(&self, paths: &[&str]) -> Result<()> {
        paths.iter().try_for_each(|path| self.delete(path))
    }

    /// The writer of this epoch begins, and its fence is durable: packing that a previous writer
    /// left half done is completed. `stays` recognises the entries that must keep their places, by
    /// their bytes.
    ///
    /// # Errors
    /// The store cannot be read or written.
    fn settle(&self, _epoch: u64, _stays: &dyn Fn(&[u8]) -> bool) -> Result<()> {
        Ok(())
    }

    /// Packs these objects, if the store has packs, unless there are too few of them; returns their
    /// number.
    ///
    /// # Errors
    /// The store cannot be read or written.
    fn pack(&self, _group: &str, _paths: &[&str], _few: usize) -> Result<u64> {
        Ok(0)
    }

    /// Packs all entries of the log before the newest one; `next` is the number of the next.
    /// Returns their number.
    ///
    /// # Errors
    /// As [`Store::pack`].
    fn pack_entries(&self, _next: u64, _few: usize, _stays: &dyn Fn(&[u8]) -> bool) -> Result<u64> {
        Ok(0)
    }
}

/// Refuses a path that no object can have, so that none leads out of a store.
fn fitting(path: &str) -> Result<()> {
    if is_below_root(path) {
        return Ok(());
    }
    Err(Error::new(
        ErrorCategory::Internal,
        format!("{path:?} is no path of an object"),
    ))
}
