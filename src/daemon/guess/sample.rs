//! A sample of the feed's data, read into one profile per column (CONTRACTS 3, `init`). What cannot be read is an error
//! with its place and never with a value; profiles hold values of records and therefore have no `Debug`.

use std::collections::BTreeMap;
use std::path::Path;

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use crate::daemon::error::{Error, Kind as ErrorKind, Result};
use crate::daemon::ingest::Source;
use crate::engine::histogram::{Cells, RawCell};
use crate::engine::model::Kind;
use crate::engine::model::forms::dates;

/// Rows beyond these say nothing new about a column.
pub const MOST_ROWS: u64 = 1_000_000;
/// Distinct values that are kept per column; a column with more is no list of categories.
const MOST_VALUES: usize = 100_000;

/// What a sample shows.
pub struct Sample {
    /// Its format, as a feed file names it.
    pub format: &'static str,
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

/// Reads a CSV, Parquet or Arrow file; its content decides, and a name that says otherwise is an error.
///
/// # Errors
/// A file that cannot be read, is none of them, has no rows, or two columns of one name.
pub fn read(path: &Path) -> Result<Sample> {
    let mut source = Source::open(path)?;
    if source.is_lines() {
        let text = "columns cannot be guessed from JSON: give a sample as CSV, Parquet or Arrow";
        return Err(Error::new(ErrorKind::Input, text).in_file(path));
    }
    let names: Vec<(String, String)> = source.header().iter().map(|name| (name.clone(), name.clone())).collect();
    source.want(&names)?;
    let mut columns: Vec<Profile> = names.iter().map(|(name, _)| Profile::new(name, None)).collect();
    let (mut rows, mut more) = (0, false);
    while let Some(batch) = source.batch()? {
        let left = MOST_ROWS - rows;
        more = batch.num_rows() as u64 > left || left == 0;
        if left == 0 {
            break;
        }
        let batch = batch.slice(0, batch.num_rows().min(usize::try_from(left).unwrap_or(usize::MAX)));
        rows += batch.num_rows() as u64;
        for (column, array) in columns.iter_mut().zip(batch.columns()) {
            column.take(array, source.is_text());
        }
    }
    if rows == 0 {
        let text = "the sample has a header and no rows; nothing can be guessed from it";
        return Err(Error::new(ErrorKind::Input, text).in_file(path));
    }
    Ok(Sample { format: source.format(), rows, more, columns })
}

impl Profile {
    /// Takes in a column's next cells; `text` says that they have no type.
    fn take(&mut self, array: &ArrayRef, text: bool) {
        let Some(cells) = Cells::of(array) else {
            self.declared = Err(match array.data_type() {
                DataType::Timestamp(..) | DataType::Date64 => "it holds times of day; cut them to days first",
                DataType::Time32(_) | DataType::Time64(_) => "it holds times of day",
                DataType::Decimal128(..)
                | DataType::Decimal256(..)
                | DataType::Decimal32(..)
                | DataType::Decimal64(..) => "it holds decimals of fixed precision; write them as numbers first",
                _ => "its values are nested or binary",
            });
            return;
        };
        cells.each(|cell| {
            let (kind, written) = match cell {
                RawCell::Null => {
                    self.missing += 1;
                    return;
                }
                RawCell::Text(written) if text => {
                    self.add(written);
                    return;
                }
                RawCell::Text(written) => (Kind::String, written.to_owned()),
                RawCell::Int(number) => (Kind::Int, number.to_string()),
                RawCell::Float(number) => (Kind::Float, number.to_string()),
                RawCell::Bool(truth) => (Kind::Bool, truth.to_string()),
                RawCell::Days(days) => (Kind::Date, dates::format(days)),
            };
            self.declared = Ok(Some(kind));
            self.add(&written);
        });
    }
}
