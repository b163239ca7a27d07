//! Limits that several formats have in common (HOUSE 4, Limits).

use std::path::Path;

use crate::daemon::error::{Error, Kind, Result};

/// Rows that a file may have whatever its size.
pub const FREE_ROWS: u64 = 1 << 20;
/// Rows beyond those for each byte: one bit tells eight rows apart at most where each has a value of its own.
pub const ROWS_PER_BYTE: u64 = 16;
/// Rows that a message of a topic may have whatever its size, and one more for each byte: many messages are decoded at a time.
pub const FREE_ROWS_OF_MESSAGE: u64 = 256;

/// Whether so many rows are no more than so many bytes may hold.
///
/// # Errors
/// They are more.
pub fn few_rows(path: &Path, rows: u64, bytes: u64) -> Result<()> {
    if rows <= FREE_ROWS.saturating_add(ROWS_PER_BYTE.saturating_mul(bytes)) {
        return Ok(());
    }
    let text = format!(
        "the file says that it has {rows} rows in {bytes} bytes: beyond {FREE_ROWS} rows at most {ROWS_PER_BYTE} are read for \
         each byte. If the rows are real, write them to several files"
    );
    Err(Error::new(Kind::Input, text).in_file(path))
}
