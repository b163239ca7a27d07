//! A table written again with a change: by the writer of the Parquet crate, which can do more than
//! a release may, and page by page, which can do what no writer does.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray};
use arrow_schema::{DataType, Field, FieldRef, Schema};
use bytes::Bytes;
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_writer::{ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageReader, PageWriter};
use parquet::file::metadata::{
    ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};

use super::sample::Line;

/// Columns, and how they are to be written.
pub struct Sheet {
    pub columns: Vec<(Field, ArrayRef)>,
    pub properties: WriterPropertiesBuilder,
    /// Whether a column states how many bytes its text has.
    pub sizes: bool,
    /// Rows per row group.
    pub group: usize,
    /// The name of the schema.
    pub root: &'static str,
}

impl Sheet {
    /// Rows as they are published.
    pub fn of(lines: &[Line]) -> Sheet {
        let label = |at: usize| {
            Arc::new(StringArray::from_iter_values(
                lines.iter().map(|line| &line.0[at]),
            ))
        };
        let column = |name, array: ArrayRef, nullable| {
            (Field::new(name, array.data_type().clone(), nullable), array)
        };
        let columns = vec![
            column("age", label(0), false),
            column("ward", label(1), false),
            column(
                "diagnosis",
                Arc::new(lines.iter().map(|line| line.1).collect::<StringArray>()),
                true,
            ),
            column(
                "days",
                Arc::new(lines.iter().map(|line| line.2).collect::<Int64Array>()),
                true,
            ),
        ];
        Sheet::new(columns)
    }

    /// Columns as a release would write them.
    pub fn new(columns: Vec<(Field, ArrayRef)>) -> Sheet {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3).expect("a level")))
            .set_created_by("tidegate".to_owned())
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true);
        Sheet {
            columns,
            properties,
            sizes: false,
            group: 1 << 20,
            root: "schema",
        }
    }

    pub fn with(
        mut self,
        set: impl FnOnce(WriterPropertiesBuilder) -> WriterPropertiesBuilder,
    ) -> Sheet {
        self.properties = set(self.properties);
        self
    }

    pub fn bytes(self) -> Vec<u8> {
        let (fields, arrays): (Vec<FieldRef>, Vec<ArrayRef>) = self
            .columns
            .into_iter()
            .map(|(field, array)| (Arc::new(field), array))
            .unzip();
        let schema = Arc::new(Schema::new(fields.clone()));
        let root = ArrowSchemaConverter::new()
            .schema_root(self.root)
            .convert(&schema)
            .expect("a schema");
        let properties = Arc::new(self.properties.build());
        let mut file = SerializedFileWriter::new(Vec::new(), root.root_schema_ptr(), properties)
            .expect("a file");
        let factory = ArrowRowGroupWriterFactory::new(&file, schema);
        let rows = arrays[0].len();
        for (number, start) in (0..rows).step_by(self.group).enumerate() {
            let writers = factory.create_column_writers(number).expect("writers");
            let mut group = file.next_row_group().expect("a row group");
            for ((mut writer, array), field) in writers.into_iter().zip(&arrays).zip(&fields) {
                let part = array.slice(start, self.group.min(rows - start));
                for leaf in compute_leaves(field, &part).expect("a column") {
                    writer.write(&leaf).expect("cells");
                }
                let mut chunk = writer.close().expect("a column");
                let about = &mut chunk.close_mut().metadata;
                let sizes = self.sizes.then_some(part.len() as i64);
                let reported = about
                    .clone()
                    .into_builder()
                    .set_unencoded_byte_array_data_bytes(sizes);
                *about = reported.build().expect("a column");
                chunk.append_to_row_group(&mut group).expect("a column");
            }
            group.close().expect("a row group");
        }
        file.into_inner().expect("bytes")
    }
}

/// The same sheet with its columns in another field type, name or nullability.
pub fn refield(sheet: &mut Sheet, column: usize, name: &str, kind: DataType, nullable: bool) {
    let array = arrow_cast(&sheet.columns[column].1, &kind);
    sheet.columns[column] = (Field::new(name, kind, nullable), array);
}

/// The few casts that are needed.
fn arrow_cast(array: &ArrayRef, kind: &DataType) -> ArrayRef {
    use arrow_array::Int32Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    match (array.data_type(), kind) {
        (from, to) if from == to => array.clone(),
        (DataType::Int64, DataType::Int32) => {
            let whole = array.as_primitive::<Int64Type>();
            Arc::new(
                whole
                    .iter()
                    .map(|number| number.map(|number| number as i32))
                    .collect::<Int32Array>(),
            )
        }
        (DataType::Int64, DataType::Utf8) => {
            let whole = array.as_primitive::<Int64Type>();
            Arc::new(
                whole
                    .iter()
                    .map(|number| number.map(|number| number.to_string()))
                    .collect::<StringArray>(),
            )
        }
        (DataType::Utf8, DataType::Binary) => {
            let text = array.as_string::<i32>();
            Arc::new(
                text.iter()
                    .map(|text| text.map(str::as_bytes))
                    .collect::<arrow_array::BinaryArray>(),
            )
        }
        other => panic!("no test casts {other:?}"),
    }
}

/// The metadata in the footer.
pub fn footer(data: &[u8]) -> ParquetMetaData {
    ParquetMetaDataReader::new()
        .parse_and_finish(&Bytes::copy_from_slice(data))
        .expect("a Parquet file")
}

/// Where the footer begins.
pub fn end_of_pages(data: &[u8]) -> usize {
    let tail = data.len() - 8;
    tail - u32::from_le_bytes(data[tail..tail + 4].try_into().expect("four bytes")) as usize
}

/// The file with its pages written one by one, uncompressed, after `edit` has changed those of each
/// column; this many bytes are left between one column and the next.
pub fn repaged(data: &[u8], gap: usize, edit: impl Fn(usize, &mut Vec<Page>)) -> Vec<u8> {
    use std::io::Write as _;
    let metadata = footer(data);
    let bytes = Bytes::copy_from_slice(data);
    let mut sink = TrackedWrite::new(Vec::new());
    sink.write_all(b"PAR1").expect("memory");
    let mut groups: Vec<RowGroupMetaData> = Vec::new();
    for group in metadata.row_groups() {
        let mut chunks = Vec::new();
        for (column, chunk) in group.columns().iter().enumerate() {
            let rows = group.num_rows() as usize;
            let mut reader = SerializedPageReader::new(Arc::new(bytes.clone()), chunk, rows, None)
                .expect("pages of a column");
            let mut pages = Vec::new();
            while let Some(page) = reader.get_next_page().expect("a page") {
                pages.push(page);
            }
            edit(column, &mut pages);
            let start = sink.bytes_written();
            let (mut dictionary, mut first) = (None, None);
            for page in pages {
                let at = sink.bytes_written() as i64;
                let place = if matches!(page, Page::DictionaryPage { .. }) {
                    &mut dictionary
                } else {
                    &mut first
                };
                place.get_or_insert(at);
                let size = page.buffer().len();
                let mut writer = SerializedPageWriter::new(&mut sink);
                writer
                    .write_page(CompressedPage::new(page, size))
                    .expect("a page");
            }
            let size = (sink.bytes_written() - start) as i64;
            let reported = chunk
                .clone()
                .into_builder()
                .set_compression(Compression::UNCOMPRESSED);
            let reported = reported
                .set_total_compressed_size(size)
                .set_total_uncompressed_size(size);
            let reported = reported
                .set_dictionary_page_offset(dictionary)
                .set_data_page_offset(first.expect("a page"));
            chunks.push(reported.build().expect("a column"));
            if column + 1 < group.num_columns() {
                sink.write_all(&vec![b'x'; gap]).expect("memory");
            }
        }
        groups.push(
            group
                .clone()
                .into_builder()
                .set_column_metadata(chunks)
                .build()
                .expect("a row group"),
        );
    }
    let reported = ParquetMetaData::new(metadata.file_metadata().clone(), groups);
    let mut whole = sink.into_inner().expect("bytes");
    ParquetMetaDataWriter::new(&mut whole, &reported)
        .finish()
        .expect("a footer");
    whole
}

/// Adds entries after those of a dictionary page of text, and to its count.
pub fn with_entries(page: &mut Page, entries: &[&str]) {
    let Page::DictionaryPage {
        buf, num_values, ..
    } = page
    else {
        panic!("a dictionary comes first")
    };
    let mut longer = buf.to_vec();
    for entry in entries {
        longer.extend((entry.len() as u32).to_le_bytes());
        longer.extend(entry.as_bytes());
    }
    *buf = longer.into();
    *num_values += entries.len() as u32;
}
