//! Checks the layout of a Parquet file: its schema, the content of its footer, and that every byte
//! belongs to a page of a column. A statistic, an index, a key, a gap or an undeclared column is a
//! leak.

use std::ops::Range;

use arrow_schema::DECIMAL128_MAX_PRECISION;
use bytes::Bytes;
use parquet::basic::{LogicalType, Repetition, Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor};

use super::leak::Leak;
use super::sheet::{ExpectedColumn, Sheet};
use crate::model::Kind;

const MAGIC: usize = 4;
/// The length of the footer's size, and the magic bytes after it.
const TAIL: usize = 8;
/// The only allowed name of the program that wrote the file.
const AUTHOR: &str = "tidegate";

/// Checks the layout; `None` if the bytes are no Parquet file.
pub(super) fn scan(bytes: &Bytes, sheet: &Sheet, leaks: &mut Vec<Leak>) -> Option<ParquetMetaData> {
    let Some(metadata) = footer(bytes) else {
        leaks.push(Leak::new(
            "data",
            "the bytes are not a readable Parquet file",
        ));
        return None;
    };
    let file = metadata.file_metadata();
    if file
        .key_value_metadata()
        .is_some_and(|pairs| !pairs.is_empty())
    {
        leaks.push(Leak::new("footer", "there is key-value metadata"));
    }
    if file.created_by() != Some(AUTHOR) {
        leaks.push(Leak::new(
            "footer",
            "the file names a different program as its writer",
        ));
    }
    let known = schema(&metadata, sheet, leaks);
    for (number, group) in metadata.row_groups().iter().enumerate() {
        for chunk in group.columns() {
            let place = format!("column {} of row group {number}", chunk.column_path());
            leaks.extend(
                extras(chunk)
                    .into_iter()
                    .map(|text| Leak::new(place.clone(), text)),
            );
        }
        if group.sorting_columns().is_some() {
            leaks.push(Leak::new(
                format!("row group {number}"),
                "there are sorting columns",
            ));
        }
    }
    tiled(&metadata, bytes, leaks);
    known.then_some(metadata)
}

fn footer(bytes: &Bytes) -> Option<ParquetMetaData> {
    if bytes.len() < MAGIC + TAIL || !bytes.starts_with(b"PAR1") || !bytes.ends_with(b"PAR1") {
        return None;
    }
    ParquetMetaDataReader::new().parse_and_finish(bytes).ok()
}

/// Checks that the columns are exactly those of the table, in order.
fn schema(metadata: &ParquetMetaData, sheet: &Sheet, leaks: &mut Vec<Leak>) -> bool {
    let found = metadata.file_metadata().schema_descr();
    let wanted = sheet.wanted();
    let named =
        |found: &ColumnDescPtr, wanted: &ExpectedColumn<'_>| found.path().parts() == [wanted.name];
    let mut known = true;
    for column in found.columns() {
        if !wanted.iter().any(|wanted| named(column, wanted)) {
            leaks.push(Leak::new(
                format!("column {}", column.path()),
                sheet.foreign(),
            ));
            known = false;
        }
    }
    for (at, wanted) in wanted.iter().enumerate() {
        let place = || format!("column {}", wanted.name);
        let Some((position, column)) = found
            .columns()
            .iter()
            .enumerate()
            .find(|(_, found)| named(found, wanted))
        else {
            leaks.push(Leak::new(place(), "the column is missing"));
            known = false;
            continue;
        };
        if position != at {
            leaks.push(Leak::new(place(), "the column has another position"));
        }
        if !typed(column, wanted) {
            leaks.push(Leak::new(place(), "the column is of another type"));
            known = false;
        }
    }
    if found.root_schema().name() != "schema"
        || found.root_schema().get_fields().len() != found.num_columns()
    {
        leaks.push(Leak::new(
            "schema",
            "the schema holds more than the columns",
        ));
        known = false;
    }
    known
}

fn typed(found: &ColumnDescriptor, wanted: &ExpectedColumn<'_>) -> bool {
    let about = found.self_type().get_basic_info();
    let (physical, logical) = match wanted.kind {
        Kind::String => (Type::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Int if wanted.short => (Type::INT32, None),
        Kind::Int => (Type::INT64, None),
        Kind::Float => (Type::DOUBLE, None),
        Kind::Bool => (Type::BOOLEAN, None),
        Kind::Date => (Type::INT32, Some(LogicalType::Date)),
        Kind::Decimal(scale) => (
            Type::FIXED_LEN_BYTE_ARRAY,
            Some(LogicalType::decimal(
                scale.into(),
                DECIMAL128_MAX_PRECISION.into(),
            )),
        ),
    };
    let repetition = if wanted.missing {
        Repetition::OPTIONAL
    } else {
        Repetition::REQUIRED
    };
    found.physical_type() == physical
        && found.logical_type_ref() == logical.as_ref()
        && about.repetition() == repetition
        && !about.has_id()
}

/// The parts that a column chunk must not have.
fn extras(chunk: &ColumnChunkMetaData) -> Vec<&'static str> {
    let sizes = [
        chunk.unencoded_byte_array_data_bytes().is_some(),
        chunk.repetition_level_histogram().is_some(),
        chunk.definition_level_histogram().is_some(),
    ];
    let found = [
        (chunk.statistics().is_some(), "there are statistics"),
        (sizes.contains(&true), "there are size statistics"),
        (chunk.geo_statistics().is_some(), "there are statistics"),
        (
            chunk.bloom_filter_offset().is_some(),
            "there is a bloom filter",
        ),
        (
            chunk.offset_index_offset().is_some() || chunk.column_index_offset().is_some(),
            "there is a page index",
        ),
        (chunk.file_path().is_some(), "the column is in another file"),
    ];
    found
        .into_iter()
        .filter(|(there, _)| *there)
        .map(|(_, text)| text)
        .collect()
}

/// The bytes of a column chunk.
pub(super) fn range(chunk: &ColumnChunkMetaData) -> Range<u64> {
    let (start, length) = chunk.byte_range();
    start..start.saturating_add(length)
}

/// Checks that every byte between the magic bytes and the footer belongs to one column chunk.
fn tiled(metadata: &ParquetMetaData, bytes: &Bytes, leaks: &mut Vec<Leak>) {
    let length = &bytes[bytes.len() - TAIL..][..4];
    let length = u64::from(u32::from_le_bytes(length.try_into().expect("four bytes")));
    let end = (bytes.len() - TAIL) as u64 - length.min((bytes.len() - TAIL) as u64);
    let mut at = MAGIC as u64;
    for chunk in metadata
        .row_groups()
        .iter()
        .flat_map(|group| group.columns())
    {
        let Range { start, end } = range(chunk);
        if start != at {
            leaks.push(Leak::new(
                format!("byte {at}"),
                "there are bytes between two columns",
            ));
        }
        at = end;
    }
    if at != end {
        leaks.push(Leak::new(
            format!("byte {at}"),
            "there are bytes between the last column and the footer",
        ));
    }
}
