//! A folder in which files appear (CONTRACTS 5): which of them are complete, in the order of their
//! names. Reads only; the caller records which were accepted.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::error::{Error, ErrorCategory, Result};

/// The size and time of a file, which show a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// The size in bytes.
    pub size: u64,
    /// The time of the last change.
    pub modified: SystemTime,
}

/// A folder that is watched.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    settle: Duration,
    /// Names that are links or special files, and what they are; those that were reported stay.
    irregular: BTreeMap<String, &'static str>,
    reported: BTreeSet<String>,
    /// Files that are not accepted yet: their stamps, and since when they are unchanged.
    standing: BTreeMap<String, (FileStamp, Instant)>,
}

/// A file in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// Its name.
    pub name: String,
    /// Its stamp.
    pub look: FileStamp,
}

impl Directory {
    /// Watches a folder; a file must be unchanged for as long as `settle`.
    pub fn new(path: &Path, settle: Duration) -> Directory {
        let (irregular, reported, standing) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        Directory {
            path: path.to_path_buf(),
            settle,
            irregular,
            reported,
            standing,
        }
    }

    /// The path of a file with this name.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// How long a file must be unchanged.
    pub fn settle(&self) -> Duration {
        self.settle
    }

    /// Examines all files, in the order of their names: those that may be accepted next (up to the
    /// first that still changes), and those that were accepted. `taken` says which were.
    ///
    /// # Errors
    /// The folder cannot be read, or a name is no text.
    pub fn look(
        &mut self,
        now: Instant,
        taken: &dyn Fn(&str) -> bool,
    ) -> Result<(Vec<FolderFile>, Vec<FolderFile>)> {
        let FolderListing {
            mut files,
            irregular,
        } = self.listing()?;
        self.reported.retain(|name| irregular.contains_key(name));
        self.irregular = irregular;
        files.sort_by(|a, b| a.name.cmp(&b.name));
        let (taken, new): (Vec<FolderFile>, Vec<FolderFile>) =
            files.into_iter().partition(|file| taken(&file.name));
        let mut before = std::mem::take(&mut self.standing);
        let mut ready = Vec::new();
        let mut waits = false;
        for file in new {
            let since = match before.remove(&file.name) {
                Some((look, since)) if look == file.look => since,
                _ => now,
            };
            self.standing.insert(file.name.clone(), (file.look, since));
            waits |= now.duration_since(since) < self.settle;
            if !waits {
                ready.push(file);
            }
        }
        Ok((ready, taken))
    }

    /// Links and special files that the last look found and the one before did not, and what they
    /// are. They are never opened.
    pub fn newly_irregular(&mut self) -> Vec<(String, &'static str)> {
        let new = self
            .irregular
            .iter()
            .filter(|(name, _)| !self.reported.contains(*name));
        let new: Vec<(String, &'static str)> =
            new.map(|(name, kind)| (name.clone(), *kind)).collect();
        self.reported
            .extend(new.iter().map(|(name, _)| name.clone()));
        new
    }

    /// Whether there are files that are not accepted yet.
    pub fn waits(&self) -> bool {
        !self.standing.is_empty()
    }

    /// The current stamp of a file; `None` if it is gone.
    pub fn again(&self, name: &str) -> Option<FileStamp> {
        match look(&self.file(name)) {
            Ok(Some(FolderEntry::File(stamp))) => Some(stamp),
            _ => None,
        }
    }

    /// All files of the feed.
    ///
    /// # Errors
    /// As [`Directory::look`].
    pub fn files(&self) -> Result<Vec<FolderFile>> {
        Ok(self.listing()?.files)
    }

    fn listing(&self) -> Result<FolderListing> {
        let refused = |error: std::io::Error| {
            Error::io(&self.path, "look into the folder of the source", &error)
                .in_field("source.path")
        };
        let mut found = FolderListing::default();
        for entry in std::fs::read_dir(&self.path).map_err(refused)? {
            let entry = entry.map_err(refused)?;
            let Ok(name) = entry.file_name().into_string() else {
                let text = "the name of this file is not UTF-8 text: rename it";
                return Err(Error::new(ErrorCategory::Input, text).in_file(&entry.path()));
            };
            if left_alone(&name) {
                continue;
            }
            // A file may disappear while we read the folder.
            match look(&entry.path())
                .map_err(|error| Error::io(&entry.path(), "look at", &error))?
            {
                Some(FolderEntry::File(look)) => found.files.push(FolderFile { name, look }),
                Some(FolderEntry::Irregular(kind)) => drop(found.irregular.insert(name, kind)),
                None => {}
            }
        }
        Ok(found)
    }
}

/// Names of files that feeds ignore.
fn left_alone(name: &str) -> bool {
    name.starts_with(['.', '_']) || name.ends_with(".tmp") || name.ends_with(".part")
}

/// What is in a folder, without folders in it.
#[derive(Default)]
struct FolderListing {
    files: Vec<FolderFile>,
    irregular: BTreeMap<String, &'static str>,
}

/// What a name stands for.
enum FolderEntry {
    File(FileStamp),
    /// A link or a special file.
    Irregular(&'static str),
}

/// What a name stands for, without following it; `None` for a folder, and if it is gone.
fn look(path: &Path) -> std::io::Result<Option<FolderEntry>> {
    let about = match std::fs::symlink_metadata(path) {
        Ok(about) => about,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let kind = about.file_type();
    if kind.is_dir() {
        return Ok(None);
    }
    if kind.is_file() {
        return Ok(Some(FolderEntry::File(FileStamp {
            size: about.len(),
            modified: about.modified()?,
        })));
    }
    let kind = match kind {
        kind if kind.is_symlink() => "link",
        kind if kind.is_fifo() => "pipe",
        kind if kind.is_socket() => "socket",
        _ => "device",
    };
    Ok(Some(FolderEntry::Irregular(kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_accepted_when_they_no_longer_grow_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("a file")
        };
        let mut directory = Directory::new(folder.path(), Duration::from_secs(2));
        let start = Instant::now();
        let names = |directory: &mut Directory, after: u64, taken: &[&str]| -> Vec<String> {
            let found = directory.look(start + Duration::from_secs(after), &|name| {
                taken.contains(&name)
            });
            found
                .expect("a folder")
                .0
                .into_iter()
                .map(|file| file.name)
                .collect()
        };
        for name in ["b.csv", ".a.csv", "_c.csv", "d.csv.tmp", "e.part"] {
            write(name, "one");
        }
        std::fs::create_dir(folder.path().join("folder")).expect("a folder");
        // A link is never followed.
        for (name, to) in [("0.csv", "nowhere"), ("1.csv", "b.csv")] {
            std::os::unix::fs::symlink(to, folder.path().join(name)).expect("a link");
        }
        assert!(!directory.waits(), "nothing was seen yet");
        assert!(
            names(&mut directory, 0, &[]).is_empty(),
            "it may still grow"
        );
        let links = ["0.csv", "1.csv"].map(|name| (name.to_owned(), "link"));
        assert_eq!(directory.newly_irregular(), links);
        assert!(directory.waits());
        assert!(names(&mut directory, 1, &[]).is_empty());
        assert!(directory.newly_irregular().is_empty(), "they were reported");
        assert_eq!(names(&mut directory, 2, &[]), ["b.csv"]);
        write("a.csv", "one");
        assert!(
            names(&mut directory, 3, &[]).is_empty(),
            "an earlier name comes first, and it may still grow"
        );
        write("a.csv", "longer");
        assert!(names(&mut directory, 4, &[]).is_empty());
        assert_eq!(names(&mut directory, 6, &[]), ["a.csv", "b.csv"]);
        assert_eq!(names(&mut directory, 7, &["a.csv"]), ["b.csv"]);
        assert_eq!(names(&mut directory, 8, &["a.csv", "b.csv"]), [""; 0]);
        assert!(!directory.waits(), "all are taken");
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let mut directory = Directory::new(Path::new("/nowhere/at/all"), Duration::ZERO);
        let error = directory
            .look(Instant::now(), &|_| false)
            .expect_err("no folder");
        assert!(
            error.to_string().contains("/nowhere/at/all")
                && error.to_string().contains("source.path"),
            "{error}"
        );
    }
}
