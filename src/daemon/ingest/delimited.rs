//! Comma and semicolon separated text (CONTRACTS 3): the header decides which. Strict: every row has as many fields as
//! the header, quotes are closed, and everything is UTF-8. Cells become dictionary-encoded strings; an empty one is null.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};

use super::records::Records;
use crate::daemon::error::{Error, Kind, Result};
use crate::engine::histogram::MisfitKind;

/// Rows per batch.
const BATCH: usize = 65_536;
/// Rows that are decoded at a time.
const RECORDS: usize = 16_384;
/// Bytes that are read at a time.
const READ: usize = 1 << 18;
/// Bytes after which a row must have ended.
const LONGEST: usize = 1 << 24;

/// A file that is being read.
pub struct Delimited {
    reader: Reader<Quotes>,
    path: std::path::PathBuf,
    header: Vec<String>,
    /// Which fields are read, and as which column.
    wanted: Vec<(usize, String)>,
    record: ByteRecord,
    rows: u64,
    /// Where the last row began.
    line: u64,
    /// What ended the rows before their time, until it is told.
    failed: Option<Error>,
}

impl Delimited {
    /// Opens a file and reads its header.
    pub fn open(path: &Path) -> Result<Delimited> {
        let io = |error: std::io::Error| Error::io(path, "read the file", &error);
        let mut file = File::open(path).map_err(io)?;
        let delimiter = delimiter(&mut file).map_err(io)?;
        let quotes = Quotes { file, open: false, row: 0 };
        // Rows of another length are told apart here, not by the reader: they may be set aside.
        let mut reader =
            ReaderBuilder::new().delimiter(delimiter).flexible(true).buffer_capacity(READ).from_reader(quotes);
        let mut header: Vec<String> = Vec::new();
        for name in reader.headers().map_err(|error| refused(path, &error))? {
            let name = name.trim_start_matches('\u{feff}');
            if header.iter().any(|known| known == name) {
                let text = format!("the header names the column `{name}` twice");
                return Err(Error::new(Kind::Input, text).in_file(path).at_line(1).in_field(name));
            }
            header.push(name.to_owned());
        }
        if let [one] = header.as_slice()
            && one.contains('\t')
        {
            let text = "the columns are split by tabs: write them with commas or semicolons";
            return Err(Error::new(Kind::Input, text).in_file(path).at_line(1));
        }
        let (record, wanted) = (ByteRecord::new(), Vec::new());
        let path = path.to_path_buf();
        Ok(Delimited { reader, path, header, wanted, record, rows: 0, line: 1, failed: None })
    }

    /// The columns of the header.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Reads these columns from now on: name in the file, name in the batches.
    pub fn want(&mut self, columns: &[(String, String)]) {
        let at = |name: &String| self.header.iter().position(|known| known == name);
        self.wanted = columns.iter().filter_map(|(from, to)| Some((at(from)?, to.clone()))).collect();
    }

    /// The next rows; `None` at the end.
    pub fn batch(&mut self) -> Result<Option<RecordBatch>> {
        let mut columns: Vec<StringDictionaryBuilder<Int32Type>> =
            self.wanted.iter().map(|_| StringDictionaryBuilder::new()).collect();
        let mut rows = 0;
        while rows < BATCH {
            if !self.next()? {
                break;
            }
            let (found, wanted) = (self.record.len(), self.header.len());
            if found != wanted {
                let row = self.rows + rows as u64 + 1;
                let text = format!("row {row}: {found} field(s) where the header has {wanted}");
                return Err(Error::new(Kind::Input, text).in_file(&self.path).at_line(self.line));
            }
            for ((field, name), column) in self.wanted.iter().zip(&mut columns) {
                let cell = std::str::from_utf8(&self.record[*field]).map_err(|_| {
                    let text = format!("row {}: {}", self.rows + rows as u64 + 1, MisfitKind::NotUtf8);
                    Error::new(Kind::Input, text).in_file(&self.path).at_line(self.line).in_field(name.as_str())
                })?;
                if cell.is_empty() { column.append_null() } else { column.append_value(cell) }
            }
            rows += 1;
        }
        self.rows += rows as u64;
        if rows == 0 {
            return Ok(None);
        }
        let arrays = columns.into_iter().map(|mut column| Arc::new(column.finish()) as ArrayRef);
        let named =
            self.wanted.iter().map(|(_, name)| name.as_str()).zip(arrays).map(|(name, array)| (name, array, true));
        let batch = RecordBatch::try_from_iter_with_nullable(named).expect("columns of one length");
        Ok(Some(batch))
    }

    /// The next rows, not looked at yet; `None` at the end. What ends the rows before their time comes after them.
    pub fn records(&mut self) -> Result<Option<Records>> {
        let mut records = Records::new(self.wanted.len());
        while records.len() < RECORDS && self.failed.is_none() {
            match self.next() {
                Ok(true) if self.record.len() == self.header.len() => {
                    records.push(self.line, self.wanted.iter().map(|(field, _)| &self.record[*field]));
                }
                Ok(true) => records.refuse(self.line),
                Ok(false) => break,
                Err(error) => self.failed = Some(error),
            }
        }
        match self.failed.take_if(|_| records.len() == 0) {
            Some(error) => Err(error),
            None => Ok((records.len() > 0).then_some(records)),
        }
    }

    /// Reads the next row; `false` at the end.
    fn next(&mut self) -> Result<bool> {
        self.reader.get_mut().row = 0;
        let read = self.reader.read_byte_record(&mut self.record);
        if read.map_err(|error| refused(&self.path, &error).at_line(self.reader.position().line()))? {
            self.line = self.record.position().map_or(0, csv::Position::line);
            return Ok(true);
        }
        if self.reader.get_ref().open {
            let text = "a quote (\") is opened and never closed: the rows after it cannot be told apart";
            return Err(Error::new(Kind::Input, text).in_file(&self.path).at_line(self.line));
        }
        Ok(false)
    }

    /// The line of the file that row number `row` (from 0) begins on.
    pub fn line_of(path: &Path, row: u64) -> Option<u64> {
        let mut again = Delimited::open(path).ok()?;
        let mut record = ByteRecord::new();
        for _ in 0..=row {
            again.reader.read_byte_record(&mut record).ok()?;
        }
        record.position().map(csv::Position::line)
    }
}

/// Watches whether a quote is open. The parser takes the end of the file for the end of a quoted field, and would lose
/// every row in it; doubled quotes inside a field keep the balance. And it ends rows that never end.
struct Quotes {
    file: File,
    open: bool,
    /// Bytes that were read since the last row ended.
    row: usize,
}

impl Read for Quotes {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.row > LONGEST {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        let read = self.file.read(into)?;
        self.row += read;
        self.open ^= memchr::memchr_iter(b'"', &into[..read]).count() % 2 == 1;
        Ok(read)
    }
}

/// `;` if the first line has one outside quotes, else `,`. Leaves the file at its beginning.
fn delimiter(file: &mut File) -> std::io::Result<u8> {
    let (mut quoted, mut found) = (false, b',');
    for byte in BufReader::new(file.by_ref()).bytes() {
        match byte? {
            b'"' => quoted = !quoted,
            b';' if !quoted => {
                found = b';';
                break;
            }
            b'\n' if !quoted => break,
            _ => {}
        }
    }
    file.rewind()?;
    Ok(found)
}

/// What the reader objects to, without the content it objects to.
fn refused(path: &Path, error: &csv::Error) -> Error {
    let (line, row) = error.position().map_or((None, 0), |at| (Some(at.line()), at.record()));
    let text = match error.kind() {
        ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::FileTooLarge => MisfitKind::LongRow.to_string(),
        ErrorKind::Io(error) => return Error::io(path, "read the file", error),
        ErrorKind::Utf8 { .. } => format!("row {row}: a field is not UTF-8"),
        _ => format!("row {row}: not a row of delimited text"),
    };
    let error = Error::new(Kind::Input, text).in_file(path);
    match line {
        Some(line) => error.at_line(line),
        None => error,
    }
}
