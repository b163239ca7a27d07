//! Limits that several formats share (HOUSE 4, Limits).

use std::path::Path;

use crate::error::{Error, ErrorCategory, Result};

/// The number of rows that any file may have.
pub(crate) const FREE_ROWS: u64 = 1 << 20;
/// The number of additional rows per byte: if each row has a value of its own, one bit
/// distinguishes at most eight rows.
pub(crate) const ROWS_PER_BYTE: u64 = 16;
/// The most rows of a file of any size: each takes some 30 bytes of memory until its increment is
/// closed.
pub(crate) const MOST_ROWS: u64 = 1 << 28;
/// The number of rows that any message of a topic may have; one more is allowed for each byte. Many
/// messages are decoded at a time.
pub const FREE_ROWS_OF_MESSAGE: u64 = 256;

/// Checks that a file of this many bytes may have this many rows.
///
/// # Errors
/// There are too many rows.
pub fn few_rows(path: &Path, rows: u64, bytes: u64) -> Result<()> {
    let paid = FREE_ROWS.saturating_add(ROWS_PER_BYTE.saturating_mul(bytes));
    if rows <= paid.min(MOST_ROWS) {
        return Ok(());
    }
    if rows <= paid {
        let text = format!(
            "the file states {rows} rows, more than the limit of {MOST_ROWS}: split it into several files"
        );
        return Err(Error::new(ErrorCategory::Input, text).in_file(path));
    }
    let text = format!(
        "the file states {rows} rows in {bytes} bytes: beyond {FREE_ROWS} rows the limit is {ROWS_PER_BYTE} rows per \
         byte. If the rows are real, split the file"
    );
    Err(Error::new(ErrorCategory::Input, text).in_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_a_limit_whatever_the_bytes() {
        let path = Path::new("a.parquet");
        let bytes = 1 << 40;
        assert!(few_rows(path, MOST_ROWS, bytes).is_ok());
        let error = few_rows(path, MOST_ROWS + 1, bytes).expect_err("too many");
        assert!(
            error
                .text
                .contains("more than the limit of 268435456: split it"),
            "{}",
            error.text
        );
        assert_eq!(error.file.as_deref(), Some(path));
        // The limit is exact.
        assert!(
            few_rows(path, FREE_ROWS + 160, 10).is_ok()
                && few_rows(path, FREE_ROWS + 161, 10).is_err()
        );
    }
}
