//! Parquet files: the wanted columns only, text columns dictionary-encoded, so that labels are looked up once per
//! distinct value. What the decoder says of a broken file is not repeated, since it may quote the file.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection,
};

use super::guard::guarded;
use super::header;
use super::kept::Form;
use super::messages;
use super::raw::Raw;
use crate::daemon::error::{Error, Kind, Result};

/// Rows per batch.
const BATCH: usize = 65_536;
/// Rows per batch of those that are kept.
const FEW: usize = 1_024;

/// A file that is being read.
pub struct ParquetFile {
    path: PathBuf,
    header: Vec<String>,
    metadata: ArrowReaderMetadata,
    reader: Option<ParquetRecordBatchReader>,
    names: Vec<(String, String)>,
}

impl ParquetFile {
    /// Opens a file and reads its footer.
    pub fn open(path: &Path) -> Result<ParquetFile> {
        let file = File::open(path).map_err(|error| Error::io(path, "open the file", &error))?;
        let load = |options| guarded(|| ArrowReaderMetadata::load(&file, options).ok()).flatten();
        let plain = load(ArrowReaderOptions::new()).ok_or_else(|| unreadable(path))?;
        header::few(path, plain.schema().fields().len())?;
        let fields: Vec<Arc<Field>> = plain.schema().fields().iter().map(dictionary).collect();
        let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
        // Text that is stored in a way that cannot become a dictionary is read as it is.
        let metadata = load(options).unwrap_or(plain);
        let header: Vec<String> = metadata.schema().fields().iter().map(|field| field.name().clone()).collect();
        for (at, name) in header.iter().enumerate() {
            if header[..at].contains(name) {
                let text = format!("the column `{name}` is there twice");
                return Err(Error::new(Kind::Input, text).in_file(path).in_field(name));
            }
        }
        Ok(ParquetFile { path: path.to_path_buf(), header, metadata, reader: None, names: Vec::new() })
    }

    /// The columns.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Reads these columns from now on: name in the file, name in the batches.
    pub fn want(&mut self, columns: &[(String, String)]) -> Result<()> {
        let file = File::open(&self.path).map_err(|error| Error::io(&self.path, "open the file", &error))?;
        let wanted: Vec<usize> =
            columns.iter().filter_map(|(from, _)| self.header.iter().position(|name| name == from)).collect();
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
        let reader = guarded(|| builder.with_projection(mask).with_batch_size(BATCH).build().ok()).flatten();
        self.reader = Some(reader.ok_or_else(|| unreadable(&self.path))?);
        self.names = columns.to_vec();
        Ok(())
    }

    /// These rows of the file, ascending, each as a message, one after the other; without bytes where they are too many.
    /// Sparse rows are cheap only where they leave out whole pages, so many of them are asked for at once.
    pub fn rows(&self, rows: &[u64], each: &mut dyn FnMut(Option<Raw>) -> Result<()>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let unreadable = || unreadable(&self.path);
        let io = |error: std::io::Error| Error::io(&self.path, "open the file", &error);
        let file = File::open(&self.path).map_err(io)?;
        let mut reader = guarded(|| self.few(file, rows)).flatten().ok_or_else(unreadable)?;
        let mut left = rows.len();
        let mut next =
            || guarded(|| Some(reader.next()?.ok().and_then(|few| messages::messages(&few, 0..few.num_rows()))));
        while let Some(found) = next().ok_or_else(unreadable)? {
            let found = found.ok_or_else(unreadable)?;
            left = left.checked_sub(found.len()).ok_or_else(unreadable)?;
            found.into_iter().try_for_each(&mut *each)?;
        }
        if left == 0 { Ok(()) } else { Err(unreadable()) }
    }

    /// Reads these rows, a few at a time.
    fn few(&self, file: File, rows: &[u64]) -> Option<ParquetRecordBatchReader> {
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let mask = ProjectionMask::roots(builder.parquet_schema(), messages::kept(self.metadata.schema()));
        let all = usize::try_from(self.metadata.metadata().file_metadata().num_rows()).ok()?;
        let ranges = rows.iter().map(|&row| row as usize..row as usize + 1);
        let selection = RowSelection::from_consecutive_ranges(ranges, all);
        builder.with_projection(mask).with_row_selection(selection).with_batch_size(FEW).build().ok()
    }

    /// What stands before rows that are kept.
    pub fn form(&self) -> Result<Form> {
        let schema = messages::head(self.metadata.schema()).ok_or_else(|| unreadable(&self.path))?;
        Ok(Form::Arrow { schema })
    }

    /// The next rows; `None` at the end.
    pub fn batch(&mut self) -> Result<Option<RecordBatch>> {
        let reader = self.reader.as_mut().expect("columns are asked for before rows");
        let Some(batch) = guarded(|| reader.next()).ok_or_else(|| unreadable(&self.path))? else { return Ok(None) };
        let batch = batch.map_err(|_| unreadable(&self.path))?;
        let column = |(from, to): &(String, String)| Some((to.clone(), batch.column_by_name(from)?.clone(), true));
        let named: Vec<_> = self.names.iter().filter_map(column).collect();
        let renamed = RecordBatch::try_from_iter_with_nullable(named);
        Ok(Some(renamed.expect("columns of one length")))
    }
}

/// Text as a dictionary, anything else as it is.
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

fn unreadable(path: &Path) -> Error {
    Error::new(Kind::Input, "the file is not readable Parquet: it may be cut off or damaged").in_file(path)
}
