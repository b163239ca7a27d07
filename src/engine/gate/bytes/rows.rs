//! Reads the rows of a table in their order: equal rows must be adjacent, and rows must ascend by
//! class and then by what they show, so that the order shows neither when a person came, nor in two
//! tables which person has which value.

use std::collections::BTreeSet;

use arrow_array::RecordBatch;
use bytes::Bytes;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ParquetMetaData;

use super::dictionary;
use super::leak::Leak;
use super::sheet::Sheet;
use crate::histogram::{CellReading, Encoder, LabelledRows, RawCell, ReadableColumn};
use crate::model::Role;

/// The number of rows that are read at a time.
const BATCH: usize = 1 << 16;

/// The encoder for the rows of a table.
pub(super) fn encoder(sheet: &Sheet) -> Encoder<'_> {
    Encoder::new(&sheet.columns, CellReading::Labels { text: false })
}

/// Reads all rows; `None` if that is impossible.
pub(super) fn read<'e>(
    bytes: &Bytes,
    metadata: &ParquetMetaData,
    sheet: &Sheet,
    encoder: &'e Encoder<'e>,
    leaks: &mut Vec<Leak>,
) -> Option<LabelledRows<'e>> {
    let mut rows = LabelledRows::new(encoder);
    if sheet.classed {
        rows = rows.classed();
    }
    let mut unsorted = false;
    assert_eq!(
        encoder.quasi(),
        sheet.columns.of(Role::Quasi).count(),
        "a code for each quasi column"
    );
    for group in 0..metadata.num_row_groups() {
        let mut shown = vec![BTreeSet::new(); metadata.row_group(group).num_columns()];
        let Some(batches) = batches(bytes, metadata, group) else {
            leaks.push(Leak::new(
                format!("row group {group}"),
                "its rows cannot be read",
            ));
            return None;
        };
        for batch in batches {
            let Ok(batch) = batch else {
                leaks.push(Leak::new(
                    format!("row group {group}"),
                    "its rows cannot be read",
                ));
                return None;
            };
            match rows.add(&batch) {
                Ok(ascending) => unsorted |= !ascending,
                Err(misfit) => {
                    leaks.push(Leak::new(
                        format!("column {}", misfit.column),
                        misfit.kind.to_string(),
                    ));
                    return None;
                }
            }
            show(&batch, sheet, &mut shown);
        }
        let about = metadata.row_group(group);
        for (chunk, shown) in about.columns().iter().zip(&shown) {
            let entries = dictionary::entries(bytes, chunk, about.num_rows() as usize, leaks)?;
            if !entries.is_subset(shown) {
                let place = format!("column {}", chunk.column_path());
                leaks.push(Leak::new(
                    place,
                    "the dictionary holds an entry that no row shows",
                ));
            }
        }
    }
    if unsorted {
        leaks.push(Leak::new("rows", "rows are not in canonical order"));
    }
    Some(rows)
}

type Batches = parquet::arrow::arrow_reader::ParquetRecordBatchReader;

fn batches(bytes: &Bytes, metadata: &ParquetMetaData, group: usize) -> Option<Batches> {
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let plain = ArrowReaderMetadata::try_new(metadata.clone().into(), options.clone()).ok()?;
    // Text is read as dictionaries, so that each label is looked up once.
    let coded = ArrowReaderMetadata::try_new(
        metadata.clone().into(),
        options.with_schema(coded(plain.schema())),
    )
    .ok()?;
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes.clone(), coded);
    builder
        .with_row_groups(vec![group])
        .with_batch_size(BATCH)
        .build()
        .ok()
}

fn coded(schema: &arrow_schema::Schema) -> arrow_schema::SchemaRef {
    use arrow_schema::DataType;
    let field = |field: &arrow_schema::FieldRef| match field.data_type() {
        DataType::Utf8 => {
            let coded = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
            field.as_ref().clone().with_data_type(coded)
        }
        _ => field.as_ref().clone(),
    };
    arrow_schema::Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>()).into()
}

/// Collects the cells of a batch, in the form in which a dictionary page would contain them.
fn show(batch: &RecordBatch, sheet: &Sheet, shown: &mut [BTreeSet<Vec<u8>>]) {
    for (column, shown) in sheet.wanted().iter().zip(shown) {
        let Some(cells) = batch
            .column_by_name(column.name)
            .and_then(ReadableColumn::of)
        else {
            continue;
        };
        // Rows are sorted, so a cell usually equals the one before it.
        let mut last: Option<Vec<u8>> = None;
        cells.each_distinct(|cell| {
            let bytes = match cell {
                RawCell::Null | RawCell::Bool(_) => return,
                RawCell::Text(text) => text.as_bytes().to_vec(),
                RawCell::Int(number) if column.short => (number as i32).to_le_bytes().to_vec(),
                RawCell::Int(number) => number.to_le_bytes().to_vec(),
                RawCell::Float(number) => number.to_le_bytes().to_vec(),
                RawCell::Days(days) if column.short => days.to_le_bytes().to_vec(),
                RawCell::Days(_) => return,
                RawCell::Decimal { units, .. } => units.to_be_bytes().to_vec(),
            };
            if last.as_ref() != Some(&bytes) {
                shown.insert(bytes.clone());
                last = Some(bytes);
            }
        });
    }
}
