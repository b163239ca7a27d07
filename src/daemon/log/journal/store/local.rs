//! Objects as files of a folder (HOUSE 3, Local files). Each is written to a temporary file,
//! synced, and gets its name by a hard link, which fails if the name is taken; then the folders are
//! synced. Never reports an object before it is durable, never follows a link, never tries again
//! after an error.

mod staging_folder;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{DirBuilder, File};
use std::io::ErrorKind;
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use staging_folder::StagingFolder;

use super::folder::Folder;
use super::regular_files::{self, find};
use super::{CreateOutcome, ForeignEntry, ListedObject, ReadStore, Store, fitting};
use crate::error::{Error, ErrorCategory, OtherProcess, Result};

/// The lock file of a root, which the running process holds; it is no object.
const LOCK: &str = "lock";

/// Objects as files of a folder.
pub struct Local {
    root: Folder,
    aside: StagingFolder,
    /// The mode of folders.
    mode: u32,
    /// Folders whose own names are known to be on the disk.
    lasting: Mutex<BTreeSet<String>>,
}

/// The lock of a root, held as long as this exists.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "held, not looked at")] File);

impl Local {
    /// Opens or creates a root that only the operator may read.
    ///
    /// # Errors
    /// It cannot be created or written, or others may use it.
    pub fn private(path: &Path) -> Result<Local> {
        make(path, 0o700)?;
        let root = Folder::root(path)?;
        if root.mode()? & 0o077 != 0 {
            let text = "other accounts can access this folder, which contains private state: `chmod 700` it";
            return Err(Error::new(ErrorCategory::Io, text).in_file(path));
        }
        let aside = root.again()?;
        Local::open(root, &aside, 0o700, 0o600)
    }

    /// As [`Local::private`], locked; `None` if another process holds the lock; see
    /// [`Local::busy`].
    ///
    /// # Errors
    /// As [`Local::private`], or the file system has no locks.
    pub fn private_locked(path: &Path) -> Result<Option<(Local, Lock)>> {
        let local = Local::private(path)?;
        Ok(local.lock()?.map(|lock| (local, lock)))
    }

    /// Opens or creates a root that every account may read.
    ///
    /// # Errors
    /// It cannot be created or written.
    pub fn public(path: &Path) -> Result<Local> {
        make(path, 0o755)?;
        let root = Folder::root(path)?;
        let aside = root.again()?;
        Local::open(root, &aside, 0o755, 0o644)
    }

    /// Opens or creates a root that every account may read and that contains a private one; locked.
    /// Temporary files are written in the private one. `None` if another process holds the lock.
    ///
    /// # Errors
    /// As [`Local::public`] and [`Local::private_locked`].
    pub fn around_private(path: &Path, private: &Path) -> Result<Option<(Local, Local, Lock)>> {
        make(path, 0o755)?;
        let Some((inner, lock)) = Local::private_locked(private)? else {
            return Ok(None);
        };
        let public = Local::open(Folder::root(path)?, &inner.root, 0o755, 0o644)?;
        Ok(Some((public, inner, lock)))
    }

    fn open(root: Folder, beside: &Folder, folders: u32, files: u32) -> Result<Local> {
        // Data that an earlier process wrote without waiting for the disk must be durable before
        // anything is based on it.
        root.sync_all()?;
        let aside = StagingFolder::open(beside, files)?;
        Ok(Local {
            root,
            aside,
            mode: folders,
            lasting: Mutex::default(),
        })
    }

    /// Locks the root for this process; `None` if another process holds the lock.
    ///
    /// # Errors
    /// The lock cannot be opened, or the file system has no locks.
    pub fn lock(&self) -> Result<Option<Lock>> {
        Ok(self.root.locked(LOCK)?.map(Lock))
    }

    /// The error if the lock is held.
    pub fn busy(path: &Path) -> Error {
        let text = "another tidegate is running here: wait for it, or stop it";
        Error::new(ErrorCategory::Io, text)
            .in_file(path)
            .because_of(OtherProcess::Works)
    }

    /// The folder of an object, created if it is missing, and on the disk with all its parents.
    fn around(&self, path: &str) -> Result<Folder> {
        let mut folder = self.root.again()?;
        let Some((parents, _)) = path.rsplit_once('/') else {
            return Ok(folder);
        };
        let mut lasting = self.lasting.lock().unwrap_or_else(PoisonError::into_inner);
        for (at, name) in parts(parents) {
            let (next, made) = folder.make(name, self.mode)?;
            // Another process may have created it and not synced it yet.
            if made || !lasting.contains(&parents[..at]) {
                folder.sync()?;
                lasting.insert(parents[..at].to_owned());
            }
            folder = next;
        }
        Ok(folder)
    }

    fn put(&self, objects: &[(&str, &[u8])]) -> Result<Vec<CreateOutcome>> {
        objects.iter().try_for_each(|(path, _)| own(path))?;
        let bytes: Vec<&[u8]> = objects.iter().map(|(_, bytes)| *bytes).collect();
        let written = self.aside.write_all(&bytes)?;
        let mut folders: BTreeMap<&str, Folder> = BTreeMap::new();
        let mut created = Vec::with_capacity(objects.len());
        for ((path, _), written) in objects.iter().zip(written) {
            let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
            let folder = match folders.entry(parents) {
                std::collections::btree_map::Entry::Occupied(there) => there.into_mut(),
                std::collections::btree_map::Entry::Vacant(free) => free.insert(self.around(path)?),
            };
            created.push(if written.link(folder, name)? {
                CreateOutcome::Made
            } else {
                CreateOutcome::Exists
            });
        }
        // Also if the object existed already: its writer may not have waited for the disk yet.
        folders.values().try_for_each(Folder::sync)?;
        Ok(created)
    }
}

impl ReadStore for Local {
    fn place(&self) -> String {
        self.root.path().display().to_string()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        own(path)?;
        regular_files::read(&self.root, path)
    }

    fn read_part(&self, path: &str, part: Range<u64>) -> Result<Option<Vec<u8>>> {
        own(path)?;
        regular_files::read_part(&self.root, path, part)
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        let mut found = regular_files::list(&self.root, prefix)?;
        found.retain(|listed| listed.path != LOCK);
        Ok(found)
    }

    fn foreign(&self) -> Result<Vec<ForeignEntry>> {
        regular_files::foreign(&self.root)
    }
}

impl Store for Local {
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome> {
        self.put(&[(path, bytes)]).map(|created| created[0])
    }

    fn delete(&self, path: &str) -> Result<()> {
        own(path)?;
        let Some((folder, name)) = find(&self.root, path)? else {
            return Ok(());
        };
        folder.remove(name)?;
        folder.sync()
    }

    fn delete_all(&self, paths: &[&str]) -> Result<()> {
        let mut folders: BTreeMap<&str, Folder> = BTreeMap::new();
        for path in paths {
            own(path)?;
            let Some((folder, name)) = find(&self.root, path)? else {
                continue;
            };
            folder.remove(name)?;
            folders.insert(
                path.rsplit_once('/').map_or("", |(parents, _)| parents),
                folder,
            );
        }
        folders.values().try_for_each(Folder::sync)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()> {
        own(path)?;
        let written = self.aside.write(bytes)?;
        let (folder, name) = (
            self.around(path)?,
            path.rsplit_once('/').map_or(path, |(_, name)| name),
        );
        written.rename(&folder, name)?;
        folder.sync()
    }

    fn create_all(&self, objects: &[(String, Vec<u8>)]) -> Result<Vec<CreateOutcome>> {
        let objects: Vec<(&str, &[u8])> = objects
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
            .collect();
        self.put(&objects)
    }
}

/// Each part of a path with its end.
fn parts(path: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    path.split('/').map(move |part| {
        at += part.len() + 1;
        (at - 1, part)
    })
}

/// Refuses a path that no object of ours can have.
fn own(path: &str) -> Result<()> {
    if path == LOCK {
        return Err(Error::new(
            ErrorCategory::Internal,
            "`lock` is no object, but the lock of a folder",
        ));
    }
    fitting(path)
}

/// Creates a folder and its missing parents, each on the disk before the next. Every account may
/// pass through the parents: there may be a public root beside a private one.
fn make(path: &Path, mode: u32) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    make(parent, 0o755)?;
    let made = DirBuilder::new().mode(mode).create(path);
    let made = made.and_then(|()| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)));
    match made {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(Error::io(path, "make the folder", &error))
        }
        _ => Folder::root(parent)?.sync(),
    }
}

impl std::fmt::Debug for Local {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Local({})", self.place())
    }
}

#[cfg(test)]
mod tests;
