//! Arrow IPC, streams and files: a file is a stream between two magic words. Messages are read one
//! by one, and their sizes are compared with the file and with limits (HOUSE 4, Limits) before
//! anything is decoded, so that no length field can allocate memory; the decoder's message about a
//! broken message is not repeated, since it may quote the content. A stream must have an end
//! marker: one that was truncated between two batches would lose rows silently.

use std::collections::BTreeMap;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, cast::AsArray};
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::{Message, root_as_message};
use arrow_schema::DataType;

use super::arrow_rows;
use super::content::Content;
use super::header;
use super::input_file::InputFile;
use super::set_aside::MessageForm;
use crate::bounds::{FREE_ROWS_OF_MESSAGE, few_rows, guarded};
use crate::error::{Error, ErrorCategory, Result};

/// The number of rows per batch that is passed on.
const BATCH: usize = 65_536;
/// The most bytes of the description of a message.
const MOST_META: u64 = 1 << 26;
/// The most bytes of the unpacked buffers of a message, which is decoded as a whole; and of all
/// dictionaries together.
const MOST_UNPACKED: u64 = 1 << 30;
/// The beginning and end of the file form.
pub(crate) const MAGIC: &[u8; 6] = b"ARROW1";
const CONTINUED: [u8; 4] = [0xff; 4];

/// A file that is being read.
pub(crate) struct IpcFile {
    path: PathBuf,
    file: BufReader<Content>,
    /// The number of bytes that are left.
    left: u64,
    decoder: StreamDecoder,
    header: Vec<String>,
    /// The columns that are read, and their names.
    wanted: Vec<(usize, String)>,
    /// Rows that were decoded and not passed on: the wanted columns, and all of them if rows are
    /// kept.
    rest: Option<(RecordBatch, Option<RecordBatch>)>,
    keep: bool,
    ended: bool,
    /// The most bytes of the unpacked buffers of a message.
    room: u64,
    /// The size of the file in bytes.
    size: u64,
    /// The number of rows in the messages so far.
    rows: u64,
    /// Whether it is a message of a topic.
    is_message: bool,
    /// The size of each dictionary in bytes.
    dictionaries: BTreeMap<i64, u64>,
    /// The error for an exceeded limit.
    refused: Option<Error>,
    /// The first word of the next message, which the decoder has consumed already.
    word: Option<[u8; 4]>,
}

impl IpcFile {
    /// Reads the schema of an open file.
    pub(crate) fn open(input: &InputFile) -> Result<IpcFile> {
        IpcFile::over(input.path(), input.content())
    }

    /// Reads the content of a file with this name.
    pub(crate) fn over(path: &Path, mut file: Content) -> Result<IpcFile> {
        let io = |error: std::io::Error| Error::io(path, "read the file", &error);
        let mut left = file.len().map_err(io)?;
        if is_file(&mut file).map_err(io)? {
            left = frame(&mut file, left).ok_or_else(|| unreadable(path))?;
        }
        let mut ipc = IpcFile {
            path: path.to_path_buf(),
            file: BufReader::with_capacity(1 << 18, file),
            left,
            decoder: StreamDecoder::new(),
            header: Vec::new(),
            wanted: Vec::new(),
            rest: None,
            keep: false,
            ended: false,
            room: MOST_UNPACKED,
            size: left,
            rows: 0,
            is_message: false,
            dictionaries: BTreeMap::new(),
            refused: None,
            word: None,
        };
        // The schema comes first, and with it no rows.
        let rows = ipc.message()?;
        let schema = ipc
            .decoder
            .schema()
            .filter(|_| rows.is_none())
            .ok_or_else(|| unreadable(path))?;
        header::few(path, schema.fields().len())?;
        for field in schema.fields() {
            let name = field.name();
            if ipc.header.contains(name) {
                let text = format!("the column `{name}` occurs twice");
                return Err(Error::new(ErrorCategory::Input, text)
                    .in_file(path)
                    .in_field(name));
            }
            ipc.header.push(name.clone());
        }
        Ok(ipc)
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
    }

    /// Also passes on all columns, for rows that are kept.
    pub(crate) fn keep(&mut self) {
        self.keep = true;
    }

    /// Declares it a message of a topic: its unpacked buffers may have at most this many bytes, and
    /// the number of rows is limited by its size.
    #[must_use]
    pub(crate) fn unpacking(self, room: u64) -> IpcFile {
        IpcFile {
            room,
            is_message: true,
            ..self
        }
    }

    /// Whether nothing follows the end of the stream.
    pub(crate) fn is_at_end(&self) -> bool {
        self.ended && self.left == 0
    }

    /// The schema, with which rows can be read again.
    pub(crate) fn form(&self) -> Result<MessageForm> {
        let schema = self
            .decoder
            .schema()
            .and_then(|schema| arrow_rows::head(&schema));
        Ok(MessageForm::Arrow {
            schema: schema.ok_or_else(|| unreadable(&self.path))?,
        })
    }

    /// The next rows; `None` at the end.
    pub(crate) fn batch(&mut self) -> Result<Option<RecordBatch>> {
        Ok(self.batches()?.map(|(rows, _)| rows))
    }

    /// The next rows, with all their columns if rows are kept; `None` at the end.
    pub(crate) fn batches(&mut self) -> Result<Option<(RecordBatch, Option<RecordBatch>)>> {
        while self
            .rest
            .as_ref()
            .is_none_or(|(rest, _)| rest.num_rows() == 0)
        {
            if self.ended {
                return Ok(None);
            }
            if let Some(batch) = self.message()? {
                let named = self
                    .wanted
                    .iter()
                    .map(|(at, name)| (name.as_str(), plain(batch.column(*at)), true));
                let named: Vec<_> = named.collect();
                let wanted = RecordBatch::try_from_iter_with_nullable(named).ok();
                self.rest = wanted.map(|wanted| (wanted, self.keep.then_some(batch)));
            }
        }
        let (rest, all) = self.rest.take().expect("rows are left");
        let (now, later) = (
            rest.num_rows().min(BATCH),
            rest.num_rows().saturating_sub(BATCH),
        );
        let cut = |from, to| {
            (
                rest.slice(from, to),
                all.as_ref().map(|all| all.slice(from, to)),
            )
        };
        self.rest = (later > 0).then(|| cut(now, later));
        Ok(Some(cut(0, now)))
    }

    /// The rows of the next message, if it has some.
    fn message(&mut self) -> Result<Option<RecordBatch>> {
        let bytes = match self.whole() {
            Some(bytes) => bytes,
            None => {
                return Err(self
                    .refused
                    .take()
                    .unwrap_or_else(|| unreadable(&self.path)));
            }
        };
        if bytes.is_empty() {
            self.ended = true;
            return Ok(None);
        }
        let (mut buffer, mut rows) = (bytes.into(), None);
        loop {
            let decoder = &mut self.decoder;
            let decoded = guarded(|| decoder.decode(&mut buffer)).and_then(std::result::Result::ok);
            rows = decoded.ok_or_else(|| unreadable(&self.path))?.or(rows);
            if buffer.is_empty() {
                break;
            }
        }
        Ok(rows)
    }

    /// The bytes of the next message and the first word of the one after it, which the decoder
    /// needs to process a message without a body; empty at the end of the stream, `None` if there
    /// is no valid message.
    fn whole(&mut self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        if self.word.is_none() {
            self.word = Some(self.take_word(&mut bytes)?);
        }
        if self.word == Some(CONTINUED) {
            self.word = Some(self.take_word(&mut bytes)?);
        }
        let word = self.word.take()?;
        let length = u64::from(u32::from_le_bytes(word));
        if length == 0 {
            return Some(Vec::new());
        }
        let from = bytes.len();
        self.take(&mut bytes, (length <= MOST_META).then_some(length)?)?;
        let body = u64::try_from(root_as_message(&bytes[from..]).ok()?.bodyLength()).ok()?;
        let meta = bytes.len();
        if body > self.room && body <= self.left {
            return self.refuse(too_large(&self.path, body, self.room));
        }
        self.take(&mut bytes, body)?;
        let message = root_as_message(&bytes[from..meta]).ok()?;
        let unpacked = sound(&message, &bytes[meta..])?;
        let held = self.held(&message, unpacked);
        if held > self.room {
            return self.refuse(too_large(&self.path, held, self.room));
        }
        if self.is_message && self.rows > FREE_ROWS_OF_MESSAGE + self.size {
            return None;
        }
        if let Err(error) = few_rows(&self.path, self.rows, self.size) {
            return self.refuse(error);
        }
        self.word = Some(self.take_word(&mut bytes)?);
        Some(bytes)
    }

    /// The number of bytes that are in memory with this message: its own, or those of all
    /// dictionaries if it is one. Also counts its rows.
    fn held(&mut self, message: &Message<'_>, unpacked: u64) -> u64 {
        if let Some(batch) = message.header_as_record_batch() {
            self.rows = self
                .rows
                .saturating_add(u64::try_from(batch.length()).unwrap_or(u64::MAX));
        }
        let Some(dictionary) = message.header_as_dictionary_batch() else {
            return unpacked;
        };
        let before = self.dictionaries.entry(dictionary.id()).or_default();
        *before = if dictionary.isDelta() {
            before.saturating_add(unpacked)
        } else {
            unpacked
        };
        self.dictionaries
            .values()
            .fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    fn refuse<T>(&mut self, error: Error) -> Option<T> {
        self.refused = Some(error);
        None
    }

    fn take_word(&mut self, into: &mut Vec<u8>) -> Option<[u8; 4]> {
        self.take(into, 4)?;
        into.last_chunk().copied()
    }

    /// Reads this many bytes, if the file has them.
    fn take(&mut self, into: &mut Vec<u8>, bytes: u64) -> Option<()> {
        self.left = self.left.checked_sub(bytes)?;
        let read = self.file.by_ref().take(bytes).read_to_end(into).ok()?;
        (read as u64 == bytes).then_some(())
    }
}

/// The number of bytes of the unpacked buffers of a message; `None` if not all of them are in its
/// body, or a packed one declares an invalid size.
fn sound(message: &Message<'_>, body: &[u8]) -> Option<u64> {
    let dictionary = message
        .header_as_dictionary_batch()
        .and_then(|dictionary| dictionary.data());
    let Some(batch) = message.header_as_record_batch().or(dictionary) else {
        return Some(0);
    };
    let rows = (0..=i64::from(u32::MAX)).contains(&batch.length());
    let nodes = batch.nodes().is_none_or(|nodes| {
        nodes.iter().all(|node| {
            (0..=i64::from(u32::MAX)).contains(&node.length()) && node.null_count() >= 0
        })
    });
    let packed = batch.compression().is_some();
    let mut unpacked = body.len() as u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let (from, length) = (
            usize::try_from(buffer.offset()).ok()?,
            usize::try_from(buffer.length()).ok()?,
        );
        let bytes = body.get(from..from.checked_add(length)?)?;
        if packed && !bytes.is_empty() {
            // A buffer that is not packed declares -1.
            let size = i64::from_le_bytes(*bytes.first_chunk::<8>()?);
            let size = if size == -1 {
                bytes.len() as u64
            } else {
                u64::try_from(size).ok()?
            };
            unpacked = unpacked.saturating_add(size);
        }
    }
    (rows && nodes).then_some(unpacked)
}

fn too_large(path: &Path, bytes: u64, room: u64) -> Error {
    let text = format!(
        "a batch of rows, or all dictionaries, have {} MiB when they are unpacked, and at most {} MiB are: write the file again with \
         smaller batches",
        bytes >> 20,
        room >> 20
    );
    Error::new(ErrorCategory::Input, text).in_file(path)
}

/// A dictionary with 32-bit keys, whatever the keys were; other columns unchanged.
fn plain(array: &ArrayRef) -> ArrayRef {
    let (DataType::Dictionary(key, _), Some(coded)) =
        (array.data_type(), array.as_any_dictionary_opt())
    else {
        return Arc::clone(array);
    };
    if **key == DataType::Int32 {
        return Arc::clone(array);
    }
    let values = coded.values();
    let keys: Int32Array = if values.is_empty() {
        Int32Array::new_null(array.len())
    } else {
        let keys = coded.normalized_keys();
        keys.iter()
            .enumerate()
            .map(|(row, &key)| i32::try_from(key).ok().filter(|_| array.is_valid(row)))
            .collect()
    };
    match DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(values)) {
        Ok(coded) => Arc::new(coded),
        Err(_) => Arc::clone(array),
    }
}

/// Whether a file begins with the magic word; the position is after it, or at the beginning.
fn is_file(file: &mut Content) -> std::io::Result<bool> {
    let mut head = Vec::new();
    file.by_ref()
        .take(MAGIC.len() as u64)
        .read_to_end(&mut head)?;
    if head != MAGIC {
        file.rewind()?;
    }
    Ok(head == MAGIC)
}

/// The most bytes of a stream inside the magic words; the position is at its beginning. Some
/// writers pad the magic word to more than eight bytes.
fn frame(file: &mut Content, length: u64) -> Option<u64> {
    let mut magic = [0; MAGIC.len()];
    file.seek(SeekFrom::End(-(MAGIC.len() as i64))).ok()?;
    file.read_exact(&mut magic).ok()?;
    let (mut at, mut next) = (8, [0; 8]);
    file.seek(SeekFrom::Start(at)).ok()?;
    while magic == *MAGIC && next == [0; 8] && at < 512 {
        file.read_exact(&mut next).ok()?;
        at += 8;
    }
    file.seek(SeekFrom::Start(at - 8)).ok()?;
    length.checked_sub(at).filter(|_| magic == *MAGIC)
}

fn unreadable(path: &Path) -> Error {
    Error::new(
        ErrorCategory::Input,
        "the file is not readable Arrow IPC: it may be cut off or damaged",
    )
    .in_file(path)
}
