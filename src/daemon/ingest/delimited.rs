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

use crate::daemon::error::{Error, Kind, Result};

/// Rows per batch.
const BATCH: usize = 65_536;

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
}

impl Delimited {
    /// Opens a file and reads its header.
    pub fn open(path: &Path) -> Result<Delimited> {
        let io = |error: std::io::Error| Error::io(path, "read the file", &error);
        let mut file = BufReader::with_capacity(1 << 18, File::open(path).map_err(io)?);
        let delimiter = delimiter(&mut file).map_err(io)?;
        let mut reader = ReaderBuilder::new().delimiter(delimiter).from_reader(Quotes { file, open: false });
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
        Ok(Delimited { reader, path: path.to_path_buf(), header, wanted, record, rows: 0, line: 1 })
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
            let more = self.reader.read_byte_record(&mut self.record).map_err(|error| refused(&self.path, &error))?;
            if !more {
                break;
            }
            self.line = self.record.position().map_or(0, csv::Position::line);
            for ((field, name), column) in self.wanted.iter().zip(&mut columns) {
                let cell = std::str::from_utf8(&self.record[*field]).map_err(|_| {
                    let line = self.record.position().map_or(0, csv::Position::line);
                    let text = format!("row {}: the field is not UTF-8", self.rows + rows as u64 + 1);
                    Error::new(Kind::Input, text).in_file(&self.path).at_line(line).in_field(name.as_str())
                })?;
                if cell.is_empty() { column.append_null() } else { column.append_value(cell) }
            }
            rows += 1;
        }
        self.rows += rows as u64;
        if rows < BATCH && self.reader.get_ref().open {
            let text = "a quote (\") is opened and never closed: the rows after it cannot be told apart";
            let line = self.line;
            return Err(Error::new(Kind::Input, text).in_file(&self.path).at_line(line));
        }
        if rows == 0 {
            return Ok(None);
        }
        let arrays = columns.into_iter().map(|mut column| Arc::new(column.finish()) as ArrayRef);
        let named =
            self.wanted.iter().map(|(_, name)| name.as_str()).zip(arrays).map(|(name, array)| (name, array, true));
        let batch = RecordBatch::try_from_iter_with_nullable(named).expect("columns of one length");
        Ok(Some(batch))
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
/// every row in it; doubled quotes inside a field keep the balance.
struct Quotes {
    file: BufReader<File>,
    open: bool,
}

impl Read for Quotes {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(into)?;
        self.open ^= into[..read].iter().filter(|&&byte| byte == b'"').count() % 2 == 1;
        Ok(read)
    }
}

/// `;` if the first line has one outside quotes, else `,`. Leaves the file at its beginning.
fn delimiter(file: &mut BufReader<File>) -> std::io::Result<u8> {
    let (mut quoted, mut found) = (false, b',');
    for byte in file.by_ref().bytes() {
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
        ErrorKind::Io(error) => return Error::io(path, "read the file", error),
        ErrorKind::Utf8 { .. } => format!("row {row}: a field is not UTF-8"),
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("row {row}: {len} field(s) where the header has {expected_len}")
        }
        _ => format!("row {row}: not a row of delimited text"),
    };
    let error = Error::new(Kind::Input, text).in_file(path);
    match line {
        Some(line) => error.at_line(line),
        None => error,
    }
}
