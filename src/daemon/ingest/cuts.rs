//! Messages of a file that are set aside while it is read, handed on in offers before they are too many bytes: a file may have
//! any number of them. Nothing here decides which they are.

use super::message_places::MessagePlace;
use super::offer::{Offer, SetAsideMessage};
use super::row_faults::Misplaced;
use super::source::SourceFile;
use crate::daemon::error::Result;

/// Messages at most that only their place is known of.
const MANY: usize = 1 << 18;
/// What a message takes beside its bytes.
const BESIDE: usize = 128;

/// Messages on their way.
pub(super) struct Cuts<'p> {
    name: String,
    /// With so many bytes they are handed on.
    most: usize,
    put: &'p mut dyn FnMut(Offer) -> Result<()>,
    /// Those that are to be fetched, and their bytes where these are known.
    places: Vec<(Misplaced, MessagePlace)>,
    known: usize,
    /// Those that were, and their bytes.
    messages: Vec<SetAsideMessage>,
    bytes: usize,
}

impl<'p> Cuts<'p> {
    /// Of a file of this name; `put` takes what has this many bytes.
    pub fn new(name: String, most: usize, put: &'p mut dyn FnMut(Offer) -> Result<()>) -> Cuts<'p> {
        Cuts { name, most, put, places: Vec::new(), known: 0, messages: Vec::new(), bytes: 0 }
    }

    /// The next ones, in file order.
    ///
    /// # Errors
    /// The file is damaged, or they cannot be handed on.
    pub fn add(&mut self, source: &SourceFile, places: Vec<Misplaced>, kept: Vec<MessagePlace>) -> Result<()> {
        self.known += kept.iter().map(|kept| BESIDE + kept.size()).sum::<usize>();
        self.places.extend(places.into_iter().zip(kept));
        if self.places.len() < MANY && self.known < self.most { Ok(()) } else { self.fetch(source) }
    }

    /// Those that were not handed on, when all have come.
    ///
    /// # Errors
    /// As [`Cuts::add`].
    pub fn rest(mut self, source: &SourceFile) -> Result<Offer> {
        self.fetch(source)?;
        Ok(Offer::new(self.name, source.form()?, self.messages))
    }

    fn fetch(&mut self, source: &SourceFile) -> Result<()> {
        self.known = 0;
        let (places, kept): (Vec<Misplaced>, Vec<MessagePlace>) = std::mem::take(&mut self.places).into_iter().unzip();
        let mut places = places.into_iter();
        source.fetch(kept, &mut |raw| {
            let place = places.next().expect("each that is fetched has a place");
            self.bytes += BESIDE + raw.as_ref().map_or(0, |raw| raw.bytes().len());
            self.messages.push(SetAsideMessage { place, raw });
            if self.bytes < self.most {
                return Ok(());
            }
            self.bytes = 0;
            (self.put)(Offer::new(self.name.clone(), source.form()?, std::mem::take(&mut self.messages)))
        })
    }
}
