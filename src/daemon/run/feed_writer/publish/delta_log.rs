//! The Delta log of a table, as decided (CONTRACTS 4): its versions, and the commits that may not
//! be in the public root yet.
//!
//! Nothing here writes.

use serde::{Deserialize, Serialize};

use crate::engine::delta::{
    Commit, DataFile, LogFile, Metadata, Operation, checkpoint, last_checkpoint,
};
use crate::engine::release::{Sha256, TableId};

/// The number of versions between two checkpoints.
const CHECKPOINT_EVERY: u64 = 10;

/// A Delta log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeltaLog {
    /// The metadata of the table, from its first release on.
    metadata: Option<Metadata>,
    /// The versions, from 0.
    versions: Vec<Version>,
    /// Commits that may not be in the public root yet.
    due: Vec<Commit>,
    /// The oldest version to which readers can go back; 0, or one with a checkpoint.
    first: u64,
}

/// A version of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The release whose rows it contains; `None` if it contains none.
    pub release: Option<u32>,
    /// The scheduled time of the release that it belongs to, in milliseconds since 1970.
    pub time: i64,
    /// The digest of its commit.
    pub commit: Sha256,
}

/// The content of the next commit.
pub struct DeltaStep {
    /// The operation.
    pub operation: Operation,
    /// The scheduled time of the release that it belongs to, in milliseconds since 1970.
    pub time: i64,
    /// Files that leave the table.
    pub removed: Vec<DataFile>,
    /// Files that join it.
    pub added: Vec<DataFile>,
}

/// The path of a file of the Delta log of a table.
pub fn log_path(table: TableId, file: LogFile) -> String {
    format!("{}/{}", table.folder(), file.path())
}

/// A checkpoint of a log.
pub struct DeltaCheckpoint {
    /// Its version.
    pub version: u64,
    /// The content of the table in it.
    pub content: DeltaFile,
    /// The file that names it.
    pub named: DeltaFile,
}

/// A file of a log: only the log itself creates one, for versions that are decided.
pub struct DeltaFile {
    name: LogFile,
    bytes: Vec<u8>,
}

impl DeltaFile {
    /// Its kind and version.
    pub fn name(&self) -> LogFile {
        self.name
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl DeltaLog {
    /// Version 0 creates the table, without rows.
    pub fn begin(&mut self, metadata: impl FnOnce() -> Metadata, time: i64) {
        if self.metadata.is_none() {
            self.metadata = Some(metadata());
            self.push(DeltaStep {
                operation: Operation::Create,
                time,
                removed: Vec::new(),
                added: Vec::new(),
            });
        }
    }

    /// Adds the next version.
    pub fn push(&mut self, step: DeltaStep) {
        let DeltaStep {
            operation,
            time,
            removed,
            added,
        } = step;
        let commit = Commit {
            version: self.versions.len() as u64,
            time,
            operation,
            removed,
            added,
        };
        let metadata = self
            .metadata
            .as_ref()
            .expect("a table is created before it has a release");
        let before = self.versions.last().and_then(|version| version.release);
        let release = match operation {
            Operation::Create | Operation::Compact => before,
            Operation::Append { .. } | Operation::Overwrite { .. } | Operation::Withdraw { .. } => {
                operation.release()
            }
        };
        self.versions.push(Version {
            release,
            time,
            commit: Sha256::of(&commit.bytes(metadata)),
        });
        self.due.push(commit);
    }

    /// The oldest version to which readers can go back; 0, or one with a checkpoint.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// From now on readers cannot go back to versions before the newest one.
    pub fn forget_versions(&mut self) {
        self.first = (self.versions.len() as u64).saturating_sub(1);
    }

    /// From now on readers cannot go back to versions before that of a release.
    pub fn starts_with_release(&mut self, release: u32) {
        let version = self
            .versions
            .iter()
            .position(|version| version.release == Some(release));
        self.first = self.first.max(version.unwrap_or(0) as u64);
    }

    /// The versions, from 0.
    pub fn versions(&self) -> &[Version] {
        &self.versions
    }

    /// The metadata of the table; `None` before its first release.
    pub fn metadata(&self) -> Option<&Metadata> {
        self.metadata.as_ref()
    }

    /// Commits that may not be in the public root yet, as files of the log.
    pub fn due(&self) -> Vec<DeltaFile> {
        let Some(metadata) = &self.metadata else {
            return Vec::new();
        };
        let file = |commit: &Commit| DeltaFile {
            name: LogFile::Commit(commit.version),
            bytes: commit.bytes(metadata),
        };
        self.due.iter().map(file).collect()
    }

    /// All commits are in the public root.
    pub fn shown(&mut self) {
        self.due.clear();
    }

    /// The newest version, if the due commits require its checkpoint.
    pub fn checkpoint_due(&self) -> Option<u64> {
        let (first, last) = (self.due.first()?.version, self.due.last()?.version);
        (last / CHECKPOINT_EVERY > first.saturating_sub(1) / CHECKPOINT_EVERY).then_some(last)
    }

    /// The checkpoint of a version that contains a release, with these files.
    pub fn checkpoint(&self, version: u64, files: &[DataFile]) -> Option<DeltaCheckpoint> {
        let (metadata, of) = (
            self.metadata.as_ref()?,
            self.versions.get(usize::try_from(version).ok()?)?,
        );
        let newest = of.release.map(|release| (release, of.time));
        let bytes = checkpoint(metadata, newest, files);
        let content = DeltaFile {
            name: LogFile::Checkpoint(version),
            bytes,
        };
        let bytes = last_checkpoint(version, of.release, files.len());
        Some(DeltaCheckpoint {
            version,
            content,
            named: DeltaFile {
                name: LogFile::LastCheckpoint,
                bytes,
            },
        })
    }
}
