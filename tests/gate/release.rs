//! The public files of a release: what is written can be read back, and nothing else is in the
//! bytes.

mod manifest;
mod report;
pub mod table;
mod two_tables;

use std::collections::BTreeSet;

use crate::common::random::{self, Draw};
use bytes::Bytes;
use parquet::basic::Compression;
use parquet::column::page::Page;
use parquet::file::reader::{FileReader, SerializedFileReader};
use table::{Table, random_table, read};
use tidegate::engine::release::{data, data_in_groups};

#[test]
fn readers_see_the_rows_in_canonical_order() {
    random::run("release_rows", 300, |draw| {
        let table = random_table(draw, 60);
        let group = draw.between(1, 40) as usize;
        let (names, rows) = read(data_in_groups(
            &table.release,
            &table.values,
            &table.columns,
            group,
        ));
        assert_eq!(names, table.names());
        assert_eq!(rows, table.rows());
    });
}

#[test]
fn bytes_do_not_depend_on_how_the_table_was_made() {
    random::run("release_order", 100, |draw| {
        let table = random_table(draw, 60);
        let bytes = data(&table.release, &table.values, &table.columns);
        let again = table.built_otherwise(draw);
        assert_eq!(data(&again.release, &again.values, &again.columns), bytes);
    });
}

/// A table of more rows than a published row group has, few of them distinct.
#[test]
fn large_tables_have_row_groups_of_one_size() {
    let table = Table::large(1_060_000);
    let bytes = data(&table.release, &table.values, &table.columns);
    let file = SerializedFileReader::new(Bytes::from(bytes.clone())).expect("a Parquet file");
    let groups: Vec<i64> = file
        .metadata()
        .row_groups()
        .iter()
        .map(|group| group.num_rows())
        .collect();
    assert_eq!(groups, [1 << 20, 1_060_000 - (1 << 20)]);
    assert_eq!(read(bytes).1, table.rows());
}

#[test]
fn a_table_without_rows_has_its_columns() {
    let table = random_table(&mut Draw::new(1, 1), 60).without_rows();
    let (names, rows) = read(data(&table.release, &table.values, &table.columns));
    assert_eq!(names, table.names());
    assert!(rows.is_empty());
}

#[test]
fn nothing_but_pages_is_in_the_file() {
    random::run("release_footer", 50, |draw| {
        let table = random_table(draw, 60);
        let group = draw.between(1, 40) as usize;
        let bytes = data_in_groups(&table.release, &table.values, &table.columns, group);
        let file = SerializedFileReader::new(Bytes::from(bytes.clone())).expect("a Parquet file");
        let about = file.metadata().file_metadata();
        assert_eq!(about.created_by(), Some("tidegate"));
        assert!(about.key_value_metadata().is_none());
        // One column chunk follows the other, from the first byte after the magic to the footer.
        let mut at = 4;
        for group in file.metadata().row_groups() {
            assert!(group.sorting_columns().is_none());
            for chunk in group.columns() {
                assert!(matches!(chunk.compression(), Compression::ZSTD(_)));
                assert!(
                    chunk.statistics().is_none()
                        && chunk.unencoded_byte_array_data_bytes().is_none()
                );
                assert!(
                    chunk.repetition_level_histogram().is_none()
                        && chunk.definition_level_histogram().is_none()
                );
                assert!(
                    chunk.bloom_filter_offset().is_none() && chunk.column_index_offset().is_none()
                );
                assert!(chunk.offset_index_offset().is_none() && chunk.geo_statistics().is_none());
                let (from, length) = chunk.byte_range();
                assert_eq!(from, at);
                at += length;
            }
        }
        let [a, b, c, d] = bytes[bytes.len() - 8..bytes.len() - 4] else {
            panic!("four bytes")
        };
        assert_eq!(
            at + u64::from(u32::from_le_bytes([a, b, c, d])) + 8,
            bytes.len() as u64
        );
    });
}

#[test]
fn dictionaries_hold_what_rows_show() {
    random::run("release_dictionary", 50, |draw| {
        let table = random_table(draw, 60);
        let group = draw.between(1, 40) as usize;
        let bytes = data_in_groups(&table.release, &table.values, &table.columns, group);
        let rows = table.rows();
        let file = SerializedFileReader::new(Bytes::from(bytes)).expect("a Parquet file");
        for (number, rows) in rows.chunks(group).enumerate() {
            let group = file.get_row_group(number).expect("a row group");
            for column in 0..table.quasi() {
                let mut pages = group.get_column_page_reader(column).expect("pages");
                let Some(Page::DictionaryPage { buf, .. }) = pages.get_next_page().expect("a page")
                else {
                    panic!("labels come with a dictionary");
                };
                let shown: BTreeSet<String> = rows.iter().map(|row| row[column].clone()).collect();
                let held: Vec<String> = plain_texts(&buf)
                    .into_iter()
                    .map(|text| format!("text {text}"))
                    .collect();
                assert_eq!(held.len(), shown.len());
                assert_eq!(held.into_iter().collect::<BTreeSet<_>>(), shown);
            }
        }
    });
}

/// The texts of a page, each preceded by its length.
fn plain_texts(mut bytes: &[u8]) -> Vec<String> {
    let mut texts = Vec::new();
    while let [a, b, c, d, rest @ ..] = bytes {
        let (text, after) = rest.split_at(u32::from_le_bytes([*a, *b, *c, *d]) as usize);
        texts.push(String::from_utf8(text.to_vec()).expect("text"));
        bytes = after;
    }
    texts
}
