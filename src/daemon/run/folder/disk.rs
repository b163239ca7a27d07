//! Durable writing: data is on the disk before anything is based on it. Knows nothing about the
//! data.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Writes a file and waits until it is on the disk.
///
/// # Errors
/// It cannot be written.
pub(super) fn write(file: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let opened = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(mode)
        .open(file);
    let written = opened.and_then(|mut to| {
        to.write_all(bytes)?;
        to.sync_all()
    });
    written.map_err(|error| Error::io(file, "write", &error))
}

/// Replaces a private file as a whole.
///
/// # Errors
/// It cannot be written; the old one is there still.
pub(super) fn replace(file: &Path, bytes: &[u8]) -> Result<()> {
    let new = file.with_extension("new");
    write(&new, bytes, 0o600)?;
    fs::rename(&new, file).map_err(|error| Error::io(file, "replace", &error))?;
    sync(around(file))
}

/// Waits until the content of a folder, and its names, are on the disk.
///
/// # Errors
/// The disk refuses.
pub(super) fn sync(folder: &Path) -> Result<()> {
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| Error::io(folder, "write", &error))
}

/// Removes a folder or a file, if it is there.
///
/// # Errors
/// It cannot be removed.
pub(super) fn remove(path: &Path) -> Result<()> {
    let folder = fs::symlink_metadata(path).is_ok_and(|about| about.is_dir());
    let removed = if folder {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io(path, "remove", &error))
        }
        _ => Ok(()),
    }
}

/// The folder that contains a path.
pub(super) fn around(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// The entries of a folder; empty if it does not exist.
///
/// # Errors
/// It cannot be read.
pub(super) fn within(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.and_then(|entries| {
            entries
                .map(|entry| entry.map(|entry| entry.path()))
                .collect()
        }),
    };
    entries.map_err(|error| Error::io(folder, "look into the folder", &error))
}
