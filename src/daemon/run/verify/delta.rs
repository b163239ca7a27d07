//! The Delta log of a table by itself: its commits follow one another, each version has the rows of
//! the release that it names, files are listed with their rows and bytes, and a checkpoint agrees
//! with the commits before it.

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;

use super::FileFault;
use super::removals::Removals;
use crate::engine::delta::{CheckpointActions, LogFile, Metadata, Snapshot, named_checkpoint};
use crate::engine::release::{Manifest, Sha256, TableId, TableKind};
use crate::error::Result;
use crate::feed_writer::log_path;
use crate::ingest::{guarded, parquet_rows_at_a_time};
use crate::journal::store::{ListedObject, ReadStore};

/// The log of a table, as it was found.
#[derive(Debug, Default)]
pub struct SeenLog {
    /// The hashes of its commits, by version.
    pub commits: BTreeMap<u64, Sha256>,
    /// The versions of its checkpoints.
    pub checkpoints: Vec<u64>,
    /// The newest version, if the log could be read up to it.
    pub newest: Option<Snapshot>,
}

/// The log file at a path from the public root, with its table; None if it is not one.
pub(super) fn log_file(path: &str) -> Option<(TableId, LogFile)> {
    let (table, file) = TableId::holding(path)?;
    Some((table, LogFile::at(file)?))
}

/// The version that a checkpoint contains; None if this program did not write it, or if it is
/// larger than such a one can be.
pub fn read_checkpoint(path: &str, bytes: Vec<u8>) -> Option<Snapshot> {
    let bytes = Bytes::from(bytes);
    let rows = parquet_rows_at_a_time(Path::new(path), &bytes).ok()?;
    Snapshot::of_checkpoint(&actions(&bytes, rows)?)
}

/// Whether the file at a path is a checkpoint with the same content as another one, however they
/// are encoded; the other one was written by this program.
pub(super) fn is_same_checkpoint(path: &str, bytes: Vec<u8>, other: &[u8]) -> bool {
    if bytes == other {
        return true;
    }
    let (bytes, other) = (Bytes::from(bytes), Bytes::copy_from_slice(other));
    let Ok(rows) = parquet_rows_at_a_time(Path::new(path), &bytes) else {
        return false;
    };
    let read = actions(&bytes, rows);
    read.is_some() && read == actions(&other, rows)
}

fn actions(bytes: &Bytes, rows: usize) -> Option<CheckpointActions> {
    guarded(|| CheckpointActions::read(bytes.clone(), rows)).flatten()
}

/// The Delta logs of a public root, compared with its manifests.
pub(super) struct Logs<'a> {
    /// The root.
    pub store: &'a dyn ReadStore,
    /// Its manifests, by release.
    pub releases: &'a [(Manifest, Sha256)],
    /// Its removed manifests.
    pub removals: &'a Removals,
    /// Parts of tables that manifests list, and their rows.
    pub parts: &'a BTreeMap<String, u64>,
    /// Everything that differs from what was published.
    pub findings: Vec<FileFault>,
    /// The logs, by their tables.
    pub logs: BTreeMap<TableId, SeenLog>,
}

impl Logs<'_> {
    /// Checks the Delta logs among these files.
    ///
    /// # Errors
    /// The root cannot be read.
    pub(super) fn look(&mut self, listed: &[ListedObject]) -> Result<()> {
        let mut logs: BTreeMap<TableId, Vec<LogFile>> = BTreeMap::new();
        for (table, file) in listed.iter().filter_map(|object| log_file(&object.path)) {
            logs.entry(table).or_default().push(file);
        }
        let sizes: BTreeMap<&str, u64> = listed
            .iter()
            .map(|object| (object.path.as_str(), object.size))
            .collect();
        for (table, files) in logs {
            self.one_log(table, &files, &sizes)?;
        }
        self.behind();
        Ok(())
    }

    fn one_log(
        &mut self,
        table: TableId,
        files: &[LogFile],
        sizes: &BTreeMap<&str, u64>,
    ) -> Result<()> {
        let of_chain = self
            .releases
            .iter()
            .find(|(manifest, _)| manifest.chain == table.chain);
        let feed = of_chain
            .map(|(manifest, _)| manifest.feed.as_str())
            .or_else(|| self.removals.feed(table.chain));
        let Some(feed) = feed else {
            let text = "no manifest and no notice belongs to the chain of this Delta log";
            self.findings
                .push(FileFault::new(log_path(table, LogFile::Commit(0)), text));
            return Ok(());
        };
        let app = Metadata::app_of(feed, table);
        let mut seen = SeenLog::default();
        let mut commits: Vec<u64> = files
            .iter()
            .filter_map(|file| version(*file, false))
            .collect();
        seen.checkpoints = files
            .iter()
            .filter_map(|file| version(*file, true))
            .collect();
        commits.sort_unstable();
        seen.checkpoints.sort_unstable();
        // If the first versions are gone, a checkpoint replaces them: the oldest one after which no
        // commit is missing.
        let is_whole = |from: u64| {
            (from + 1..)
                .zip(commits.iter().filter(|at| **at > from))
                .all(|(meant, at)| meant == *at)
        };
        let start = seen
            .checkpoints
            .iter()
            .copied()
            .find(|version| is_whole(*version));
        let start = start.filter(|_| commits.first() != Some(&0));
        let mut snapshot = match start {
            None => Some(Snapshot::default()),
            Some(version) => self.checkpoint(table, version, None)?,
        };
        if let (Some(version), Some(snapshot)) = (start, &snapshot) {
            self.version(
                table,
                &log_path(table, LogFile::Checkpoint(version)),
                snapshot,
                sizes,
            );
        }
        if let Some(version) = start.filter(|version| commits.contains(version)) {
            // The checkpoint contains the state of the table after this commit.
            let bytes = self
                .store
                .read(&log_path(table, LogFile::Commit(version)))?;
            seen.commits
                .extend(bytes.map(|bytes| (version, Sha256::of(&bytes))));
        }
        for (at, next) in (start.map_or(0, |version| version + 1)..)
            .zip(commits.iter().filter(|at| Some(**at) > start))
        {
            if *next != at {
                let text = "this commit of the Delta log is missing";
                self.findings
                    .push(FileFault::new(log_path(table, LogFile::Commit(at)), text));
                snapshot = None;
            }
            let path = log_path(table, LogFile::Commit(*next));
            let Some(bytes) = self.store.read(&path)? else {
                continue;
            };
            seen.commits.insert(*next, Sha256::of(&bytes));
            snapshot = match snapshot.map(|snapshot| snapshot.after(&bytes, &app)) {
                Some(Ok(snapshot)) => Some(snapshot),
                Some(Err(error)) => {
                    self.findings
                        .push(FileFault::new(path.clone(), error.to_string()));
                    None
                }
                None => None,
            };
            if let Some(snapshot) = &snapshot {
                self.version(table, &path, snapshot, sizes);
            }
            if seen.checkpoints.contains(next) {
                self.checkpoint(table, *next, snapshot.as_ref())?;
            }
        }
        self.named_checkpoint(table, &seen.checkpoints)?;
        seen.newest = snapshot;
        self.logs.insert(table, seen);
        Ok(())
    }

    /// Whether a version has the rows of its release, in files that manifests list.
    fn version(
        &mut self,
        table: TableId,
        path: &str,
        snapshot: &Snapshot,
        sizes: &BTreeMap<&str, u64>,
    ) {
        let Some(release) = snapshot.release else {
            return;
        };
        let manifest = self
            .releases
            .iter()
            .find(|(manifest, _)| manifest.release == release);
        let mut wrong = Vec::new();
        match manifest {
            Some((manifest, _)) if manifest.chain != table.chain => {
                wrong.push("this version of the Delta table names a release of another chain")
            }
            Some((manifest, _)) if rows_of(manifest, table.kind) != snapshot.rows() => {
                wrong.push(
                    "this version of the Delta table has a different number of rows than the manifest of its release",
                );
            }
            None if self.removals.holds(table.chain, release) => {}
            None if self.removals.may_hold(release, self.releases) => {
                wrong.push("this version of the Delta table names a release of this chain without manifest and notice");
            }
            None if self
                .releases
                .last()
                .is_none_or(|(newest, _)| newest.release < release) =>
            {
                wrong.push("this version of the Delta table names a release without manifest");
            }
            _ => {}
        }
        for file in snapshot.files.values() {
            let place = format!("{}/{}", table.folder(), file.path);
            let in_parts = self.parts.get(&place);
            if in_parts.is_some_and(|rows| *rows != file.rows) {
                wrong.push("this version of the Delta table gives a file a different number of rows than its manifest");
            }
            if in_parts.is_none() && manifest.is_some() {
                wrong.push("this version of the Delta table names a file that no manifest lists");
            }
            if sizes
                .get(place.as_str())
                .is_some_and(|bytes| *bytes != file.bytes)
            {
                wrong.push("this version of the Delta table gives a file a different number of bytes than it has");
            }
        }
        wrong.dedup();
        self.findings
            .extend(wrong.into_iter().map(|text| FileFault::new(path, text)));
    }

    /// The content of a checkpoint, if it agrees with the commits up to it.
    fn checkpoint(
        &mut self,
        table: TableId,
        version: u64,
        meant: Option<&Snapshot>,
    ) -> Result<Option<Snapshot>> {
        let path = log_path(table, LogFile::Checkpoint(version));
        let Some(bytes) = self.store.read(&path)? else {
            return Ok(None);
        };
        let said = read_checkpoint(&path, bytes);
        if said.is_none() || meant.is_some() && said.as_ref() != meant {
            self.findings.push(FileFault::new(
                path,
                "this checkpoint does not match the commits before it",
            ));
        }
        Ok(said)
    }

    /// The newest checkpoint is named, or an older one that exists.
    fn named_checkpoint(&mut self, table: TableId, checkpoints: &[u64]) -> Result<()> {
        let path = log_path(table, LogFile::LastCheckpoint);
        let Some(bytes) = self.store.read(&path)? else {
            return Ok(());
        };
        if !named_checkpoint(&bytes).is_some_and(|version| checkpoints.contains(&version)) {
            let text = "it names a checkpoint that does not exist: a late write restored it (the feed names the newest \
                        one at its next tick), or it was changed. Remove it; readers find the newest checkpoint \
                        without it";
            self.findings.push(FileFault::new(path, text));
        }
        Ok(())
    }

    /// The newest version of a table is that of its newest release, or of the one before: a commit
    /// follows its manifest.
    fn behind(&mut self) {
        for (table, log) in &self.logs {
            let Some(newest) = &log.newest else { continue };
            let released: Vec<u32> = self
                .releases
                .iter()
                .filter(|(manifest, _)| {
                    manifest.chain == table.chain
                        && newest.release.is_none_or(|of| manifest.release > of)
                })
                .map(|(manifest, _)| manifest.release)
                .collect();
            if let [missing, _, ..] = &released[..] {
                let text =
                    format!("the Delta log lacks the commits of release {missing} and later ones");
                self.findings
                    .push(FileFault::new(log_path(*table, LogFile::Commit(0)), text));
            }
        }
    }
}

/// The rows of a table, according to the manifest of a release.
fn rows_of(manifest: &Manifest, table: TableKind) -> u64 {
    match table {
        TableKind::Rows => manifest.rows,
        TableKind::Measures => {
            let files = manifest
                .files
                .iter()
                .filter(|file| TableKind::of(&file.path) == table);
            files.filter_map(|file| file.rows).sum()
        }
    }
}

fn version(file: LogFile, checkpoint: bool) -> Option<u64> {
    match file {
        LogFile::Commit(version) if !checkpoint => Some(version),
        LogFile::Checkpoint(version) if checkpoint => Some(version),
        _ => None,
    }
}
