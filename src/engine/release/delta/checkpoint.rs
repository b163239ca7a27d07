//! Checkpoints of a Delta log: the result of all commits up to a version, as one Parquet file, so
//! that the commits before it can be deleted. It omits files that have left the table.

use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Int32Builder, Int64Builder, ListBuilder, MapBuilder,
    StringBuilder, StructBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::action::{Add, MetaData, Protocol, Txn};
use super::commit::{DataFile, add, txn};
use super::metadata::Metadata;

/// The most actions of a checkpoint; a table of ours has a few dozen files.
const MOST_ACTIONS: usize = 1 << 20;
/// The most bytes of memory for them.
const MOST_MEMORY: usize = 128 << 20;

type Map = MapBuilder<Box<dyn ArrayBuilder>, Box<dyn ArrayBuilder>>;
type List = ListBuilder<Box<dyn ArrayBuilder>>;

/// The checkpoint of a version with these files; `newest` is the newest release that a commit
/// names, and the time of its schedule.
///
/// # Panics
/// Never: the columns are those of the schema.
pub fn checkpoint(table: &Metadata, newest: Option<(u32, i64)>, files: &[DataFile]) -> Vec<u8> {
    let adds: Vec<Add> = files.iter().map(|file| add(file, false)).collect();
    let txn = newest.map(|(release, time)| txn(table, release, time));
    let columns = columns(&table.protocol(), &table.action(), txn.as_ref(), &adds);
    let fields: Fields = columns
        .iter()
        .map(|(name, array)| field(name, array.data_type().clone()))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays)
        .expect("columns are as long as each other");
    assert!(
        batch.num_rows() == 2 + usize::from(newest.is_some()) + files.len(),
        "one row for each action"
    );
    let properties = WriterProperties::builder()
        .set_created_by("tidegate".to_owned())
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .build();
    let options = ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(true);
    let writer = ArrowWriter::try_new_with_options(Vec::new(), schema, options);
    let mut writer = writer.expect("a checkpoint's columns can be written");
    writer
        .write(&batch)
        .expect("a checkpoint is written to memory");
    writer
        .into_inner()
        .expect("a checkpoint is written to memory")
}

/// The file that names the newest checkpoint; `files` are the files of its version.
pub fn last_checkpoint(version: u64, newest: Option<u32>, files: usize) -> Vec<u8> {
    assert!(
        newest.is_none_or(|release| release > 0),
        "releases are numbered from 1"
    );
    let actions = 2 + usize::from(newest.is_some()) + files;
    format!("{{\"version\":{version},\"size\":{actions}}}\n").into_bytes()
}

/// The version of the checkpoint that such a file names.
pub fn named_checkpoint(bytes: &[u8]) -> Option<u64> {
    serde_json::from_slice::<serde_json::Value>(bytes).ok()?["version"].as_u64()
}

/// One column for each kind of action; each row holds one action.
fn columns(
    protocol: &Protocol,
    table: &MetaData,
    txn: Option<&Txn>,
    adds: &[Add],
) -> Vec<(&'static str, ArrayRef)> {
    let rows = 2 + usize::from(txn.is_some()) + adds.len();
    let mut all = Actions {
        rows,
        next: 0,
        columns: Vec::new(),
    };
    all.one(
        "protocol",
        protocol_fields(),
        Some(protocol),
        |protocol, row| {
            int32(row, 0, protocol.min_reader_version);
            int32(row, 1, protocol.min_writer_version);
        },
    );
    all.one("metaData", table_fields(), Some(table), |table, row| {
        [&table.id, &table.name]
            .into_iter()
            .enumerate()
            .for_each(|(at, value)| text(row, at, value));
        let format = row.field_builder::<StructBuilder>(2).expect("a struct");
        text(format, 0, "parquet");
        map(format, 1, []);
        format.append(true);
        text(row, 3, &table.schema);
        row.field_builder::<List>(4).expect("a list").append(true);
        map(row, 5, table.configuration.iter());
        int64(row, 6, table.created);
    });
    all.one("txn", txn_fields(), txn, |txn, row| {
        text(row, 0, &txn.app_id);
        int64(row, 1, txn.version);
        int64(row, 2, txn.last_updated);
    });
    all.some("add", add_fields(), adds, |add, row| {
        text(row, 0, &add.path);
        map(row, 1, []);
        int64(row, 2, add.size);
        int64(row, 3, add.modification_time);
        let change = row.field_builder::<BooleanBuilder>(4);
        change.expect("a truth value").append_value(add.data_change);
        text(row, 5, &add.stats);
    });
    assert!(all.next == rows, "each row has its action");
    all.columns
}

/// Builds the columns of a checkpoint: actions of one kind follow those of the previous kind.
struct Actions {
    rows: usize,
    next: usize,
    columns: Vec<(&'static str, ArrayRef)>,
}

impl Actions {
    fn one<T>(
        &mut self,
        name: &'static str,
        fields: Fields,
        action: Option<&T>,
        put: fn(&T, &mut StructBuilder),
    ) {
        self.some(name, fields, action, put);
    }

    fn some<'t, T: 't>(
        &mut self,
        name: &'static str,
        fields: Fields,
        actions: impl IntoIterator<Item = &'t T>,
        put: fn(&T, &mut StructBuilder),
    ) {
        let mut column = StructBuilder::from_fields(fields.clone(), self.rows);
        (0..self.next).for_each(|_| null(&mut column, &fields));
        for action in actions {
            put(action, &mut column);
            column.append(true);
            self.next += 1;
        }
        assert!(self.next <= self.rows, "there are as many rows as actions");
        (self.next..self.rows).for_each(|_| null(&mut column, &fields));
        self.columns.push((name, Arc::new(column.finish())));
    }
}

/// A row without this action.
fn null(row: &mut StructBuilder, fields: &Fields) {
    for (at, field) in fields.iter().enumerate() {
        match field.data_type() {
            DataType::Utf8 => row
                .field_builder::<StringBuilder>(at)
                .expect("text")
                .append_null(),
            DataType::Int32 => row
                .field_builder::<Int32Builder>(at)
                .expect("a number")
                .append_null(),
            DataType::Int64 => row
                .field_builder::<Int64Builder>(at)
                .expect("a number")
                .append_null(),
            DataType::Boolean => {
                row.field_builder::<BooleanBuilder>(at)
                    .expect("a truth value")
                    .append_null();
            }
            DataType::Map(..) => {
                row.field_builder::<Map>(at)
                    .expect("a map")
                    .append(false)
                    .expect("keys and values go together");
            }
            DataType::List(_) => row.field_builder::<List>(at).expect("a list").append(false),
            DataType::Struct(inner) => null(
                row.field_builder::<StructBuilder>(at).expect("a struct"),
                &inner.clone(),
            ),
            other => unreachable!("no action has a field of type {other}"),
        }
    }
    row.append(false);
}

fn text(row: &mut StructBuilder, at: usize, value: &str) {
    row.field_builder::<StringBuilder>(at)
        .expect("text")
        .append_value(value);
}

fn int32(row: &mut StructBuilder, at: usize, value: i32) {
    row.field_builder::<Int32Builder>(at)
        .expect("a number")
        .append_value(value);
}

fn int64(row: &mut StructBuilder, at: usize, value: i64) {
    row.field_builder::<Int64Builder>(at)
        .expect("a number")
        .append_value(value);
}

fn map<'t>(
    row: &mut StructBuilder,
    at: usize,
    entries: impl IntoIterator<Item = (&'t String, &'t String)>,
) {
    let map = row.field_builder::<Map>(at).expect("a map");
    let put = |builder: &mut Box<dyn ArrayBuilder>, value: &str| {
        builder
            .as_any_mut()
            .downcast_mut::<StringBuilder>()
            .expect("text")
            .append_value(value);
    };
    for (key, value) in entries {
        put(map.keys(), key);
        put(map.values(), value);
    }
    map.append(true).expect("keys and values go together");
}

fn field(name: &str, kind: DataType) -> Arc<Field> {
    Arc::new(Field::new(name, kind, true))
}

fn map_type() -> DataType {
    let entry = vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("value", DataType::Utf8, true),
    ];
    DataType::Map(
        Arc::new(Field::new(
            "key_value",
            DataType::Struct(entry.into()),
            false,
        )),
        false,
    )
}

fn fields<const N: usize>(of: [(&str, DataType); N]) -> Fields {
    of.into_iter()
        .map(|(name, kind)| field(name, kind))
        .collect()
}

fn protocol_fields() -> Fields {
    fields([
        ("minReaderVersion", DataType::Int32),
        ("minWriterVersion", DataType::Int32),
    ])
}

fn table_fields() -> Fields {
    let format = fields([("provider", DataType::Utf8), ("options", map_type())]);
    fields([
        ("id", DataType::Utf8),
        ("name", DataType::Utf8),
        ("format", DataType::Struct(format)),
        ("schemaString", DataType::Utf8),
        (
            "partitionColumns",
            DataType::List(Arc::new(Field::new("element", DataType::Utf8, true))),
        ),
        ("configuration", map_type()),
        ("createdTime", DataType::Int64),
    ])
}

fn txn_fields() -> Fields {
    fields([
        ("appId", DataType::Utf8),
        ("version", DataType::Int64),
        ("lastUpdated", DataType::Int64),
    ])
}

fn add_fields() -> Fields {
    fields([
        ("path", DataType::Utf8),
        ("partitionValues", map_type()),
        ("size", DataType::Int64),
        ("modificationTime", DataType::Int64),
        ("dataChange", DataType::Boolean),
        ("stats", DataType::Utf8),
    ])
}

/// The actions of a checkpoint, as read from its file.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckpointActions {
    pub(super) batches: Vec<RecordBatch>,
}

impl CheckpointActions {
    /// Reads a file in batches of `rows`; `None` if it is no table, or larger than our checkpoints
    /// are.
    pub fn read(file: bytes::Bytes, rows: usize) -> Option<CheckpointActions> {
        let reader = ParquetRecordBatchReaderBuilder::try_new(file)
            .ok()?
            .with_batch_size(rows.max(1))
            .build()
            .ok()?;
        let mut batches = Vec::new();
        let (mut actions, mut memory) = (0, 0);
        for batch in reader {
            let batch = batch.ok()?;
            (actions, memory) = (
                actions + batch.num_rows(),
                memory + batch.get_array_memory_size(),
            );
            if actions > MOST_ACTIONS || memory > MOST_MEMORY {
                return None;
            }
            batches.push(batch);
        }
        Some(CheckpointActions { batches })
    }
}
