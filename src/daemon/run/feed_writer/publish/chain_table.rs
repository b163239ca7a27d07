//! The table of a chain that grows (SCIENCE 11): which files contain the rows of which releases. A
//! part belongs to every release from the one that added it to the one before it was replaced.

use serde::{Deserialize, Serialize};

use super::delta_log::{DeltaCheckpoint, DeltaLog, DeltaStep};
use crate::engine::delta::{DataFile, Metadata, Operation};
use crate::engine::model::ReleaseColumn;
use crate::engine::release::{PartLine, ReleaseSpan};
use crate::journal::ChainStart;

/// The table of a chain.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ChainTable {
    /// Its parts, including replaced ones, in the order in which they were added.
    parts: Vec<TablePart>,
    /// Its column for the number of the release.
    pub release_column: ReleaseColumn,
    /// Its Delta log, if the chain has one.
    delta: Option<DeltaLog>,
}

/// A part of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TablePart {
    /// The releases whose rows it contains, and its file.
    pub line: PartLine,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The scheduled time of the release that added it, in milliseconds since 1970.
    pub time: i64,
    /// The release that added it.
    pub from: u32,
    /// The first release that does not contain it any more; `None` while the newest one does.
    pub until: Option<u32>,
}

impl TablePart {
    /// Whether a release contains it.
    pub fn is_in(&self, release: u32) -> bool {
        self.from <= release && self.until.is_none_or(|until| release < until)
    }

    fn rows(&self) -> u64 {
        self.line.file.rows.unwrap_or(0)
    }

    /// The part as a Delta log names it.
    pub fn data_file(&self) -> DataFile {
        let path = self
            .line
            .file
            .path
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned();
        DataFile {
            path,
            bytes: self.bytes,
            rows: self.rows(),
            time: self.time,
        }
    }
}

/// A release that is added to a table.
pub struct NewRelease {
    /// Its number.
    pub release: u32,
    /// Its scheduled time, in milliseconds since 1970.
    pub time: i64,
    /// The parts that it adds, and the bytes of their files.
    pub new: Vec<(PartLine, u64)>,
    /// All of its parts.
    pub parts: Vec<PartLine>,
    /// Whether it replaces the previous release, as in a disjoint chain.
    pub overwrites: bool,
}

impl ChainTable {
    /// For a chain that begins.
    pub fn of(chain: &ChainStart) -> ChainTable {
        let delta = chain.delta.then(DeltaLog::default);
        ChainTable {
            parts: Vec::new(),
            release_column: chain.release_column.clone(),
            delta,
        }
    }

    /// The releases whose rows a file contains.
    pub fn span_of(&self, path: &str) -> Option<ReleaseSpan> {
        self.parts
            .iter()
            .find(|part| part.line.file.path == path)
            .map(|part| part.line.span)
    }

    /// The parts of the newest release, in the order of its rows.
    pub fn newest(&self) -> Vec<PartLine> {
        let current = self.parts.iter().filter(|part| part.until.is_none());
        let mut parts: Vec<PartLine> = current.map(|part| part.line.clone()).collect();
        parts.sort_by_key(|part| part.span);
        parts
    }

    /// All parts that are in the public root.
    pub fn parts(&self) -> &[TablePart] {
        &self.parts
    }

    /// The Delta log, if there is one.
    pub fn delta(&self) -> Option<&DeltaLog> {
        self.delta.as_ref()
    }

    /// The Delta log, if there is one.
    pub fn delta_mut(&mut self) -> Option<&mut DeltaLog> {
        self.delta.as_mut()
    }

    /// The files of a release, as a Delta log names them.
    pub fn files_of(&self, release: u32) -> Vec<DataFile> {
        let mut parts: Vec<&TablePart> = self
            .parts
            .iter()
            .filter(|part| part.is_in(release))
            .collect();
        parts.sort_by_key(|part| part.line.span);
        parts.into_iter().map(TablePart::data_file).collect()
    }

    /// Adds the next release. `metadata` gives the metadata of its Delta log, if this is its first
    /// release.
    pub fn publish(&mut self, release: NewRelease, metadata: impl FnOnce() -> Metadata) {
        let NewRelease {
            release: number,
            time,
            new,
            parts,
            overwrites,
        } = release;
        let leaves = |part: &&mut TablePart| part.until.is_none() && !parts.contains(&part.line);
        let mut gone = Vec::new();
        for part in self.parts.iter_mut().filter(leaves) {
            part.until = Some(number);
            gone.push(part.clone());
        }
        let part = |(line, bytes)| TablePart {
            line,
            bytes,
            time,
            from: number,
            until: None,
        };
        let new: Vec<TablePart> = new.into_iter().map(part).collect();
        if let Some(delta) = &mut self.delta {
            delta.begin(metadata, time);
            let operation = match overwrites {
                true => Operation::Overwrite { release: number },
                false => Operation::Append { release: number },
            };
            // A change of files alone is a version of its own, which readers of changes skip.
            let is_compacted = |new: &&TablePart| {
                let before = gone.iter().filter(|old| old.line.span.meets(new.line.span));
                !overwrites
                    && new.line.span.last < number
                    && before.map(TablePart::rows).sum::<u64>() == new.rows()
            };
            let (joined, rest): (Vec<&TablePart>, Vec<&TablePart>) =
                new.iter().partition(is_compacted);
            let same =
                |old: &&TablePart| joined.iter().any(|new| new.line.span.meets(old.line.span));
            let (replaced, left): (Vec<&TablePart>, Vec<&TablePart>) = gone.iter().partition(same);
            let files = |parts: &[&TablePart]| parts.iter().map(|part| part.data_file()).collect();
            let step = |operation, removed: &[_], added: &[_]| DeltaStep {
                operation,
                time,
                removed: files(removed),
                added: files(added),
            };
            if !joined.is_empty() {
                delta.push(step(Operation::Compact, &replaced, &joined));
            }
            delta.push(step(operation, &left, &rest));
        }
        self.parts.extend(new);
    }

    /// A release and all later ones are withdrawn: the table contains the rows of `left` again, or
    /// none.
    pub fn withdraw(&mut self, first: u32, left: Option<u32>, time: i64) {
        let before = self.current_files();
        self.parts
            .retain(|part| left.is_some_and(|left| part.from <= left));
        for part in self
            .parts
            .iter_mut()
            .filter(|part| part.until.is_some_and(|until| Some(until) > left))
        {
            part.until = None;
        }
        let after = self.current_files();
        let Some(delta) = self
            .delta
            .as_mut()
            .filter(|delta| delta.metadata().is_some())
        else {
            return;
        };
        let beyond = |files: &[DataFile], others: &[DataFile]| -> Vec<DataFile> {
            files
                .iter()
                .filter(|file| !others.contains(file))
                .cloned()
                .collect()
        };
        let (removed, added) = (beyond(&before, &after), beyond(&after, &before));
        delta.push(DeltaStep {
            operation: Operation::Withdraw {
                release: first,
                left,
            },
            time,
            removed,
            added,
        });
        delta.forget_versions();
    }

    fn current_files(&self) -> Vec<DataFile> {
        self.parts
            .iter()
            .filter(|part| part.until.is_none())
            .map(TablePart::data_file)
            .collect()
    }

    /// Removes parts that no visible release lists, except those of the newest table.
    pub fn forget_parts(&mut self, visible: &[u32]) {
        self.parts.retain(|part| {
            part.until.is_none() || visible.iter().any(|release| part.is_in(*release))
        });
    }

    /// The checkpoint that the due commits require.
    pub fn checkpoint_due(&self) -> Option<DeltaCheckpoint> {
        self.checkpoint(self.delta()?.checkpoint_due()?)
    }

    /// The checkpoint of a version.
    pub fn checkpoint(&self, version: u64) -> Option<DeltaCheckpoint> {
        let delta = self.delta()?;
        let of = delta.versions().get(usize::try_from(version).ok()?)?;
        let files = of
            .release
            .map(|release| self.files_of(release))
            .unwrap_or_default();
        delta.checkpoint(version, &files)
    }
}

#[cfg(test)]
mod tests;
