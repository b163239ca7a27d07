//! A CSV file whose header names its columns, as text. No error shows a value.

use std::collections::BTreeSet;
use std::path::Path;

use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::whole_file;

/// A CSV file with named columns.
pub(super) struct NamedCsv {
    /// The names of its columns, all different.
    pub names: Vec<String>,
    /// Its rows, each with its line.
    pub rows: Vec<(u64, Vec<String>)>,
}

impl NamedCsv {
    /// Reads a file with the separator of its header.
    ///
    /// # Errors
    /// It cannot be read, is not such a table, or two columns have the same name.
    pub(super) fn read(file: &Path) -> Result<NamedCsv> {
        let bytes = whole_file::bytes(
            file,
            "read the table",
            ErrorCategory::Input,
            whole_file::SUMS,
        )?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Error::new(ErrorCategory::Input, "the file is not UTF-8 text").in_file(file)
        })?;
        let text = text.trim_start_matches('\u{feff}');
        let first = text.lines().next().unwrap_or_default();
        let most = [b',', b';', b'\t']
            .into_iter()
            .rev()
            .max_by_key(|of| first.bytes().filter(|byte| byte == of).count());
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(most.unwrap_or(b','))
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let bad = |error: &csv::Error| {
            let text = match error.kind() {
                csv::ErrorKind::UnequalLengths {
                    expected_len, len, ..
                } => {
                    format!("a row has {len} fields, the header has {expected_len}")
                }
                _ => "the row cannot be read as CSV".to_owned(),
            };
            let error_at = Error::new(ErrorCategory::Input, text).in_file(file);
            match error.position() {
                Some(at) => error_at.at_line(at.line()),
                None => error_at,
            }
        };
        let names: Vec<String> = reader
            .headers()
            .map_err(|error| bad(&error))?
            .iter()
            .map(str::to_owned)
            .collect();
        let mut seen = BTreeSet::new();
        if let Some(twice) = names.iter().find(|name| !seen.insert(name.to_lowercase())) {
            let text = format!("the header names `{twice}` twice, or a column has no name");
            return Err(Error::new(ErrorCategory::Input, text)
                .in_file(file)
                .at_line(1));
        }
        let row = |row: std::result::Result<csv::StringRecord, csv::Error>| {
            let row = row.map_err(|error| bad(&error))?;
            let line = row.position().map_or(0, csv::Position::line);
            Ok((line, row.iter().map(str::to_owned).collect()))
        };
        Ok(NamedCsv {
            names,
            rows: reader.records().map(row).collect::<Result<_>>()?,
        })
    }

    /// The position of a column, ignoring case.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.names
            .iter()
            .position(|other| other.eq_ignore_ascii_case(name))
    }
}
