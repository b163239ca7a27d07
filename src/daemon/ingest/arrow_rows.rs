//! Rows of a typed source as messages of an Arrow IPC stream, one row each, so that each can be
//! kept, offered again and destroyed separately: no message contains data of another row, including
//! dictionaries and shared buffers.
//!
//! Nested columns are left out, since no declared column is read from one.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, LargeBinaryArray,
    LargeStringArray, RecordBatch, StringArray, StringViewArray, make_array, new_null_array,
};
use arrow_ipc::MetadataVersion;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use zeroize::Zeroize as _;

use super::raw::{MOST_RAW, SecretBytes};
use crate::bounds::guarded;
use crate::engine::histogram::MOST_TEXT;

/// The end of a stream.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// The indices of the columns that are kept.
pub(crate) fn kept(schema: &Schema) -> Vec<usize> {
    let flat = |field: &Field| {
        let values = values_of(field.data_type());
        !values.is_nested()
            && !matches!(
                values,
                DataType::RunEndEncoded(..) | DataType::Dictionary(..)
            )
    };
    (0..schema.fields().len())
        .filter(|&at| flat(schema.field(at)))
        .collect()
}

/// The bytes before the messages of rows with this schema.
pub(crate) fn head(schema: &Schema) -> Option<SecretBytes> {
    guarded(|| Some(SecretBytes::from(std::mem::take(writer(schema)?.get_mut()))))?
}

/// These rows of a batch, each as a message; without bytes if they would be too many.
pub(crate) fn messages(
    batch: &RecordBatch,
    rows: impl Iterator<Item = usize>,
) -> Option<Vec<Option<SecretBytes>>> {
    guarded(|| {
        let (schema, columns) = (plain(&batch.schema()), kept(&batch.schema()));
        let mut writer = writer(&batch.schema())?;
        let mut write = |row: usize, cell: fn(&ArrayRef, usize) -> Option<ArrayRef>| {
            let cells = columns
                .iter()
                .map(|&at| cell(batch.column(at), row))
                .collect::<Option<_>>()?;
            writer.get_mut().zeroize();
            writer
                .write(&RecordBatch::try_new(Arc::clone(&schema), cells).ok()?)
                .ok()?;
            let bytes = writer.get_ref();
            Some((bytes.len() <= MOST_RAW).then(|| SecretBytes::of(bytes)))
        };
        let message = |row: usize| match write(row, cell)? {
            None => write(row, short),
            whole => Some(whole),
        };
        let messages = rows.map(message).collect();
        writer.get_mut().zeroize();
        messages
    })?
}

/// The stream of these messages.
pub(crate) fn stream<'m>(
    head: &SecretBytes,
    messages: impl Iterator<Item = &'m SecretBytes> + Clone,
) -> SecretBytes {
    let size = messages
        .clone()
        .map(|message| message.bytes().len())
        .sum::<usize>();
    let mut bytes = Vec::with_capacity(head.bytes().len() + size + END.len());
    bytes.extend_from_slice(head.bytes());
    messages.for_each(|message| bytes.extend_from_slice(message.bytes()));
    bytes.extend_from_slice(&END);
    SecretBytes::from(bytes)
}

/// A writer that has written the schema.
fn writer(schema: &Schema) -> Option<StreamWriter<Vec<u8>>> {
    // Rows are short: buffers are padded no further than necessary.
    let options = IpcWriteOptions::try_new(8, false, MetadataVersion::V5).ok()?;
    StreamWriter::try_new_with_options(Vec::new(), &plain(schema), options).ok()
}

/// The columns that are kept, as they are written: any of them may be null, and none has a
/// dictionary.
fn plain(schema: &Schema) -> Arc<Schema> {
    let field = |at: usize| {
        let field = schema.field(at);
        Field::new(field.name(), values_of(field.data_type()).clone(), true)
    };
    Arc::new(Schema::new(
        kept(schema).into_iter().map(field).collect::<Vec<_>>(),
    ))
}

/// The type of a column's values.
fn values_of(physical: &DataType) -> &DataType {
    match physical {
        DataType::Dictionary(_, values) => values,
        plain => plain,
    }
}

/// A cell as a column of its own; an overlong text is truncated but still too long for a value, and
/// so are bytes.
fn short(array: &ArrayRef, row: usize) -> Option<ArrayRef> {
    let cell = cell(array, row)?;
    let cut = |text: &str| {
        let end = (MOST_TEXT + 1..text.len())
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(text.len());
        text[..end].to_owned()
    };
    let ends = |bytes: &[u8]| bytes[..bytes.len().min(MOST_TEXT + 1)].to_owned();
    Some(match cell.data_type() {
        _ if cell.is_null(0) => cell,
        DataType::Utf8 => Arc::new(StringArray::from_iter_values([cut(cell
            .as_string::<i32>()
            .value(0))])),
        DataType::LargeUtf8 => Arc::new(LargeStringArray::from_iter_values([cut(cell
            .as_string::<i64>()
            .value(0))])),
        DataType::Utf8View => Arc::new(StringViewArray::from_iter_values([cut(cell
            .as_string_view()
            .value(0))])),
        DataType::Binary => Arc::new(BinaryArray::from_iter_values([ends(
            cell.as_binary::<i32>().value(0),
        )])),
        DataType::LargeBinary => Arc::new(LargeBinaryArray::from_iter_values([ends(
            cell.as_binary::<i64>().value(0),
        )])),
        DataType::BinaryView => Arc::new(BinaryViewArray::from_iter_values([ends(
            cell.as_binary_view().value(0),
        )])),
        _ => cell,
    })
}

/// A cell as a column of its own. The bytes under a null, and bits beside the cell's own, may be
/// those of other rows.
fn cell(array: &ArrayRef, row: usize) -> Option<ArrayRef> {
    let mut cell = array.slice(row, 1);
    if let Some(coded) = cell.as_any_dictionary_opt().filter(|_| cell.is_valid(0)) {
        cell = coded.values().slice(coded.normalized_keys()[0], 1);
    }
    if cell.is_null(0) {
        return Some(new_null_array(values_of(cell.data_type()), 1));
    }
    Some(match cell.data_type() {
        DataType::Boolean => Arc::new(BooleanArray::from(vec![cell.as_boolean().value(0)])),
        DataType::Utf8View => Arc::new(StringViewArray::from_iter_values([cell
            .as_string_view()
            .value(0)])),
        DataType::BinaryView => Arc::new(BinaryViewArray::from_iter_values([cell
            .as_binary_view()
            .value(0)])),
        _ => make_array(cell.to_data().into_builder().nulls(None).build().ok()?),
    })
}
