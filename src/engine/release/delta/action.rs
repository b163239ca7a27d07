//! The actions of our Delta logs, as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One line of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Action {
    /// Information about the commit, for people.
    CommitInfo(CommitInfo),
    /// The versions that a reader and a writer must support.
    Protocol(Protocol),
    /// The definition of the table.
    MetaData(MetaData),
    /// The release that the commit contains.
    Txn(Txn),
    /// Removes a file from the table.
    Remove(Remove),
    /// Adds a file to the table.
    Add(Add),
}

/// Information about a commit, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CommitInfo {
    pub timestamp: i64,
    pub operation: String,
    pub operation_parameters: BTreeMap<String, String>,
    pub engine_info: String,
    pub is_blind_append: bool,
}

/// The versions of the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Protocol {
    pub min_reader_version: i32,
    pub min_writer_version: i32,
}

/// The definition of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "MetaDataForm", into = "MetaDataForm")]
pub(super) struct MetaData {
    pub id: String,
    pub name: String,
    pub schema: String,
    pub created: i64,
    pub configuration: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MetaDataForm {
    id: String,
    name: String,
    format: Format,
    schema_string: String,
    partition_columns: Vec<String>,
    configuration: BTreeMap<String, String>,
    created_time: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Format {
    provider: String,
    options: BTreeMap<String, String>,
}

impl From<MetaData> for MetaDataForm {
    fn from(of: MetaData) -> MetaDataForm {
        MetaDataForm {
            id: of.id,
            name: of.name,
            format: Format {
                provider: "parquet".to_owned(),
                options: BTreeMap::new(),
            },
            schema_string: of.schema,
            partition_columns: Vec::new(),
            configuration: of.configuration,
            created_time: of.created,
        }
    }
}

impl From<MetaDataForm> for MetaData {
    fn from(form: MetaDataForm) -> MetaData {
        let MetaDataForm {
            id,
            name,
            schema_string,
            configuration,
            created_time,
            ..
        } = form;
        MetaData {
            id,
            name,
            schema: schema_string,
            created: created_time,
            configuration,
        }
    }
}

/// The release that a commit contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Txn {
    pub app_id: String,
    pub version: i64,
    pub last_updated: i64,
}

/// The removal of a file from the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Remove {
    pub path: String,
    pub deletion_timestamp: i64,
    pub data_change: bool,
    pub extended_file_metadata: bool,
    pub partition_values: BTreeMap<String, String>,
    pub size: i64,
}

/// The addition of a file to the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Add {
    pub path: String,
    pub partition_values: BTreeMap<String, String>,
    pub size: i64,
    pub modification_time: i64,
    pub data_change: bool,
    pub stats: String,
}
