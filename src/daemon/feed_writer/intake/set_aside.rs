//! Messages that are set aside are put where they stay before an entry names them (HOUSE 3, Ingest order), one object after
//! the other, so that they need little memory however many they are. What no entry comes to name is removed, here or by the
//! next start.

use std::path::Path;

use super::super::writer::FeedWriter;
use crate::daemon::error::Result;
use crate::daemon::ingest::{Offer, Repeats, TakenRows, take_cut};
use crate::daemon::journal::{Drafts, Log, Quarantined, destroy_all};
use crate::engine::histogram::Person;
use crate::engine::policy::OnRepeat;

/// Bytes of messages that an object has at most, but for the last one of them.
const MOST: usize = 16 << 20;

/// Objects of messages that no entry names yet.
#[derive(Debug, Default)]
pub struct UnnamedObjects {
    /// The objects, in order.
    pub(in crate::daemon::feed_writer) objects: Vec<Quarantined>,
    /// How many of the messages are rows of people who have one already.
    repeats: u64,
}

impl UnnamedObjects {
    /// How many messages there are.
    pub fn messages(&self) -> u64 {
        self.objects.iter().map(|object| object.messages).sum()
    }

    /// How many of them are rows of people who have one already.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }

    /// Puts these; where they are.
    pub(in crate::daemon::feed_writer) fn put(&mut self, offer: &Offer, log: &mut Log) -> Result<Quarantined> {
        let (mut drafts, messages) = (Drafts::default(), offer.messages().len() as u64);
        let object = log.seal(&mut drafts, "quarantine", &offer.bytes())?;
        let put = Quarantined { object, messages };
        // Known before it is there: it is removed with the others, whatever comes.
        self.objects.push(put.clone());
        self.repeats += messages - offer.faults();
        drafts.put(log.store())?;
        Ok(put)
    }

    /// Removes what no entry will name. Whatever cannot be removed is by the next start.
    pub(in crate::daemon::feed_writer) fn clear(self, log: &Log) {
        let paths = self.objects.iter().map(|put| put.object.path.as_str());
        let _ = destroy_all(log.store(), log.ring(), paths);
    }
}

impl FeedWriter {
    /// Reads a file. Of the messages that are set aside those that are too many are put already.
    ///
    /// # Errors
    /// As [`take_cut`], or they cannot be put.
    pub fn read(&mut self, file: &Path) -> Result<(TakenRows, UnnamedObjects)> {
        let FeedWriter { log, state, policy, hasher, .. } = self;
        let people = state.feed.people();
        let known = |person: Person| people.knows(person);
        let mut repeats = (policy.on_repeat() == OnRepeat::DeadLetter).then(|| Repeats::of(&known));
        let mut shelf = UnnamedObjects::default();
        let mut put = |offer: Offer| shelf.put(&offer, log).map(|_| ());
        match take_cut(file, &state.terms.columns, hasher, repeats.as_mut(), MOST, &mut put) {
            Ok(taken) => Ok((taken, shelf)),
            Err(error) => {
                shelf.clear(log);
                Err(error)
            }
        }
    }

    /// What was put is not to be named.
    pub fn let_go(&self, shelf: UnnamedObjects) {
        shelf.clear(&self.log);
    }
}
