//! A file that is opened once: its digest, its format and its rows are read through the same
//! handle, so that they are of the same file whatever its name comes to stand for meanwhile.
//! Opening never waits, not even for a pipe.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::OFlags;
use rustix::io::Errno;
use sha2::Digest as _;

use super::content::Content;
use crate::engine::release::Sha256;
use crate::error::{Error, ErrorCategory, Result};

/// An open file.
pub struct InputFile {
    path: PathBuf,
    file: Arc<File>,
}

impl InputFile {
    /// Opens a file that a person has named.
    ///
    /// # Errors
    /// The path is no file, or it cannot be opened.
    pub fn open(path: &Path) -> Result<InputFile> {
        InputFile::with(path, OFlags::empty())
    }

    /// Opens a file of a folder into which others write. Links are not followed: they could lead
    /// out of the folder.
    ///
    /// # Errors
    /// As [`InputFile::open`], or the path is a link.
    pub fn open_unlinked(path: &Path) -> Result<InputFile> {
        InputFile::with(path, OFlags::NOFOLLOW)
    }

    /// A regular file that is open already; errors name its path.
    pub fn opened(path: &Path, file: File) -> InputFile {
        InputFile {
            path: path.to_path_buf(),
            file: Arc::new(file),
        }
    }

    fn with(path: &Path, flags: OFlags) -> Result<InputFile> {
        let bits =
            i32::try_from((flags | OFlags::NONBLOCK).bits()).expect("flags of a file are an int");
        let opened = OpenOptions::new().read(true).custom_flags(bits).open(path);
        let is_link =
            |error: &std::io::Error| error.raw_os_error() == Some(Errno::LOOP.raw_os_error());
        let file = opened.map_err(|error| match error {
            error if is_link(&error) && flags.contains(OFlags::NOFOLLOW) => Error::new(
                ErrorCategory::Input,
                "this is a link, which is not followed: copy the file",
            )
            .in_file(path),
            error => Error::io(path, "open the file", &error),
        })?;
        let about = file
            .metadata()
            .map_err(|error| Error::io(path, "open the file", &error))?;
        if about.is_dir() {
            return Err(
                Error::new(ErrorCategory::Input, "this is a folder, not a file").in_file(path),
            );
        }
        if !about.is_file() {
            return Err(Error::irregular(ErrorCategory::Input, path));
        }
        Ok(InputFile {
            path: path.to_path_buf(),
            file: Arc::new(file),
        })
    }

    /// Its path, as it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The handle.
    pub(super) fn handle(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }

    /// Its content, from the beginning.
    pub(super) fn content(&self) -> Content {
        Content::from(self.handle())
    }

    /// The digest of the content.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn digest(&self) -> Result<Sha256> {
        let mut reader = BufReader::with_capacity(1 << 20, self.content());
        let mut hash = sha2::Sha256::new();
        loop {
            let bytes = reader
                .fill_buf()
                .map_err(|error| Error::io(&self.path, "read the file", &error))?;
            if bytes.is_empty() {
                return Ok(Sha256::from_bytes(hash.finalize().into()));
            }
            hash.update(bytes);
            let read = bytes.len();
            reader.consume(read);
        }
    }
}

/// The digest of a file that a person has named.
///
/// # Errors
/// The path is no file, or it cannot be read.
pub fn digest(path: &Path) -> Result<Sha256> {
    InputFile::open(path)?.digest()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn one_handle_reads_one_file_whatever_its_name_comes_to_stand_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, other] = ["a.csv", "b.csv"].map(|name| folder.path().join(name));
        std::fs::write(&path, "one").expect("a file");
        let input = InputFile::open_unlinked(&path).expect("a file");
        let digest = input.digest().expect("a digest");
        std::fs::write(&other, "two").expect("a file");
        std::fs::rename(&other, &path).expect("a file");
        let mut text = String::new();
        input.content().read_to_string(&mut text).expect("text");
        assert_eq!(
            (text.as_str(), input.digest().expect("a digest")),
            ("one", digest)
        );
        assert_eq!(digest, Sha256::of(b"one"));
    }

    #[test]
    fn links_and_pipes_are_refused_without_waiting() {
        let folder = tempfile::tempdir().expect("a folder");
        let [file, link, pipe] =
            ["a.csv", "link.csv", "pipe.csv"].map(|name| folder.path().join(name));
        std::fs::write(&file, "one").expect("a file");
        symlink(&file, &link).expect("a link");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
        let why = |opened: Result<InputFile>| opened.map(|_| ()).expect_err("no file").to_string();
        assert!(why(InputFile::open_unlinked(&link)).contains("this is a link"));
        assert!(InputFile::open(&link).is_ok(), "a person may name a link");
        for opened in [InputFile::open(&pipe), InputFile::open_unlinked(&pipe)] {
            assert!(why(opened).contains("not a regular file"));
        }
        assert!(why(InputFile::open(folder.path())).contains("a folder"));
    }
}
