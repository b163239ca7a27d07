//! A table file of any format, column by column: what the rest of the room and the guesses of `init` read from. It decides
//! nothing of what a column means.

use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, RecordBatch};

use super::delimited::Delimited;
use super::header;
use super::ipc::IpcFile;
use super::lines::{LineBlock, LinesFile};
use super::parquet::ParquetFile;
use super::paths::FieldPaths;
use super::records::Records;
use super::row_batch::{Coder, RowBatch};
use super::shape::{TableFormat, shape};
use crate::daemon::error::Result;
use crate::engine::histogram::{CellReading, Misfit};
use crate::engine::model::Column;

/// An open file.
pub struct SourceFile {
    pub(super) path: PathBuf,
    pub(super) format: FileFormat,
}

/// Some rows of a file.
pub enum Chunk {
    /// Rows of delimited text.
    Records(Records),
    /// Lines of JSON.
    Lines(LineBlock),
    /// Rows of a typed source, and all their columns where rows are kept that cannot be asked for again.
    Batch(RecordBatch, Option<RecordBatch>),
}

impl Chunk {
    /// The bytes of its cells, roughly; dictionaries that batches share are not among them.
    pub fn bytes(&self) -> usize {
        let column = |array: &ArrayRef| match array.as_any_dictionary_opt() {
            Some(coded) => coded.keys().len() * size_of::<i32>(),
            None => array.to_data().get_slice_memory_size().unwrap_or(0),
        };
        match self {
            Chunk::Records(records) => records.size(),
            Chunk::Lines(lines) => lines.size(),
            Chunk::Batch(batch, all) => all.as_ref().unwrap_or(batch).columns().iter().map(column).sum(),
        }
    }

    /// The rows as codes.
    ///
    /// # Errors
    /// A whole column of another type.
    pub fn code(&self, coder: &Coder<'_>) -> std::result::Result<RowBatch, Misfit> {
        match self {
            Chunk::Records(records) => Ok(records.code(coder)),
            Chunk::Lines(lines) => Ok(lines.code(coder)),
            Chunk::Batch(batch, _) => coder.batch(batch),
        }
    }
}

/// What reads it.
pub(super) enum FileFormat {
    Delimited(Delimited),
    Parquet(ParquetFile),
    Ipc(IpcFile),
    Lines(LinesFile),
}

impl SourceFile {
    /// Opens a file; its content decides what it is, and its name must agree.
    ///
    /// # Errors
    /// The file cannot be read, or is no table.
    pub fn open(path: &Path) -> Result<SourceFile> {
        let format = match shape(path)? {
            TableFormat::Delimited => FileFormat::Delimited(Delimited::open(path)?),
            TableFormat::Parquet => FileFormat::Parquet(ParquetFile::open(path)?),
            TableFormat::Lines => FileFormat::Lines(LinesFile::open(path)?),
            TableFormat::Ipc => FileFormat::Ipc(IpcFile::open(path)?),
        };
        Ok(SourceFile { path: path.to_path_buf(), format })
    }

    /// The names of all columns. In a text that has no header they are values: they may be told when all declared columns
    /// are among them, not before. JSON lines have none: each has keys of its own.
    pub fn header(&self) -> &[String] {
        match &self.format {
            FileFormat::Delimited(file) => file.header(),
            FileFormat::Parquet(file) => file.header(),
            FileFormat::Ipc(file) => file.header(),
            FileFormat::Lines(_) => &[],
        }
    }

    /// The format, as a feed file names it.
    pub fn format(&self) -> &'static str {
        match self.format {
            FileFormat::Delimited(_) => "csv",
            FileFormat::Parquet(_) => "parquet",
            FileFormat::Ipc(_) => "arrow",
            FileFormat::Lines(_) => "json",
        }
    }

    /// Whether cells have no type but text.
    pub fn is_text(&self) -> bool {
        matches!(self.format, FileFormat::Delimited(_))
    }

    /// How raw cells are to be read.
    pub fn reading(&self) -> CellReading {
        match self.format {
            FileFormat::Delimited(_) => CellReading::Text,
            FileFormat::Lines(_) => CellReading::Json,
            FileFormat::Parquet(_) | FileFormat::Ipc(_) => CellReading::Typed,
        }
    }

    /// Whether rows have no columns, but keys of their own: then they come as chunks only.
    pub fn is_lines(&self) -> bool {
        matches!(self.format, FileFormat::Lines(_))
    }

    /// Reads these columns of a raw file from now on, in this order.
    ///
    /// # Errors
    /// A column that the file does not have, or a damaged file.
    pub fn want_fields(&mut self, columns: &[&Column]) -> Result<()> {
        if let FileFormat::Lines(file) = &mut self.format {
            file.want(FieldPaths::of(columns));
            return Ok(());
        }
        let wanted = header::wanted(&self.path, self.header(), columns.iter().copied(), header::raw_name)?;
        header::distinct(&self.path, self.header(), &wanted)?;
        self.want(&wanted)
    }

    /// Reads these columns from now on: name in the file, name in the batches.
    ///
    /// # Errors
    /// Two columns of one name, or a damaged file.
    pub fn want(&mut self, columns: &[(String, String)]) -> Result<()> {
        header::distinct(&self.path, self.header(), &[])?;
        match &mut self.format {
            FileFormat::Delimited(file) => file.want(columns),
            FileFormat::Parquet(file) => file.want(columns),
            FileFormat::Ipc(file) => file.want(columns),
            FileFormat::Lines(_) => {}
        }
        Ok(())
    }

    /// What is no text in these columns of a batch, by their names in it, is null from now on and no error.
    pub fn spare(&mut self, columns: Vec<&str>) {
        if let FileFormat::Delimited(file) = &mut self.format {
            file.spare(columns);
        }
    }

    /// The next rows; `None` at the end.
    ///
    /// # Errors
    /// A row that is none, or a damaged file.
    pub fn batch(&mut self) -> Result<Option<RecordBatch>> {
        match &mut self.format {
            FileFormat::Delimited(file) => file.batch(),
            FileFormat::Parquet(file) => file.batch(),
            FileFormat::Ipc(file) => file.batch(),
            FileFormat::Lines(_) => Ok(None),
        }
    }

    /// The next rows, not looked at yet; `None` at the end.
    ///
    /// # Errors
    /// A damaged file.
    pub fn chunk(&mut self) -> Result<Option<Chunk>> {
        match &mut self.format {
            FileFormat::Delimited(file) => Ok(file.records()?.map(Chunk::Records)),
            FileFormat::Parquet(file) => Ok(file.batch()?.map(|rows| Chunk::Batch(rows, None))),
            FileFormat::Ipc(file) => Ok(file.batches()?.map(|(rows, all)| Chunk::Batch(rows, all))),
            FileFormat::Lines(file) => Ok(file.lines()?.map(Chunk::Lines)),
        }
    }

    /// Where a row (from 0) is to be found: its line in a text, its number (from 1) elsewhere.
    pub fn line_of(&self, row: u64) -> Option<u64> {
        if self.is_text() { Delimited::line_of(&self.path, row) } else { Some(row + 1) }
    }
}
