//! A snapshot of a feed, for commands that only read: nothing is locked, nothing is changed, and a
//! running writer continues.

use crate::wiped_bytes::WipedBytes;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::state::FeedState;
use super::super::state_parts::DecidedRelease;
use super::published_releases::intact;
use super::replay::{ReplayedLog, past, past_quickly};
use crate::engine::gate::bytes::{self, PartRows, PublishedTable};
use crate::engine::histogram::{Histogram, Release, SensitiveValues};
use crate::engine::model::Node;
use crate::engine::policy::Output;
use crate::engine::release::{FileLine, Layout, Manifest, Sha256, TableId, TableKind};
use crate::error::{Error, ErrorCategory, Result};
use crate::journal::store::{ReadStore, Store};
use crate::journal::{CandidateFile, CheckedEntry, KeyRing, ObjectReader, Ref};

/// The roots of a feed, and the keys to it.
pub struct FeedRoots {
    /// The private root.
    pub private: Arc<dyn Store>,
    /// The public root.
    pub public: Arc<dyn ReadStore>,
    /// The keys.
    pub ring: KeyRing,
    /// The arrangement of published files.
    pub layout: Layout,
}

/// A snapshot of a feed.
pub struct FeedSnapshot {
    /// Its state.
    pub state: FeedState,
    /// Its last entry.
    pub last: Option<CheckedEntry>,
    roots: FeedRoots,
}

impl FeedSnapshot {
    /// Takes a snapshot by reading the whole log; `None` if no feed has begun.
    ///
    /// # Errors
    /// The log is damaged.
    pub fn whole(roots: FeedRoots) -> Result<Option<FeedSnapshot>> {
        let past = past(&*roots.private, &*roots.public, &roots.ring)?;
        Ok(FeedSnapshot::of(past, roots))
    }

    /// Takes a snapshot by reading the log from the newest checkpoint on; `None` if no feed has
    /// begun.
    ///
    /// # Errors
    /// The log is damaged.
    pub fn quickly(roots: FeedRoots) -> Result<Option<FeedSnapshot>> {
        let past = past_quickly(&*roots.private, &*roots.public, &roots.ring)?;
        Ok(FeedSnapshot::of(past, roots))
    }

    fn of(past: ReplayedLog, roots: FeedRoots) -> Option<FeedSnapshot> {
        let ReplayedLog { state, last, .. } = past;
        Some(FeedSnapshot {
            state: state?,
            last,
            roots,
        })
    }

    /// The content of a sealed object.
    ///
    /// # Errors
    /// It is gone or was changed.
    pub fn need(&self, object: &Ref) -> Result<WipedBytes> {
        ObjectReader::new(&*self.roots.private, &self.roots.ring).need(object)
    }

    /// The manifest of a release; `None` while it is not visible.
    ///
    /// # Errors
    /// It was changed.
    pub fn manifest(&self, line: &DecidedRelease) -> Result<Option<Manifest>> {
        let path = self.roots.layout.manifest(line.release);
        let Some(bytes) = self.roots.public.read(&path)? else {
            return Ok(None);
        };
        let manifest = Manifest::parse(&bytes)
            .ok()
            .filter(|_| line.manifest.is_none_or(|of| of == Sha256::of(&bytes)));
        let text = "this published manifest was changed: restore it as it was published (`tidegate verify` lists every \
            change)";
        manifest
            .map(Some)
            .ok_or_else(|| Error::new(ErrorCategory::Input, text).in_field(path))
    }

    /// The staged manifest of the release that is held for approval; it does not name the decision
    /// yet.
    ///
    /// # Errors
    /// It is gone, or was changed.
    pub fn held(&self) -> Result<Option<Manifest>> {
        let Some(held) = &self.state.held else {
            return Ok(None);
        };
        let manifest = held.approved.manifest();
        let bytes = self.staged(manifest)?;
        let read = Manifest::parse(&bytes).map(Some);
        read.map_err(|error| {
            Error::new(ErrorCategory::Internal, error.to_string()).in_field(manifest.stage.clone())
        })
    }

    /// A file that its manifest names: staged, or published earlier.
    ///
    /// # Errors
    /// It is gone, or was changed.
    pub fn held_file(&self, file: &FileLine) -> Result<Vec<u8>> {
        let staged = self
            .state
            .held
            .iter()
            .flat_map(|held| held.approved.files())
            .find(|staged| staged.path == file.path);
        if let Some(staged) = staged {
            return self.staged(staged);
        }
        let bytes = self
            .roots
            .public
            .read(&file.path)?
            .filter(|bytes| Sha256::of(bytes) == file.sha256);
        let text =
            "this published file is missing or was changed (`tidegate verify` lists every change)";
        bytes.ok_or_else(|| Error::new(ErrorCategory::Input, text).in_field(file.path.clone()))
    }

    fn staged(&self, file: &CandidateFile) -> Result<Vec<u8>> {
        let bytes = file.read_staged(ObjectReader::new(&*self.roots.private, &self.roots.ring))?;
        let text = "this file of the release that waits for approval is missing or was changed: reject the release, \
                    and the next tick makes a new one";
        bytes.ok_or_else(|| Error::new(ErrorCategory::Input, text).in_field(file.stage.clone()))
    }

    /// The tables of the newest chain, read back as they were published, with their numbers.
    ///
    /// # Errors
    /// A file of any release, including older chains, is missing or differs from the published one.
    pub fn tables(&self) -> Result<Vec<(u32, PublishedTable)>> {
        let (mut found, mut published) = (Vec::new(), self.state.feed.published().iter());
        let policy = self.state.terms.policy()?;
        let two = policy.output() == Output::TwoTable;
        let mut parts = BTreeMap::new();
        for line in self.state.releases.iter().filter(|line| line.is_visible()) {
            let mut files = intact(&*self.roots.public, self.roots.layout, line)?.into_iter();
            if line.chain != self.state.feed.chain() {
                continue;
            }
            let strange = || {
                Error::new(
                    ErrorCategory::Internal,
                    format!("release {} cannot be read back", line.release),
                )
            };
            if policy.has_atoms() {
                found.push((
                    line.release,
                    self.whole_table(line, files, &mut parts)?
                        .ok_or_else(strange)?,
                ));
                continue;
            }
            let rows: Vec<Vec<u8>> = files.by_ref().take(if two { 2 } else { 1 }).collect();
            let rows: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
            let recoding = &published.next().ok_or_else(strange)?.recoding;
            let table = bytes::read_tables(&rows, &self.state.terms.columns, recoding).0;
            found.push((line.release, table.ok_or_else(strange)?));
        }
        Ok(found)
    }

    /// All rows of a release of a table that grows, combined from the files that its manifest
    /// lists. `files` are those that it added, and `known` the rows of earlier ones.
    fn whole_table(
        &self,
        line: &DecidedRelease,
        files: impl Iterator<Item = Vec<u8>>,
        known: &mut BTreeMap<String, Histogram>,
    ) -> Result<Option<PublishedTable>> {
        let columns = &self.state.terms.columns;
        for ((path, _), bytes) in line.files.iter().zip(files) {
            if path.ends_with(".parquet") && TableKind::of(path) == TableKind::Rows {
                let Some(rows) = self.part(line, path, &bytes) else {
                    return Ok(None);
                };
                known.insert(path.clone(), rows.counts);
            }
        }
        let Some(manifest) = self.manifest(line)? else {
            return Ok(None);
        };
        // Parts of releases whose manifests were removed.
        for file in manifest.files.iter().filter(|file| file.people().is_some()) {
            if known.contains_key(&file.path) {
                continue;
            }
            let bytes = self
                .roots
                .public
                .read(&file.path)?
                .filter(|bytes| Sha256::of(bytes) == file.sha256);
            let Some(bytes) = bytes else { return Ok(None) };
            let Some(rows) = self.part(line, &file.path, &bytes) else {
                return Ok(None);
            };
            known.insert(file.path.clone(), rows.counts);
        }
        let parts = manifest.files.iter().filter(|file| file.people().is_some());
        let Some(rows) = parts
            .map(|file| known.get(&file.path).map(|rows| rows.clone().as_one(0)))
            .collect::<Option<_>>()
        else {
            return Ok(None);
        };
        let rows = Histogram::merge_all(rows)
            .unwrap_or_else(|| Histogram::empty(columns.trees().len(), 0));
        let release = Release::from_own_labels(&rows);
        Ok(Some(PublishedTable {
            release,
            values: rows.values().clone(),
            exact: None,
        }))
    }

    /// The rows of a file of a table that grows.
    fn part(&self, line: &DecidedRelease, path: &str, bytes: &[u8]) -> Option<PartRows> {
        let release = self
            .state
            .tables
            .get(&TableId::rows(line.chain))?
            .span_of(path)?
            .last;
        bytes::read_part(bytes, &self.state.terms.columns, release).0
    }

    /// Rows of a visible release of the running chain that satisfy a condition on the release that
    /// added them and on their label.
    ///
    /// # Errors
    /// A part is missing or was changed.
    pub fn rows_where(
        &self,
        line: &DecidedRelease,
        of: impl Fn(u32, &[Node]) -> bool,
    ) -> Result<(Release, SensitiveValues)> {
        let columns = &self.state.terms.columns;
        let strange = || {
            Error::new(
                ErrorCategory::Internal,
                format!("release {} cannot be read back", line.release),
            )
        };
        let mut found = vec![Histogram::empty(
            columns.trees().len(),
            self.state.sensitive(),
        )];
        for file in self
            .manifest(line)?
            .ok_or_else(strange)?
            .files
            .iter()
            .filter(|file| file.people().is_some())
        {
            let bytes = self
                .roots
                .public
                .read(&file.path)?
                .filter(|bytes| Sha256::of(bytes) == file.sha256);
            let rows = bytes
                .and_then(|bytes| self.part(line, &file.path, &bytes))
                .ok_or_else(strange)?;
            let [some, _] = rows.counts.divide(|label, cell| of(cell.increment, label));
            found.push(some.as_one(0));
        }
        let rows = Histogram::merge_all(found).expect("one at least");
        Ok((Release::from_own_labels(&rows), rows.values().clone()))
    }

    /// The private root.
    pub fn store(&self) -> &dyn Store {
        &*self.roots.private
    }

    /// The keys.
    pub fn ring(&self) -> &KeyRing {
        &self.roots.ring
    }
}
