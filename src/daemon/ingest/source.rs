//! A table file of any format, column by column: the common reader of this room and of the guesses
//! of `init`. It does not decide what a column means.

use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, RecordBatch};

use super::delimited::Delimited;
use super::header;
use super::input_file::InputFile;
use super::ipc::IpcFile;
use super::lines::{LineBlock, LinesFile};
use super::parquet::ParquetFile;
use super::paths::FieldPaths;
use super::records::Records;
use super::row_batch::{Coder, RowBatch};
use super::shape::{TableFormat, shape};
use crate::engine::histogram::{CellReading, Misfit};
use crate::engine::model::Column;
use crate::error::Result;

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
    /// Rows of a typed source, and all their columns if rows are kept that cannot be read again.
    Batch(RecordBatch, Option<RecordBatch>),
}

impl Chunk {
    /// The approximate number of bytes of its cells; shared dictionaries are not counted.
    pub fn bytes(&self) -> usize {
        let column = |array: &ArrayRef| match array.as_any_dictionary_opt() {
            Some(coded) => coded.keys().len() * size_of::<i32>(),
            None => array.to_data().get_slice_memory_size().unwrap_or(0),
        };
        match self {
            Chunk::Records(records) => records.size(),
            Chunk::Lines(lines) => lines.size(),
            Chunk::Batch(batch, all) => all
                .as_ref()
                .unwrap_or(batch)
                .columns()
                .iter()
                .map(column)
                .sum(),
        }
    }

    /// The rows as codes.
    ///
    /// # Errors
    /// A whole column has another type.
    pub fn code(&self, coder: &Coder<'_>) -> std::result::Result<RowBatch, Misfit> {
        match self {
            Chunk::Records(records) => Ok(records.code(coder)),
            Chunk::Lines(lines) => Ok(lines.code(coder)),
            Chunk::Batch(batch, _) => coder.batch(batch),
        }
    }
}

/// The reader of the format.
pub(super) enum FileFormat {
    Delimited(Delimited),
    Parquet(ParquetFile),
    Ipc(IpcFile),
    Lines(LinesFile),
}

impl SourceFile {
    /// Opens a file; its content decides the format, and its name must agree.
    ///
    /// # Errors
    /// The file cannot be read, or is no table.
    pub fn open(path: &Path) -> Result<SourceFile> {
        SourceFile::of(&InputFile::open(path)?)
    }

    /// The table of an open file.
    ///
    /// # Errors
    /// As [`SourceFile::open`].
    pub fn of(input: &InputFile) -> Result<SourceFile> {
        let format = match shape(input)? {
            TableFormat::Delimited => FileFormat::Delimited(Delimited::open(input)?),
            TableFormat::Parquet => FileFormat::Parquet(ParquetFile::open(input)?),
            TableFormat::Lines => FileFormat::Lines(LinesFile::open(input)?),
            TableFormat::Ipc => FileFormat::Ipc(IpcFile::open(input)?),
        };
        Ok(SourceFile {
            path: input.path().to_path_buf(),
            format,
        })
    }

    /// The names of all columns. In a text without a header they are values: they may be quoted
    /// only if all declared columns are among them. JSON lines have none: each has keys of its own.
    pub fn header(&self) -> &[String] {
        match &self.format {
            FileFormat::Delimited(file) => file.header(),
            FileFormat::Parquet(file) => file.header(),
            FileFormat::Ipc(file) => file.header(),
            FileFormat::Lines(_) => &[],
        }
    }

    /// The format, in the notation of a feed file.
    pub fn format(&self) -> &'static str {
        match self.format {
            FileFormat::Delimited(_) => "csv",
            FileFormat::Parquet(_) => "parquet",
            FileFormat::Ipc(_) => "arrow",
            FileFormat::Lines(_) => "json",
        }
    }

    /// Whether all cells are text.
    pub fn is_text(&self) -> bool {
        matches!(self.format, FileFormat::Delimited(_))
    }

    /// The kind of raw cells.
    pub fn reading(&self) -> CellReading {
        match self.format {
            FileFormat::Delimited(_) => CellReading::Text,
            FileFormat::Lines(_) => CellReading::Json,
            FileFormat::Parquet(_) | FileFormat::Ipc(_) => CellReading::Typed,
        }
    }

    /// Whether rows have keys of their own instead of columns: then they are only available as
    /// chunks.
    pub fn is_lines(&self) -> bool {
        matches!(self.format, FileFormat::Lines(_))
    }

    /// Selects the columns of a raw file to read, in this order.
    ///
    /// # Errors
    /// The file lacks a column, or is damaged.
    pub fn want_fields(&mut self, columns: &[&Column]) -> Result<()> {
        if let FileFormat::Lines(file) = &mut self.format {
            file.want(FieldPaths::of(columns));
            return Ok(());
        }
        let wanted = header::wanted(
            &self.path,
            self.header(),
            columns.iter().copied(),
            header::raw_name,
        )?;
        header::distinct(&self.path, self.header(), &wanted)?;
        self.want(&wanted)
    }

    /// Selects the columns to read: name in the file, name in the batches.
    ///
    /// # Errors
    /// Two columns have one name, or the file is damaged.
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

    /// Replaces invalid text in these columns of a batch, by their names in it, by null instead of
    /// an error.
    pub fn spare(&mut self, columns: Vec<&str>) {
        if let FileFormat::Delimited(file) = &mut self.format {
            file.spare(columns);
        }
    }

    /// The next rows; `None` at the end.
    ///
    /// # Errors
    /// A row is invalid, or the file is damaged.
    pub fn batch(&mut self) -> Result<Option<RecordBatch>> {
        match &mut self.format {
            FileFormat::Delimited(file) => file.batch(),
            FileFormat::Parquet(file) => file.batch(),
            FileFormat::Ipc(file) => file.batch(),
            FileFormat::Lines(_) => Ok(None),
        }
    }

    /// The next rows, not decoded yet; `None` at the end.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn chunk(&mut self) -> Result<Option<Chunk>> {
        match &mut self.format {
            FileFormat::Delimited(file) => Ok(file.records()?.map(Chunk::Records)),
            FileFormat::Parquet(file) => Ok(file.batch()?.map(|rows| Chunk::Batch(rows, None))),
            FileFormat::Ipc(file) => Ok(file.batches()?.map(|(rows, all)| Chunk::Batch(rows, all))),
            FileFormat::Lines(file) => Ok(file.lines()?.map(Chunk::Lines)),
        }
    }

    /// The position of a row (from 0): its line in a text, otherwise its number (from 1).
    pub fn line_of(&self, row: u64) -> Option<u64> {
        if let FileFormat::Delimited(file) = &self.format {
            file.line_of(row)
        } else {
            Some(row + 1)
        }
    }
}
