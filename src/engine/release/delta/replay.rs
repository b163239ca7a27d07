//! Reads a Delta log: the files of a version, and the release that it contains. Everything that our
//! commits do not contain is refused, so that nothing can hide in a log.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};

use super::action::{Action, Add};
use super::checkpoint::CheckpointActions;
use super::commit::{DataFile, RESTORE};

/// A version of a table, according to its log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The files, by their paths.
    pub files: BTreeMap<String, DataFile>,
    /// The newest release that a commit names.
    pub release: Option<u32>,
}

/// Why bytes are no commit of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoCommit {
    /// The actions are not those of our commits.
    #[error("line {0} is no action of this log")]
    Form(usize),
    /// There is a statistic besides the number of rows.
    #[error("line {0} has another statistic than the number of rows, `numRecords`")]
    Statistic(usize),
    /// The release belongs to another table.
    #[error("line {0} names a release of another table")]
    App(usize),
    /// A file is removed that is not in the table.
    #[error("line {0} removes a file that is not in the table")]
    Removed(usize),
    /// A file is added that is in the table already.
    #[error("line {0} adds a file that is in the table already")]
    Added(usize),
}

impl Snapshot {
    /// The number of rows of all files.
    pub fn rows(&self) -> u64 {
        self.files.values().map(|file| file.rows).sum()
    }

    /// The version of a checkpoint; `None` if it is not one of ours.
    pub fn of_checkpoint(checkpoint: &CheckpointActions) -> Option<Snapshot> {
        let mut found = Snapshot::default();
        checkpoint
            .batches
            .iter()
            .try_for_each(|batch| found.take(batch))?;
        Some(found)
    }

    /// Applies actions of a checkpoint.
    fn take(&mut self, batch: &RecordBatch) -> Option<()> {
        let column = |name: &str| batch.column_by_name(name)?.as_struct_opt();
        let (adds, txns) = (column("add")?, column("txn")?);
        let texts = |name: &str| adds.column_by_name(name)?.as_string_opt::<i32>();
        let numbers = |name: &str| adds.column_by_name(name)?.as_primitive_opt::<Int64Type>();
        let (paths, stats, sizes, times) = (
            texts("path")?,
            texts("stats")?,
            numbers("size")?,
            numbers("modificationTime")?,
        );
        let releases = txns
            .column_by_name("version")?
            .as_primitive_opt::<Int64Type>()?;
        for row in 0..batch.num_rows() {
            if adds.is_valid(row) {
                let file = file_of(
                    paths.value(row),
                    sizes.value(row),
                    times.value(row),
                    stats.value(row),
                )?;
                self.files.insert(file.path.clone(), file);
            }
            if txns.is_valid(row) {
                self.release = Some(u32::try_from(releases.value(row)).ok()?);
            }
        }
        Some(())
    }

    /// The version after a commit. `app` is the application id with which the table's commits state
    /// their release.
    ///
    /// # Errors
    /// The bytes are no commit of this table.
    pub fn after(mut self, bytes: &[u8], app: &str) -> Result<Snapshot, NoCommit> {
        for (line, at) in bytes.split_inclusive(|byte| *byte == b'\n').zip(1..) {
            let action: Action = serde_json::from_slice(line).map_err(|_| NoCommit::Form(at))?;
            match action {
                Action::CommitInfo(info) if info.operation == RESTORE => self.release = None,
                Action::CommitInfo(_) | Action::Protocol(_) | Action::MetaData(_) => {}
                Action::Txn(txn) if txn.app_id != app => return Err(NoCommit::App(at)),
                Action::Txn(txn) => {
                    self.release = Some(u32::try_from(txn.version).map_err(|_| NoCommit::Form(at))?)
                }
                Action::Remove(remove) => {
                    self.files
                        .remove(&remove.path)
                        .ok_or(NoCommit::Removed(at))?;
                }
                Action::Add(add) => {
                    let file = file(&add).ok_or(NoCommit::Statistic(at))?;
                    if self.files.insert(add.path, file).is_some() {
                        return Err(NoCommit::Added(at));
                    }
                }
            }
        }
        Ok(self)
    }
}

fn file(add: &Add) -> Option<DataFile> {
    file_of(&add.path, add.size, add.modification_time, &add.stats)
}

fn file_of(path: &str, size: i64, time: i64, stats: &str) -> Option<DataFile> {
    let rows = stats
        .strip_prefix("{\"numRecords\":")?
        .strip_suffix('}')?
        .parse()
        .ok()?;
    Some(DataFile {
        path: path.to_owned(),
        bytes: u64::try_from(size).ok()?,
        rows,
        time,
    })
}
