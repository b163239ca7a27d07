//! Limits of Parquet: pages, cells that expand to more than their bytes, rows without bytes, and
//! the footer.

use std::sync::Arc;

use arrow_array::builder::NullBuilder;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{
    EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion,
};
use tidegate::daemon::error::ErrorCategory;
use tidegate::daemon::ingest::{SourceFile, check_parquet};

use super::{Folder, refused, rows};

const MIB: usize = 1 << 20;

fn small() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_dictionary_enabled(false)
        .set_data_page_size_limit(1 << 30)
        .set_dictionary_page_size_limit(1 << 30)
}

/// A file of people whose diagnoses are these.
fn diagnosed(diagnoses: StringArray, properties: WriterPropertiesBuilder) -> Vec<u8> {
    let ward = StringArray::from_iter_values((0..diagnoses.len()).map(|at| ["A", "B"][at % 2]));
    let field =
        |name, cells: &StringArray| Field::new(name, DataType::Utf8, cells.null_count() > 0);
    let schema = Arc::new(Schema::new(vec![
        field("ward", &ward),
        field("diagnosis", &diagnoses),
    ]));
    let batch = RecordBatch::try_new(
        Arc::clone(&schema),
        vec![Arc::new(ward), Arc::new(diagnoses)],
    )
    .expect("rows");
    let mut writer =
        ArrowWriter::try_new(Vec::new(), schema, Some(properties.build())).expect("a writer");
    writer.write(&batch).expect("rows");
    writer.into_inner().expect("memory")
}

fn same(bytes: usize, rows: usize) -> StringArray {
    let cell = "x".repeat(bytes);
    StringArray::from_iter_values((0..rows).map(|_| cell.as_str()))
}

#[test]
fn pages_are_unpacked_up_to_their_limit() {
    let folder = Folder::new();
    // A cell follows the four bytes of its length.
    for (cell, fits) in [(128 * MIB - 4, true), (128 * MIB - 3, false)] {
        for (plain, version) in [
            (true, WriterVersion::PARQUET_1_0),
            (false, WriterVersion::PARQUET_2_0),
        ] {
            let properties = small()
                .set_dictionary_enabled(!plain)
                .set_writer_version(version);
            let path = folder.file("a.parquet", diagnosed(same(cell, 1), properties));
            match rows(&path) {
                // It is too long for a value, but not for a page.
                Ok(decoded) => assert_eq!((fits, decoded.rows.len(), decoded.nulled), (true, 1, 1)),
                Err(error) => {
                    assert!(!fits, "{error:?}");
                    let place = if plain {
                        "row 1: its page of this column"
                    } else {
                        "row group 1: a page or the dictionary"
                    };
                    refused(
                        &error,
                        ErrorCategory::Input,
                        &path,
                        Some("diagnosis"),
                        place,
                    );
                    assert!(
                        error.text.contains("at most 128 MiB")
                            && error.text.contains("shorter cells"),
                        "{}",
                        error.text
                    );
                }
            }
        }
    }
}

#[test]
fn cells_that_repeat_the_one_before_count_in_full() {
    let folder = Folder::new();
    for (count, fits) in [(128, true), (129, false)] {
        let properties = small().set_encoding(Encoding::DELTA_BYTE_ARRAY);
        let bytes = diagnosed(same(MIB, count), properties);
        assert!(bytes.len() < 64 << 10);
        let path = folder.file("a.parquet", bytes);
        let found = rows(&path);
        assert_eq!(
            found.as_ref().map(|found| found.nulled).ok(),
            fits.then_some(count as u64)
        );
        if let Err(error) = found {
            refused(
                &error,
                ErrorCategory::Input,
                &path,
                Some("diagnosis"),
                "at most 128 MiB",
            );
        }
    }
    // Lengths before the cells, nulls and values of all kinds are unchanged.
    let texts: Vec<Option<String>> = (0..5_000)
        .map(|at| (at % 7 != 0).then(|| "flu".repeat(at % 11) + &(at % 13).to_string()))
        .collect();
    let plain = StringArray::from(texts);
    let field = |name, nullable| Field::new(name, DataType::Utf8, nullable);
    let schema = Arc::new(Schema::new(vec![
        field("ward", false),
        field("diagnosis", true),
    ]));
    let ward: ArrayRef = Arc::new(StringArray::from_iter_values((0..5_000).map(|_| "A")));
    let batch =
        RecordBatch::try_new(Arc::clone(&schema), vec![ward, Arc::new(plain)]).expect("rows");
    let mut found = Vec::new();
    for encoding in [
        Encoding::PLAIN,
        Encoding::DELTA_BYTE_ARRAY,
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
    ] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = small()
                .set_encoding(encoding)
                .set_writer_version(version)
                .set_data_page_row_count_limit(700);
            let mut writer =
                ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), Some(properties.build()))
                    .expect("a writer");
            batches(&batch)
                .iter()
                .for_each(|batch| writer.write(batch).expect("rows"));
            let decoded = rows(&folder.file("a.parquet", writer.into_inner().expect("memory")))
                .expect("rows");
            found.push((decoded.nulled, decoded.rows));
        }
    }
    assert_eq!(
        (found[0].0, found[0].1.len()),
        (5_000_u64.div_ceil(7), 5_000)
    );
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
}

fn batches(batch: &RecordBatch) -> Vec<RecordBatch> {
    (0..batch.num_rows())
        .step_by(100)
        .map(|at| batch.slice(at, 100.min(batch.num_rows() - at)))
        .collect()
}

/// This many rows without a value, in a file of this many bytes.
fn empty(count: usize, size: usize) -> Vec<u8> {
    let schema = Arc::new(Schema::new(
        ["ward", "diagnosis"]
            .map(|name| Field::new(name, DataType::Utf8, true))
            .to_vec(),
    ));
    let write = |beside: usize| {
        let about = vec![KeyValue::new("beside".to_owned(), "x".repeat(beside))];
        let properties = small().set_key_value_metadata(Some(about)).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), Some(properties))
            .expect("a writer");
        let nulls = || Arc::new(StringArray::new_null(count.div_ceil(4))) as ArrayRef;
        let batch =
            RecordBatch::try_new(Arc::clone(&schema), vec![nulls(), nulls()]).expect("rows");
        (0..4).for_each(|part| {
            let rows = count.div_ceil(4).min(count - part * count.div_ceil(4));
            writer.write(&batch.slice(0, rows)).expect("rows");
        });
        writer.into_inner().expect("memory")
    };
    let guess = size / 2;
    let bytes = write(guess + size - write(guess).len());
    assert_eq!(bytes.len(), size);
    bytes
}

#[test]
fn rows_need_bytes() {
    let folder = Folder::new();
    let (size, free) = (40_000, 1 << 20);
    for (count, fits) in [(free + 16 * size, true), (free + 16 * size + 1, false)] {
        let path = folder.file("a.parquet", empty(count, size));
        match SourceFile::open(&path) {
            Ok(_) => assert!(fits),
            Err(error) => {
                assert!(!fits);
                refused(
                    &error,
                    ErrorCategory::Input,
                    &path,
                    None,
                    "rows in 40000 bytes: beyond 1048576 rows the limit is 16",
                );
            }
        }
    }
}

#[test]
fn the_description_of_a_file_is_read_up_to_its_limit() {
    let folder = Folder::new();
    let with = |beside: usize| {
        let about = vec![KeyValue::new("beside".to_owned(), "x".repeat(beside))];
        diagnosed(same(3, 2), small().set_key_value_metadata(Some(about)))
    };
    let footer = |bytes: &[u8]| {
        let tail = bytes[bytes.len() - 8..].first_chunk().expect("four bytes");
        u32::from_le_bytes(*tail) as usize
    };
    let beside = 16 * MIB - (footer(&with(15 * MIB)) - 15 * MIB);
    for (more, fits) in [(0, true), (1, false)] {
        let bytes = with(beside + more);
        assert_eq!(footer(&bytes), 16 * MIB + more);
        let path = folder.file("a.parquet", bytes);
        match rows(&path) {
            Ok(decoded) => assert_eq!((fits, decoded.rows.len()), (true, 2)),
            Err(error) => {
                assert!(!fits, "{error:?}");
                refused(
                    &error,
                    ErrorCategory::Input,
                    &path,
                    None,
                    "at most 16 MiB are read",
                );
            }
        }
    }
}

#[test]
fn cells_of_one_length_are_read_up_to_their_limit() {
    let folder = Folder::new();
    for (length, fits) in [(65_536, true), (65_537, false)] {
        let fixed = Field::new("diagnosis", DataType::FixedSizeBinary(length), true);
        let schema = Arc::new(Schema::new(vec![
            Field::new("ward", DataType::Utf8, false),
            fixed,
        ]));
        let ward: ArrayRef = Arc::new(StringArray::from_iter_values((0..100).map(|_| "A")));
        let mut nulls = NullBuilder::new();
        nulls.append_nulls(100);
        let cells =
            arrow_array::new_null_array(&DataType::FixedSizeBinary(length), nulls.finish().len());
        let batch = RecordBatch::try_new(Arc::clone(&schema), vec![ward, cells]).expect("rows");
        let mut writer =
            ArrowWriter::try_new(Vec::new(), schema, Some(small().build())).expect("a writer");
        writer.write(&batch).expect("rows");
        let path = folder.file("a.parquet", writer.into_inner().expect("memory"));
        let error = rows(&path).map(|_| ()).expect_err("bytes are no text");
        let text = if fits {
            "does not match the declared type"
        } else {
            "more than the limit of 65536"
        };
        refused(&error, ErrorCategory::Input, &path, Some("diagnosis"), text);
    }
}

/// A decoder that does not stop at the size that a page states would fill the memory: this is
/// checked before one is called.
#[test]
fn a_page_is_as_large_as_it_says() {
    let folder = Folder::new();
    for codec in [
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
    ] {
        let written = |megabytes| diagnosed(same(MIB, megabytes), small().set_compression(codec));
        let path = folder.file("a.parquet", written(200));
        let error = rows(&path).expect_err("a page of 200 MiB");
        refused(
            &error,
            ErrorCategory::Input,
            &path,
            Some("diagnosis"),
            "at most 128 MiB",
        );
        assert!(
            check_parquet(&path, &written(100).into()).is_ok(),
            "{codec:?}: a page of 100 MiB"
        );
        // The bytes for nulls precede the compressed part.
        let with_null = StringArray::from_iter(same(MIB, 200).iter().chain([None]));
        let second = small().set_compression(codec).set_encoding(Encoding::PLAIN);
        let second = second.set_writer_version(WriterVersion::PARQUET_2_0);
        for bytes in [written(200), diagnosed(with_null, second)] {
            let bytes = says_one_byte(bytes, 200);
            let path = folder.file("b.parquet", &bytes);
            refused(
                &rows(&path).expect_err("a lie"),
                ErrorCategory::Input,
                &path,
                None,
                "not readable Parquet",
            );
            let found = check_parquet(&path, &bytes.into()).expect_err("a lie");
            refused(
                &found,
                ErrorCategory::Input,
                &path,
                None,
                "not readable Parquet",
            );
        }
    }
}

/// The same file, whose page of this many cells of 1 MiB, and of some bytes for nulls, states that
/// it has one byte.
fn says_one_byte(mut bytes: Vec<u8>, cells: usize) -> Vec<u8> {
    let size = (cells * (MIB + 4)) as u64;
    let place = |long: &Vec<u8>| bytes.windows(long.len()).position(|part| part == long);
    let (at, long) = (0..16)
        .map(|levels| zigzag(size + levels))
        .find_map(|long| Some((place(&long)?, long)))
        .expect("a size");
    // Longer than necessary, so that everything after it keeps its position.
    let mut padded = zigzag(1);
    padded[0] |= 0x80;
    padded.resize(long.len() - 1, 0x80);
    padded.push(0);
    bytes[at..at + long.len()].copy_from_slice(&padded);
    bytes
}

/// Pages that could be larger than they state are unpacked before they are read, and are unchanged.
#[test]
fn pages_of_every_codec_are_read() {
    let folder = Folder::new();
    // Nearly incompressible.
    let mut state = 1_u64;
    let mut letter = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        char::from(b'!' + (state >> 57) as u8 % 90)
    };
    let cells: Vec<String> = (0..40)
        .map(|_| (0..60_000).map(|_| letter()).collect())
        .collect();
    let mut found = Vec::new();
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::SNAPPY,
    ] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = small().set_compression(codec).set_writer_version(version);
            let bytes = diagnosed(StringArray::from_iter_values(&cells), properties);
            assert!(bytes.len() > MIB, "{codec:?}");
            let decoded = rows(&folder.file("a.parquet", bytes))
                .unwrap_or_else(|error| panic!("{codec:?}: {error}"));
            assert_eq!((decoded.rows.len(), decoded.nulled), (40, 0), "{codec:?}");
            found.push(decoded.rows);
        }
    }
    assert!(
        found.windows(2).all(|pair| pair[0] == pair[1]),
        "the same rows"
    );
}

/// A number as Thrift writes it.
fn zigzag(number: u64) -> Vec<u8> {
    let (mut number, mut bytes) = (number << 1, Vec::new());
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}
