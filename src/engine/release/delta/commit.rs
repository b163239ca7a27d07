//! A commit of a Delta log: one version of the table.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::action::{Action, Add, CommitInfo, Remove, Txn};
use super::metadata::Metadata;

/// A file with rows of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFile {
    /// The path, relative to the folder of the table.
    pub path: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The number of rows.
    pub rows: u64,
    /// The scheduled time of the release that added it, in milliseconds since 1970.
    pub time: i64,
}

/// What a commit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// The table is created, without rows.
    Create,
    /// A release adds rows, and may omit rows that a signed notice names.
    Append {
        /// The number of the release.
        release: u32,
    },
    /// A release replaces the one before it, as each release of a disjoint chain does.
    Overwrite {
        /// The number of the release.
        release: u32,
    },
    /// Several files are merged into one with the same rows.
    Compact,
    /// This release and all later ones are withdrawn.
    Withdraw {
        /// The number of the release.
        release: u32,
        /// The release whose rows the table holds again; `None` if it holds none.
        left: Option<u32>,
    },
}

/// The operation of a commit after which the table holds an earlier release.
pub(super) const RESTORE: &str = "RESTORE";

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Operation::Create => "CREATE TABLE",
            Operation::Append { .. } | Operation::Overwrite { .. } => "WRITE",
            Operation::Compact => "OPTIMIZE",
            Operation::Withdraw { .. } => RESTORE,
        }
    }

    fn parameters(self) -> BTreeMap<String, String> {
        let parameters = match self {
            Operation::Create | Operation::Compact => Vec::new(),
            Operation::Append { release } => vec![
                ("mode", "Append".to_owned()),
                ("release", release.to_string()),
            ],
            Operation::Overwrite { release } => {
                vec![
                    ("mode", "Overwrite".to_owned()),
                    ("release", release.to_string()),
                ]
            }
            Operation::Withdraw { release, .. } => vec![("withdrawnFrom", release.to_string())],
        };
        parameters
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect()
    }

    /// The release that the version contains, if the commit states it.
    pub fn release(self) -> Option<u32> {
        match self {
            Operation::Append { release } | Operation::Overwrite { release } => Some(release),
            Operation::Withdraw { left, .. } => left,
            Operation::Create | Operation::Compact => None,
        }
    }
}

/// One version of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The version.
    pub version: u64,
    /// The scheduled time of the release that it belongs to, in milliseconds since 1970.
    pub time: i64,
    /// The operation.
    pub operation: Operation,
    /// The files that leave the table.
    pub removed: Vec<DataFile>,
    /// The files that join it.
    pub added: Vec<DataFile>,
}

impl Commit {
    /// The bytes of the commit: one action per line.
    ///
    /// # Panics
    /// Never: actions are JSON.
    pub fn bytes(&self, table: &Metadata) -> Vec<u8> {
        let mut bytes = Vec::new();
        for action in self.actions(table) {
            serde_json::to_writer(&mut bytes, &action)
                .expect("serialisation failed (this is a bug)");
            bytes.push(b'\n');
        }
        bytes
    }

    fn actions(&self, table: &Metadata) -> Vec<Action> {
        let (time, same_rows) = (self.time, self.operation == Operation::Compact);
        let changed = self.removed.iter().chain(&self.added);
        let paths: BTreeSet<&str> = changed.map(|file| file.path.as_str()).collect();
        assert!(
            paths.len() == self.removed.len() + self.added.len(),
            "a commit names each file once"
        );
        assert!(
            self.operation != Operation::Create || paths.is_empty(),
            "a table begins without files"
        );
        let mut actions = vec![Action::CommitInfo(CommitInfo {
            timestamp: time,
            operation: self.operation.name().to_owned(),
            operation_parameters: self.operation.parameters(),
            engine_info: "tidegate".to_owned(),
            is_blind_append: self.removed.is_empty(),
        })];
        if self.operation == Operation::Create {
            actions.extend([
                Action::Protocol(table.protocol()),
                Action::MetaData(table.action()),
            ]);
        }
        actions.extend(
            self.operation
                .release()
                .map(|release| Action::Txn(txn(table, release, time))),
        );
        actions.extend(self.removed.iter().map(|file| {
            Action::Remove(Remove {
                path: file.path.clone(),
                deletion_timestamp: time,
                data_change: !same_rows,
                extended_file_metadata: true,
                partition_values: BTreeMap::new(),
                size: file.bytes as i64,
            })
        }));
        actions.extend(
            self.added
                .iter()
                .map(|file| Action::Add(add(file, !same_rows))),
        );
        actions
    }
}

/// The action that states that a version contains a release.
pub(super) fn txn(table: &Metadata, release: u32, time: i64) -> Txn {
    assert!(release > 0, "releases are numbered from 1");
    Txn {
        app_id: table.app(),
        version: release.into(),
        last_updated: time,
    }
}

/// The action that adds a file to the table.
pub(super) fn add(file: &DataFile, data_change: bool) -> Add {
    assert!(
        !file.path.contains('/'),
        "files lie in the folder of their table"
    );
    Add {
        path: file.path.clone(),
        partition_values: BTreeMap::new(),
        size: file.bytes as i64,
        modification_time: file.time,
        data_change,
        stats: format!("{{\"numRecords\":{}}}", file.rows),
    }
}
