//! Comma and semicolon separated text (CONTRACTS 3): the header decides which. Strict: every row
//! has as many fields as the header, quotes are closed, and everything is UTF-8. Cells become
//! dictionary-encoded strings; an empty one is null. If rows cannot be separated, reading ends with
//! an error, since there is no row that could be set aside.

use std::io::Read as _;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};

use super::content::Content;
use super::header;
use super::input_file::InputFile;
use super::page::{Page, PageWriter};
use super::quotes::{LONGEST, QuoteError, Quotes, delimiter};
use super::raw::SecretBytes;
use super::set_aside::MessageForm;
use super::shape::NO_TEXT;
use super::stray_quotes::swallowed;
use crate::engine::histogram::{MisfitKind, RawCell};
use crate::engine::model::Column;
use crate::error::{Error, ErrorCategory, Result};

/// The number of rows per batch.
const BATCH: usize = 65_536;
/// The number of rows that are decoded at a time.
const RECORDS: usize = 16_384;
/// The number of bytes of fields from which on no more rows are decoded at the same time.
const MOST_BYTES: usize = 8 << 20;
/// The number of bytes that are read at a time.
const READ: usize = 1 << 18;
/// The error for a row that may be several.
const SWALLOWED: &str = "a quoted field that begins here spans lines that look like rows of the file: a quote (\") too many \
    may have swallowed them. Remove it, or the line breaks in the field";

/// A file that is being read.
pub(crate) struct Delimited {
    reader: Reader<Quotes>,
    delimiter: u8,
    path: std::path::PathBuf,
    header: Vec<String>,
    /// The fields that are read, and their columns.
    wanted: Vec<(usize, String)>,
    record: ByteRecord,
    /// The position after the header.
    begin: u64,
    rows: u64,
    /// The line of the last row.
    line: u64,
    /// The error that ended the rows, until it is reported.
    failed: Option<Error>,
}

impl Delimited {
    /// Reads the header of an open file.
    pub(crate) fn open(input: &InputFile) -> Result<Delimited> {
        Delimited::of_content(input.path(), input.content())
    }

    fn of_content(path: &Path, mut content: Content) -> Result<Delimited> {
        let delimiter =
            delimiter(&mut content).map_err(|error| Error::io(path, "read the file", &error))?;
        Delimited::over(path, content, delimiter)
    }

    /// Reads the content of a file with this name, beginning with its header.
    pub(crate) fn over(path: &Path, file: Content, delimiter: u8) -> Result<Delimited> {
        let quotes = Quotes::new(file, delimiter);
        // Rows of another length are detected here, not by the parser: they may be set aside.
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .buffer_capacity(READ)
            .from_reader(quotes);
        let names = reader
            .headers()
            .cloned()
            .map_err(|error| refused(path, &error, reader.get_ref()))?;
        if swallowed(names.as_byte_record(), names.len(), delimiter) {
            return Err(Error::new(ErrorCategory::Input, SWALLOWED)
                .in_file(path)
                .at_line(1));
        }
        header::few(path, names.len())?;
        let header: Vec<String> = names
            .iter()
            .map(|name| name.trim_start_matches('\u{feff}').to_owned())
            .collect();
        if header.iter().any(|name| name.contains('\0')) {
            return Err(Error::new(ErrorCategory::Input, NO_TEXT).in_file(path));
        }
        if let [one] = header.as_slice()
            && one.contains('\t')
        {
            let text = "the columns are separated by tabs: use commas or semicolons";
            return Err(Error::new(ErrorCategory::Input, text)
                .in_file(path)
                .at_line(1));
        }
        let (record, wanted) = (ByteRecord::new(), Vec::new());
        let (path, begin) = (path.to_path_buf(), reader.position().byte());
        Ok(Delimited {
            reader,
            delimiter,
            path,
            header,
            wanted,
            record,
            begin,
            rows: 0,
            line: 1,
            failed: None,
        })
    }

    /// The columns of the header; names may be duplicate, or be values.
    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    /// Selects the columns to read: name in the file, name in the batches.
    pub(crate) fn want(&mut self, columns: &[(String, String)]) {
        let at = |name: &String| self.header.iter().position(|known| known == name);
        self.wanted = columns
            .iter()
            .filter_map(|(from, to)| Some((at(from)?, to.clone())))
            .collect();
    }

    /// The next rows; `None` at the end.
    pub(crate) fn batch(&mut self) -> Result<Option<RecordBatch>> {
        let mut columns: Vec<StringDictionaryBuilder<Int32Type>> = self
            .wanted
            .iter()
            .map(|_| StringDictionaryBuilder::new())
            .collect();
        let (mut rows, mut bytes) = (0, 0);
        while rows < BATCH && bytes < MOST_BYTES {
            if !self.next()? {
                break;
            }
            bytes += self.record.as_slice().len();
            if let Some(kind) = self.bad() {
                let text = format!("row {}: {kind}", self.rows + rows as u64 + 1);
                return Err(Error::new(ErrorCategory::Input, text)
                    .in_file(&self.path)
                    .at_line(self.line));
            }
            for ((field, name), column) in self.wanted.iter().zip(&mut columns) {
                let cell = std::str::from_utf8(&self.record[*field]);
                let cell = cell.map_err(|_| {
                    let text = format!(
                        "row {}: {}",
                        self.rows + rows as u64 + 1,
                        MisfitKind::NotUtf8
                    );
                    Error::new(ErrorCategory::Input, text)
                        .in_file(&self.path)
                        .at_line(self.line)
                        .in_field(name.as_str())
                })?;
                if cell.is_empty() {
                    column.append_null()
                } else {
                    column.append_value(cell)
                }
            }
            rows += 1;
        }
        self.rows += rows as u64;
        if rows == 0 {
            return Ok(None);
        }
        let arrays = columns
            .into_iter()
            .map(|mut column| Arc::new(column.finish()) as ArrayRef);
        let named = self
            .wanted
            .iter()
            .map(|(_, name)| name.as_str())
            .zip(arrays)
            .map(|(name, array)| (name, array, true));
        let batch = RecordBatch::try_from_iter_with_nullable(named).expect("columns of one length");
        Ok(Some(batch))
    }

    /// The next rows, not decoded yet; `None` at the end. An error that ends the rows comes after
    /// them.
    pub(crate) fn records(&mut self) -> Result<Option<Records>> {
        let mut records = Records::new(self.wanted.len());
        while records.len() < RECORDS && records.size() < MOST_BYTES && self.failed.is_none() {
            match self.next() {
                Ok(true) => match self.bad() {
                    None => {
                        let fields = self.wanted.iter().map(|(field, _)| &self.record[*field]);
                        records.push(self.line, self.bytes(), fields);
                    }
                    Some(kind) => records.refuse(self.line, self.bytes(), kind),
                },
                Ok(false) => break,
                Err(error) => self.failed = Some(error),
            }
        }
        match self.failed.take_if(|_| records.len() == 0) {
            Some(error) => Err(error),
            None => Ok((records.len() > 0).then_some(records)),
        }
    }

    /// The position of the row in the file, including line ends before and after it.
    fn bytes(&self) -> Range<u64> {
        let end = self.reader.position().byte();
        self.record.position().map_or(end, csv::Position::byte)..end
    }

    /// A row as in the file, without surrounding line ends; if it would have too many bytes,
    /// without the rest of overlong values, and `None` if it still has too many.
    pub(crate) fn raw(&self, bytes: Range<u64>) -> Result<Option<SecretBytes>> {
        let raw = self.reader.get_ref().range(bytes);
        let Some(raw) = raw.map_err(|error| Error::io(&self.path, "read the file", &error))? else {
            return Ok(None);
        };
        let end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let from = raw.bytes().iter().take_while(|byte| end(byte)).count();
        let behind = raw.bytes()[from..]
            .iter()
            .rev()
            .take_while(|byte| end(byte))
            .count();
        Ok(Some(SecretBytes::of(
            &raw.bytes()[from..raw.bytes().len() - behind],
        )))
    }

    /// The header, with which rows can be read again without the file.
    pub(crate) fn form(&self) -> Result<MessageForm> {
        let header = self.raw(0..self.begin)?;
        let header = header.ok_or_else(|| {
            Error::new(ErrorCategory::Input, QuoteError::Long.to_string()).in_file(&self.path)
        })?;
        Ok(MessageForm::Text {
            delimiter: self.delimiter,
            header,
        })
    }

    /// The fault of the whole row, if there is one.
    fn bad(&self) -> Option<MisfitKind> {
        let [found, wanted] = [self.record.len(), self.header.len()];
        let number = |fields| u32::try_from(fields).unwrap_or(u32::MAX);
        (found != wanted).then(|| MisfitKind::Fields {
            found: number(found),
            wanted: number(wanted),
        })
    }

    /// Reads the next row; `false` at the end. A line of white space is no row, if rows have
    /// several fields.
    fn next(&mut self) -> Result<bool> {
        while self.record()? {
            let blank = |text: &[u8]| !text.is_empty() && text.trim_ascii_start().is_empty();
            if self.header.len() == 1 || self.record.len() != 1 || !blank(&self.record[0]) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn record(&mut self) -> Result<bool> {
        self.reader.get_mut().row();
        let read = self.reader.read_byte_record(&mut self.record);
        if !read.map_err(|error| {
            let (at, quotes) = (self.reader.position(), self.reader.get_ref());
            let line = at.line() + quotes.feeds(at.byte());
            refused(&self.path, &error, self.reader.get_ref()).at_line(line)
        })? {
            return Ok(false);
        }
        self.line = self.begun();
        // Quotes are checked in blocks, so that a row may be a block longer in files with quotes.
        if self.record.as_slice().len() + self.record.len().saturating_sub(1) > LONGEST {
            return Err(
                Error::new(ErrorCategory::Input, QuoteError::Long.to_string())
                    .in_file(&self.path)
                    .at_line(self.line),
            );
        }
        if self.reader.get_ref().any() && swallowed(&self.record, self.header.len(), self.delimiter)
        {
            return Err(Error::new(ErrorCategory::Input, SWALLOWED)
                .in_file(&self.path)
                .at_line(self.line));
        }
        Ok(true)
    }

    /// The line on which the last row begins. The parser counts line feeds, and gives for the
    /// beginning of a row the end of the previous one: before blank lines and the second half of a
    /// line end.
    fn begun(&self) -> u64 {
        let (end, quotes) = (self.reader.position(), self.reader.get_ref());
        let feeds = if quotes.any() {
            memchr::memchr_iter(b'\n', self.record.as_slice()).count()
        } else {
            0
        };
        let fed = quotes.before(end.byte()) == Some(b'\n');
        let begun = self.record.position().map_or(0, csv::Position::byte);
        end.line().saturating_sub(feeds as u64 + u64::from(fed)) + quotes.feeds(begun)
    }

    /// The line of the file that row number `row` (from 0) begins on.
    pub(crate) fn line_of(&self, row: u64) -> Option<u64> {
        let mut again = Delimited::of_content(&self.path, self.reader.get_ref().again()?).ok()?;
        for _ in 0..=row {
            again.next().ok().filter(|&more| more)?;
        }
        Some(again.line)
    }
}

/// The parser's objection, without the content.
fn refused(path: &Path, error: &csv::Error, quotes: &Quotes) -> Error {
    if let Some((broken, at)) = quotes.broken() {
        let error = Error::new(ErrorCategory::Input, broken.to_string()).in_file(path);
        return match at.and_then(|at| line_at(quotes.again()?, at)) {
            Some(line) => error.at_line(line),
            None => error,
        };
    }
    let text = match error.kind() {
        ErrorKind::Io(error) => return Error::io(path, "read the file", error),
        // The parser treats fields as bytes; only the header is text.
        ErrorKind::Utf8 { .. } => "the names of the columns are not UTF-8: save the file as UTF-8",
        _ => "this is not delimited text",
    };
    let refused = Error::new(ErrorCategory::Input, text).in_file(path);
    match error.position() {
        Some(at) => refused.at_line(at.line()),
        None => refused,
    }
}

/// The line of a position.
fn line_at(file: Content, bytes: u64) -> Option<u64> {
    let mut before = file.take(bytes);
    let (mut block, mut line) = (vec![0; READ], 1);
    loop {
        match before.read(&mut block).ok()? {
            0 => return Some(line),
            read => line += memchr::memchr_iter(b'\n', &block[..read]).count() as u64,
        }
    }
}

/// Some rows, with as many fields as are read.
pub struct Records {
    width: usize,
    bytes: Vec<u8>,
    /// The end of each field.
    ends: Vec<usize>,
    rows: Vec<Row>,
}

/// A whole row.
struct Row {
    line: u64,
    /// Its fault, if it has one.
    bad: Option<MisfitKind>,
    /// Its position in the file, including surrounding line ends.
    bytes: Range<u64>,
}

impl Records {
    /// Starts empty.
    pub fn new(width: usize) -> Records {
        Records {
            width,
            bytes: Vec::new(),
            ends: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of bytes of the fields.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Adds a row.
    pub fn push<'a>(
        &mut self,
        line: u64,
        bytes: Range<u64>,
        fields: impl Iterator<Item = &'a [u8]>,
    ) {
        for field in fields {
            self.bytes.extend_from_slice(field);
            self.ends.push(self.bytes.len());
        }
        self.rows.push(Row {
            line,
            bad: None,
            bytes,
        });
    }

    /// Adds an invalid row.
    pub fn refuse(&mut self, line: u64, bytes: Range<u64>, kind: MisfitKind) {
        self.rows.push(Row {
            line,
            bad: Some(kind),
            bytes,
        });
    }

    /// The position of a row in the file.
    pub fn bytes(&self, row: usize) -> Range<u64> {
        self.rows[row].bytes.clone()
    }

    /// The rows with their fields.
    pub(crate) fn page(&self, fields: &[&Column]) -> Page {
        let mut page = PageWriter::new(fields, read);
        let (mut from, mut ends) = (0, self.ends.iter());
        for &Row { line, bad, .. } in &self.rows {
            if let Some(kind) = bad {
                page.refuse(line, kind);
                continue;
            }
            let cells = ends.by_ref().take(self.width).map(|&to| {
                let field = &self.bytes[from..to];
                from = to;
                Ok(field)
            });
            page.add(line, cells);
        }
        page.finish()
    }
}

fn read<'s>(field: &'s [u8], _: &'s mut String) -> std::result::Result<RawCell<'s>, MisfitKind> {
    match std::str::from_utf8(field) {
        Ok("") => Ok(RawCell::Null),
        Ok(text) => Ok(RawCell::Text(text)),
        Err(_) => Err(MisfitKind::NotUtf8),
    }
}
