//! Parquet files: only the wanted columns, row group by row group, with text columns
//! dictionary-encoded, so that labels are looked up once per distinct value. Sizes are checked
//! before anything is unpacked. The decoder's message about a broken file is not repeated, since it
//! may quote the file.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, new_null_array};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::basic::Repetition;

use super::arrow_rows;
use super::header;
use super::input_file::InputFile;
use super::raw::SecretBytes;
use super::set_aside::MessageForm;
use crate::bounds::{ColumnPages, footer, guarded, unreadable};
use crate::error::{Error, ErrorCategory, Result};

/// The number of rows per batch of kept rows.
const FEW: usize = 1_024;

/// A file that is being read.
pub(crate) struct ParquetFile {
    path: PathBuf,
    file: Arc<File>,
    header: Vec<String>,
    metadata: ArrowReaderMetadata,
    /// The columns that are read, by their indices in the file, and their names.
    wanted: Vec<(usize, String)>,
    /// The next row group.
    group: usize,
    reader: Option<ParquetRecordBatchReader>,
}

impl ParquetFile {
    /// Reads the footer of an open file.
    pub(crate) fn open(input: &InputFile) -> Result<ParquetFile> {
        let (path, file) = (input.path(), input.handle());
        footer(path, &*file)?;
        let load = |options| guarded(|| ArrowReaderMetadata::load(&*file, options).ok()).flatten();
        let plain = load(ArrowReaderOptions::new()).ok_or_else(|| unreadable(path))?;
        header::few(path, plain.schema().fields().len())?;
        ColumnPages {
            path,
            file: &file,
            metadata: plain.metadata(),
        }
        .few_rows()?;
        let fields: Vec<Arc<Field>> = plain.schema().fields().iter().map(dictionary).collect();
        let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
        // Text whose storage cannot become a dictionary is read unchanged.
        let metadata = load(options).unwrap_or(plain);
        let header: Vec<String> = metadata
            .schema()
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect();
        for (at, name) in header.iter().enumerate() {
            if header[..at].contains(name) {
                let text = format!("the column `{name}` occurs twice");
                return Err(Error::new(ErrorCategory::Input, text)
                    .in_file(path)
                    .in_field(name));
            }
        }
        let path = path.to_path_buf();
        Ok(ParquetFile {
            path,
            file,
            header,
            metadata,
            wanted: Vec::new(),
            group: 0,
            reader: None,
        })
    }

    /// The columns.
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
        (self.group, self.reader) = (0, None);
    }

    /// These rows of the file, ascending, each as a message, one after the other; without bytes if
    /// they would be too many. Sparse rows are cheap only if whole pages are left out, so the
    /// caller should request many at once.
    pub(crate) fn rows(
        &self,
        rows: &[u64],
        each: &mut dyn FnMut(Option<SecretBytes>) -> Result<()>,
    ) -> Result<()> {
        let unreadable = || unreadable(&self.path);
        let columns = arrow_rows::kept(self.metadata.schema());
        let (mut rest, mut before) = (rows, 0);
        for (group, about) in self.metadata.metadata().row_groups().iter().enumerate() {
            let behind = before + u64::try_from(about.num_rows()).map_err(|_| unreadable())?;
            let (here, later) = rest.split_at(rest.partition_point(|row| *row < behind));
            if !here.is_empty() {
                let ranges = here
                    .iter()
                    .map(|row| (row - before) as usize..(row - before) as usize + 1);
                let selection =
                    RowSelection::from_consecutive_ranges(ranges, (behind - before) as usize);
                let mut reader = self.reader(group, &columns, Some(selection), FEW)?;
                self.messages(&mut reader, here.len(), each)?;
            }
            (rest, before) = (later, behind);
        }
        if rest.is_empty() {
            Ok(())
        } else {
            Err(unreadable())
        }
    }

    /// All rows of a reader, which are `count`.
    fn messages(
        &self,
        reader: &mut ParquetRecordBatchReader,
        mut left: usize,
        each: &mut dyn FnMut(Option<SecretBytes>) -> Result<()>,
    ) -> Result<()> {
        let unreadable = || unreadable(&self.path);
        let mut next = || {
            guarded(|| {
                Some(
                    reader
                        .next()?
                        .ok()
                        .and_then(|few| arrow_rows::messages(&few, 0..few.num_rows())),
                )
            })
        };
        while let Some(found) = next().ok_or_else(unreadable)? {
            let found = found.ok_or_else(unreadable)?;
            left = left.checked_sub(found.len()).ok_or_else(unreadable)?;
            found.into_iter().try_for_each(&mut *each)?;
        }
        if left == 0 { Ok(()) } else { Err(unreadable()) }
    }

    /// A reader of these columns of a row group, with at most `most` rows at a time.
    fn reader(
        &self,
        group: usize,
        columns: &[usize],
        selection: Option<RowSelection>,
        most: usize,
    ) -> Result<ParquetRecordBatchReader> {
        let schema = self.metadata.parquet_schema();
        let leaf = |at: usize| {
            (0..schema.num_columns()).find(|leaf| schema.get_column_root_idx(*leaf) == at)
        };
        let coded = |at: usize| {
            matches!(
                self.metadata.schema().field(at).data_type(),
                DataType::Dictionary(..)
            )
        };
        let leaves: Vec<(usize, bool)> = columns
            .iter()
            .filter_map(|&at| Some((leaf(at)?, coded(at))))
            .collect();
        let pages = ColumnPages {
            path: &self.path,
            file: &self.file,
            metadata: self.metadata.metadata(),
        };
        let batch = pages.batch(group, &leaves)?.min(most);
        let file = self
            .file
            .try_clone()
            .map_err(|error| Error::io(&self.path, "open the file", &error))?;
        let mut builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
        if let Some(selection) = selection {
            builder = builder.with_row_selection(selection);
        }
        let builder = builder
            .with_row_groups(vec![group])
            .with_projection(mask)
            .with_batch_size(batch);
        guarded(|| builder.build().ok())
            .flatten()
            .ok_or_else(|| unreadable(&self.path))
    }

    /// The schema, with which rows can be read again.
    pub(crate) fn form(&self) -> Result<MessageForm> {
        let schema =
            arrow_rows::head(self.metadata.schema()).ok_or_else(|| unreadable(&self.path))?;
        Ok(MessageForm::Arrow { schema })
    }

    /// The next rows; `None` at the end.
    pub(crate) fn batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(reader) = &mut self.reader {
                if let Some(batch) =
                    guarded(|| reader.next()).ok_or_else(|| unreadable(&self.path))?
                {
                    let batch = batch.map_err(|_| unreadable(&self.path))?;
                    return Ok(Some(self.named(&batch)));
                }
                self.reader = None;
            }
            if self.group == self.metadata.metadata().num_row_groups() {
                return Ok(None);
            }
            let flat: Vec<usize> = self
                .wanted
                .iter()
                .map(|(at, _)| *at)
                .filter(|at| self.is_flat(*at))
                .collect();
            self.reader = Some(self.reader(self.group, &flat, None, usize::MAX)?);
            self.group += 1;
        }
    }

    /// The wanted columns of a batch by their names. Nested columns are not read, since no declared
    /// column is one: empty lists replace them.
    fn named(&self, batch: &RecordBatch) -> RecordBatch {
        let nested = DataType::List(Arc::new(Field::new("item", DataType::Null, true)));
        let column = |(at, name): &(usize, String)| {
            let read = self
                .is_flat(*at)
                .then(|| batch.column_by_name(&self.header[*at]).map(Arc::clone))
                .flatten();
            let array: ArrayRef = read.unwrap_or_else(|| new_null_array(&nested, batch.num_rows()));
            (name.clone(), array, true)
        };
        RecordBatch::try_from_iter_with_nullable(self.wanted.iter().map(column))
            .expect("columns of one length")
    }

    /// Whether each row has one cell in a column.
    fn is_flat(&self, at: usize) -> bool {
        let fields = self.metadata.parquet_schema().root_schema().get_fields();
        fields.get(at).is_some_and(|field| {
            let about = field.get_basic_info();
            field.is_primitive()
                && !(about.has_repetition() && about.repetition() == Repetition::REPEATED)
        })
    }
}

/// Text as a dictionary, any other type unchanged.
fn dictionary(field: &Arc<Field>) -> Arc<Field> {
    let values = match field.data_type() {
        DataType::Dictionary(_, values) => values,
        plain => plain,
    };
    match values {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let coded = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
            Arc::new(field.as_ref().clone().with_data_type(coded))
        }
        _ => Arc::clone(field),
    }
}
