//! The slow check of everything that the log names, while a feed runs: one entry, object, manifest,
//! commit or piece of a published file at each step, in the order of the log. Damage is reported in
//! the words of the check of the whole (CONTRACTS 3, verify).
//!
//! Memory follows the largest object, never the length of the log. Whatever the newest state, which
//! the caller has, no longer needs is skipped.

use std::collections::VecDeque;
use std::sync::Arc;

use sha2::Digest;

use super::FileFault;
use super::decided_public::{COMMIT_GONE, OTHER_COMMIT, OTHER_MANIFEST, RELEASE_GONE};
use super::log_entries::{parsed, wrong_with};
use super::public::{NO_SIGNATURE, not_published};
use crate::engine::delta::LogFile;
use crate::engine::release::{Layout, Manifest, Sha256, TableId};
use crate::error::{Error, ErrorCategory, Result};
use crate::feed_writer::{DecidedRelease, DeltaLog, FeedState, log_path};
use crate::journal::store::ReadStore;
use crate::journal::{CheckedEntry, Entry, KeyRing, ObjectReader, Ref};

/// The number of bytes of a published file that are read at a time.
const PIECE: u64 = 1 << 20;

/// The number of commits that are checked before a release: those that a reader may need besides
/// the newest checkpoint.
const COMMITS: u64 = 10;

/// What a running feed passes in.
#[derive(Clone, Copy)]
pub struct ScrubInput<'a> {
    /// The private root.
    pub private: &'a dyn ReadStore,
    /// The public root.
    pub public: &'a dyn ReadStore,
    /// The keys.
    pub ring: &'a KeyRing,
    /// The newest state.
    pub state: &'a FeedState,
    /// The number of the next entry.
    pub next: u64,
}

/// An object that is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScrubbedObject {
    /// An entry, and whether it follows the one before.
    Entry(u64),
    /// A sealed object with its key.
    Object(Ref),
    /// A manifest with its signature.
    Manifest(u32),
    /// A file that was published with a release.
    File(u32, String, Sha256),
    /// A commit of a Delta log.
    Commit(TableId, u64),
}

/// An object that differs from what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The object.
    pub place: ScrubbedObject,
    /// The finding that describes it.
    pub finding: FileFault,
}

impl Damage {
    /// Whether the feed must not continue without it: a start, a tick or a release reads it or is
    /// checked against it. Messages that are set aside, verdicts and pages are for people.
    pub fn stops(&self) -> bool {
        let is_for_people = |path: &str| {
            ["quarantine/", "verdict/", "report/"]
                .iter()
                .any(|at| path.starts_with(at))
        };
        match &self.place {
            ScrubbedObject::Object(object) => !is_for_people(&object.path),
            ScrubbedObject::File(_, path, _) => !is_for_people(path),
            ScrubbedObject::Entry(_) | ScrubbedObject::Manifest(_) | ScrubbedObject::Commit(..) => {
                true
            }
        }
    }

    /// The error that halts a feed.
    pub fn error(&self) -> Error {
        Error::new(ErrorCategory::Input, self.finding.text.clone())
            .in_field(self.finding.file.clone())
    }
}

/// The result of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScrubStep {
    /// This many bytes were checked, and nothing was wrong.
    Sound(u64),
    /// An object differs from what was written.
    Damaged(Damage),
    /// Everything was checked once.
    Over,
}

/// The progress of a round.
#[derive(Default)]
pub struct Scrub {
    /// The private root without the part that the writer keeps in memory.
    fresh: Option<Arc<dyn ReadStore>>,
    entry: u64,
    /// The previous entry.
    before: Option<CheckedEntry>,
    /// Objects of that entry.
    objects: VecDeque<Ref>,
    /// The number of releases that were checked.
    releases: usize,
    /// Files of the last one of them.
    files: VecDeque<ScrubbedObject>,
    /// The file that is being read.
    reads: Option<(ScrubbedObject, FileReader)>,
    /// The Delta log and the version that come next.
    commit: Option<(TableId, u64)>,
}

impl Scrub {
    /// Checks the next object.
    ///
    /// # Errors
    /// A root cannot be read.
    pub fn step(&mut self, roots: ScrubInput<'_>) -> Result<ScrubStep> {
        if self.fresh.is_none() {
            self.fresh = roots.private.afresh()?;
        }
        let fresh = self.fresh.clone();
        let roots = ScrubInput {
            private: fresh.as_deref().unwrap_or(roots.private),
            ..roots
        };
        if let Some((place, reader)) = self.reads.take() {
            return self.read_file(roots, place, reader);
        }
        if let Some(object) = self.objects.pop_front() {
            return looked(roots, ScrubbedObject::Object(object));
        }
        if self.entry < roots.next {
            return self.next_entry(roots);
        }
        if let Some(place) = self.files.pop_front() {
            return self.read_file(roots, place, FileReader::default());
        }
        if let Some(line) = roots.state.releases.get(self.releases) {
            self.releases += 1;
            let file = |(path, sha256): &(String, Sha256)| {
                ScrubbedObject::File(line.release, path.clone(), *sha256)
            };
            self.files = line.files.iter().map(file).collect();
            return looked(roots, ScrubbedObject::Manifest(line.release));
        }
        match self.next_commit(roots.state) {
            Some((id, version)) => looked(roots, ScrubbedObject::Commit(id, version)),
            None => {
                *self = Scrub::default();
                Ok(ScrubStep::Over)
            }
        }
    }

    fn next_entry(&mut self, roots: ScrubInput<'_>) -> Result<ScrubStep> {
        let (seq, before) = (self.entry, self.before.take());
        self.entry += 1;
        match entry(roots, seq, before.as_ref())? {
            Ok((entry, bytes)) => {
                self.objects = entry.entry.body.objects().into_iter().cloned().collect();
                self.before = Some(entry);
                Ok(ScrubStep::Sound(bytes))
            }
            Err(finding) => Ok(ScrubStep::Damaged(Damage {
                place: ScrubbedObject::Entry(seq),
                finding,
            })),
        }
    }

    fn read_file(
        &mut self,
        roots: ScrubInput<'_>,
        place: ScrubbedObject,
        mut reader: FileReader,
    ) -> Result<ScrubStep> {
        let ScrubbedObject::File(release, path, sha256) = &place else {
            return Ok(ScrubStep::Sound(0));
        };
        if !needs(roots.state, *release, path) {
            return Ok(ScrubStep::Sound(0));
        }
        let read = reader.read_on(roots.public, path)?;
        let Some(there) = reader.digest(read) else {
            self.reads = Some((place, reader));
            return Ok(ScrubStep::Sound(PIECE));
        };
        let wrong = not_published(there, *sha256).map(|text| FileFault::new(path.clone(), text));
        Ok(match wrong {
            None => ScrubStep::Sound(read.unwrap_or(0)),
            Some(finding) => ScrubStep::Damaged(Damage { place, finding }),
        })
    }

    fn next_commit(&mut self, state: &FeedState) -> Option<(TableId, u64)> {
        loop {
            let (id, version) = match self.commit {
                Some(at) => at,
                None => (*state.tables.keys().next()?, 0),
            };
            let delta = state.tables.get(&id).and_then(|table| table.delta());
            let version = version.max(delta.map_or(0, DeltaLog::first));
            if version < delta.map_or(0, |delta| delta.versions().len() as u64) {
                self.commit = Some((id, version + 1));
                return Some((id, version));
            }
            let next = state.tables.keys().find(|next| **next > id)?;
            self.commit = Some((*next, 0));
        }
    }
}

/// What the next release of the running chain extends: the manifest and the files of the newest
/// release, and the newest commits of its tables.
pub fn newest_objects(state: &FeedState) -> Vec<ScrubbedObject> {
    let Some(line) = state.of_chain().filter(|line| line.is_visible()).last() else {
        return Vec::new();
    };
    let mut found = vec![ScrubbedObject::Manifest(line.release)];
    for (path, sha256) in &line.files {
        found.push(ScrubbedObject::File(line.release, path.clone(), *sha256));
    }
    for id in state.table_ids() {
        let Some(delta) = state.tables.get(&id).and_then(|table| table.delta()) else {
            continue;
        };
        let next = delta.versions().len() as u64;
        let from = delta.first().max(next.saturating_sub(COMMITS));
        found.extend((from..next).map(|version| ScrubbedObject::Commit(id, version)));
    }
    found
}

/// Reads a file piece by piece.
#[derive(Default)]
struct FileReader {
    at: u64,
    digest: sha2::Sha256,
}

impl FileReader {
    /// Reads the next piece; returns its bytes, None if there is no file.
    fn read_on(&mut self, store: &dyn ReadStore, path: &str) -> Result<Option<u64>> {
        let Some(bytes) = store.read_part(path, self.at..self.at + PIECE)? else {
            return Ok(None);
        };
        self.digest.update(&bytes);
        self.at += bytes.len() as u64;
        Ok(Some(bytes.len() as u64))
    }

    /// The hash of the file, if this was its last piece.
    fn digest(&self, read: Option<u64>) -> Option<Option<Sha256>> {
        match read {
            Some(PIECE) => None,
            Some(_) => Some(Some(Sha256::from_bytes(
                self.digest.clone().finalize().into(),
            ))),
            None => Some(None),
        }
    }
}

/// Checks one object from its beginning, without the part that is kept in memory: a file as a
/// whole, an entry with the one before it.
///
/// # Errors
/// A root cannot be read.
pub fn inspect(roots: ScrubInput<'_>, place: &ScrubbedObject) -> Result<Option<Damage>> {
    let fresh = roots.private.afresh()?;
    let roots = ScrubInput {
        private: fresh.as_deref().unwrap_or(roots.private),
        ..roots
    };
    let finding = match place {
        ScrubbedObject::Entry(seq) => {
            let before = seq
                .checked_sub(1)
                .map(|seq| entry(roots, seq, None))
                .transpose()?;
            let before = before
                .and_then(|before| before.ok())
                .map(|(entry, _)| entry);
            entry(roots, *seq, before.as_ref())?.err()
        }
        ScrubbedObject::File(release, path, _) if !needs(roots.state, *release, path) => None,
        ScrubbedObject::File(_, path, sha256) => {
            let mut reader = FileReader::default();
            let there = loop {
                let read = reader.read_on(roots.public, path)?;
                if let Some(there) = reader.digest(read) {
                    break there;
                }
            };
            not_published(there, *sha256).map(|text| FileFault::new(path.clone(), text))
        }
        other => look(roots, other)?.1,
    };
    Ok(finding.map(|finding| Damage {
        place: place.clone(),
        finding,
    }))
}

/// The number of bytes that were checked, and what is wrong with them.
type InspectedBytes = (u64, Option<FileFault>);

/// Checks an object, a manifest or a commit.
fn look(roots: ScrubInput<'_>, place: &ScrubbedObject) -> Result<InspectedBytes> {
    match place {
        ScrubbedObject::Object(object) if roots.state.live.contains(&object.path) => {
            match ObjectReader::new(roots.private, roots.ring).need(object) {
                Ok(bytes) => Ok((bytes.len() as u64, None)),
                Err(error) => Ok((0, Some(damaged(error)?))),
            }
        }
        ScrubbedObject::Manifest(release) => Ok((0, manifest(roots, *release)?)),
        ScrubbedObject::Commit(id, version) => Ok((0, commit(roots, *id, *version)?)),
        ScrubbedObject::Object(_) | ScrubbedObject::Entry(_) | ScrubbedObject::File(..) => {
            Ok((0, None))
        }
    }
}

fn looked(roots: ScrubInput<'_>, place: ScrubbedObject) -> Result<ScrubStep> {
    let (bytes, finding) = look(roots, &place)?;
    Ok(finding.map_or(ScrubStep::Sound(bytes), |finding| {
        ScrubStep::Damaged(Damage { place, finding })
    }))
}

/// The finding of an error about damage; any other error is one of the store.
fn damaged(error: Error) -> Result<FileFault> {
    if error.kind == ErrorCategory::Input {
        Ok(FileFault::of(&error))
    } else {
        Err(error)
    }
}

/// An entry with the number of its bytes, or what is wrong with it.
fn entry(
    roots: ScrubInput<'_>,
    seq: u64,
    before: Option<&CheckedEntry>,
) -> Result<std::result::Result<(CheckedEntry, u64), FileFault>> {
    let path = Entry::path(seq);
    let bytes = match roots.private.read(&path) {
        Ok(bytes) => bytes,
        Err(error) => return damaged(error).map(Err),
    };
    let entry = match parsed(bytes.as_deref(), roots.ring) {
        Ok(entry) => entry,
        Err(text) => return Ok(Err(FileFault::new(path, text))),
    };
    let wrong = wrong_with(&entry.entry, seq, before).next();
    Ok(match wrong {
        Some(text) => Err(FileFault::new(path, text)),
        None => Ok((entry, bytes.map_or(0, |bytes| bytes.len() as u64))),
    })
}

fn line(state: &FeedState, release: u32) -> Option<&DecidedRelease> {
    state.releases.iter().find(|line| line.release == release)
}

fn needs(state: &FeedState, release: u32, path: &str) -> bool {
    line(state, release).is_some_and(|line| line.manifest.is_some() && state.needs_file(line, path))
}

/// Checks the manifest of a release that readers see against what was published, and its signature.
fn manifest(roots: ScrubInput<'_>, release: u32) -> Result<Option<FileFault>> {
    let meant = line(roots.state, release)
        .filter(|line| line.is_visible())
        .and_then(|line| line.manifest);
    let (Some(meant), path) = (meant, Layout::Root.manifest(release)) else {
        return Ok(None);
    };
    let Some(bytes) = roots.public.read(&path)? else {
        return Ok(Some(FileFault::new(path, RELEASE_GONE)));
    };
    let manifest = match Manifest::parse(&bytes) {
        Err(error) => return Ok(Some(FileFault::new(path, error.to_string()))),
        Ok(_) if Sha256::of(&bytes) != meant => {
            return Ok(Some(FileFault::new(path, OTHER_MANIFEST)));
        }
        Ok(manifest) => manifest,
    };
    let place = format!("{path}.sig");
    let is_gone = manifest.signed && roots.public.read(&place)?.is_none();
    Ok(is_gone.then(|| FileFault::new(place, NO_SIGNATURE)))
}

/// Checks a commit of a Delta log against what was decided.
fn commit(roots: ScrubInput<'_>, id: TableId, version: u64) -> Result<Option<FileFault>> {
    let delta = roots
        .state
        .tables
        .get(&id)
        .and_then(|table| table.delta())
        .filter(|delta| delta.first() <= version);
    let decided = delta
        .and_then(|delta| Some((delta, delta.versions().get(usize::try_from(version).ok()?)?)));
    let (Some((delta, decided)), path) = (decided, log_path(id, LogFile::Commit(version))) else {
        return Ok(None);
    };
    let text = match roots.public.read(&path)? {
        None if delta
            .due()
            .iter()
            .any(|commit| commit.name() == LogFile::Commit(version)) =>
        {
            return Ok(None);
        }
        None => COMMIT_GONE,
        Some(bytes) if Sha256::of(&bytes) != decided.commit => OTHER_COMMIT,
        Some(_) => return Ok(None),
    };
    Ok(Some(FileFault::new(path, text)))
}
