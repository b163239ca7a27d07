//! A table file of any format, column by column: what the rest of the room and the guesses of `init` read from. It knows
//! nothing of declared columns.

use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;

use super::delimited::Delimited;
use super::parquet::ParquetFile;
use super::part::{Coder, Part};
use super::records::Records;
use super::shape::{Shape, shape};
use crate::daemon::error::Result;
use crate::engine::histogram::{Misfit, Reading};

/// An open file.
pub struct Source {
    path: PathBuf,
    format: Format,
}

/// Some rows of a file.
pub enum Chunk {
    /// Rows of delimited text.
    Records(Records),
    /// Rows of a typed source.
    Batch(RecordBatch),
}

impl Chunk {
    /// The rows as codes.
    ///
    /// # Errors
    /// A whole column of another type.
    pub fn code(&self, coder: &Coder<'_>) -> std::result::Result<Part, Misfit> {
        match self {
            Chunk::Records(records) => Ok(records.code(coder)),
            Chunk::Batch(batch) => coder.batch(batch),
        }
    }
}

enum Format {
    Delimited(Delimited),
    Parquet(ParquetFile),
}

impl Source {
    /// Opens a file; its content decides what it is, and its name must agree.
    ///
    /// # Errors
    /// The file cannot be read, or is no table.
    pub fn open(path: &Path) -> Result<Source> {
        let format = match shape(path)? {
            Shape::Delimited => Format::Delimited(Delimited::open(path)?),
            Shape::Parquet => Format::Parquet(ParquetFile::open(path)?),
        };
        Ok(Source { path: path.to_path_buf(), format })
    }

    /// The names of all columns; no two are the same.
    pub fn header(&self) -> &[String] {
        match &self.format {
            Format::Delimited(file) => file.header(),
            Format::Parquet(file) => file.header(),
        }
    }

    /// Whether cells have no type but text.
    pub fn is_text(&self) -> bool {
        matches!(self.format, Format::Delimited(_))
    }

    /// How raw cells are to be read.
    pub fn reading(&self) -> Reading {
        if self.is_text() { Reading::Text } else { Reading::Typed }
    }

    /// Reads these columns from now on: name in the file, name in the batches.
    ///
    /// # Errors
    /// A damaged file.
    pub fn want(&mut self, columns: &[(String, String)]) -> Result<()> {
        match &mut self.format {
            Format::Delimited(file) => file.want(columns),
            Format::Parquet(file) => file.want(columns)?,
        }
        Ok(())
    }

    /// The next rows; `None` at the end.
    ///
    /// # Errors
    /// A row that is none, or a damaged file.
    pub fn batch(&mut self) -> Result<Option<RecordBatch>> {
        match &mut self.format {
            Format::Delimited(file) => file.batch(),
            Format::Parquet(file) => file.batch(),
        }
    }

    /// The next rows, not looked at yet; `None` at the end.
    ///
    /// # Errors
    /// A damaged file.
    pub fn chunk(&mut self) -> Result<Option<Chunk>> {
        match &mut self.format {
            Format::Delimited(file) => Ok(file.records()?.map(Chunk::Records)),
            Format::Parquet(file) => Ok(file.batch()?.map(Chunk::Batch)),
        }
    }

    /// Where a row (from 0) is to be found: its line in a text, its number (from 1) elsewhere.
    pub fn line_of(&self, row: u64) -> Option<u64> {
        if self.is_text() { Delimited::line_of(&self.path, row) } else { Some(row + 1) }
    }
}
