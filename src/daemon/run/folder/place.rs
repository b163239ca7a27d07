//! The folder of `anonymize` (CONTRACTS 3): releases for all readers, and `.private`, the private
//! root of their log, which only the operator may read. A release exists once its manifest does.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::{replace, within};
use super::outcome::TickVerdict;
use crate::engine::release::Layout;
use crate::error::{Error, ErrorCategory, Result};
use crate::feed_writer::{FeedRoots, FeedState, intact};
use crate::journal::KeyRing;
use crate::journal::store::{Local, Lock, Packs, ReadOnlyFolder, Store};
use crate::seal::OperatorKey;

const PRIVATE: &str = ".private";
const VERDICTS: &str = "verdicts";
/// The possible files of a release, without its taxonomies.
const FILES: [&str; 5] = [
    "data.parquet",
    "sensitive.parquet",
    "part.parquet",
    "manifest.json",
    "report.html",
];

/// A folder, locked for this process.
pub(super) struct ReleaseFolder {
    path: PathBuf,
    /// The private root.
    pub private: Arc<dyn Store>,
    /// The public root.
    pub public: Arc<Local>,
    _lock: Lock,
}

/// Whether a chain has begun here.
///
/// # Errors
/// None has, and none can because there are other files.
pub fn begun(path: &Path) -> Result<bool> {
    let private = path.join(PRIVATE);
    let begun = || {
        ["FORMAT", "keys", "log"]
            .iter()
            .any(|name| private.join(name).exists())
    };
    match usable(path) {
        // Another process may just have begun one.
        _ if begun() => Ok(true),
        usable => usable.map(|()| false),
    }
}

/// The roots in a folder, for reading; `None` if no chain has begun.
///
/// # Errors
/// The key does not fit.
pub fn roots(path: &Path, key: &OperatorKey) -> Result<Option<FeedRoots>> {
    let private = Packs::over(Arc::new(ReadOnlyFolder::open(&path.join(PRIVATE))?));
    let Some(ring) = KeyRing::open(&private, key)? else {
        return Ok(None);
    };
    let public = ReadOnlyFolder::open(path)?;
    Ok(Some(FeedRoots {
        private: Arc::new(private),
        public: Arc::new(public),
        ring,
        layout: Layout::Folders,
    }))
}

impl ReleaseFolder {
    /// Opens or creates a folder.
    ///
    /// # Errors
    /// It contains other files, others may read its private root, or another process is using it.
    pub(super) fn open(path: &Path) -> Result<ReleaseFolder> {
        begun(path)?;
        let Some((public, private, lock)) = Local::around_private(path, &path.join(PRIVATE))?
        else {
            let text = "another tidegate is running in this folder: wait for it";
            return Err(Error::new(ErrorCategory::Io, text).in_file(path));
        };
        Ok(ReleaseFolder {
            path: path.to_path_buf(),
            private: Arc::new(Packs::over(Arc::new(private))),
            public: Arc::new(public),
            _lock: lock,
        })
    }

    /// Checks that the content is as the log says: each release exactly as it was published, and no
    /// verdict of a later tick.
    ///
    /// # Errors
    /// Something was changed, is in the place of a release, or is newer than the log.
    pub(super) fn sound(&self, state: &FeedState) -> Result<()> {
        for line in &state.releases {
            if line.manifest.is_some() {
                intact(&*self.public, Layout::Folders, line)?;
            }
            let manifest = Layout::Folders.manifest(line.release);
            let own = |path: &Path| {
                path.ends_with(&manifest) || line.files.iter().any(|(file, _)| path.ends_with(file))
            };
            let text = "this file does not belong to the release in this folder: move it away";
            self.alone(line.release, own, ErrorCategory::Input, text)?;
        }
        // A verdict is written when everything of its tick is in the log.
        let unfinished =
            state.closing.is_some() || state.due.is_some() || state.publishing.is_some();
        let ticks = state.feed.ticks() - u32::from(unfinished);
        let verdicts = within(&self.path.join(PRIVATE).join(VERDICTS))?;
        match verdicts
            .iter()
            .find(|path| number(path).is_some_and(|tick| tick >= ticks))
        {
            Some(path) => Err(older().in_file(path)),
            None => Ok(()),
        }
    }

    /// Checks that the place of a release is empty.
    ///
    /// # Errors
    /// It is not.
    pub(super) fn free(&self, release: u32) -> Result<()> {
        let text = "a file occupies the place of a release: move it away";
        let place = self.path.join(release.to_string());
        if fs::symlink_metadata(&place).is_ok_and(|about| !about.is_dir()) {
            return Err(Error::new(ErrorCategory::Io, text).in_file(&place));
        }
        let part = |path: &Path| {
            path.file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"part-"))
        };
        let own = |path: &Path| part(path) || FILES.iter().any(|file| path.ends_with(file));
        self.alone(release, own, ErrorCategory::Io, text)
    }

    /// Checks that a release contains only its files: any other file would be taken for a part of
    /// it.
    fn alone(
        &self,
        release: u32,
        own: impl Fn(&Path) -> bool,
        kind: ErrorCategory,
        text: &str,
    ) -> Result<()> {
        match within(&self.path.join(release.to_string()))?
            .iter()
            .find(|path| !own(path))
        {
            Some(path) => Err(Error::new(kind, text).in_file(path)),
            None => Ok(()),
        }
    }

    /// Whether the verdict of a tick is stored.
    pub(super) fn has_verdict(&self, tick: u32) -> bool {
        self.verdict_file(tick).exists()
    }

    /// Stores the verdict of a tick.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn store_verdict(&self, verdict: &TickVerdict) -> Result<()> {
        let folder = self.path.join(PRIVATE).join(VERDICTS);
        let made = fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder);
        made.map_err(|error| Error::io(&folder, "make the folder", &error))?;
        replace(&self.verdict_file(verdict.tick), &verdict.bytes())
    }

    fn verdict_file(&self, tick: u32) -> PathBuf {
        self.path
            .join(PRIVATE)
            .join(VERDICTS)
            .join(format!("{tick:06}.json"))
    }
}

/// The number in the name of a release or a verdict.
fn number(path: &Path) -> Option<u32> {
    path.file_stem()?.to_str()?.parse().ok()
}

fn older() -> Error {
    let text = "this is newer than the log in `.private`, which was restored from an older copy or lost: restore the \
                newest `.private`. To continue from an older one would publish people twice";
    Error::new(ErrorCategory::Input, text)
}

/// Checks that a chain can begin in a folder.
fn usable(path: &Path) -> Result<()> {
    if within(path)?.iter().all(|entry| entry.ends_with(PRIVATE)) {
        return Ok(());
    }
    if let Some(release) = within(path)?
        .into_iter()
        .find(|path| number(path).is_some() && path.join("manifest.json").exists())
    {
        return Err(older().in_file(&release));
    }
    let text =
        "the folder contains other files and no chain of releases: name a new or empty folder";
    Err(Error::new(ErrorCategory::Usage, text)
        .in_file(path)
        .in_field("--out"))
}
