//! An open folder of a root. Its entries are accessed through its descriptor, name by name, so that
//! no link leads out of the root. Never follows a link, never waits for a pipe, and never repeats a
//! failed sync.

use std::ffi::{CStr, CString};
use std::fs::{File, TryLockError};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::error::{Error, ErrorCategory, Result};

/// An open folder.
pub(super) struct Folder {
    descriptor: OwnedFd,
    path: PathBuf,
}

/// An entry of a folder.
pub(super) enum FolderEntry {
    /// A folder.
    Folder,
    /// A regular file, with its size in bytes.
    File(u64),
    /// Not part of a store: a link, a pipe or a device, in these words.
    Other(&'static str),
}

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);
const FILE: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

impl Folder {
    /// Opens the root of a store, which may be reached through links.
    pub(super) fn root(path: &Path) -> Result<Folder> {
        let opened = rustix::fs::openat(CWD, path, FOLDER, Mode::empty());
        let descriptor =
            opened.map_err(|errno| Error::io(path, "open the folder", &errno.into()))?;
        Ok(Folder {
            descriptor,
            path: path.to_path_buf(),
        })
    }

    /// The same folder, opened once more.
    pub(super) fn again(&self) -> Result<Folder> {
        let descriptor = self.descriptor.try_clone();
        let descriptor =
            descriptor.map_err(|error| Error::io(&self.path, "open the folder", &error))?;
        Ok(Folder {
            descriptor,
            path: self.path.clone(),
        })
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Its permissions.
    pub(super) fn mode(&self) -> Result<u32> {
        let about =
            rustix::fs::fstat(&self.descriptor).map_err(|errno| self.error("look at", errno))?;
        Ok(about.st_mode & 0o7777)
    }

    /// Sets its permissions, regardless of the umask.
    pub(super) fn set_mode(&self, mode: u32) -> Result<()> {
        rustix::fs::fchmod(&self.descriptor, Mode::from_raw_mode(mode))
            .map_err(|errno| self.error("set who may use", errno))
    }

    /// A subfolder; `None` if it does not exist, or is a file.
    pub(super) fn find(&self, name: &str) -> Result<Option<Folder>> {
        match rustix::fs::openat(
            &self.descriptor,
            name,
            FOLDER | OFlags::NOFOLLOW,
            Mode::empty(),
        ) {
            Ok(descriptor) => Ok(Some(Folder {
                descriptor,
                path: self.path.join(name),
            })),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::NOTDIR | Errno::LOOP) => match self.entry(name)? {
                Some(FolderEntry::Other(_)) => Err(self.astray(name)),
                _ => Ok(None),
            },
            Err(errno) => Err(Error::io(
                &self.path.join(name),
                "open the folder",
                &errno.into(),
            )),
        }
    }

    /// A subfolder, created if it is missing; true if it was created.
    pub(super) fn make(&self, name: &str, mode: u32) -> Result<(Folder, bool)> {
        let path = self.path.join(name);
        let made = match rustix::fs::mkdirat(&self.descriptor, name, Mode::from_raw_mode(mode)) {
            Ok(()) => true,
            Err(Errno::EXIST) => false,
            Err(errno) => return Err(Error::io(&path, "make the folder", &errno.into())),
        };
        let folder = self.find(name)?.ok_or_else(|| {
            let text = "a file occupies the place of a folder of the store: move it away";
            Error::new(ErrorCategory::Io, text).in_file(&path)
        })?;
        // A folder that only we can read, although others should, was created just before a crash.
        if made || (mode & 0o077 != 0 && folder.mode()? == 0o700) {
            folder.set_mode(mode)?;
        }
        Ok((folder, made))
    }

    /// A file in it, open for reading, with its length; `None` if it does not exist.
    pub(super) fn file(&self, name: &str) -> Result<Option<(File, u64)>> {
        match rustix::fs::openat(&self.descriptor, name, OFlags::RDONLY | FILE, Mode::empty()) {
            Ok(descriptor) => {
                let about = rustix::fs::fstat(&descriptor)
                    .map_err(|errno| self.error("look into", errno))?;
                match FileType::from_raw_mode(about.st_mode) {
                    FileType::RegularFile => {
                        Ok(Some((File::from(descriptor), about.st_size.unsigned_abs())))
                    }
                    FileType::Directory => Ok(None),
                    _ => Err(self.astray(name)),
                }
            }
            Err(Errno::NOENT) => Ok(None),
            // A socket cannot be opened.
            Err(Errno::LOOP | Errno::NXIO) => Err(self.astray(name)),
            Err(errno) => Err(Error::io(&self.path.join(name), "read", &errno.into())),
        }
    }

    /// A new file in it that only we may use, locked as long as it is open; `None` if the name is
    /// taken.
    pub(super) fn fresh(&self, name: &str) -> Result<Option<File>> {
        let (flags, path) = (
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | FILE,
            self.path.join(name),
        );
        let opened =
            match rustix::fs::openat(&self.descriptor, name, flags, Mode::from_raw_mode(0o600)) {
                Err(Errno::EXIST) => return Ok(None),
                opened => opened.map_err(|errno| Error::io(&path, "write", &errno.into()))?,
            };
        let file = File::from(opened);
        if !lock(&file, &path)? {
            return Ok(None);
        }
        // A process that cleaned this folder between the two steps above has removed the name.
        let about =
            rustix::fs::fstat(&file).map_err(|errno| Error::io(&path, "write", &errno.into()))?;
        Ok((about.st_nlink > 0).then_some(file))
    }

    /// A lock file in it, created if it is missing; `None` if another process holds the lock.
    pub(super) fn locked(&self, name: &str) -> Result<Option<File>> {
        let (flags, path) = (OFlags::RDWR | OFlags::CREATE | FILE, self.path.join(name));
        let opened = rustix::fs::openat(&self.descriptor, name, flags, Mode::from_raw_mode(0o600));
        let file =
            File::from(opened.map_err(|errno| Error::io(&path, "open the lock", &errno.into()))?);
        Ok(lock(&file, &path)?.then_some(file))
    }

    /// Links a file of this folder into another folder; false if the name is taken.
    pub(super) fn link(&self, name: &str, to: &Folder, new: &str) -> Result<bool> {
        let path = to.path.join(new);
        match rustix::fs::linkat(
            &self.descriptor,
            name,
            &to.descriptor,
            new,
            AtFlags::empty(),
        ) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS | Errno::MLINK) => {
                let text = "the file system has no hard links, without which a store cannot tell who was first: put the \
                            store on another one";
                Err(Error::new(ErrorCategory::Io, text).in_file(&path))
            }
            Err(errno) => Err(Error::io(&path, "write", &errno.into())),
        }
    }

    /// Moves a file of this folder into another folder, replacing an existing one.
    pub(super) fn rename(&self, name: &str, to: &Folder, new: &str) -> Result<()> {
        let renamed = rustix::fs::renameat(&self.descriptor, name, &to.descriptor, new);
        renamed.map_err(|errno| Error::io(&to.path.join(new), "replace", &errno.into()))
    }

    /// Removes a file's name, if it exists; folders stay.
    pub(super) fn remove(&self, name: &str) -> Result<()> {
        match rustix::fs::unlinkat(&self.descriptor, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT | Errno::ISDIR) => Ok(()),
            Err(errno) => Err(Error::io(&self.path.join(name), "remove", &errno.into())),
        }
    }

    /// The names in it, in no order.
    pub(super) fn all_names(&self) -> Result<Vec<CString>> {
        let entries = Dir::read_from(&self.descriptor)
            .and_then(|entries| entries.collect::<std::result::Result<Vec<_>, _>>());
        let mut names = Vec::new();
        for entry in entries.map_err(|errno| self.error("look into", errno))? {
            if entry.file_name() != c"." && entry.file_name() != c".." {
                names.push(entry.file_name().to_owned());
            }
        }
        Ok(names)
    }

    /// The names in it, in no order, without those that no path of a store can have.
    pub(super) fn names(&self) -> Result<Vec<String>> {
        Ok(self
            .all_names()?
            .into_iter()
            .filter_map(|name| name.into_string().ok())
            .collect())
    }

    /// The entry with a name; `None` if there is none.
    pub(super) fn entry(&self, name: &str) -> Result<Option<FolderEntry>> {
        // No name of a store has a zero byte in it.
        let Ok(named) = CString::new(name) else {
            return Ok(None);
        };
        self.entry_of(&named)
    }

    /// The entry with a name that need not be text.
    pub(super) fn entry_of(&self, name: &CStr) -> Result<Option<FolderEntry>> {
        match rustix::fs::statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(about) => Ok(Some(match FileType::from_raw_mode(about.st_mode) {
                FileType::Directory => FolderEntry::Folder,
                FileType::RegularFile => FolderEntry::File(about.st_size.unsigned_abs()),
                FileType::Symlink => FolderEntry::Other("a symbolic link"),
                FileType::Fifo => FolderEntry::Other("a pipe"),
                FileType::Socket => FolderEntry::Other("a socket"),
                _ => FolderEntry::Other("a device"),
            })),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(errno) => Err(Error::io(
                &self.path.join(&*name.to_string_lossy()),
                "look at",
                &errno.into(),
            )),
        }
    }

    /// Waits until the names in it are on the disk.
    pub(super) fn sync(&self) -> Result<()> {
        rustix::fs::fsync(&self.descriptor).map_err(|errno| self.error("write", errno))
    }

    /// Waits until all data of its file system is on the disk.
    pub(super) fn sync_all(&self) -> Result<()> {
        rustix::fs::syncfs(&self.descriptor).map_err(|errno| self.error("write", errno))
    }

    fn error(&self, doing: &str, errno: Errno) -> Error {
        Error::io(&self.path, &format!("{doing} the folder"), &errno.into())
    }

    fn astray(&self, name: &str) -> Error {
        let text = "a store must not contain a link, a pipe or a device: move it away";
        Error::new(ErrorCategory::Io, text).in_file(&self.path.join(name))
    }
}

/// Locks a file until it is closed; false if another process holds the lock.
pub(super) fn lock(file: &File, path: &Path) -> Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            let text = "the file system has no locks, without which two programs could write at once: put the store on \
                        another one";
            Err(Error::new(ErrorCategory::Io, text).in_file(path))
        }
        Err(TryLockError::Error(error)) => Err(Error::io(path, "lock", &error)),
    }
}
