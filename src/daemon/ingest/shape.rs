//! What a file is, by its first bytes; its name must agree. Nothing here reads past those.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::daemon::error::{Error, Kind, Result};

/// Formats of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Comma or semicolon separated text.
    Delimited,
    /// Parquet.
    Parquet,
}

/// Tells the format of a file.
///
/// # Errors
/// The file cannot be read, is empty, is something else altogether, or is not what its name says.
pub fn shape(path: &Path) -> Result<Shape> {
    let bad = |text: &str| Error::new(Kind::Input, text).in_file(path);
    let mut head = Vec::new();
    let about = path.metadata().map_err(|error| Error::io(path, "open the file", &error))?;
    if about.is_dir() {
        return Err(bad("this is a folder, not a file"));
    }
    // Before it is opened: opening a pipe that nobody writes to never ends.
    if !about.is_file() {
        return Err(Error::irregular(Kind::Input, path));
    }
    let file = File::open(path).map_err(|error| Error::io(path, "open the file", &error))?;
    file.take(4096).read_to_end(&mut head).map_err(|error| Error::io(path, "read the file", &error))?;
    if head.is_empty() {
        return Err(bad("the file is empty: not even a header"));
    }
    let end = path.extension().and_then(|end| end.to_str()).unwrap_or("").to_ascii_lowercase();
    let found = match head.as_slice() {
        [b'P', b'A', b'R', b'1', ..] => Shape::Parquet,
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [b'P', b'K', 3, 4, ..] => {
            return Err(bad("the file is compressed: unpack it first"));
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return Err(bad("the file is UTF-16 text: save it as UTF-8")),
        bytes if bytes.contains(&0) => return Err(bad("the file is neither text nor Parquet")),
        _ => Shape::Delimited,
    };
    match (end.as_str(), found) {
        ("parquet" | "pq", Shape::Delimited) => {
            Err(bad("the name says Parquet, the content is not: rename or replace it"))
        }
        ("csv" | "tsv" | "txt", Shape::Parquet) => Err(bad("the content is Parquet, the name says text: rename it")),
        _ => Ok(found),
    }
}
