//! Checks a private root: the entries follow one another and are signed, messages add up, every
//! object that is needed is as it was sealed, there is no file that no entry names, checkpoints
//! agree with the log, and the public root contains what was decided (`decided_public`).

use std::collections::{BTreeSet, HashSet};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::held_entry::HeldEntry;
use super::only_files::OnlyFiles;
use super::{CheckedPublicRoot, FileFault, public};
use crate::engine::release::{Layout, Sha256};
use crate::error::{Error, ErrorCategory, Result};
use crate::feed_writer::{
    FeedState, ReplayedLog, Statement, checkpoints, from_checkpoint, not_as_decided, past, past_of,
    past_quickly,
};
use crate::journal::store::ReadStore;
use crate::journal::{
    Entry, EntryBody, FOLDERS, KeyRing, ObjectReader, Ref, RequestOrigin, RootFormat, WrappedKey,
    begun, newest, split_generation,
};
use crate::sign::PublicKey;

/// A private root that was checked.
#[derive(Debug, Default)]
pub struct Private {
    /// Entries of the log.
    pub entries: u64,
    /// Objects that were opened.
    pub objects: u64,
    /// Everything that differs from what was written.
    pub findings: Vec<FileFault>,
    /// Files in the public root of a release that is decided and has no manifest yet.
    pub(super) leaving: BTreeSet<String>,
    /// Objects that entries name, in their order.
    pub(super) refs: Vec<Ref>,
    /// The same, by path.
    pub(super) named: BTreeSet<String>,
    /// Those of them that the log forgets, or that other objects have replaced.
    pub(super) gone: HashSet<String>,
    /// Those of the others that open.
    open: HashSet<String>,
    /// The newest epoch.
    pub(super) epoch: u64,
    /// The release that is or was held last.
    pub(super) held: Option<HeldEntry>,
    /// Decisions that approvers have signed, with the entries that contain them.
    pub(super) signed: Vec<(String, Statement, RequestOrigin)>,
}

/// The file that says which feed a private root belongs to.
const FORMAT: &str = "FORMAT";

const UNNAMED: &str = "no entry of the log names this: an earlier writer left it (the next start removes it), or \
     another program put it here";

const KEYLESS: &str = "the key of this object is missing: the object was being forgotten (the next start removes it), \
     or the key was lost: restore it from a backup of the whole root";

const OTHER_KEY: &str =
    "this is encrypted under another key of the operator: repeat the last `tidegate rekey`";

const DIFFERS: &str = "this differs from the object of the same name in a pack of the private root: restore it from a backup";

/// Whether this is the fence of a writer that came too late: its write was still in progress when
/// the entry with the same number was packed. It has no effect, and the next start deletes it.
fn is_late_fence(path: &str, bytes: &[u8], ring: &KeyRing) -> bool {
    let fence = Entry::parse(bytes, ring)
        .ok()
        .filter(|entry| matches!(entry.body, EntryBody::Fence(_)));
    fence.is_some_and(|fence| Entry::path(fence.seq) == path)
}

/// Checks a public root and the private one that it belongs to, both at the same time.
///
/// # Errors
/// One of them cannot be read.
pub fn roots(
    store: &dyn ReadStore,
    ring: &KeyRing,
    shown: &dyn ReadStore,
    layout: Layout,
    keys: &[PublicKey],
) -> Result<(CheckedPublicRoot, Private)> {
    let before = newest(store).ok();
    let files = OnlyFiles::of(shown, layout)?;
    let (seen, found) = Private::of(store, ring, &files, || public::files(&files, layout, keys))?;
    let is_intact =
        seen.findings.is_empty() && seen.strange.is_empty() && found.findings.is_empty();
    // A running writer may have continued between the two reads. Releases are decided before they
    // are published, so a log that is read later contains them.
    if is_intact || newest(store).ok() == before {
        return Ok((seen, found));
    }
    let files = OnlyFiles::of(shown, layout)?;
    let seen = public::files(&files, layout, keys)?;
    Private::of(store, ring, &files, || Ok(seen))
}

/// The log of a private root, as each way of reading it found it.
struct ReadLog {
    format: Option<RootFormat>,
    /// Read from its beginning.
    past: Result<ReplayedLog>,
    /// The hash of the state that a start from the newest checkpoint leads to; None if it reads the
    /// log from its beginning.
    quick: Result<Option<Sha256>>,
}

impl Private {
    /// A private root that cannot be checked at all: the error of opening its keys names the object
    /// that was changed.
    ///
    /// # Errors
    /// The error is of another kind.
    pub fn unopened(error: Error) -> Result<Private> {
        let mut found = Private::default();
        found.hidden(error)?;
        Ok(found)
    }

    /// All findings: these, and those of the public root except for files that are just being
    /// written or removed there.
    pub fn with_public(self, seen: CheckedPublicRoot) -> Vec<FileFault> {
        let Private {
            mut findings,
            leaving,
            ..
        } = self;
        findings.extend(seen.findings);
        let strange = seen
            .strange
            .into_iter()
            .filter(|path| !leaving.contains(path));
        findings.extend(strange.map(FileFault::unnamed));
        findings
    }

    /// A pack that cannot be opened hides everything else.
    fn hidden(&mut self, error: Error) -> Result<()> {
        if error.kind != ErrorCategory::Input || error.field.is_none() {
            return Err(error);
        }
        self.push(&error);
        Ok(())
    }

    fn of(
        store: &dyn ReadStore,
        ring: &KeyRing,
        shown: &dyn ReadStore,
        public: impl FnOnce() -> Result<CheckedPublicRoot> + Send,
    ) -> Result<(CheckedPublicRoot, Private)> {
        let mut found = Private::default();
        let (read, seen) = found.read(store, ring, shown, public);
        let seen = seen?;
        if let Err(error) = read.and_then(|read| found.compare(read, store, ring, (&seen, shown))) {
            found.hidden(error)?;
        }
        found.findings.sort();
        found.findings.dedup();
        Ok((seen, found))
    }

    /// Reads the log, from its beginning and from its newest checkpoint on, and the public root at
    /// the same time.
    fn read(
        &mut self,
        store: &dyn ReadStore,
        ring: &KeyRing,
        shown: &dyn ReadStore,
        public: impl FnOnce() -> Result<CheckedPublicRoot> + Send,
    ) -> (Result<ReadLog>, Result<CheckedPublicRoot>) {
        let format = self.format(store);
        let entries = match self.log(store, ring) {
            Ok(entries) => entries,
            Err(error) => return (Err(error), public()),
        };
        let replay = || match &entries {
            Some(entries) => past_of(store, shown, ring, entries),
            None => past(store, shown, ring),
        };
        let beside = || {
            let quick = entries.as_ref().map_or(Ok(None), |entries| {
                from_checkpoint(store, shown, ring, entries)
            });
            let quick = quick.map(|state| state.map(|state| state.sha256()));
            let seen = public();
            self.opens(&ObjectReader::new(store, ring));
            (quick, seen)
        };
        // The first of these takes longer than all others together.
        let (past, (quick, seen)) = rayon::join(replay, beside);
        (
            Ok(ReadLog {
                format,
                past,
                quick,
            }),
            seen,
        )
    }

    fn format(&mut self, store: &dyn ReadStore) -> Option<RootFormat> {
        match begun(store) {
            Ok(None) => self.wrong(
                FORMAT.to_owned(),
                "this file is missing: restore it from a backup",
            ),
            Ok(format) => return format,
            Err(error) => self.push(&error),
        }
        None
    }

    fn compare(
        &mut self,
        ReadLog {
            format,
            past,
            quick,
        }: ReadLog,
        store: &dyn ReadStore,
        ring: &KeyRing,
        (public, shown): (&CheckedPublicRoot, &dyn ReadStore),
    ) -> Result<()> {
        let state = match past {
            Ok(ReplayedLog { state, .. }) => state,
            Err(error) => {
                self.push(&error);
                None
            }
        };
        if let Some(state) = &state {
            let other = format
                .filter(|format| public.layout == Layout::Root && format.feed != state.terms.name);
            other.iter().for_each(|format| {
                self.wrong(FORMAT.to_owned(), &format.is_of_another(store).text)
            });
            let newest = || {
                past_quickly(store, shown, ring)
                    .ok()
                    .and_then(|past| past.state)
            };
            self.objects(state, &ObjectReader::new(store, ring), newest);
            self.staged(store, state, ring)?;
            let (sha256, published) =
                rayon::join(|| state.sha256(), || self.published(state, public, shown));
            published?;
            self.checkpoints((store, ring), &quick, sha256);
            self.statements(&state.terms.name);
        }
        let differing = store.differing()?;
        let wrong = differing
            .into_iter()
            .filter(|(path, alone)| !is_late_fence(path, alone, ring));
        wrong.for_each(|(path, _)| self.wrong(path, DIFFERS));
        self.strangers(store, ring)?;
        self.keys(store, ring)?;
        Ok(())
    }

    fn push(&mut self, error: &Error) {
        self.findings.push(FileFault::of(error));
    }

    pub(super) fn wrong(&mut self, path: String, text: &str) {
        self.findings.push(FileFault::new(path, text));
    }

    /// Opens the objects that are probably needed, while the log is read.
    fn opens(&mut self, objects: &ObjectReader) {
        let refs = self
            .refs
            .par_iter()
            .filter(|object| !self.gone.contains(&object.path));
        let open =
            refs.filter(|object| objects.read(object).is_ok_and(|content| content.is_some()));
        self.open = open.map(|object| object.path.clone()).collect();
    }

    /// Checks that the needed objects open. Other objects are forgotten, or erased: looking for one
    /// that is in no pack would mean reading all packs. Of those that do not open, a running writer
    /// may have forgotten some since `state` was read; the newest state says which.
    fn objects(
        &mut self,
        state: &FeedState,
        objects: &ObjectReader,
        newest: impl FnOnce() -> Option<FeedState>,
    ) {
        let live = self
            .refs
            .iter()
            .filter(|object| state.live.contains(&object.path))
            .collect::<Vec<_>>();
        let wrong = |object: &&Ref| match self.open.contains(&object.path) {
            true => None,
            false => Some((object.path.clone(), objects.need(object).err()?)),
        };
        let mut wrong: Vec<(String, Error)> = live.par_iter().filter_map(wrong).collect();
        self.objects = (live.len() - wrong.len()) as u64;
        if !wrong.is_empty()
            && let Some(newest) = newest()
        {
            wrong.retain(|(path, _)| newest.live.contains(path));
        }
        wrong.iter().for_each(|(_, error)| self.push(error));
    }

    /// Checks that the files of a release that is decided, or waits for a person, are as they were
    /// decided.
    fn staged(&mut self, store: &dyn ReadStore, state: &FeedState, ring: &KeyRing) -> Result<()> {
        let last = newest(store)?;
        for pending in state.publishing.iter().chain(&state.held) {
            for file in pending.approved.staged() {
                if file.read_staged(ObjectReader::new(store, ring))?.is_some() {
                    continue;
                }
                // A running daemon may have published them meanwhile.
                if newest(store)? == last {
                    self.push(&not_as_decided(&file.stage));
                }
            }
        }
        Ok(())
    }

    /// Checks that a start from a checkpoint leads to the same state.
    fn checkpoints(
        &mut self,
        (store, ring): (&dyn ReadStore, &KeyRing),
        quick: &Result<Option<Sha256>>,
        whole: Sha256,
    ) {
        let Some(newest) = checkpoints(store, ring).unwrap_or_default().pop() else {
            return;
        };
        if !matches!(quick, Ok(None)) && !quick.as_ref().is_ok_and(|quick| *quick == Some(whole)) {
            self.wrong(
                ring.stored(&newest.path),
                "this checkpoint does not match the log: remove it",
            );
        }
    }

    /// Checks that every key is wrapped with the valid key of the operator.
    fn keys(&mut self, store: &dyn ReadStore, ring: &KeyRing) -> Result<()> {
        for key in store.list("keys")? {
            if WrappedKey::at(&key.path).is_some_and(|wrap| wrap.generation != ring.generation()) {
                self.wrong(key.path, OTHER_KEY);
            }
        }
        Ok(())
    }

    /// Checks that there is no object that no entry names, except those that the newest writer has
    /// not named yet, and that each named object has its key.
    fn strangers(&mut self, store: &dyn ReadStore, ring: &KeyRing) -> Result<()> {
        // Listed before the objects, since they are forgotten with their keys.
        let keys = store.list("keys")?;
        let keyed: BTreeSet<&str> = keys
            .iter()
            .filter_map(|key| WrappedKey::at(&key.path)?.object)
            .collect();
        let opens = |path: &str| {
            path.split_once('/')
                .is_some_and(|(_, object)| keyed.contains(object))
        };
        for entry in store.foreign()? {
            // The folder of temporary files.
            if entry.path != ".new" || entry.kind != "a hidden folder" {
                self.wrong(entry.path, UNNAMED);
            }
        }
        for object in store.list("")? {
            let (path, generation) = split_generation(&object.path);
            let mut parts = path.split('/');
            let (folder, epoch) = (
                parts.next().unwrap_or_default(),
                parts.next().and_then(|part| part.parse().ok()),
            );
            let young = epoch.is_none_or(|epoch: u64| epoch >= self.epoch);
            let known = match folder {
                "FORMAT" | "clock" | "scrubbed" | "halted.json" | "log" | "pack" | "inbox"
                | "checkpoint" | "keys" | "stage" | "told" | "verdicts" => true,
                folder if FOLDERS.contains(&folder) => young || self.named.contains(path),
                _ => false,
            };
            let text = if !known {
                UNNAMED
            } else if FOLDERS.contains(&folder) && generation != ring.generation() {
                OTHER_KEY
            } else if self.named.contains(path) && !opens(path) {
                KEYLESS
            } else {
                continue;
            };
            self.wrong(object.path.clone(), text);
        }
        Ok(())
    }
}
