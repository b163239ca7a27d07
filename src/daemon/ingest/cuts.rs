//! Messages of a file that are set aside while it is read, passed on in offers before they have too
//! many bytes: a file may contain any number of them. Nothing here decides which messages are set
//! aside.

use super::message_places::MessagePlace;
use super::offer::{Offer, SetAsideMessage};
use super::row_faults::Misplaced;
use super::source::SourceFile;
use crate::error::Result;

/// The most messages of which only the place is known.
const MANY: usize = 1 << 18;
/// The memory of a message in addition to its bytes.
const BESIDE: usize = 128;

/// The messages that have not been passed on yet.
pub(super) struct Cuts<'p> {
    name: String,
    /// The number of bytes at which they are passed on.
    most: usize,
    put: &'p mut dyn FnMut(Offer) -> Result<()>,
    /// Messages to be read from the file, with their sizes if known.
    places: Vec<(Misplaced, MessagePlace)>,
    known: usize,
    /// Messages that have been read.
    messages: Vec<SetAsideMessage>,
    bytes: usize,
}

impl<'p> Cuts<'p> {
    /// For a file of this name; `put` receives offers of about this many bytes.
    pub(crate) fn new(
        name: String,
        most: usize,
        put: &'p mut dyn FnMut(Offer) -> Result<()>,
    ) -> Cuts<'p> {
        Cuts {
            name,
            most,
            put,
            places: Vec::new(),
            known: 0,
            messages: Vec::new(),
            bytes: 0,
        }
    }

    /// Adds the next messages, in file order.
    ///
    /// # Errors
    /// The file is damaged, or they cannot be passed on.
    pub(crate) fn add(
        &mut self,
        source: &SourceFile,
        places: Vec<Misplaced>,
        kept: Vec<MessagePlace>,
    ) -> Result<()> {
        self.known += kept.iter().map(|kept| BESIDE + kept.size()).sum::<usize>();
        self.places.extend(places.into_iter().zip(kept));
        if self.places.len() < MANY && self.known < self.most {
            Ok(())
        } else {
            self.fetch(source)
        }
    }

    /// The remaining messages, at the end of the file.
    ///
    /// # Errors
    /// As [`Cuts::add`].
    pub(crate) fn rest(mut self, source: &SourceFile) -> Result<Offer> {
        self.fetch(source)?;
        Ok(Offer::new(self.name, source.form()?, self.messages))
    }

    fn fetch(&mut self, source: &SourceFile) -> Result<()> {
        self.known = 0;
        let (places, kept): (Vec<Misplaced>, Vec<MessagePlace>) =
            std::mem::take(&mut self.places).into_iter().unzip();
        let mut places = places.into_iter();
        source.fetch(kept, &mut |raw| {
            let place = places.next().expect("each that is fetched has a place");
            self.bytes += BESIDE + raw.as_ref().map_or(0, |raw| raw.bytes().len());
            self.messages.push(SetAsideMessage { place, raw });
            if self.bytes < self.most {
                return Ok(());
            }
            self.bytes = 0;
            (self.put)(Offer::new(
                self.name.clone(),
                source.form()?,
                std::mem::take(&mut self.messages),
            ))
        })
    }
}
