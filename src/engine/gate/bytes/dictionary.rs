//! Checks the pages of a column: a dictionary page contains each entry once and only entries that
//! some row shows, and no page contains a statistic.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::ReaderProperties;
use parquet::file::serialized_reader::SerializedPageReader;

use super::leak::Leak;

/// Finds what the pages of a column chunk contain besides rows: the entries of its dictionary, byte
/// for byte.
pub(super) fn entries(
    bytes: &Bytes,
    chunk: &ColumnChunkMetaData,
    rows: usize,
    leaks: &mut Vec<Leak>,
) -> Option<BTreeSet<Vec<u8>>> {
    let place = || format!("column {}", chunk.column_path());
    let mut unreadable = || leaks.push(Leak::new(place(), "a page cannot be read"));
    let with_statistics = Arc::new(
        ReaderProperties::builder()
            .set_read_page_statistics(true)
            .build(),
    );
    let file = Arc::new(bytes.clone());
    let Ok(mut reader) =
        SerializedPageReader::new_with_properties(file, chunk, rows, None, with_statistics)
    else {
        unreadable();
        return None;
    };
    let mut found = BTreeSet::new();
    let mut extras = Vec::new();
    loop {
        let page = match reader.get_next_page() {
            Ok(Some(page)) => page,
            Ok(None) => break,
            Err(_) => {
                unreadable();
                return None;
            }
        };
        if page.statistics().is_some() {
            extras.push("a page has statistics");
        }
        if let Page::DictionaryPage {
            buf,
            num_values,
            encoding,
            ..
        } = page
        {
            let plain = matches!(encoding, Encoding::PLAIN | Encoding::PLAIN_DICTIONARY);
            match split(&buf, chunk.column_type()).filter(|_| plain) {
                Some(entries) => {
                    let distinct: BTreeSet<Vec<u8>> =
                        entries.iter().map(|entry| entry.to_vec()).collect();
                    if distinct.len() != entries.len() || entries.len() != num_values as usize {
                        extras.push("the dictionary holds an entry twice");
                    }
                    found.extend(distinct);
                }
                None => extras.push("the dictionary holds more than its entries"),
            }
        }
    }
    leaks.extend(extras.into_iter().map(|text| Leak::new(place(), text)));
    Some(found)
}

/// The entries of a dictionary page in plain encoding; `None` if the page contains anything else.
fn split(page: &[u8], kind: Type) -> Option<Vec<&[u8]>> {
    let width = match kind {
        Type::BYTE_ARRAY => None,
        Type::INT32 | Type::FLOAT => Some(4),
        Type::INT64 | Type::DOUBLE => Some(8),
        // A decimal.
        Type::FIXED_LEN_BYTE_ARRAY => Some(16),
        _ => return None,
    };
    let mut rest = page;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let length = match width {
            Some(width) => width,
            None => {
                let (length, after) = rest.split_first_chunk::<4>()?;
                rest = after;
                u32::from_le_bytes(*length) as usize
            }
        };
        let (entry, after) = rest.split_at_checked(length)?;
        entries.push(entry);
        rest = after;
    }
    Some(entries)
}
