//! A table file of any format, column by column: the common reader of this room and of the guesses
//! of `init`. It does not decide what a column means.

use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, RecordBatch};

use super::arrow_rows::{messages, stream};
use super::coder::{Coder, RowBatch};
use super::content::Content;
use super::delimited::{Delimited, Records};
use super::header;
use super::input_file::InputFile;
use super::ipc::IpcFile;
use super::lines::{LineBlock, LinesFile};
use super::page::Page;
use super::parquet::ParquetFile;
use super::paths::FieldPaths;
use super::raw::SecretBytes;
use super::set_aside::{MessageForm, MessagePlace};
use super::shape::{TableFormat, shape};
use crate::config::RecordRules;
use crate::engine::histogram::CellReading;
use crate::error::{Error, ErrorCategory, Result};

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

    /// The rows with their fields.
    pub(crate) fn page(&self, coder: &Coder<'_>) -> Page {
        match self {
            Chunk::Records(records) => records.page(coder.fields()),
            Chunk::Lines(lines) => lines.page(coder),
            Chunk::Batch(batch, _) => Page::typed(batch.num_rows(), batch.columns()),
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
    pub(super) fn want_fields(&mut self, coder: &Coder<'_>) -> Result<()> {
        let columns = coder.fields();
        if let FileFormat::Lines(file) = &mut self.format {
            let many = coder.rules().each.is_some();
            file.want(FieldPaths::of_messages(columns), many);
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

    /// Keeps rows: those of chunks from now on, and those of the source at the end.
    pub(super) fn keep(&mut self) {
        if let FileFormat::Ipc(file) = &mut self.format {
            file.keep();
        }
    }

    /// The places of these rows of a chunk; `before` rows came before it.
    ///
    /// # Errors
    /// The file is damaged.
    pub(super) fn kept(
        &self,
        chunk: &Chunk,
        part: &RowBatch,
        (rules, before): (&RecordRules, u64),
    ) -> Result<Vec<MessagePlace>> {
        let rows = part.faults.iter().map(|fault| fault.row);
        Ok(match chunk {
            _ if part.faults.is_empty() => Vec::new(),
            Chunk::Records(records) => rows
                .map(|row| MessagePlace::Bytes(records.bytes(row)))
                .collect(),
            Chunk::Lines(lines) => lines.kept(part, rules.each.as_deref().unwrap_or_default()),
            Chunk::Batch(_, None) => rows
                .map(|row| MessagePlace::Row(before + row as u64))
                .collect(),
            Chunk::Batch(_, Some(all)) => {
                let text = "the file is not readable Arrow IPC: it may be damaged";
                let found = messages(all, rows)
                    .ok_or_else(|| Error::new(ErrorCategory::Input, text).in_file(&self.path))?;
                found
                    .into_iter()
                    .map(|raw| raw.map_or(MessagePlace::Nowhere, MessagePlace::Here))
                    .collect()
            }
        })
    }

    /// The bytes before messages that are kept.
    ///
    /// # Errors
    /// The file is damaged or has become shorter.
    pub(super) fn form(&self) -> Result<MessageForm> {
        match &self.format {
            FileFormat::Delimited(file) => file.form(),
            FileFormat::Lines(_) => Ok(MessageForm::Lines),
            FileFormat::Ipc(file) => file.form(),
            FileFormat::Parquet(file) => file.form(),
        }
    }

    /// Reads messages from the file, one after the other; without bytes if they would be too many.
    /// The file must be unchanged.
    ///
    /// # Errors
    /// It is damaged or has become shorter, or processing one of them fails.
    pub(super) fn fetch(
        &self,
        kept: Vec<MessagePlace>,
        each: &mut dyn FnMut(Option<SecretBytes>) -> Result<()>,
    ) -> Result<()> {
        if let FileFormat::Parquet(file) = &self.format {
            let row = |kept: &MessagePlace| {
                if let MessagePlace::Row(row) = kept {
                    Some(*row)
                } else {
                    None
                }
            };
            return file.rows(&kept.iter().filter_map(row).collect::<Vec<_>>(), each);
        }
        kept.into_iter().try_for_each(|kept| {
            each(match (kept, &self.format) {
                (MessagePlace::Here(raw), _) => Some(raw),
                (MessagePlace::Bytes(bytes), FileFormat::Delimited(file)) => file.raw(bytes)?,
                (MessagePlace::Bytes(_) | MessagePlace::Row(_) | MessagePlace::Nowhere, _) => None,
            })
        })
    }

    /// A source over rows of a table of this name, below its header or schema.
    ///
    /// # Errors
    /// They do not have this form.
    pub(super) fn over<'m>(
        name: &str,
        form: &MessageForm,
        messages: impl Iterator<Item = &'m SecretBytes> + Clone,
    ) -> Result<SourceFile> {
        let path = Path::new(name);
        let format = match form {
            MessageForm::Text { delimiter, header } => {
                let text = lines(header.bytes(), messages);
                FileFormat::Delimited(Delimited::over(path, Content::from(text), *delimiter)?)
            }
            MessageForm::Arrow { schema } => FileFormat::Ipc(IpcFile::over(
                path,
                Content::from(stream(schema, messages)),
            )?),
            _ => {
                let text = "messages that are not rows of a table are offered again one by one";
                return Err(Error::new(ErrorCategory::Internal, text).in_file(path));
            }
        };
        Ok(SourceFile {
            path: PathBuf::from(path),
            format,
        })
    }
}

/// A text of these lines.
fn lines<'m>(first: &[u8], others: impl Iterator<Item = &'m SecretBytes> + Clone) -> SecretBytes {
    let size = others
        .clone()
        .map(|line| line.bytes().len() + 1)
        .sum::<usize>();
    let mut bytes = Vec::with_capacity(first.len() + 1 + size);
    bytes.extend_from_slice(first);
    bytes.push(b'\n');
    for line in others {
        bytes.extend_from_slice(line.bytes());
        bytes.push(b'\n');
    }
    SecretBytes::from(bytes)
}
