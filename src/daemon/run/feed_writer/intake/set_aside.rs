//! Writes set-aside messages to their final place before an entry names them (HOUSE 3, Ingest
//! order), one object after the other, so that they need little memory however many there are.
//! Objects that no entry names in the end are removed, here or at the next start.

use super::super::state::FeedState;
use crate::config::RecordRules;
use crate::engine::histogram::Person;
use crate::engine::policy::{OnRepeat, Policy};
use crate::error::Result;
use crate::ingest::{InputFile, Offer, PersonHasher, Repeats, TakenRows, take_cut};
use crate::journal::{Drafts, Log, Quarantined, destroy_all};

/// The most bytes of messages in an object, not counting the last message.
const MOST: usize = 16 << 20;

/// Objects of messages that no entry names yet.
#[derive(Debug, Default)]
pub struct UnnamedObjects {
    /// The objects, in order.
    pub(in crate::feed_writer) objects: Vec<Quarantined>,
    /// How many of the messages are rows of people who have one already.
    repeats: u64,
}

impl UnnamedObjects {
    /// The number of messages.
    pub fn messages(&self) -> u64 {
        self.objects.iter().map(|object| object.messages).sum()
    }

    /// How many of them are rows of people who have one already.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }

    /// Writes these messages; returns where.
    pub(in crate::feed_writer) fn put(
        &mut self,
        offer: &Offer,
        log: &mut Log,
    ) -> Result<Quarantined> {
        let (mut drafts, messages) = (Drafts::default(), offer.messages().len() as u64);
        let object = log.seal(&mut drafts, "quarantine", &offer.bytes())?;
        let put = Quarantined { object, messages };
        // Recorded before it is written, so that it is removed with the others in any case.
        self.objects.push(put.clone());
        self.repeats += messages - offer.faults();
        drafts.put(log.store())?;
        Ok(put)
    }

    /// Removes objects that no entry will name. The next start removes those that cannot be removed
    /// now.
    pub(in crate::feed_writer) fn clear(self, log: &Log) {
        let paths = self.objects.iter().map(|put| put.object.path.as_str());
        let _ = destroy_all(log.store(), log.ring(), paths);
    }
}

/// Reads a file. When too many messages are set aside, the first of them are already written.
pub(in crate::feed_writer) fn read(
    log: &mut Log,
    state: &FeedState,
    policy: &Policy,
    (hasher, rules): (&PersonHasher, &RecordRules),
    file: &InputFile,
) -> Result<(TakenRows, UnnamedObjects)> {
    let people = state.feed.people();
    let known = |person: Person| people.knows(person);
    let mut repeats = (policy.on_repeat() == OnRepeat::DeadLetter).then(|| Repeats::of(&known));
    let mut shelf = UnnamedObjects::default();
    let mut put = |offer: Offer| shelf.put(&offer, log).map(|_| ());
    match take_cut(
        file,
        &state.terms.columns,
        hasher,
        rules,
        repeats.as_mut(),
        MOST,
        &mut put,
    ) {
        Ok(taken) => Ok((taken, shelf)),
        Err(error) => {
            shelf.clear(log);
            Err(error)
        }
    }
}
