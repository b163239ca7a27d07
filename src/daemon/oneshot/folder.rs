//! The folder of `anonymize` (CONTRACTS 3): releases for everybody, and `.private`, which only the operator may read. What
//! is in it changes in one step: a release is written aside, then the sealed state that knows it replaces the old one (the
//! commit), then it is moved to its place. Whoever opens the folder after a kill finishes that last step.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::saved::{Line, Saved};
use super::seal::OperatorKey;
use crate::daemon::error::{Error, Kind, Result};
use crate::engine::gate::own::{Approved, Files};

const PRIVATE: &str = ".private";
const STATE: &str = "state.sealed";
const STAGE: &str = "stage";

/// An open folder, locked for this process.
pub struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Whether somebody has begun a chain here.
    pub fn begun(path: &Path) -> bool {
        path.join(PRIVATE).join(STATE).exists()
    }

    /// Opens a folder or makes it.
    ///
    /// # Errors
    /// It holds other things, others may read what is private, or another process is at work in it.
    pub fn open(path: &Path) -> Result<Folder> {
        let private = path.join(PRIVATE);
        if !Folder::begun(path) {
            usable(path)?;
        }
        let made = fs::create_dir_all(path)
            .and_then(|()| fs::DirBuilder::new().recursive(true).mode(0o700).create(private.join(STAGE)));
        made.map_err(|error| Error::io(path, "make the folder", &error))?;
        let mode = fs::metadata(&private).map_err(|error| Error::io(&private, "look at the folder", &error))?;
        if mode.permissions().mode() & 0o077 != 0 {
            let text = "others may read this folder, which holds private state: chmod 700 it";
            return Err(Error::new(Kind::Io, text).in_file(&private));
        }
        let file = private.join("lock");
        let lock = fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&file);
        let lock = lock.map_err(|error| Error::io(&file, "open the lock", &error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Folder { path: path.to_path_buf(), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(Error::new(Kind::Io, "another tidegate is at work in this folder: wait for it").in_file(path))
            }
            Err(TryLockError::Error(error)) => Err(Error::io(&file, "lock the folder", &error)),
        }
    }

    /// The sealed state; `None` when the folder begins. Finishes what a kill has left half done.
    ///
    /// # Errors
    /// The key is another one, or the state or a release was changed.
    pub fn load(&self, key: &OperatorKey) -> Result<Option<Saved>> {
        if !Folder::begun(&self.path) {
            return Ok(None);
        }
        let saved = open_state(&self.path, key)?;
        for line in &saved.releases {
            self.show(line)?;
        }
        self.sweep()?;
        Ok(Some(saved))
    }

    /// Writes a file aside and reads it back, so that what is judged is what lies on the disk.
    ///
    /// # Errors
    /// It cannot be written or read.
    pub fn stage(&self, release: u32, name: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        let folder = self.aside(release);
        fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, "make the folder", &error))?;
        let file = folder.join(name);
        write(&file, bytes, 0o644)?;
        fs::read(&file).map_err(|error| Error::io(&file, "read back", &error))
    }

    /// Throws away what was written aside for a release that may not leave.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn discard(&self, release: u32) -> Result<()> {
        remove(&self.aside(release))
    }

    /// The commit of a tick, and of the release that came of it.
    ///
    /// # Errors
    /// Something cannot be written; the folder is as it was before, or the release is in it.
    pub fn commit(
        &self,
        saved: &Saved,
        key: &OperatorKey,
        approved: Option<(Line, Approved)>,
    ) -> Result<Option<Files>> {
        if let Some((line, _)) = &approved {
            sync(&self.aside(line.release))?;
        }
        let state = self.path.join(PRIVATE).join(STATE);
        replace(&state, &key.seal(&saved.bytes())?)?;
        let Some((line, approved)) = approved else { return Ok(None) };
        let files = approved.spend();
        self.show(&line)?;
        Ok(Some(files))
    }

    /// Moves a release to its place, unless it is there.
    fn show(&self, line: &Line) -> Result<()> {
        let (from, to) = (self.aside(line.release), self.release(line.release));
        if !from.exists() {
            return if to.exists() { Ok(()) } else { Err(gone(&to)) };
        }
        if to.exists() {
            return remove(&from);
        }
        let place = self.path.join("taxonomy");
        let taxonomy = place.join(&line.taxonomy);
        let moved = fs::create_dir_all(&place).and_then(|()| {
            if from.join(&line.taxonomy).exists() { fs::rename(from.join(&line.taxonomy), &taxonomy) } else { Ok(()) }
        });
        moved.map_err(|error| Error::io(&taxonomy, "write", &error))?;
        sync(&place)?;
        fs::rename(&from, &to).map_err(|error| Error::io(&to, "move the release to its place", &error))?;
        sync(&self.path)
    }

    /// Removes what was written aside and never committed.
    fn sweep(&self) -> Result<()> {
        let stage = self.path.join(PRIVATE).join(STAGE);
        let entries = fs::read_dir(&stage).map_err(|error| Error::io(&stage, "look into the folder", &error))?;
        entries.flatten().try_for_each(|entry| remove(&entry.path()))
    }

    /// Keeps the verdict of a tick.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn verdict(&self, tick: u32, bytes: &[u8]) -> Result<()> {
        let folder = self.path.join(PRIVATE).join("verdicts");
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.map_err(|error| Error::io(&folder, "make the folder", &error))?;
        replace(&folder.join(format!("{tick:06}.json")), bytes)
    }

    /// A published file, byte for byte as it was published.
    ///
    /// # Errors
    /// It cannot be read, or its digest is another one.
    pub fn published(&self, release: u32, name: &str, digest: &[u8; 32]) -> Result<Vec<u8>> {
        let file = self.release(release).join(name);
        let bytes = fs::read(&file).map_err(|error| Error::io(&file, "read the published file", &error))?;
        if crate::engine::release::Sha256::of(&bytes).bytes() == digest { Ok(bytes) } else { Err(gone(&file)) }
    }

    fn aside(&self, release: u32) -> PathBuf {
        self.path.join(PRIVATE).join(STAGE).join(release.to_string())
    }

    fn release(&self, release: u32) -> PathBuf {
        self.path.join(release.to_string())
    }
}

/// The sealed state of a folder, without touching anything.
///
/// # Errors
/// There is none, or the key is another one.
pub fn open_state(path: &Path, key: &OperatorKey) -> Result<Saved> {
    let file = path.join(PRIVATE).join(STATE);
    let sealed = fs::read(&file).map_err(|error| Error::io(&file, "read the private state", &error))?;
    let opened = key.open(&sealed).ok_or_else(|| {
        let text = "the private state does not open: the key is another one, or the file was changed";
        Error::new(Kind::Input, text).in_file(&file)
    })?;
    Saved::parse(&opened).map_err(|error| error.in_file(&file))
}

fn gone(file: &Path) -> Error {
    let text = "this published file is missing or was changed: put it back as it was published, every later release is \
                judged against it";
    Error::new(Kind::Input, text).in_file(file)
}

/// A folder in which a chain can begin.
fn usable(path: &Path) -> Result<()> {
    let entries = match fs::read_dir(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|error| Error::io(path, "look into the folder", &error))?,
    };
    let foreign = entries.flatten().find(|entry| entry.file_name() != PRIVATE);
    match foreign {
        None => Ok(()),
        Some(_) => {
            let text = "the folder holds other things and no chain of releases: name a new or empty folder";
            Err(Error::new(Kind::Usage, text).in_file(path).in_field("--out"))
        }
    }
}

fn write(file: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let opened = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(file);
    let written = opened.and_then(|mut to| {
        to.write_all(bytes)?;
        to.sync_all()
    });
    written.map_err(|error| Error::io(file, "write", &error))
}

/// Replaces a private file as a whole.
fn replace(file: &Path, bytes: &[u8]) -> Result<()> {
    let new = file.with_extension("new");
    write(&new, bytes, 0o600)?;
    fs::rename(&new, file).map_err(|error| Error::io(file, "replace", &error))?;
    file.parent().map_or(Ok(()), sync)
}

fn sync(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| Error::io(folder, "write", &error))
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(folder, "remove", &error)),
        _ => Ok(()),
    }
}
