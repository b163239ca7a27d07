//! A value that is too large to be in memory twice: it is written as a sequence of sealed objects,
//! and read back in the same way. Two of them are in memory at a time: one is filled while the
//! previous one is sealed.

use crate::wiped_bytes::WipedBytes;
use std::io;
use std::sync::mpsc::{Receiver, channel};

use postcard::Deserializer;
use postcard::de_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorCategory, Result};
use crate::journal::{DraftObject, Drafts, Log, ObjectReader, Ref};

/// The bytes of the first object. Each further one has twice as many, so that a small value has few
/// objects and a large one does not have too many.
const FIRST: usize = 8 << 10;
/// The most bytes of an object.
const MOST: usize = 4 << 20;

/// The bytes of an object, by its number.
fn size(number: usize) -> usize {
    MOST.min(FIRST << number.min(16))
}

/// A value in pieces.
pub(crate) struct ObjectPieces {
    /// The sealed objects, in order.
    pub objects: Vec<Ref>,
    /// The remaining bytes, fewer than another object would have.
    pub rest: WipedBytes,
}

impl ObjectPieces {
    /// Writes a value as objects of a folder with this name and a number.
    ///
    /// # Errors
    /// An object cannot be written.
    pub(crate) fn write(
        log: &mut Log,
        folder: &str,
        name: &str,
        value: &impl Serialize,
    ) -> Result<ObjectPieces> {
        let pieces = ObjectPieces {
            objects: Vec::new(),
            rest: WipedBytes::default(),
        };
        let mut writer = Writer {
            log,
            folder,
            name,
            pieces,
            sealing: None,
            failed: None,
        };
        let written = postcard::to_io(value, &mut writer).map(|_| ());
        if let Err(error) = writer.put_sealed() {
            writer.failed.get_or_insert(error);
        }
        match (written, writer.failed) {
            (_, Some(error)) => Err(error),
            (Ok(()), None) => Ok(writer.pieces),
            (Err(_), None) => Err(Error::new(
                ErrorCategory::Internal,
                "serialisation failed (this is a bug)",
            )),
        }
    }

    /// Reads the value; `None` if an object is missing or damaged, or the value has another format.
    pub(crate) fn read<T: DeserializeOwned>(self, objects: ObjectReader<'_>) -> Option<T> {
        let (left, rest) = (self.objects.into_iter(), Some(self.rest));
        let reader = Reader {
            objects,
            left,
            rest,
            piece: WipedBytes::default(),
            at: 0,
            across: WipedBytes::default(),
        };
        let mut values = Deserializer::from_flavor(reader);
        let value = T::deserialize(&mut values).ok()?;
        values.finalize().ok().map(|()| value)
    }

    /// The number of bytes of the value.
    pub(crate) fn bytes(&self) -> u64 {
        let objects: usize = (0..self.objects.len()).map(size).sum();
        (objects + self.rest.len()) as u64
    }

    /// Whether an object of this name is one of a value in pieces.
    pub(crate) fn has(path: &str) -> bool {
        path.rsplit('/')
            .next()
            .is_some_and(|name| name.contains('-'))
    }
}

/// Converts bytes into objects while they are written.
struct Writer<'l> {
    log: &'l mut Log,
    folder: &'l str,
    name: &'l str,
    pieces: ObjectPieces,
    /// The previous object, which another thread seals while the next one is filled.
    sealing: Option<Receiver<Result<DraftObject>>>,
    failed: Option<Error>,
}

impl Writer<'_> {
    /// The number of full objects.
    fn full(&self) -> usize {
        self.pieces.objects.len() + usize::from(self.sealing.is_some())
    }

    fn seal(&mut self) -> Result<()> {
        let name = format!("{}-{:06}", self.name, self.full());
        let object = self.log.unsealed(self.folder, &name)?;
        self.put_sealed()?;
        let content = std::mem::take(&mut self.pieces.rest);
        let (sender, receiver) = channel();
        // If the receiver is gone, an earlier error is reported.
        let seal = move || _ = sender.send(object.seal(&content));
        if size(self.full()) < MOST {
            seal()
        } else {
            rayon::spawn(seal)
        }
        self.sealing = Some(receiver);
        Ok(())
    }

    /// Writes the object that is being sealed, if there is one.
    fn put_sealed(&mut self) -> Result<()> {
        let Some(sealing) = self.sealing.take() else {
            return Ok(());
        };
        let ended = |_| {
            Error::new(
                ErrorCategory::Internal,
                "the thread that seals an object has ended",
            )
        };
        let (sealed, mut drafts) = (sealing.recv().map_err(ended)??, Drafts::default());
        let object = drafts.add(sealed);
        drafts.put(self.log.store())?;
        self.pieces.objects.push(object);
        Ok(())
    }
}

impl io::Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = size(self.full()) - self.pieces.rest.len();
        let taken = room.min(bytes.len());
        self.pieces.rest.write_all(&bytes[..taken])?;
        if taken == room
            && let Err(error) = self.seal()
        {
            self.failed = Some(error);
            return Err(io::ErrorKind::Other.into());
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens objects while they are read.
struct Reader<'o> {
    objects: ObjectReader<'o>,
    left: std::vec::IntoIter<Ref>,
    rest: Option<WipedBytes>,
    /// The current object, and the position in it.
    piece: WipedBytes,
    at: usize,
    /// Bytes that span several objects.
    across: WipedBytes,
}

impl Reader<'_> {
    /// Opens the next object at the end of the current one; returns whether there is more to read.
    fn more(&mut self) -> postcard::Result<bool> {
        while self.at == self.piece.len() {
            let next = match self.left.next() {
                Some(object) => self.objects.read(&object).ok().flatten(),
                None => match self.rest.take() {
                    None => return Ok(false),
                    rest => rest,
                },
            };
            (self.piece, self.at) = (next.ok_or(postcard::Error::DeserializeUnexpectedEnd)?, 0);
        }
        Ok(true)
    }

    /// At most `most` of the next bytes in the current object; none only at the end.
    fn some(&mut self, most: usize) -> postcard::Result<&[u8]> {
        let end = if self.more()? {
            self.piece.len().min(self.at.saturating_add(most))
        } else {
            self.at
        };
        let from = std::mem::replace(&mut self.at, end);
        Ok(&self.piece[from..end])
    }
}

impl<'de> Flavor<'de> for Reader<'de> {
    type Remainder = ();
    type Source = ();

    fn pop(&mut self) -> postcard::Result<u8> {
        self.some(1)?
            .first()
            .copied()
            .ok_or(postcard::Error::DeserializeUnexpectedEnd)
    }

    /// No value that is read borrows.
    fn try_take_n(&mut self, _: usize) -> postcard::Result<&'de [u8]> {
        Err(postcard::Error::WontImplement)
    }

    fn try_take_n_temp<'a>(&'a mut self, count: usize) -> postcard::Result<&'a [u8]>
    where
        'de: 'a,
    {
        if self.more()? && self.piece.len() - self.at >= count {
            return self.some(count);
        }
        let mut across = std::mem::take(&mut self.across);
        across.clear();
        while across.len() < count {
            let some = self.some(count - across.len())?;
            if some.is_empty() {
                return Err(postcard::Error::DeserializeUnexpectedEnd);
            }
            across.extend_from_slice(some);
        }
        self.across = across;
        Ok(&self.across)
    }

    fn finalize(mut self) -> postcard::Result<()> {
        if self.more()? {
            Err(postcard::Error::DeserializeUnexpectedEnd)
        } else {
            Ok(())
        }
    }
}
