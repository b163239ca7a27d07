//! What tables from outside may hold before they are decoded (HOUSE 4, Limits): Parquet whose pages
//! would unpack to more than is allowed is refused before any page is unpacked, rows are counted
//! against bytes, and libraries that panic on damaged bytes do not end the program. No error
//! contains a value.

#![warn(unreachable_pub)]

mod description;
mod lengths;
mod limits;
mod page_header;
mod pages;
mod quietly;
mod thrift;
mod unpack;

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parquet::file::metadata::ParquetMetaDataReader;

use tidegate_settings::error::{self, Result};

pub use limits::{FREE_ROWS_OF_MESSAGE, few_rows};
pub use pages::{ColumnPages, footer, unreadable};
pub use quietly::guarded;

/// The most rows that are decoded at a time.
const FEW: usize = 1_024;

/// Checks that a table in memory is within the limits for reading, with all its columns and text as
/// dictionaries.
///
/// # Errors
/// It exceeds a limit, or is damaged.
pub fn check(path: &Path, table: &Bytes) -> Result<()> {
    within_limits(path, table, true).map(|_| ())
}

/// The number of rows of a table in memory that may be decoded at a time, with all its columns and
/// text unchanged.
///
/// # Errors
/// It exceeds a limit, or is damaged.
pub fn rows_at_a_time(path: &Path, table: &Bytes) -> Result<usize> {
    within_limits(path, table, false)
}

fn within_limits(path: &Path, table: &Bytes, coded: bool) -> Result<usize> {
    let file = Arc::new(table.clone());
    footer(path, &*file)?;
    let load = || ParquetMetaDataReader::new().parse_and_finish(&*file).ok();
    let metadata = guarded(load).flatten().ok_or_else(|| unreadable(path))?;
    let pages = ColumnPages {
        path,
        file: &file,
        metadata: &metadata,
    };
    pages.few_rows()?;
    let leaves: Vec<(usize, bool)> = (0..metadata.file_metadata().schema_descr().num_columns())
        .map(|leaf| (leaf, coded))
        .collect();
    (0..metadata.num_row_groups()).try_fold(FEW, |rows, group| {
        Ok(rows.min(pages.batch(group, &leaves)?))
    })
}
