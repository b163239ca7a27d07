//! A sample of the feed's data, read into one profile per column (CONTRACTS 3, `init`). Anything
//! unreadable is an error with its place and never with a value.

use std::path::Path;

use super::profile::Profile;
use super::{header, json};
use crate::SourceFile;
use crate::error::{Error, ErrorCategory, Result};

/// More rows than this add no information about a column.
pub const MOST_ROWS: u64 = 1_000_000;

/// The facts about a sample.
pub struct SampleFacts {
    /// Its format, in the notation of a feed file.
    pub format: &'static str,
    /// The number of rows that were read.
    pub rows: u64,
    /// Whether the file contains more rows.
    pub more: bool,
    /// Its columns.
    pub columns: Vec<Profile>,
}

/// Reads a CSV, JSON lines, Parquet or Arrow file; its content decides, and a contradicting name is
/// an error.
///
/// # Errors
/// A file that cannot be read, has none of these formats, has no rows, or two columns with one
/// name.
pub fn read(path: &Path) -> Result<SampleFacts> {
    let mut source = SourceFile::open(path)?;
    if source.is_lines() {
        let (rows, more, columns) = json::read(path, MOST_ROWS)?;
        return SampleFacts {
            format: source.format(),
            rows,
            more,
            columns,
        }
        .with_rows(path);
    }
    if source.is_text() {
        header::distinct(path, source.header())?;
    }
    let names: Vec<(String, String)> = source
        .header()
        .iter()
        .map(|name| (name.clone(), name.clone()))
        .collect();
    source.want(&names)?;
    let mut columns: Vec<Profile> = names
        .iter()
        .map(|(name, _)| Profile::new(name, None))
        .collect();
    let (mut rows, mut more) = (0, false);
    while let Some(batch) = source.batch()? {
        let left = MOST_ROWS - rows;
        more = batch.num_rows() as u64 > left || left == 0;
        if left == 0 {
            break;
        }
        let batch = batch.slice(
            0,
            batch
                .num_rows()
                .min(usize::try_from(left).unwrap_or(usize::MAX)),
        );
        rows += batch.num_rows() as u64;
        for (column, array) in columns.iter_mut().zip(batch.columns()) {
            column.take(array, source.is_text());
        }
    }
    if source.is_text() {
        header::names(path, &columns)?;
    }
    SampleFacts {
        format: source.format(),
        rows,
        more,
        columns,
    }
    .with_rows(path)
}

impl SampleFacts {
    fn with_rows(self, path: &Path) -> Result<SampleFacts> {
        if self.rows > 0 {
            return Ok(self);
        }
        let text = "the sample has no rows, so nothing can be guessed from it: give a file with some rows of the feed";
        Err(Error::new(ErrorCategory::Input, text).in_file(path))
    }
}
