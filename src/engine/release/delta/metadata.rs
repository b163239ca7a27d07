//! The name and the columns of a Delta table, and the version of the protocol that a reader needs.
//! They never change while a table exists.

use std::borrow::Cow;
use std::collections::BTreeMap;

use arrow_schema::DECIMAL128_MAX_PRECISION;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::action::{MetaData, Protocol};
use crate::model::{Column, Columns, Kind, Role};
use crate::{Sha256, TableId, TableKind};

/// Characters in the name of a column for which a Delta table needs column mapping.
const SPECIAL: [char; 10] = [' ', ',', ';', '{', '}', '(', ')', '\n', '\t', '='];

/// A Delta table: one chain of a feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// The feed.
    feed: String,
    /// The table.
    table: TableId,
    /// The scheduled time of the first release, in milliseconds since 1970.
    created: i64,
    /// The columns, in Spark's JSON format.
    schema: String,
    /// The number of columns, if the name of one of them needs column mapping.
    mapped: Option<usize>,
}

impl Metadata {
    /// For the table of a chain whose first release was scheduled at a time.
    pub fn of(feed: &str, table: TableId, created: i64, columns: &Columns) -> Metadata {
        let names = columns
            .of(Role::Quasi)
            .map(|column| (&*column.name, "string".into()));
        let sensitive = columns
            .of(Role::Sensitive)
            .map(|column| (&*column.name, type_of(column.kind)));
        let release = columns
            .release()
            .name()
            .map(|name| (name, "integer".into()));
        let fields: Vec<(&str, Cow<'_, str>)> = names.chain(sensitive).chain(release).collect();
        let mapped = fields
            .iter()
            .any(|(name, _)| name.contains(SPECIAL))
            .then_some(fields.len());
        let field = |(at, (name, kind)): (usize, &(&str, Cow<'_, str>))| {
            let mapping = mapped.map(|_| {
                // Parquet files use the table's names of columns, which never change.
                json!({ "delta.columnMapping.id": at + 1, "delta.columnMapping.physicalName": name })
            });
            json!({ "name": name, "type": kind, "nullable": true, "metadata": mapping.unwrap_or_else(|| json!({})) })
        };
        let fields: Vec<Value> = fields.iter().enumerate().map(field).collect();
        assert!(!fields.is_empty(), "a table has columns");
        let schema = json!({ "type": "struct", "fields": fields }).to_string();
        Metadata {
            feed: feed.to_owned(),
            table,
            created,
            schema,
            mapped,
        }
    }

    /// The application id with which commits state their release.
    pub fn app(&self) -> String {
        Metadata::app_of(&self.feed, self.table)
    }

    /// The same for a table of a feed.
    pub fn app_of(feed: &str, table: TableId) -> String {
        assert!(!feed.is_empty(), "a feed has a name");
        let TableId { chain, kind } = table;
        match kind {
            TableKind::Rows => format!("tidegate/{feed}/{chain}"),
            TableKind::Measures => format!("tidegate/{feed}/{chain}/measures"),
        }
    }

    /// A UUID of the version that is free for such ids: the first bits of a digest of feed and
    /// chain.
    fn id(&self) -> String {
        let digest = Sha256::of(self.app().as_bytes());
        let mut id = [0; 16];
        id.copy_from_slice(&digest.bytes()[..16]);
        id[6] = id[6] & 0x0f | 0x80;
        id[8] = id[8] & 0x3f | 0x80;
        let digits: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digits.len(), 32, "two digits a byte");
        [
            &digits[..8],
            &digits[8..12],
            &digits[12..16],
            &digits[16..20],
            &digits[20..],
        ]
        .join("-")
    }

    pub(super) fn protocol(&self) -> Protocol {
        let (min_reader_version, min_writer_version) = if self.mapped.is_some() {
            (2, 5)
        } else {
            (1, 2)
        };
        Protocol {
            min_reader_version,
            min_writer_version,
        }
    }

    pub(super) fn action(&self) -> MetaData {
        let mut configuration = BTreeMap::new();
        let mut set =
            |key: &str, value: String| configuration.insert(format!("delta.{key}"), value);
        if let Some(columns) = self.mapped {
            set("columnMapping.mode", "name".to_owned());
            set("columnMapping.maxColumnId", columns.to_string());
        }
        // The writer decides how long files of the log are kept, and files that left the table need
        // no tombstone.
        set("enableExpiredLogCleanup", "false".to_owned());
        set("deletedFileRetentionDuration", "interval 0 days".to_owned());
        MetaData {
            id: self.id(),
            name: self.feed.clone(),
            schema: self.schema.clone(),
            created: self.created,
            configuration,
        }
    }
}

fn type_of(kind: Kind) -> Cow<'static, str> {
    match kind {
        Kind::String => "string".into(),
        Kind::Int => "long".into(),
        Kind::Float => "double".into(),
        Kind::Bool => "boolean".into(),
        Kind::Date => "date".into(),
        Kind::Decimal(scale) => format!("decimal({DECIMAL128_MAX_PRECISION},{scale})").into(),
    }
}

/// The first two columns of a published table whose names differ only in case, which a Delta table
/// cannot have.
pub fn same_but_for_capitals(columns: &Columns) -> Option<(String, String)> {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let published = columns
        .iter()
        .filter(|column| matches!(column.role, Role::Quasi | Role::Sensitive));
    let names = published
        .map(|column: &Column| &*column.name)
        .chain(columns.release().name())
        .map(str::to_owned);
    for name in names {
        if let Some(other) = seen.insert(name.to_lowercase(), name.clone()) {
            return Some((other, name));
        }
    }
    None
}
