//! Temporary files (HOUSE 3, Local files): they are in `.new/` beside the objects, where no reader
//! looks, until they are complete, on the disk, and get their name. Never shows a part of an
//! object.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::folder::{Folder, lock};
use crate::error::{Error, ErrorCategory, Result};

const NAME: &str = ".new";

/// The number of files that are written at a time: syncs that begin together end together.
const AT_ONCE: usize = 16;

/// The number of names that are tried for one file.
const NAMES: usize = 1000;

/// The folder for temporary files.
pub(super) struct StagingFolder {
    folder: Folder,
    serial: AtomicU64,
    mode: u32,
}

/// A complete file on the disk that has no name in the store yet. Removes its temporary name when
/// dropped.
pub(super) struct StagedFile<'a> {
    aside: &'a StagingFolder,
    name: String,
    // Locked, so that no process takes it for the remains of a crash.
    _file: File,
}

impl StagingFolder {
    /// Opens the folder and removes the remains of a crash, but no file that another process is
    /// writing.
    pub(super) fn open(root: &Folder, mode: u32) -> Result<StagingFolder> {
        let (folder, made) = root.make(NAME, 0o700)?;
        if made {
            root.sync()?;
        }
        for name in folder.names()? {
            let Some((file, _)) = folder.file(&name)? else {
                continue;
            };
            // As long as we hold the lock no other process can be using the name.
            if lock(&file, &folder.path().join(&name))? {
                folder.remove(&name)?;
            }
        }
        Ok(StagingFolder {
            folder,
            serial: AtomicU64::new(0),
            mode,
        })
    }

    /// Writes a file and waits until it is on the disk.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<StagedFile<'_>> {
        for _ in 0..NAMES {
            let name = format!(
                "{}-{}",
                std::process::id(),
                self.serial.fetch_add(1, Ordering::Relaxed)
            );
            let Some(file) = self
                .folder
                .fresh(&name)
                .map_err(|error| self.of_folder(error))?
            else {
                continue;
            };
            let written = StagedFile {
                aside: self,
                name,
                _file: file,
            };
            let mut to = &written._file;
            let done = to
                .write_all(bytes)
                .and_then(|()| to.set_permissions(std::fs::Permissions::from_mode(self.mode)))
                .and_then(|()| to.sync_all());
            done.map_err(|error| Error::io(self.folder.path(), "write", &error))?;
            return Ok(written);
        }
        let text = "no name is free for a temporary file: does another program use this folder?";
        Err(Error::new(ErrorCategory::Io, text).in_file(self.folder.path()))
    }

    /// The error names the folder: the name of a temporary file is another one at each attempt, and
    /// an operator would be notified of one full disk again and again.
    fn of_folder(&self, error: Error) -> Error {
        Error {
            file: Some(self.folder.path().to_path_buf()),
            ..error
        }
    }

    /// Writes several files. Not on rayon's threads: these wait, and would block computations.
    pub(super) fn write_all(&self, all: &[&[u8]]) -> Result<Vec<StagedFile<'_>>> {
        if let [one] = all {
            return Ok(vec![self.write(one)?]);
        }
        let share = all.len().div_ceil(AT_ONCE).max(1);
        std::thread::scope(|scope| {
            let some = |some: &[&[u8]]| {
                some.iter()
                    .map(|bytes| self.write(bytes))
                    .collect::<Result<Vec<_>>>()
            };
            let writers: Vec<_> = all
                .chunks(share)
                .map(|chunk| scope.spawn(move || some(chunk)))
                .collect();
            let mut written = Vec::with_capacity(all.len());
            for writer in writers {
                let lost = |_| {
                    Error::new(
                        ErrorCategory::Internal,
                        "a thread that wrote files ended early",
                    )
                };
                written.extend(writer.join().map_err(lost)??);
            }
            Ok(written)
        })
    }
}

impl StagedFile<'_> {
    /// Links it to its name, unless the name is taken.
    pub(super) fn link(&self, to: &Folder, name: &str) -> Result<bool> {
        self.aside.folder.link(&self.name, to, name)
    }

    /// Moves it to its name, replacing an existing file.
    pub(super) fn rename(self, to: &Folder, name: &str) -> Result<()> {
        self.aside.folder.rename(&self.name, to, name)
    }
}

impl Drop for StagedFile<'_> {
    fn drop(&mut self) {
        // Remaining files are removed when the store is opened again.
        let _ = self.aside.folder.remove(&self.name);
    }
}
