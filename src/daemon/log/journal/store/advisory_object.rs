//! One object for people, written beside the others even if the permissions of the root are wrong,
//! since it may report just that. It is advisory: no other object depends on it, and no decision
//! uses it.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::{ReadOnlyFolder, ReadStore, open};
use crate::config::Root;
use crate::error::{Error, Result};

/// Writes an object with this name into a private root, or removes it. A missing folder is not
/// created.
///
/// # Errors
/// The root cannot be written.
pub fn put_beside(root: &Root, name: &str, bytes: Option<&[u8]>) -> Result<()> {
    match (root, bytes) {
        (Root::Directory(folder), Some(bytes)) => replace(folder, name, bytes),
        (Root::Directory(folder), None) => match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::io(&folder.join(name), "remove", &error))
            }
            _ => Ok(()),
        },
        (Root::Bucket(_), Some(bytes)) => open(root, true)?.replace(name, bytes),
        (Root::Bucket(_), None) => open(root, true)?.delete(name),
    }
}

/// Reads what [`put_beside`] has written.
///
/// # Errors
/// The root cannot be read.
pub fn read_beside(root: &Root, name: &str) -> Result<Option<Vec<u8>>> {
    match root {
        Root::Directory(folder) if !folder.is_dir() => Ok(None),
        Root::Directory(folder) => ReadOnlyFolder::open(folder)?.read(name),
        Root::Bucket(_) => open(root, true)?.read(name),
    }
}

/// Written under a hidden name first, so that readers see the old one or the new one.
fn replace(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let (file, aside) = (folder.join(name), folder.join(format!(".{name}")));
    let refused = |error: std::io::Error| Error::io(&file, "write", &error);
    match fs::remove_file(&aside) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(refused(error)),
        _ => {}
    }
    // Only a new file: a link is not followed.
    let mut opened = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&aside)
        .map_err(refused)?;
    opened.write_all(bytes).map_err(refused)?;
    fs::rename(&aside, &file).map_err(refused)
}
