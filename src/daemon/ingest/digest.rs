//! The digest of a file, read in pieces.

use std::io::BufRead as _;
use std::path::Path;

use sha2::Digest as _;

use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::engine::release::Sha256;

/// The digest of a file.
///
/// # Errors
/// The path is no file, or it cannot be read.
pub fn digest(path: &Path) -> Result<Sha256> {
    let about = path.metadata().map_err(|error| Error::io(path, "open the file", &error))?;
    if about.is_dir() {
        return Err(Error::new(ErrorCategory::Input, "this is a folder, not a file").in_file(path));
    }
    if !about.is_file() {
        return Err(Error::irregular(ErrorCategory::Input, path));
    }
    let file = std::fs::File::open(path).map_err(|error| Error::io(path, "open the file", &error))?;
    let mut reader = std::io::BufReader::with_capacity(1 << 20, file);
    let mut hash = sha2::Sha256::new();
    loop {
        let bytes = reader.fill_buf().map_err(|error| Error::io(path, "read the file", &error))?;
        if bytes.is_empty() {
            return Ok(Sha256::from_bytes(hash.finalize().into()));
        }
        hash.update(bytes);
        let read = bytes.len();
        reader.consume(read);
    }
}
