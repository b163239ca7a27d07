//! The input of a reader: a file, or messages of one that are offered again from memory. Personal data is never written
//! to a file only to be read.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;

use super::raw::SecretBytes;

/// A source of bytes.
pub enum Content {
    /// From a file.
    File(File),
    /// From memory.
    Memory(Cursor<SecretBytes>),
}

impl From<File> for Content {
    fn from(file: File) -> Content {
        Content::File(file)
    }
}

impl From<SecretBytes> for Content {
    fn from(raw: SecretBytes) -> Content {
        Content::Memory(Cursor::new(raw))
    }
}

impl Content {
    /// The number of bytes.
    pub fn len(&self) -> io::Result<u64> {
        match self {
            Content::File(file) => Ok(file.metadata()?.len()),
            Content::Memory(memory) => Ok(memory.get_ref().bytes().len() as u64),
        }
    }

    /// The bytes in a range; the position for further reading stays the same.
    pub fn range(&self, range: Range<u64>) -> io::Result<SecretBytes> {
        let ended = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let size = |at: u64| usize::try_from(at).map_err(|_| ended());
        match self {
            Content::File(file) => {
                let mut bytes = vec![0; size(range.end.saturating_sub(range.start))?];
                file.read_exact_at(&mut bytes, range.start)?;
                Ok(SecretBytes::from(bytes))
            }
            Content::Memory(memory) => {
                let bytes = memory.get_ref().bytes().get(size(range.start)?..size(range.end)?);
                bytes.map(SecretBytes::of).ok_or_else(ended)
            }
        }
    }
}

impl Read for Content {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Content::File(file) => file.read(into),
            Content::Memory(memory) => memory.read(into),
        }
    }
}

impl Seek for Content {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Content::File(file) => file.seek(to),
            Content::Memory(memory) => memory.seek(to),
        }
    }
}
