//! A folder for reading only: nothing is created, locked, synced or cleaned up in it, so that an
//! account with read permission can use it, whatever process is running there. Opens regular files
//! below it and nothing else.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use super::folder::Folder;
use super::{CreateOutcome, ForeignEntry, ListedObject, ReadStore, Store, regular_files};
use crate::error::{Error, ErrorCategory, Result};

/// A folder for reading only.
pub struct ReadOnlyFolder(Folder);

/// The lock file beside the objects of a root.
const LOCK: &str = "lock";

impl ReadOnlyFolder {
    /// Opens a folder, which may be reached through links.
    ///
    /// # Errors
    /// It does not exist, or this account may not read it.
    pub fn open(path: &Path) -> Result<ReadOnlyFolder> {
        Folder::root(path).map(ReadOnlyFolder)
    }

    /// A file in it, open for reading; `None` if it does not exist.
    ///
    /// # Errors
    /// It is no regular file, a link leads to it, or it cannot be read.
    pub fn file(&self, path: &str) -> Result<Option<File>> {
        Ok(regular_files::open(&self.0, path)?.map(|(file, _)| file))
    }

    fn never<T>(&self) -> Result<T> {
        Err(Error::new(
            ErrorCategory::Internal,
            "a folder that is opened for reading is not written to",
        )
        .in_file(self.0.path()))
    }
}

impl ReadStore for ReadOnlyFolder {
    fn place(&self) -> String {
        self.0.path().display().to_string()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        regular_files::read(&self.0, path)
    }

    fn read_part(&self, path: &str, part: Range<u64>) -> Result<Option<Vec<u8>>> {
        regular_files::read_part(&self.0, path, part)
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        let mut found = regular_files::list(&self.0, prefix)?;
        found.retain(|listed| listed.path != LOCK);
        Ok(found)
    }

    fn foreign(&self) -> Result<Vec<ForeignEntry>> {
        regular_files::foreign(&self.0)
    }
}

impl Store for ReadOnlyFolder {
    fn create(&self, _: &str, _: &[u8]) -> Result<CreateOutcome> {
        self.never()
    }

    fn delete(&self, _: &str) -> Result<()> {
        self.never()
    }

    fn replace(&self, _: &str, _: &[u8]) -> Result<()> {
        self.never()
    }
}

impl std::fmt::Debug for ReadOnlyFolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ReadOnlyFolder({})", self.place())
    }
}
