//! The folder of `anonymize` (CONTRACTS 3): releases for everybody, and `.private`, which only the operator may read. What
//! is in it changes in one step: a release is written aside, then the sealed state that knows it replaces the old one (the
//! commit), then it is moved to its place. Whoever opens the folder after a kill finishes that last step.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::disk::{around, remove, replace, sync, within, write};
use super::published::{as_decided, gone, intact};
use super::saved::{Line, Saved};
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::seal::OperatorKey;
use crate::engine::gate::own::{Approved, Files};

const PRIVATE: &str = ".private";
const STATE: &str = "state.sealed";
const STAGE: &str = "stage";
const VERDICTS: &str = "verdicts";

/// An open folder, locked for this process.
pub struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Whether somebody has begun a chain here.
    ///
    /// # Errors
    /// Nobody has and nobody can, because other things are there.
    pub fn begun(path: &Path) -> Result<bool> {
        let begun = || path.join(PRIVATE).join(STATE).exists();
        match usable(path) {
            // Another process may have begun one just now.
            _ if begun() => Ok(true),
            usable => usable.map(|()| false),
        }
    }

    /// Opens a folder or makes it.
    ///
    /// # Errors
    /// It holds other things, others may read what is private, or another process is at work in it.
    pub fn open(path: &Path) -> Result<Folder> {
        let private = path.join(PRIVATE);
        let begun = Folder::begun(path)?;
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
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let text = "another tidegate is at work in this folder: wait for it";
                return Err(Error::new(Kind::Io, text).in_file(path));
            }
            Err(TryLockError::Error(error)) => return Err(Error::io(&file, "lock the folder", &error)),
        }
        if !begun {
            [&private, path, around(path)].into_iter().try_for_each(sync)?;
        }
        Ok(Folder { path: path.to_path_buf(), _lock: lock })
    }

    /// The sealed state; `None` when the folder begins. Finishes what a kill has left half done.
    ///
    /// # Errors
    /// The key is another one, or the state or a release was changed.
    pub fn load(&self, key: &OperatorKey) -> Result<Option<Saved>> {
        let saved = if Folder::begun(&self.path)? { Some(open_state(&self.path, key)?) } else { None };
        self.newest(saved.as_ref())?;
        for line in saved.iter().flat_map(|saved| &saved.releases) {
            self.show(line)?;
        }
        self.sweep(saved.as_ref().map_or(0, |saved| saved.feed.ticks()))?;
        Ok(saved)
    }

    /// Nothing here is newer than the state. A kill leaves no release that the state does not know, and one verdict at most:
    /// whatever else there is came after the state, which then was put back from a copy or lost.
    fn newest(&self, saved: Option<&Saved>) -> Result<()> {
        let known = |release: u32| saved.iter().flat_map(|saved| &saved.releases).any(|line| line.release == release);
        let releases = within(&self.path)?;
        let mut releases = releases.iter().filter_map(|path| Some((number(path)?, path)));
        if let Some((_, path)) = releases.find(|(number, path)| !known(*number) && path.join("manifest.json").exists())
        {
            return Err(older().in_file(path));
        }
        let ticks = saved.map_or(0, |saved| saved.feed.ticks());
        let verdicts = within(&self.path.join(PRIVATE).join(VERDICTS))?;
        match verdicts.iter().find(|path| number(path).is_some_and(|tick| tick > ticks)) {
            Some(path) => Err(older().in_file(path)),
            None => Ok(()),
        }
    }

    /// Writes a file aside and reads it back, so that what is judged is what lies on the disk.
    ///
    /// # Errors
    /// It cannot be written or read.
    pub fn stage(&self, release: u32, name: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        let to = self.release(release);
        if fs::symlink_metadata(&to).is_ok() {
            return Err(in_the_way(&to));
        }
        let folder = self.aside(release);
        fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, "make the folder", &error))?;
        let file = folder.join(name);
        write(&file, bytes, 0o644)?;
        let back = fs::read(&file).map_err(|error| Error::io(&file, "read back", &error))?;
        if back != bytes {
            return Err(
                Error::new(Kind::Io, "what was written is not what can be read back: look at the disk").in_file(&file)
            );
        }
        Ok(back)
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
            let aside = self.aside(line.release);
            sync(&aside)?;
            sync(around(&aside))?;
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
        if fs::symlink_metadata(&to).is_ok() {
            return if intact(&self.path, line).is_ok() { remove(&from) } else { Err(in_the_way(&to)) };
        }
        as_decided(&self.path, &from, line)?;
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

    /// Removes what was written and never committed: releases, and verdicts of ticks that did not come to their end.
    fn sweep(&self, ticks: u32) -> Result<()> {
        let private = self.path.join(PRIVATE);
        within(&private.join(STAGE))?.iter().try_for_each(|path| remove(path))?;
        let torn = |path: &Path| path.extension().is_some_and(|extension| extension == "new");
        let verdicts = within(&private.join(VERDICTS))?;
        let verdicts = verdicts.iter().filter(|path| torn(path) || number(path).is_some_and(|tick| tick >= ticks));
        verdicts.into_iter().try_for_each(|path| remove(path))?;
        remove(&private.join(STATE).with_extension("new"))
    }

    /// Keeps the verdict of a tick.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn verdict(&self, tick: u32, bytes: &[u8]) -> Result<()> {
        let folder = self.path.join(PRIVATE).join(VERDICTS);
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.map_err(|error| Error::io(&folder, "make the folder", &error))?;
        replace(&folder.join(format!("{tick:06}.json")), bytes)
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
        let text = "the private state does not open: the key is another one (--key, store.key, or the .key file beside the \
                    folder: name the one that the folder began with), or the file was changed";
        Error::new(Kind::Input, text).in_file(&file)
    })?;
    Saved::parse(&opened).map_err(|error| error.in_file(&file))
}

/// The number that a release or a verdict is called by.
fn number(path: &Path) -> Option<u32> {
    path.file_stem()?.to_str()?.parse().ok()
}

fn older() -> Error {
    let text = "this is newer than the private state, which was put back from an older copy or lost: put the newest \
                .private/state.sealed back. Going on from an older one would publish people twice";
    Error::new(Kind::Input, text)
}

fn in_the_way(place: &Path) -> Error {
    Error::new(Kind::Io, "something is in the way here, where a release belongs: move it away").in_file(place)
}

/// A folder in which a chain can begin.
fn usable(path: &Path) -> Result<()> {
    if within(path)?.iter().all(|entry| entry.ends_with(PRIVATE)) {
        return Ok(());
    }
    if let Some(release) =
        within(path)?.into_iter().find(|path| number(path).is_some() && path.join("manifest.json").exists())
    {
        return Err(older().in_file(&release));
    }
    let text = "the folder holds other things and no chain of releases: name a new or empty folder";
    Err(Error::new(Kind::Usage, text).in_file(path).in_field("--out"))
}
