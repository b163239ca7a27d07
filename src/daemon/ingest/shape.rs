//! Recognises the format of a file by its first bytes; its name must agree. Nothing here reads
//! further.

use std::io::Read;

use super::input_file::InputFile;
use super::ipc::MAGIC;
use crate::error::{Error, ErrorCategory, Result};

/// The error for a file that no reader supports.
pub(crate) const NO_TEXT: &str = "the file is neither text nor Parquet nor Arrow";
/// The error for a name that no format has.
const NO_NAME: &str = "the name does not end like that of a table: name it .csv or .txt (comma or semicolon separated \
    text), .jsonl, .ndjson or .json (one JSON object per line), .parquet or .pq, or .arrow, .arrows, .ipc or .feather";

/// Formats of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableFormat {
    /// Comma or semicolon separated text.
    Delimited,
    /// Parquet.
    Parquet,
    /// Arrow IPC, a file or a stream.
    Ipc,
    /// One JSON object per line.
    Lines,
}

/// The format of a file.
///
/// # Errors
/// The file cannot be read, is empty, has an unknown format, or another format than its name says.
pub(crate) fn shape(input: &InputFile) -> Result<TableFormat> {
    let path = input.path();
    let bad = |text: &str| Error::new(ErrorCategory::Input, text).in_file(path);
    let mut head = Vec::new();
    input
        .content()
        .take(4096)
        .read_to_end(&mut head)
        .map_err(|error| Error::io(path, "read the file", &error))?;
    let end = path
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase();
    let named = named(&end);
    let strange = named.is_none() && !end.is_empty();
    if head.is_empty() && named != Some(TableFormat::Lines) {
        return Err(bad(
            "the file is empty, without even a header: give a file with the names of the columns, and rows below them",
        ));
    }
    let found = match head.as_slice() {
        [b'P', b'A', b'R', b'1', ..] => TableFormat::Parquet,
        // A stream begins with a marker and the length of its schema.
        [0xff, 0xff, 0xff, 0xff, _, _, _, 0, ..] => TableFormat::Ipc,
        bytes if bytes.starts_with(MAGIC) => TableFormat::Ipc,
        [b'F', b'E', b'A', b'1', ..] => {
            return Err(bad(
                "the file is Feather of version 1: write it again as Arrow IPC (version 2)",
            ));
        }
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [b'P', b'K', 3, 4, ..]
            if !is_sheet(&end) =>
        {
            return Err(bad("the file is compressed: decompress it first"));
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            return Err(bad("the file is UTF-16 text: save it as UTF-8"));
        }
        // The reader of lines reports what is wrong with a line.
        _ if named == Some(TableFormat::Lines) => TableFormat::Lines,
        _ if end == "tsv" => {
            return Err(bad(
                "the name says that columns are separated by tabs: use commas or semicolons, and name it \
                 .csv",
            ));
        }
        _ if strange => return Err(bad(NO_NAME)),
        bytes if named.is_none() && first(bytes) == Some(b'{') => TableFormat::Lines,
        // A cell may contain anything; the beginning of a table may not.
        bytes if first_line(bytes).contains(&0) => return Err(bad(NO_TEXT)),
        _ => TableFormat::Delimited,
    };
    if found == TableFormat::Lines && first(&head) == Some(b'[') {
        return Err(bad(
            "the file is one JSON array: write one object per line, without brackets and commas",
        ));
    }
    match named {
        Some(named) if named != found => {
            let [content, name] = [found, named].map(TableFormat::name);
            Err(bad(&format!(
                "the content is {content}, but the name says {name}: rename or replace it"
            )))
        }
        None if strange => Err(bad(NO_NAME)),
        _ => Ok(found),
    }
}

/// The first byte of a text that is no white space.
fn first(head: &[u8]) -> Option<u8> {
    head.strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start()
        .first()
        .copied()
}

/// The first line of a text that is not blank, as far as it was read.
fn first_line(head: &[u8]) -> &[u8] {
    let feed = |byte: &u8| matches!(byte, b'\n' | b'\r');
    head.split(feed)
        .find(|line| !line.is_empty())
        .unwrap_or_default()
}

/// Whether a file with this extension is compressed by its format.
fn is_sheet(end: &str) -> bool {
    matches!(end, "xlsx" | "xlsm" | "ods")
}

/// The format of files with this extension.
fn named(end: &str) -> Option<TableFormat> {
    Some(match end {
        "csv" | "txt" => TableFormat::Delimited,
        "parquet" | "pq" => TableFormat::Parquet,
        "arrow" | "arrows" | "ipc" | "feather" => TableFormat::Ipc,
        "jsonl" | "ndjson" | "json" => TableFormat::Lines,
        _ => return None,
    })
}

impl TableFormat {
    fn name(self) -> &'static str {
        match self {
            TableFormat::Delimited => "text",
            TableFormat::Parquet => "Parquet",
            TableFormat::Ipc => "Arrow IPC",
            TableFormat::Lines => "JSON lines",
        }
    }
}
