//! Limits that several formats have in common (HOUSE 4, Limits).

use std::path::Path;

use crate::daemon::error::{Error, ErrorCategory, Result};

/// Rows that a file may have whatever its size.
pub const FREE_ROWS: u64 = 1 << 20;
/// Rows beyond those for each byte: one bit tells eight rows apart at most where each has a value of its own.
pub const ROWS_PER_BYTE: u64 = 16;
/// Rows of a file however many bytes it has: each is some 30 bytes of memory until its increment is closed.
pub const MOST_ROWS: u64 = 1 << 28;
/// Rows that a message of a topic may have whatever its size, and one more for each byte: many messages are decoded at a time.
pub const FREE_ROWS_OF_MESSAGE: u64 = 256;

/// Whether so many rows are no more than so many bytes may hold.
///
/// # Errors
/// They are more.
pub fn few_rows(path: &Path, rows: u64, bytes: u64) -> Result<()> {
    let paid = FREE_ROWS.saturating_add(ROWS_PER_BYTE.saturating_mul(bytes));
    if rows <= paid.min(MOST_ROWS) {
        return Ok(());
    }
    if rows <= paid {
        let text = format!(
            "the file says that it has {rows} rows, and at most {MOST_ROWS} are read: write them to several files"
        );
        return Err(Error::new(ErrorCategory::Input, text).in_file(path));
    }
    let text = format!(
        "the file says that it has {rows} rows in {bytes} bytes: beyond {FREE_ROWS} rows at most {ROWS_PER_BYTE} are read for \
         each byte. If the rows are real, write them to several files"
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
        assert!(error.text.contains("at most 268435456 are read: write them to several files"), "{}", error.text);
        assert_eq!(error.file.as_deref(), Some(path));
        // Bytes pay for rows exactly.
        assert!(few_rows(path, FREE_ROWS + 160, 10).is_ok() && few_rows(path, FREE_ROWS + 161, 10).is_err());
    }
}
