//! Limits of a checkpoint of a Delta log, which `verify` reads wherever another program may have
//! put it into the public root.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringDictionaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::error::ErrorCategory;
use tidegate::daemon::ingest::{check_parquet, parquet_rows_at_a_time};
use tidegate::daemon::verify::read_checkpoint;
use tidegate::engine::delta::{DataFile, Metadata, checkpoint};
use tidegate::engine::release::TableId;

use super::{FEED, Folder, refused};

const MIB: usize = 1 << 20;
const PATH: &str = "1.checkpoint.parquet";

fn files(count: usize) -> Vec<DataFile> {
    (0..count)
        .map(|at| DataFile {
            path: format!("{at}.parquet"),
            bytes: 9,
            rows: 1,
            time: 5,
        })
        .collect()
}

fn of_files(files: &[DataFile]) -> Vec<u8> {
    let columns = FeedConfig::parse(FEED, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    checkpoint(
        &Metadata::of("t", TableId::rows(1), 5, &columns),
        Some((7, 5)),
        files,
    )
}

/// This many equal cells of text, of this length.
fn same(cell: &str, count: usize) -> DictionaryArray<Int32Type> {
    DictionaryArray::new(
        Int32Array::from(vec![0; count]),
        Arc::new(StringArray::from(vec![cell])),
    )
}

/// A checkpoint in which the column of an action contains something else.
fn with(checkpoint: &[u8], action: &str, column: &str, cells: ArrayRef) -> Vec<u8> {
    let folder = Folder::new();
    let file = File::open(folder.file(PATH, checkpoint)).expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .expect("a table")
        .with_batch_size(MIB);
    let batch = reader
        .build()
        .expect("a table")
        .next()
        .expect("rows")
        .expect("rows");
    let actions = batch
        .column_by_name(action)
        .expect("a kind of action")
        .as_struct();
    let column = actions.fields().find(column).expect("a column").0;
    let mut fields: Vec<_> = actions.fields().iter().map(Arc::clone).collect();
    fields[column] = Arc::new(Field::new(
        fields[column].name(),
        cells.data_type().clone(),
        true,
    ));
    let mut cells_of: Vec<ArrayRef> = actions.columns().to_vec();
    cells_of[column] = cells;
    let actions = StructArray::new(fields.into(), cells_of, actions.nulls().cloned());
    let at = batch.schema().index_of(action).expect("a kind of action");
    let mut all: Vec<ArrayRef> = batch.columns().to_vec();
    all[at] = Arc::new(actions);
    let field = |(old, array): (&Arc<Field>, &ArrayRef)| {
        Field::new(old.name(), array.data_type().clone(), true)
    };
    let schema = Arc::new(Schema::new(
        batch
            .schema()
            .fields()
            .iter()
            .zip(&all)
            .map(field)
            .collect::<Vec<_>>(),
    ));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_dictionary_page_size_limit(1 << 30);
    let options = ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(true);
    let mut writer = ArrowWriter::try_new_with_options(Vec::new(), Arc::clone(&schema), options)
        .expect("a writer");
    writer
        .write(&RecordBatch::try_new(schema, all).expect("columns"))
        .expect("rows");
    writer.into_inner().expect("memory")
}

#[test]
fn checkpoints_of_ours_are_read_whatever_their_size() {
    for count in [0, 1, 40, 20_000] {
        let files = files(count);
        let read = read_checkpoint(PATH, of_files(&files)).expect("a checkpoint");
        let meant: BTreeMap<_, _> = files
            .into_iter()
            .map(|file| (file.path.clone(), file))
            .collect();
        assert_eq!((read.release, read.files), (Some(7), meant));
    }
}

#[test]
fn a_checkpoint_that_unpacks_to_very_much_is_none() {
    // Well-formed statistics: one number with a million zeros before it, in each file.
    let stats = format!("{{\"numRecords\":{}1}}", "0".repeat(MIB));
    for (count, fits) in [(100, true), (200, false)] {
        let bytes = of_files(&files(count));
        let bytes = with(&bytes, "add", "stats", Arc::new(same(&stats, 3 + count)));
        assert!(bytes.len() < MIB, "{}", bytes.len());
        let read = read_checkpoint(PATH, bytes);
        assert_eq!(read.map(|read| read.files.len()), fits.then_some(count));
    }
}

#[test]
fn a_list_that_unpacks_to_very_much_is_none() {
    let cell = "x".repeat(MIB);
    // Beyond the memory of a checkpoint lists are noticed as they are read, beyond the memory of
    // any table before.
    for (elements, fits, is_table) in [(50, true, true), (200, false, true), (600, false, false)] {
        let mut lists = ListBuilder::new(StringDictionaryBuilder::<Int32Type>::new());
        for row in 0..4 {
            (0..elements)
                .filter(|_| row == 1)
                .for_each(|_| lists.values().append_value(&cell));
            lists.append(true);
        }
        let bytes = with(
            &of_files(&files(1)),
            "metaData",
            "partitionColumns",
            Arc::new(lists.finish()),
        );
        assert!(bytes.len() < MIB, "{}", bytes.len());
        let checked = parquet_rows_at_a_time(Path::new(PATH), &bytes.clone().into());
        assert_eq!(checked.is_ok(), is_table, "{checked:?}");
        assert_eq!(
            check_parquet(Path::new(PATH), &bytes.clone().into()).is_ok(),
            is_table,
            "as a table of a release"
        );
        if let Err(error) = checked {
            let column = "metaData.partitionColumns.list.item";
            refused(
                &error,
                ErrorCategory::Input,
                Path::new(PATH),
                Some(column),
                "the lists of this column may have 603 MiB",
            );
        }
        assert_eq!(
            read_checkpoint(PATH, bytes).map(|read| read.files.len()),
            fits.then_some(1)
        );
    }
}
