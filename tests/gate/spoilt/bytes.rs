//! Bytes that reveal more than rows, or something else: columns, additions of a writer, and files
//! that no writer makes.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array};
use arrow_schema::{DataType, Field};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::page::Page;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterPropertiesBuilder, WriterVersion};
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnPath;

use super::sample::lines;
use super::sheet::{Sheet, end_of_pages, refield, repaged, with_entries};
use super::{Mutant, offer};

/// The same rows in another sheet.
fn sheet(name: &'static str, reason: &'static str, edit: impl Fn(&mut Sheet) + 'static) -> Mutant {
    offer(name, "form", reason, move |offer| {
        let mut sheet = Sheet::of(&lines(offer));
        edit(&mut sheet);
        *offer.data_mut() = sheet.bytes();
    })
}

/// The same sheet from another writer.
fn written(
    name: &'static str,
    reason: &'static str,
    set: impl Fn(WriterPropertiesBuilder) -> WriterPropertiesBuilder + 'static,
) -> Mutant {
    offer(name, "form", reason, move |offer| {
        *offer.data_mut() = Sheet::of(&lines(offer)).with(&set).bytes()
    })
}

/// The same file with other bytes in it.
fn data(name: &'static str, reason: &'static str, edit: impl Fn(&mut Vec<u8>) + 'static) -> Mutant {
    offer(name, "form", reason, move |offer| edit(offer.data_mut()))
}

/// The same file with other pages: those of the first column, labels of the age.
fn paged(
    name: &'static str,
    reason: &'static str,
    edit: impl Fn(&mut Vec<Page>) + 'static,
) -> Mutant {
    data(name, reason, move |data| {
        *data = repaged(data, 0, |column, pages| {
            if column == 0 {
                edit(pages);
            }
        });
    })
}

fn numbers(sheet: &Sheet) -> (Field, ArrayRef) {
    let rows = sheet.columns[0].1.len() as i64;
    (
        Field::new("row", DataType::Int64, false),
        Arc::new((0..rows).collect::<Int64Array>()),
    )
}

const NOT_THESE_BYTES: &str = "not the ones that these rows are published as";

fn columns() -> Vec<Mutant> {
    vec![
        sheet(
            "a stray column",
            "the column is no quasi or sensitive column",
            |sheet| {
                sheet.columns.push(numbers(sheet));
            },
        ),
        sheet("a column twice", "another position", |sheet| {
            let first = sheet.columns[0].clone();
            sheet.columns.insert(0, first);
        }),
        sheet(
            "a quasi column missing",
            "age: the column is missing",
            |sheet| _ = sheet.columns.remove(0),
        ),
        sheet(
            "a sensitive column missing",
            "days: the column is missing",
            |sheet| _ = sheet.columns.pop(),
        ),
        sheet("a renamed column", "ward: the column is missing", |sheet| {
            refield(sheet, 1, "Ward", DataType::Utf8, false);
        }),
        sheet(
            "columns in another order",
            "has another position",
            |sheet| sheet.columns.swap(0, 1),
        ),
        sheet(
            "sensitive columns in another order",
            "has another position",
            |sheet| sheet.columns.swap(2, 3),
        ),
        sheet(
            "whole numbers in another type",
            "days: the column is of another type",
            |sheet| {
                refield(sheet, 3, "days", DataType::Int32, true);
            },
        ),
        sheet(
            "whole numbers as text",
            "days: the column is of another type",
            |sheet| {
                refield(sheet, 3, "days", DataType::Utf8, true);
            },
        ),
        sheet(
            "labels as bytes",
            "age: the column is of another type",
            |sheet| {
                refield(sheet, 0, "age", DataType::Binary, false);
            },
        ),
        sheet(
            "a quasi column that may be null",
            "age: the column is of another type",
            |sheet| {
                refield(sheet, 0, "age", DataType::Utf8, true);
            },
        ),
        sheet(
            "a schema with a name of its own",
            "the schema holds more than the columns",
            |sheet| {
                sheet.root = "Jane Doe";
            },
        ),
        sheet(
            "a sensitive column that may not be null",
            "diagnosis: the column is of another type",
            |sheet| {
                refield(sheet, 2, "diagnosis", DataType::Utf8, false);
            },
        ),
    ]
}

fn extras() -> Vec<Mutant> {
    let noted = |key: &'static str| {
        move |properties: WriterPropertiesBuilder| {
            properties
                .set_key_value_metadata(Some(vec![KeyValue::new(key.to_owned(), "v".to_owned())]))
        }
    };
    vec![
        written(
            "statistics of columns",
            "there are statistics",
            |properties| properties.set_statistics_enabled(EnabledStatistics::Chunk),
        ),
        written(
            "statistics of pages",
            "there is a page index",
            |properties| properties.set_statistics_enabled(EnabledStatistics::Page),
        ),
        written(
            "statistics in page headers",
            "a page has statistics",
            |properties| {
                properties
                    .set_statistics_enabled(EnabledStatistics::Page)
                    .set_write_page_header_statistics(true)
            },
        ),
        written("an index of pages", "there is a page index", |properties| {
            properties.set_offset_index_disabled(false)
        }),
        written("a bloom filter", "there is a bloom filter", |properties| {
            properties.set_column_bloom_filter_enabled(ColumnPath::from("diagnosis"), true)
        }),
        sheet(
            "bytes of text counted",
            "there are size statistics",
            |sheet| sheet.sizes = true,
        ),
        written("a note", "key-value metadata", noted("pandas")),
        written(
            "the schema of the writer",
            "key-value metadata",
            noted("ARROW:schema"),
        ),
        written(
            "another author",
            "a different program as its writer",
            |properties| properties.set_created_by("tidegate 0.1.0".to_owned()),
        ),
        written(
            "columns that are said to be sorted",
            "there are sorting columns",
            |properties| {
                let first = SortingColumn {
                    column_idx: 0,
                    descending: false,
                    nulls_first: false,
                };
                properties.set_sorting_columns(Some(vec![first]))
            },
        ),
        written("another compression", NOT_THESE_BYTES, |properties| {
            properties.set_compression(Compression::SNAPPY)
        }),
        written(
            "another level of compression",
            NOT_THESE_BYTES,
            |properties| {
                properties
                    .set_compression(Compression::ZSTD(ZstdLevel::try_new(19).expect("a level")))
            },
        ),
        written("no dictionaries", NOT_THESE_BYTES, |properties| {
            properties.set_dictionary_enabled(false)
        }),
        written("another version of pages", NOT_THESE_BYTES, |properties| {
            properties.set_writer_version(WriterVersion::PARQUET_2_0)
        }),
        written("smaller pages", NOT_THESE_BYTES, |properties| {
            properties
                .set_data_page_row_count_limit(2)
                .set_write_batch_size(2)
        }),
        sheet("smaller row groups", NOT_THESE_BYTES, |sheet| {
            sheet.group = 3
        }),
    ]
}

fn spliced() -> Vec<Mutant> {
    vec![
        paged("pages without compression", NOT_THESE_BYTES, |_| ()),
        paged(
            "an entry that no row shows",
            "holds an entry that no row shows",
            |pages| {
                with_entries(&mut pages[0], &["60-79"]);
            },
        ),
        paged(
            "an entry that is no label",
            "holds an entry that no row shows",
            |pages| {
                with_entries(&mut pages[0], &["Jane Doe"]);
            },
        ),
        paged("every entry twice", "holds an entry twice", |pages| {
            let Page::DictionaryPage {
                buf, num_values, ..
            } = &mut pages[0]
            else {
                panic!("a dictionary comes first")
            };
            *buf = [&buf[..], &buf[..]].concat().into();
            *num_values *= 2;
        }),
        paged(
            "more in a dictionary than its entries",
            "the dictionary holds",
            |pages| {
                with_entries(&mut pages[0], &["Jane Doe"]);
                let Page::DictionaryPage { num_values, .. } = &mut pages[0] else {
                    panic!("a dictionary comes first")
                };
                *num_values -= 1;
            },
        ),
        paged(
            "bytes behind a dictionary",
            "holds more than its entries",
            |pages| {
                let Page::DictionaryPage { buf, .. } = &mut pages[0] else {
                    panic!("a dictionary comes first")
                };
                *buf = [&buf[..], b"xy"].concat().into();
            },
        ),
        paged(
            "a dictionary that is said to be sorted",
            NOT_THESE_BYTES,
            |pages| {
                let Page::DictionaryPage { is_sorted, .. } = &mut pages[0] else {
                    panic!("a dictionary comes first")
                };
                *is_sorted = true;
            },
        ),
        paged(
            "a statistic of one page",
            "a page has statistics",
            |pages| {
                let Page::DataPage { statistics, .. } = &mut pages[1] else {
                    panic!("rows come next")
                };
                let text = |text: &str| Some(text.as_bytes().to_vec().into());
                *statistics = Some(Statistics::byte_array(
                    text("old"),
                    text("young"),
                    None,
                    Some(0),
                    false,
                ));
            },
        ),
        paged(
            "bytes behind the rows of a page",
            NOT_THESE_BYTES,
            |pages| {
                let Page::DataPage { buf, .. } = &mut pages[1] else {
                    panic!("rows come next")
                };
                *buf = [&buf[..], b"Jane Doe"].concat().into();
            },
        ),
        paged(
            "levels told in another encoding",
            NOT_THESE_BYTES,
            |pages| {
                let Page::DataPage {
                    def_level_encoding, ..
                } = &mut pages[1]
                else {
                    panic!("rows come next")
                };
                #[allow(
                    deprecated,
                    reason = "the old name of an encoding is as good a place to hide something"
                )]
                let other = Encoding::BIT_PACKED;
                *def_level_encoding = other;
            },
        ),
        data(
            "bytes between columns",
            "bytes between two columns",
            |data| *data = repaged(data, 8, |_, _| ()),
        ),
        data(
            "bytes before the footer",
            "between the last column and the footer",
            |data| {
                let at = end_of_pages(data);
                data.splice(at..at, *b"Jane Doe");
            },
        ),
        data(
            "the footer twice",
            "between the last column and the footer",
            |data| {
                let footer = data[end_of_pages(data)..].to_vec();
                data.extend(footer);
            },
        ),
        data(
            "bytes after the end",
            "not a readable Parquet file",
            |data| data.extend(b"Jane Doe"),
        ),
        data(
            "bytes after the end that end like a file",
            "not a readable Parquet file",
            |data| {
                data.extend(b"Jane Doe\x04\0\0\0PAR1");
            },
        ),
        data(
            "other bytes at the beginning",
            "not a readable Parquet file",
            |data| data[..4].copy_from_slice(b"Jane"),
        ),
        data("half a file", "not a readable Parquet file", |data| {
            data.truncate(data.len() / 2)
        }),
        data("no file", "not a readable Parquet file", Vec::clear),
        data("a broken page", "cannot be read", |data| {
            data[4..40].fill(0xff)
        }),
    ]
}

pub fn mutants() -> Vec<Mutant> {
    [columns(), extras(), spliced()]
        .into_iter()
        .flatten()
        .collect()
}
