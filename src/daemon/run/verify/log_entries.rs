//! Checks the entries of a private root: each is signed and follows the one before, and its
//! messages add up.

use std::collections::BTreeSet;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::held_entry::{HeldEntry, NOT_HELD, NOT_PERMITTED, TOO_FEW};
use super::private::Private;
use crate::engine::release::Sha256;
use crate::error::Result;
use crate::feed_writer::Statement;
use crate::journal::store::ReadStore;
use crate::journal::{
    CheckedEntry, Decision, Entry, EntryBody, IntakePart, KeyRing, Rejection, newest,
};

const NO_ENTRY: &str = "this entry of the log is missing";
const NOT_PROVED: &str =
    "this is not the last entry that was there when the operator's key was changed";
const NO_SUM: &str = "its messages do not add up";

/// The number of entries that are read together, to be parsed on all cores.
const TOGETHER: usize = 1 << 12;

impl Private {
    /// Checks the entries with the objects that each names; after a wrong entry the next one is
    /// checked by itself. Returns the entries; None if some are missing or cannot be parsed.
    pub(super) fn log(
        &mut self,
        store: &dyn ReadStore,
        ring: &KeyRing,
    ) -> Result<Option<Vec<CheckedEntry>>> {
        let (mut entries, mut is_whole, mut is_after) = (Vec::<CheckedEntry>::new(), true, false);
        // Entries that were there when the keys were changed must be there.
        let last = newest(store)?.max(ring.proved().map(|proved| proved.seq));
        let places: Vec<u64> = (0..last.map_or(0, |last| last + 1)).collect();
        for places in places.chunks(TOGETHER) {
            let read = |seq: &u64| Ok((*seq, store.read(&Entry::path(*seq))?));
            let read = places
                .iter()
                .map(read)
                .collect::<Result<Vec<(u64, Option<Vec<u8>>)>>>()?;
            let parsed = read
                .into_par_iter()
                .map(|(seq, bytes)| (seq, parsed(bytes.as_deref(), ring)));
            for (seq, parsed) in parsed.collect::<Vec<_>>() {
                match parsed {
                    Ok(entry) => {
                        self.entry(&entry, seq, entries.last().filter(|_| is_after));
                        entries.push(entry);
                        is_after = true;
                    }
                    Err(text) => {
                        self.wrong(Entry::path(seq), &text);
                        (is_whole, is_after) = (false, false);
                    }
                }
            }
        }
        Ok(Some(entries).filter(|_| is_whole))
    }

    /// Checks the entry with this number, and that it follows the one before, if that is known.
    fn entry(
        &mut self,
        CheckedEntry { entry, sha256 }: &CheckedEntry,
        seq: u64,
        before: Option<&CheckedEntry>,
    ) {
        self.entries += 1;
        wrong_with(entry, seq, before).for_each(|text| self.wrong(Entry::path(seq), text));
        self.decisions(entry, *sha256);
        for object in entry.body.objects() {
            if self.named.insert(object.path.clone()) {
                self.refs.push(object.clone());
            }
        }
        match &entry.body {
            EntryBody::Forgotten(forgotten) => self.gone.extend(forgotten.objects.iter().cloned()),
            EntryBody::Erase(erase) => self
                .gone
                .extend(erase.moved.iter().map(|moved| moved.old.clone())),
            _ => {}
        }
        self.epoch = self.epoch.max(entry.epoch);
    }

    /// Checks the decisions of people against the entry that holds the release, and collects them:
    /// signatures are checked when the feed is known.
    fn decisions(&mut self, entry: &Entry, sha256: Sha256) {
        let path = || Entry::path(entry.seq);
        let (statement, wanted) = match &entry.body {
            EntryBody::Decision(Decision::Hold(hold)) => {
                let (release, rule) = (hold.approved.release(), hold.rule.clone());
                return self.held = Some(HeldEntry {
                    release,
                    sha256,
                    rule,
                    approvers: BTreeSet::new(),
                });
            }
            EntryBody::Decision(Decision::Publish(_)) => return self.held = None,
            EntryBody::Published(published) => {
                let held = self.held.take_if(|held| held.release == published.release);
                if held.is_some_and(|held| held.missing() > 0) {
                    self.wrong(path(), TOO_FEW);
                }
                return;
            }
            EntryBody::Decision(Decision::Reject(Rejection {
                release,
                wanted: Some(wanted),
                ..
            })) => {
                let Some(held) = self.held.take_if(|held| held.release == *release) else {
                    return;
                };
                if !held.rule.permits(wanted) {
                    self.wrong(path(), NOT_PERMITTED);
                }
                (
                    Statement {
                        release: *release,
                        digest: held.sha256,
                        approves: false,
                    },
                    wanted,
                )
            }
            EntryBody::Approve(approval) => {
                let (release, digest) = (approval.release, approval.decision);
                let wrong = match &mut self.held {
                    Some(held) if (held.release, held.sha256) == (release, digest) => {
                        held.approved(approval)
                    }
                    _ => Some(NOT_HELD),
                };
                wrong.into_iter().for_each(|text| self.wrong(path(), text));
                (
                    Statement {
                        release,
                        digest,
                        approves: true,
                    },
                    &approval.wanted,
                )
            }
            _ => return,
        };
        if wanted.signed.is_some() {
            self.signed.push((path(), statement, wanted.clone()));
        }
    }

    /// Approvers have signed what the log says about them.
    pub(super) fn statements(&mut self, feed: &str) {
        for (path, statement, wanted) in std::mem::take(&mut self.signed) {
            if !statement.is_signed(feed, &wanted) {
                self.wrong(
                    path,
                    "the signature of the approver does not match this entry",
                );
            }
        }
    }
}

/// The entry at a number, or what is wrong with it.
pub(super) fn parsed(
    bytes: Option<&[u8]>,
    ring: &KeyRing,
) -> std::result::Result<CheckedEntry, String> {
    let bytes = bytes.ok_or(NO_ENTRY)?;
    let entry = Entry::parse(bytes, ring).map_err(|none| none.to_string())?;
    let sha256 = Sha256::of(bytes);
    if !ring.fits(entry.seq, sha256) {
        return Err(NOT_PROVED.to_owned());
    }
    Ok(CheckedEntry { entry, sha256 })
}

/// What is wrong with the entry at this number, given the one before, if that is known.
pub(super) fn wrong_with(
    entry: &Entry,
    seq: u64,
    before: Option<&CheckedEntry>,
) -> impl Iterator<Item = &'static str> + use<> {
    [
        follows(entry, seq, before),
        (!adds_up(entry)).then_some(NO_SUM),
    ]
    .into_iter()
    .flatten()
}

fn follows(entry: &Entry, seq: u64, before: Option<&CheckedEntry>) -> Option<&'static str> {
    if entry.seq != seq {
        return Some("this is the entry of another place");
    }
    let CheckedEntry {
        entry: last,
        sha256,
    } = before?;
    let fence = matches!(entry.body, EntryBody::Fence(_));
    let epoch =
        entry.epoch == last.epoch + u64::from(fence) && (fence || entry.writer == last.writer);
    (entry.prev_sha256 != Some(*sha256) || !epoch)
        .then_some("this entry does not follow the one before")
}

/// Every message has an outcome.
fn adds_up(entry: &Entry) -> bool {
    match &entry.body {
        EntryBody::Ingest(ingest) => {
            let kept: u64 = ingest.segments.iter().map(|segment| segment.rows).sum();
            let aside: u64 = ingest.quarantine.iter().map(|aside| aside.messages).sum();
            let parts = |of: fn(&IntakePart) -> u64| ingest.parts.iter().map(of).sum::<u64>();
            ingest.parts.iter().all(|part| part.adds_up())
                && parts(|part| part.counts.kept) == kept
                && parts(|part| part.counts.quarantined) == aside
        }
        EntryBody::Retry(retry) => {
            let kept: u64 = retry.segments.iter().map(|segment| segment.rows).sum();
            kept == retry.kept
                && retry.offered == retry.kept + retry.duplicate + retry.skipped + retry.quarantined
        }
        _ => true,
    }
}
