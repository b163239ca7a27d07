//! The part of a source for set-aside messages: their places, reading them from the file, and
//! reading them again from memory. It does not decide what is set aside.

use std::path::{Path, PathBuf};

use super::content::Content;
use super::delimited::Delimited;
use super::ipc::IpcFile;
use super::lines::LinesFile;
use super::message_places::{MessageForm, MessagePlace};
use super::messages::{messages, stream};
use super::raw::SecretBytes;
use super::row_batch::RowFault;
use super::source::{Chunk, FileFormat, SourceFile};
use crate::error::{Error, ErrorCategory, Result};

impl SourceFile {
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
        faults: &[RowFault],
        before: u64,
    ) -> Result<Vec<MessagePlace>> {
        let rows = faults.iter().map(|fault| fault.row);
        Ok(match chunk {
            _ if faults.is_empty() => Vec::new(),
            Chunk::Records(records) => rows
                .map(|row| MessagePlace::Bytes(records.bytes(row)))
                .collect(),
            Chunk::Lines(lines) => lines.kept(faults),
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

    /// A source over messages of a file of this name, each of which is one row.
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
            // A byte order mark is skipped at the beginning; without one, a mark in the first line
            // would be skipped.
            MessageForm::Lines => {
                FileFormat::Lines(LinesFile::over(path, Content::from(lines(MARK, messages)))?)
            }
            MessageForm::Messages | MessageForm::Records { .. } | MessageForm::Streams => {
                let text = "messages of a topic are not offered again as a file";
                return Err(Error::new(ErrorCategory::Internal, text).in_file(path));
            }
            MessageForm::Arrow { schema } => FileFormat::Ipc(IpcFile::over(
                path,
                Content::from(stream(schema, messages)),
            )?),
        };
        Ok(SourceFile {
            path: PathBuf::from(path),
            format,
        })
    }
}

/// A line that consists of it is blank.
const MARK: &[u8] = b"\xef\xbb\xbf";

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
