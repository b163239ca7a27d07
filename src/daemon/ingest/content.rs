//! The input of a reader: a file, or messages of one that are offered again from memory. Personal
//! data is never written to a file only to be read.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use super::raw::SecretBytes;

/// A source of bytes.
pub(crate) enum Content {
    /// From a file, at a position of its own: several may share the handle.
    File(Arc<File>, u64),
    /// From memory.
    Memory(Cursor<SecretBytes>),
}

impl From<Arc<File>> for Content {
    fn from(file: Arc<File>) -> Content {
        Content::File(file, 0)
    }
}

impl From<SecretBytes> for Content {
    fn from(raw: SecretBytes) -> Content {
        Content::Memory(Cursor::new(raw))
    }
}

impl Content {
    /// The number of bytes.
    pub(crate) fn len(&self) -> io::Result<u64> {
        match self {
            Content::File(file, _) => Ok(file.metadata()?.len()),
            Content::Memory(memory) => Ok(memory.get_ref().bytes().len() as u64),
        }
    }

    /// The same file from its beginning; `None` if it is memory.
    pub(crate) fn again(&self) -> Option<Content> {
        match self {
            Content::File(file, _) => Some(Content::from(Arc::clone(file))),
            Content::Memory(_) => None,
        }
    }

    /// The bytes in a range; the position for further reading stays the same.
    pub(crate) fn range(&self, range: Range<u64>) -> io::Result<SecretBytes> {
        let ended = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let size = |at: u64| usize::try_from(at).map_err(|_| ended());
        match self {
            Content::File(file, _) => {
                let mut bytes = vec![0; size(range.end.saturating_sub(range.start))?];
                file.read_exact_at(&mut bytes, range.start)?;
                Ok(SecretBytes::from(bytes))
            }
            Content::Memory(memory) => {
                let bytes = memory
                    .get_ref()
                    .bytes()
                    .get(size(range.start)?..size(range.end)?);
                bytes.map(SecretBytes::of).ok_or_else(ended)
            }
        }
    }
}

impl Read for Content {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Content::File(file, at) => {
                let read = file.read_at(into, *at)?;
                *at += read as u64;
                Ok(read)
            }
            Content::Memory(memory) => memory.read(into),
        }
    }
}

impl Seek for Content {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Content::File(file, at) => {
                let moved = match to {
                    SeekFrom::Start(position) => Some(position),
                    SeekFrom::Current(by) => at.checked_add_signed(by),
                    SeekFrom::End(by) => file.metadata()?.len().checked_add_signed(by),
                };
                *at = moved.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
                Ok(*at)
            }
            Content::Memory(memory) => memory.seek(to),
        }
    }
}
