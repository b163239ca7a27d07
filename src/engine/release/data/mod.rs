//! The published tables as Parquet (CONTRACTS 4): quasi columns as labels, sensitive columns in
//! their type, rows class by class in preorder and within a class by sensitive tuple. With two
//! tables (SCIENCE 9) one shows the unmodified quasi columns and the other the sensitive ones, each
//! with the number of the class; within a class each table has an order of its own.
//!
//! Nothing is written that cannot be derived from the rows: no statistic, no index, no metadata, no
//! dictionary entry that no row shows, and no page or row group boundary that depends on anything
//! but the number of rows. Rows are never materialised: columns are written one by one as runs, so
//! that memory holds only the output and one row group.

mod column;
mod leaf_table;

use std::sync::Arc;

use arrow_schema::{FieldRef, Schema};
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use rayon::prelude::*;

use crate::histogram::{Headcount, Histogram, Release, SensitiveValues};
use crate::model::{self, Columns, Role};
use column::ColumnWriter;
use leaf_table::LeafTable;

/// Rows per row group.
pub const ROW_GROUP: usize = 1 << 20;
/// The number of rows of a column that are written at a time.
const CHUNK: usize = 1 << 16;
/// The largest size of a dictionary of labels: more than all labels of the largest taxonomy.
const LABELS: usize = 1 << 30;
/// The level of compression. Another level gives another file.
const ZSTD: i32 = 3;

/// The table as Parquet. `values` is the dictionary of the codes of `table`.
///
/// # Panics
/// If a sensitive value is not of its column's type; decoding makes such values null.
pub fn data(table: &Release, values: &SensitiveValues, columns: &Columns) -> Vec<u8> {
    data_in_groups(table, values, columns, ROW_GROUP)
}

/// The same with row groups of another size; published files have [`ROW_GROUP`].
///
/// # Panics
/// Like [`data`], and if a row group would have no rows.
pub fn data_in_groups(
    table: &Release,
    values: &SensitiveValues,
    columns: &Columns,
    group: usize,
) -> Vec<u8> {
    assert!(
        table.width() == columns.trees().len(),
        "a label for each quasi column"
    );
    let quasi = columns.of(Role::Quasi).zip(columns.trees()).enumerate();
    let labels =
        quasi.map(|(at, (column, tree))| (&*column.name, ColumnWriter::labels(table, at, tree)));
    write(
        labels.chain(sensitive(table, values, columns)).collect(),
        table.rows(),
        columns,
        group,
    )
}

/// A part of a table that grows: rows whose "leaves" are the nodes of their labels, each with the
/// number of the release that added it, which is its increment. They are sorted by labels, then by
/// sensitive values, then by releases.
///
/// # Panics
/// If a sensitive value is not of its column's type.
pub fn part(rows: &Histogram, columns: &Columns) -> Vec<u8> {
    let name = columns.release().name();
    let said = name.map_or_else(|| rows.clone().as_one(0), |_| rows.with_arrival());
    let (table, values) = (Release::from_own_labels(&said), said.values());
    assert!(table.rows() == rows.rows(), "a part has all rows");
    let quasi = columns.of(Role::Quasi).zip(columns.trees()).enumerate();
    let labels =
        quasi.map(|(at, (column, tree))| (&*column.name, ColumnWriter::labels(&table, at, tree)));
    let release = name.map(|name| (name, ColumnWriter::arrivals(&table, values)));
    let written = labels
        .chain(sensitive(&table, values, columns))
        .chain(release)
        .collect();
    write(written, table.rows(), columns, ROW_GROUP)
}

/// Both tables with row groups of another size: the unmodified quasi columns, and the sensitive
/// ones.
///
/// # Panics
/// Like [`data_in_groups`], and if a person is in no class of the table.
pub fn two_in_groups(
    table: &Release,
    values: &SensitiveValues,
    people: &Headcount,
    columns: &Columns,
    group: usize,
) -> [Vec<u8>; 2] {
    assert!(table.rows() == people.rows(), "each person has a row");
    let exact = LeafTable::of(table, people);
    let quasi = columns.of(Role::Quasi).zip(columns.trees()).enumerate();
    let leaves =
        quasi.map(|(at, (column, tree))| (&*column.name, ColumnWriter::leaves(&exact, at, tree)));
    let class = || [(model::Column::CLASS, ColumnWriter::numbers(table))].into_iter();
    let quasi = leaves.chain(class()).collect();
    let sensitive = class().chain(sensitive(table, values, columns)).collect();
    [quasi, sensitive].map(|written| write(written, table.rows(), columns, group))
}

fn sensitive<'a>(
    table: &'a Release,
    values: &'a SensitiveValues,
    columns: &'a Columns,
) -> impl Iterator<Item = (&'a str, ColumnWriter<'a>)> {
    let sensitive = columns.of(Role::Sensitive).enumerate();
    sensitive.map(|(at, column)| {
        (
            &*column.name,
            ColumnWriter::cells(table, values, at, column.kind),
        )
    })
}

fn write(
    written: Vec<(&str, ColumnWriter)>,
    rows: u64,
    columns: &Columns,
    group: usize,
) -> Vec<u8> {
    assert!(!written.is_empty(), "a table has columns");
    assert!(group > 0, "row groups have rows");
    try_write(written, rows, columns, group as u64)
        .expect("labels and values of declared types can always be written")
}

fn try_write(
    written: Vec<(&str, ColumnWriter)>,
    rows: u64,
    columns: &Columns,
    group: u64,
) -> Result<Vec<u8>> {
    let (names, mut written): (Vec<&str>, Vec<ColumnWriter>) = written.into_iter().unzip();
    let fields = names
        .iter()
        .zip(&written)
        .map(|(name, column)| Arc::new(column.field(name)));
    let fields: Vec<FieldRef> = fields.collect();
    let schema = Arc::new(Schema::new(fields.clone()));
    let root = ArrowSchemaConverter::new()
        .schema_root("schema")
        .convert(&schema)?
        .root_schema_ptr();
    let mut file = SerializedFileWriter::new(Vec::new(), root, Arc::new(properties(columns)?))?;
    let factory = ArrowRowGroupWriterFactory::new(&file, schema);
    assert!(names.len() == fields.len(), "a name for each column");
    let mut left = rows;
    for number in 0.. {
        let rows = left.min(group) as usize;
        if rows == 0 {
            break;
        }
        left -= rows as u64;
        // Each column is a function of the table alone, so it does not matter which thread writes
        // it.
        let writers: Vec<_> = factory
            .create_column_writers(number)?
            .into_iter()
            .zip(&fields)
            .collect();
        let chunks = written
            .par_iter_mut()
            .zip(writers)
            .map(|(column, (writer, field))| {
                let chunk = encode(column, writer, field, rows)?;
                without_sizes(chunk)
            });
        let chunks: Vec<ArrowColumnChunk> = chunks.collect::<Result<_>>()?;
        let mut row_group = file.next_row_group()?;
        chunks
            .into_iter()
            .try_for_each(|chunk| chunk.append_to_row_group(&mut row_group))?;
        row_group.close()?;
    }
    file.into_inner()
}

/// The next rows of one column.
fn encode(
    column: &mut ColumnWriter,
    mut writer: ArrowColumnWriter,
    field: &FieldRef,
    rows: usize,
) -> Result<ArrowColumnChunk> {
    let mut left = rows;
    while left > 0 {
        let chunk = left.min(CHUNK);
        left -= chunk;
        for leaf in compute_leaves(field, &column.take(chunk))? {
            writer.write(&leaf)?;
        }
    }
    writer.close()
}

/// Removes the only statistic that the writer cannot switch off: the number of bytes of text before
/// compression.
fn without_sizes(mut chunk: ArrowColumnChunk) -> Result<ArrowColumnChunk> {
    let about = &mut chunk.close_mut().metadata;
    *about = about
        .clone()
        .into_builder()
        .set_unencoded_byte_array_data_bytes(None)
        .build()?;
    Ok(chunk)
}

fn properties(columns: &Columns) -> Result<WriterProperties> {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD)?))
        // A constant: the version of the program is not part of the content.
        .set_created_by("tidegate".to_owned())
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_bloom_filter_enabled(false)
        .set_max_row_group_row_count(None);
    for column in columns.of(Role::Quasi) {
        let path = ColumnPath::new(vec![column.name.to_string()]);
        properties = properties.set_column_dictionary_page_size_limit(path, LABELS);
    }
    Ok(properties.build())
}
