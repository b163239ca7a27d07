//! A folder for reading only: nothing is created, locked, synced or cleaned up in it, so that an account with read
//! permission can use it, whatever process is running there.

use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::local::part_of;
use super::{CreateOutcome, ListedObject, ReadStore, Store};
use crate::daemon::error::{Error, ErrorCategory, Result};

/// A folder for reading only.
#[derive(Debug)]
pub struct ReadOnlyFolder(PathBuf);

/// The lock file beside the objects of a root.
const LOCK: &str = "lock";

impl ReadOnlyFolder {
    /// Opens a folder.
    ///
    /// # Errors
    /// It does not exist, or this account may not read it.
    pub fn open(path: &Path) -> Result<ReadOnlyFolder> {
        fs::read_dir(path).map_err(|error| Error::io(path, "look into the folder", &error))?;
        Ok(ReadOnlyFolder(path.to_path_buf()))
    }

    fn below(&self, folder: &Path, prefix: &str, found: &mut Vec<ListedObject>) -> Result<()> {
        let refused = |error: std::io::Error| Error::io(folder, "look into the folder", &error);
        let entries = match fs::read_dir(folder) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
            entries => entries.map_err(refused)?,
        };
        for entry in entries {
            let entry = entry.map_err(refused)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') || (prefix.is_empty() && name == LOCK) {
                continue;
            }
            let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            // Links are no objects; a file may disappear meanwhile.
            match entry.path().symlink_metadata() {
                Ok(about) if about.is_dir() => self.below(&entry.path(), &path, found)?,
                Ok(about) if about.is_file() => found.push(ListedObject { path, size: about.len() }),
                _ => {}
            }
        }
        Ok(())
    }

    fn never<T>(&self) -> Result<T> {
        Err(Error::new(ErrorCategory::Internal, "a folder that is opened for reading is not written to")
            .in_file(&self.0))
    }
}

impl ReadStore for ReadOnlyFolder {
    fn place(&self) -> String {
        self.0.display().to_string()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let file = self.0.join(path);
        match fs::read(&file) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(Error::io(&file, "read", &error)),
        }
    }

    fn read_part(&self, path: &str, part: Range<u64>) -> Result<Option<Vec<u8>>> {
        let file = self.0.join(path);
        match fs::File::open(&file).and_then(|file| part_of(file, part)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(Error::io(&file, "read", &error)),
        }
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        let mut found = Vec::new();
        self.below(&self.0.join(prefix), prefix, &mut found)?;
        if let Some(size) = fs::symlink_metadata(self.0.join(prefix)).ok().filter(|about| about.is_file()) {
            found.push(ListedObject { path: prefix.to_owned(), size: size.len() });
        }
        found.sort();
        Ok(found)
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
