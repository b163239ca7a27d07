//! A sample of the feed's data, read into one profile per column (CONTRACTS 3, `init`). What cannot be read is an error
//! with its place and never with a value; profiles hold values of records and therefore have no `Debug`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::daemon::config::hierarchy::splits;
use crate::daemon::error::{Error, Kind as ErrorKind, Result};
use crate::engine::model::Kind;
use crate::engine::model::forms::dates;

/// Rows beyond these say nothing new about a column.
pub const MOST_ROWS: u64 = 1_000_000;
/// Distinct values that are kept per column; a column with more is no list of categories.
const MOST_VALUES: usize = 100_000;

/// What a sample shows.
pub struct Sample {
    /// Whether it is a CSV file.
    pub csv: bool,
    /// Rows that were read.
    pub rows: u64,
    /// Whether the file holds more rows.
    pub more: bool,
    /// Its columns.
    pub columns: Vec<Profile>,
}

/// What a column of the sample holds.
pub struct Profile {
    /// Its name.
    pub name: String,
    /// Its type, where the file says so; `Err` for one that no column can have.
    pub declared: std::result::Result<Option<Kind>, &'static str>,
    /// Rows without a value.
    pub missing: u64,
    /// Rows with a value.
    pub filled: u64,
    /// The distinct values.
    pub values: BTreeMap<Box<str>, u64>,
    /// Whether there are more of them.
    pub more: bool,
}

impl Profile {
    fn new(name: &str, declared: Option<Kind>) -> Profile {
        Profile {
            name: name.into(),
            declared: Ok(declared),
            missing: 0,
            filled: 0,
            values: BTreeMap::new(),
            more: false,
        }
    }

    fn add(&mut self, value: &str) {
        if value.is_empty() {
            self.missing += 1;
            return;
        }
        self.filled += 1;
        if let Some(count) = self.values.get_mut(value) {
            *count += 1;
        } else if self.values.len() < MOST_VALUES {
            self.values.insert(value.into(), 1);
        } else {
            self.more = true;
        }
    }

    /// Distinct values per row that has one.
    pub fn distinctness(&self) -> f64 {
        if self.more { 1.0 } else { self.values.len() as f64 / self.filled.max(1) as f64 }
    }
}

/// Reads a CSV or Parquet file; its content decides, and a name that says otherwise is an error.
///
/// # Errors
/// A file that cannot be read, is neither, has no rows, or two columns of one name.
pub fn read(path: &Path) -> Result<Sample> {
    let mut head = Vec::new();
    let file = File::open(path).map_err(|error| Error::io(path, "read the sample", &error))?;
    file.take(4).read_to_end(&mut head).map_err(|error| Error::io(path, "read the sample", &error))?;
    let parquet = head == b"PAR1";
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let fault = match (parquet, extension.as_deref()) {
        (false, Some("parquet")) => Some("the name says Parquet, and the content is something else"),
        (true, Some("csv")) => Some("the name says CSV, and the content is Parquet"),
        _ if head.is_empty() => Some("the sample is empty; give it a header and some rows"),
        _ => None,
    };
    if let Some(fault) = fault {
        return Err(Error::new(ErrorKind::Input, fault).in_file(path));
    }
    let sample = if parquet { read_parquet(path) } else { read_csv(path) }.map_err(|error| error.in_file(path))?;
    let fault = |text: String| Err(Error::new(ErrorKind::Input, text).in_file(path));
    for (at, column) in sample.columns.iter().enumerate() {
        if sample.columns[..at].iter().any(|other| other.name == column.name) {
            return fault(format!("two columns are called {:?}; give each its own name", column.name));
        }
    }
    if sample.rows == 0 {
        return fault("the sample has a header and no rows; nothing can be guessed from it".into());
    }
    Ok(sample)
}

fn read_csv(path: &Path) -> Result<Sample> {
    let wrong = |text: &str| Error::new(ErrorKind::Input, text);
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, "read the sample", &error))?;
    if bytes.contains(&0) {
        return Err(wrong("the sample is neither Parquet nor text"));
    }
    let content = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let first = String::from_utf8_lossy(content.split(|&byte| byte == b'\n').next().unwrap_or_default());
    let delimiter = if splits(&first, ';') { b';' } else { b',' };
    if !first.contains([';', ',']) && first.contains('\t') {
        return Err(wrong("the columns are split by tabs; write them with commas or semicolons").at_line(1));
    }
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(content);
    // The crate's own texts are left out: nothing that could echo a value may reach a message.
    let place = |error: &csv::Error| {
        let text = match error.kind() {
            csv::ErrorKind::Utf8 { .. } => "the sample is not UTF-8".to_owned(),
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("a row of {len} fields where the header has {expected_len}")
            }
            _ => "the sample is no CSV file".to_owned(),
        };
        let error_at = Error::new(ErrorKind::Input, text);
        error.position().map_or(error_at.clone(), |at| error_at.at_line(at.line()))
    };
    let header = reader.headers().map_err(|error| place(&error))?.clone();
    let mut columns: Vec<Profile> = header.iter().map(|name| Profile::new(name, None)).collect();
    let (mut record, mut rows, mut more) = (csv::StringRecord::new(), 0, false);
    while reader.read_record(&mut record).map_err(|error| place(&error))? {
        if rows == MOST_ROWS {
            more = true;
            break;
        }
        rows += 1;
        columns.iter_mut().zip(&record).for_each(|(column, value)| column.add(value));
    }
    Ok(Sample { csv: true, rows, more, columns })
}

fn read_parquet(path: &Path) -> Result<Sample> {
    let damaged = || Error::new(ErrorKind::Input, "the sample is no Parquet file that can be read");
    let file = File::open(path).map_err(|error| Error::io(path, "read the sample", &error))?;
    let reader = SerializedFileReader::new(file).map_err(|_| damaged())?;
    let schema = reader.metadata().file_metadata().schema().clone();
    let mut columns: Vec<Profile> = schema.get_fields().iter().map(|field| Profile::new(field.name(), None)).collect();
    let (mut rows, mut more) = (0, false);
    for row in reader.get_row_iter(None).map_err(|_| damaged())? {
        let row = row.map_err(|_| damaged())?;
        if rows == MOST_ROWS {
            more = true;
            break;
        }
        rows += 1;
        for (column, (_, field)) in columns.iter_mut().zip(row.get_column_iter()) {
            match cell(field) {
                Ok(None) => column.missing += 1,
                Ok(Some((kind, text))) => {
                    column.declared = column.declared.map(|_| Some(kind));
                    column.add(&text);
                }
                Err(what) => column.declared = Err(what),
            }
        }
    }
    Ok(Sample { csv: false, rows, more, columns })
}

/// A cell as its type and canonical text; `None` when it is missing.
fn cell(field: &Field) -> std::result::Result<Option<(Kind, String)>, &'static str> {
    let int = |text: String| Ok(Some((Kind::Int, text)));
    match field {
        Field::Null => Ok(None),
        Field::Bool(value) => Ok(Some((Kind::Bool, value.to_string()))),
        Field::Byte(value) => int(value.to_string()),
        Field::Short(value) => int(value.to_string()),
        Field::Int(value) => int(value.to_string()),
        Field::Long(value) => int(value.to_string()),
        Field::UByte(value) => int(value.to_string()),
        Field::UShort(value) => int(value.to_string()),
        Field::UInt(value) => int(value.to_string()),
        Field::ULong(value) => int(value.to_string()),
        Field::Float16(value) => Ok(Some((Kind::Float, value.to_string()))),
        Field::Float(value) => Ok(Some((Kind::Float, value.to_string()))),
        Field::Double(value) => Ok(Some((Kind::Float, value.to_string()))),
        Field::Str(value) => Ok(Some((Kind::String, value.clone()))),
        Field::Date(days) => Ok(Some((Kind::Date, dates::format(*days)))),
        Field::TimestampMillis(_) | Field::TimestampMicros(_) => Err("it holds times of day; cut them to days first"),
        Field::TimeMillis(_) | Field::TimeMicros(_) => Err("it holds times of day"),
        Field::Decimal(_) => Err("it holds decimals of fixed precision; write them as numbers first"),
        _ => Err("its values are nested or binary"),
    }
}
