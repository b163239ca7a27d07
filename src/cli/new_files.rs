//! Writes new files (CONTRACTS 3): all or none, and never over a file that exists. After an error
//! the files written so far are deleted, so that the command can simply be called again.

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::daemon::error::{Error, ErrorCategory, Result};

/// A file to be written.
pub struct NewFile {
    /// Its path, below the directory.
    pub path: PathBuf,
    /// Its content.
    pub content: String,
    /// Whether no other account may read it, nor its directory.
    pub secret: bool,
}

/// The files written so far; they are deleted if this is dropped without [`NewFiles::keep`].
#[must_use]
pub(crate) struct NewFiles {
    files: Vec<PathBuf>,
    dirs: Vec<PathBuf>,
}

impl NewFiles {
    /// Keeps the files.
    pub(crate) fn keep(mut self) {
        self.files.clear();
        self.dirs.clear();
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        // Deletes only what this call has created; a directory that another process has filled
        // meanwhile stays.
        self.files
            .iter()
            .for_each(|file| drop(std::fs::remove_file(file)));
        self.dirs
            .iter()
            .rev()
            .for_each(|dir| drop(std::fs::remove_dir(dir)));
    }
}

/// Writes all files below `dir`, which is created if it does not exist, and creates these folders
/// in it, for no other account to use; an existing one stays as it is.
///
/// # Errors
/// A file exists already, or the file system refuses.
pub(crate) fn write(dir: &Path, files: &[NewFile], folders: &[&str]) -> Result<NewFiles> {
    for file in files {
        let path = dir.join(&file.path);
        if path.symlink_metadata().is_ok() {
            return Err(exists(&path));
        }
    }
    let mut made = NewFiles {
        files: Vec::new(),
        dirs: Vec::new(),
    };
    for file in files {
        let path = dir.join(&file.path);
        let above = path.parent().unwrap_or(dir);
        make_dir(above, file.secret, &mut made)?;
        let mode = if file.secret { 0o600 } else { 0o644 };
        let mut open = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&path)
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::AlreadyExists => exists(&path),
                _ => Error::io(&path, "write the file", &error),
            })?;
        made.files.push(path.clone());
        let written = open
            .write_all(file.content.as_bytes())
            .and_then(|()| open.sync_all());
        written.map_err(|error| Error::io(&path, "write the file", &error))?;
    }
    folders
        .iter()
        .try_for_each(|folder| make_dir(&dir.join(folder), true, &mut made))?;
    Ok(made)
}

fn exists(path: &Path) -> Error {
    let text = "exists already and is not overwritten; nothing was changed. Choose another directory, or move the file away";
    Error::new(ErrorCategory::Usage, text).in_file(path)
}

/// Creates a directory and those above it, and remembers which.
fn make_dir(dir: &Path, secret: bool, made: &mut NewFiles) -> Result<()> {
    if dir.as_os_str().is_empty() || dir.is_dir() {
        return Ok(());
    }
    if let Some(above) = dir.parent() {
        make_dir(above, false, made)?;
    }
    let mode = if secret { 0o700 } else { 0o755 };
    DirBuilder::new()
        .mode(mode)
        .create(dir)
        .map_err(|error| Error::io(dir, "make the directory", &error))?;
    made.dirs.push(dir.to_path_buf());
    Ok(())
}
