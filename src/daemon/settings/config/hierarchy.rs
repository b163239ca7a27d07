//! Reads the file that a taxonomy names and has the taxonomy built (CONTRACTS 2): how lines and
//! fields are separated, and where an error is. The engine decides what rows mean.

use std::path::Path as File;

use crate::engine::model::forms::{self, FormError, TaxonomyTable};
use crate::engine::model::taxonomy::{MOST_LABEL, MOST_LEVELS, MOST_NODES};
use crate::engine::model::{Domain, Kind, Path, TreeError};
use crate::error::{Error, ErrorCategory, Result};
use crate::whole_file;

/// A taxonomy that is ready for use.
#[derive(Debug)]
pub struct LoadedTaxonomy {
    /// The tree, and how raw values are assigned to leaves.
    pub domain: Domain,
    /// The type of the column, unless the feed file names another.
    pub kind: Kind,
    /// Harmless findings that an operator should know; each names its file.
    pub warnings: Vec<String>,
}

/// Builds the taxonomy of a table; a file that it names is relative to `base`.
///
/// # Errors
/// A file that cannot be read, is no hierarchy, or contradicts itself; a table that contradicts
/// itself. The error's field is the key of the table; file and line are those of the hierarchy, and
/// absent if the table is at fault.
pub fn load(table: &TaxonomyTable, base: &File) -> Result<LoadedTaxonomy> {
    let form = table.form().map_err(|error| place(error, None))?;
    let Some((key, name)) = table.reads() else {
        let built = forms::build(table, &[]).map_err(|error| place(error, None))?;
        return Ok(LoadedTaxonomy {
            domain: built.domain,
            kind: built.kind,
            warnings: built.warnings,
        });
    };
    let file = base.join(name);
    if file
        .metadata()
        .is_ok_and(|about| !about.is_file() && !about.is_dir())
    {
        return Err(Error::irregular(ErrorCategory::Taxonomy, &file).in_field(key));
    }
    let bytes = whole_file::bytes(
        &file,
        "read the taxonomy",
        ErrorCategory::Taxonomy,
        whole_file::HIERARCHY,
    );
    let bytes = bytes.map_err(|error| error.in_field(key))?;
    if is_key(&bytes) {
        let text = "this is a key, and labels of a taxonomy are published: name the file of the taxonomy. If anyone may have \
                    read the key here, make a new one";
        return Err(Error::new(
            ErrorCategory::Taxonomy,
            format!("{}: {text}", file.display()),
        )
        .in_field(key));
    }
    let rows = match form {
        forms::TaxonomyForm::File => rows(&bytes),
        _ => codes(&bytes),
    };
    let rows = rows.map_err(|error| error.in_file(&file).in_field(key))?;
    let built = forms::build(table, &rows).map_err(|error| place(error, Some((key, &file))))?;
    let warnings = built
        .warnings
        .into_iter()
        .map(|text| format!("{}: {text}", file.display()))
        .collect();
    Ok(LoadedTaxonomy {
        domain: built.domain,
        kind: built.kind,
        warnings,
    })
}

/// Whether the content of a file is a key as this program writes it, or a private key as others do.
fn is_key(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let line = text.trim();
    let is_own = line.len() == 64 && line.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_own || (line.starts_with("-----BEGIN ") && line.contains("PRIVATE KEY-----"))
}

/// The error of a form, with its place: in the file if it is about the file's content, otherwise
/// only the key.
fn place(error: FormError, read: Option<(&'static str, &File)>) -> Error {
    let mut placed = Error::new(ErrorCategory::Taxonomy, error.text);
    if let Some((_, file)) = read.filter(|(key, _)| error.key == Some(key)) {
        placed = placed.in_file(file);
    }
    if let Some(line) = error.line {
        placed = placed.at_line(line);
    }
    match error.key {
        Some(key) => placed.in_field(key),
        None => placed,
    }
}

/// The rows of a hierarchy file.
pub fn rows(bytes: &[u8]) -> Result<Vec<Path>> {
    let text = text(bytes)?;
    let delimiter = if splits(text, ';') { b';' } else { b',' };
    split(text, delimiter)
}

/// The codes of a code list: one per line, as rows of one label. A line may be quoted; no character
/// separates fields.
pub fn codes(bytes: &[u8]) -> Result<Vec<Path>> {
    // NUL never passes `text`, so it separates nothing.
    split(text(bytes)?, 0)
}

fn taxonomy(text: impl Into<String>) -> Error {
    Error::new(ErrorCategory::Taxonomy, text)
}

/// The file as text, without a byte order mark.
fn text(bytes: &[u8]) -> Result<&str> {
    if bytes.starts_with(b"PAR1") || bytes.starts_with(b"ARROW1") || bytes.contains(&0) {
        return Err(taxonomy(
            "not a hierarchy file: this is not text (rows of labels, leaf first, are expected)",
        ));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count() as u64;
        taxonomy(format!("line {line} is not UTF-8")).at_line(line)
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Whether the first line contains this delimiter outside quotes. A quote opens at the start of a
/// field, and again directly after a closing one; elsewhere it is an ordinary character.
fn splits(text: &str, delimiter: char) -> bool {
    let (mut quoted, mut opens) = (false, true);
    for c in text.trim_start_matches(['\r', '\n']).chars() {
        match c {
            '"' if quoted => (quoted, opens) = (false, true),
            '"' if opens => quoted = true,
            _ if quoted => {}
            '\n' => return false,
            _ if c == delimiter => return true,
            _ => opens = c == ',',
        }
    }
    false
}

/// Rows of fields by RFC 4180; blank lines are skipped. Stricter than the `csv` crate: a quote that
/// is never closed, or that is followed by more text, is an error instead of an unintended label.
fn split(text: &str, delimiter: u8) -> Result<Vec<Path>> {
    let mut rows = Vec::new();
    let (mut rest, mut line) = (text, 1u64);
    while !rest.is_empty() {
        // Blank lines, however many, cost next to nothing.
        if let Some(after) = rest.strip_prefix('\n') {
            (rest, line) = (after, line + 1);
            continue;
        }
        let at = line;
        // Rows usually have as many labels as the previous one.
        let mut labels = Vec::with_capacity(rows.last().map_or(0, |row: &Path| row.labels.len()));
        loop {
            let (label, after) = field(rest, delimiter, at)?;
            if label.len() > MOST_LABEL {
                return Err(limit(&TreeError::LongLabel { at }, at));
            }
            if labels.len() == MOST_LEVELS {
                return Err(limit(&TreeError::TooDeep { at }, at));
            }
            line += label.matches('\n').count() as u64;
            labels.push(label.into_boxed_str());
            rest = after;
            match rest.as_bytes().first() {
                Some(&byte) if byte == delimiter => rest = &rest[1..],
                _ => break,
            }
        }
        rest = rest.strip_prefix('\r').unwrap_or(rest);
        rest = rest.strip_prefix('\n').unwrap_or(rest);
        line += 1;
        if labels.len() > 1 || !labels[0].is_empty() {
            if rows.len() == MOST_NODES {
                return Err(limit(&TreeError::TooLarge, at));
            }
            rows.push(Path { at, labels });
        }
    }
    if rows.is_empty() {
        Err(taxonomy("the file contains no rows"))
    } else {
        Ok(rows)
    }
}

/// The error for more than a taxonomy may have, before any of it is built.
fn limit(error: &TreeError, line: u64) -> Error {
    taxonomy(format!(
        "{error} (line {line}): split the taxonomy, or remove levels"
    ))
    .at_line(line)
}

/// The field at the start of `rest`, and what follows it: a delimiter, the end of the line or
/// nothing.
fn field(rest: &str, delimiter: u8, line: u64) -> Result<(String, &str)> {
    let Some(mut inner) = rest.strip_prefix('"') else {
        let end = rest
            .bytes()
            .position(|byte| byte == delimiter || byte == b'\n')
            .unwrap_or(rest.len());
        let plain = &rest[..end];
        let plain = if rest[end..].starts_with('\n') {
            plain.strip_suffix('\r').unwrap_or(plain)
        } else {
            plain
        };
        return Ok((plain.to_owned(), &rest[plain.len()..]));
    };
    let mut label = String::new();
    loop {
        let Some(quote) = inner.find('"') else {
            return Err(
                taxonomy(format!("a quote that opens on line {line} is never closed"))
                    .at_line(line),
            );
        };
        label.push_str(&inner[..quote]);
        inner = &inner[quote + 1..];
        match inner.strip_prefix('"') {
            Some(after) => inner = after,
            None => break,
        }
        label.push('"');
    }
    let ends = inner.is_empty() || inner.starts_with('\n') || inner.starts_with("\r\n");
    if ends || inner.as_bytes()[0] == delimiter {
        return Ok((label, inner));
    }
    Err(taxonomy(format!("text after a closing quote on line {line}")).at_line(line))
}
