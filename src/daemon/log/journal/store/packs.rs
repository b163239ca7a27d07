//! Packs of objects (HOUSE 3, Packs), over a store of single objects. A reader finds an object
//! under its path, whether it is packed or not. So a feed that runs for years has few files, and
//! the code above does not know about packs.
//!
//! A pack is never changed. One that loses an object, or is merged with others, is rewritten under
//! a higher name before the old one is removed. An object in two packs belongs to the higher one,
//! so that every writer removes the same ones, including a writer that was taken over. Packs of log
//! entries are named by their first and last numbers. The writer says which entries also keep their
//! own places: they stop other writers.

mod form;
mod index;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use form::LoadedPack;
use index::{PackIndex, PackOrder, TRIES, is_pack, run};

use super::{CreateOutcome, ForeignEntry, ListedObject, PutOutcome, ReadStore, Store, log, put};
use crate::error::{Error, ErrorCategory, Result};

/// The number of bytes from which on an object is not packed.
const LARGE: u64 = 256 << 10;
/// The number of bytes from which on a pack is not merged with others.
const SMALL: u64 = 1 << 20;
/// The most bytes of objects that are packed together: a root of an earlier version may have many.
const ROOM: u64 = 32 << 20;
/// The number of bytes from which on another pack is begun.
const MOST: usize = 4 << 20;
/// How many packs of entries are merged, and the number of bytes from which on none is: live
/// traffic writes some hundred MB of entries a day.
const RUNS: usize = 16;
const LONG: u64 = 16 << 20;
/// The number of cached packs: `verify` reads the log twice at a time, each time with objects and
/// keys.
const LOADED: usize = 8;
/// The same if the root is read slowly and in order: one of each group, including entries.
const LOADED_AFRESH: usize = 5;

/// A store with packs.
pub struct Packs {
    base: Arc<dyn Store>,
    index: Mutex<PackIndex>,
    loaded: Mutex<VecDeque<(String, Arc<LoadedPack>)>>,
    /// The largest number of cached packs.
    room: usize,
    /// The epoch of this writer; 0 if it only reads.
    epoch: AtomicU64,
    /// The number of its next pack.
    next: AtomicU64,
}

impl Packs {
    /// Over this store, whose packs are read when they are needed.
    pub fn over(base: Arc<dyn Store>) -> Packs {
        let (epoch, next) = (AtomicU64::new(0), AtomicU64::new(1));
        Packs {
            base,
            index: Mutex::default(),
            loaded: Mutex::default(),
            room: LOADED,
            epoch,
            next,
        }
    }

    fn index(&self) -> MutexGuard<'_, PackIndex> {
        // A panic leaves an older index, never an inconsistent one.
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the list of packs again; returns whether it changed.
    fn refresh(&self) -> Result<bool> {
        self.index().refresh(&*self.base)
    }

    /// A pack with its bytes; `None` if it is gone.
    fn load(&self, path: &str) -> Result<Option<Arc<LoadedPack>>> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = loaded.iter().position(|(known, _)| known == path) {
            let known = loaded.remove(at).expect("it is there");
            loaded.push_front(known.clone());
            return Ok(Some(known.1));
        }
        let Some(bytes) = self.base.read(path)? else {
            return Ok(None);
        };
        let pack = Arc::new(LoadedPack::parse(path, bytes)?);
        loaded.truncate(self.room - 1);
        loaded.push_front((path.to_owned(), Arc::clone(&pack)));
        Ok(Some(pack))
    }

    /// Drops the cached bytes of packs that are gone.
    fn unload(&self) {
        self.loaded
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// Writes a pack that is higher than all before it.
    fn write(&self, group: &str, objects: &BTreeMap<String, Vec<u8>>) -> Result<()> {
        let epoch = self.epoch.load(Relaxed);
        if epoch == 0 {
            return Err(Error::new(
                ErrorCategory::Internal,
                "packs are written by the writer of the log alone",
            ));
        }
        let path = PackOrder {
            epoch,
            number: self.next.fetch_add(1, Relaxed),
        }
        .path(group);
        self.make(&path, objects)
    }

    fn make(&self, path: &str, objects: &BTreeMap<String, Vec<u8>>) -> Result<()> {
        match put(&*self.base, path, &form::bytes(path, objects))? {
            PutOutcome::Ours => Ok(()),
            PutOutcome::Theirs => {
                let text = format!(
                    "`{path}` at {} already exists with different content",
                    self.base.place()
                );
                Err(Error::new(ErrorCategory::Io, text))
            }
        }
    }

    /// The content of these paths. All must exist.
    fn gathered(&self, paths: impl Iterator<Item = String>) -> Result<BTreeMap<String, Vec<u8>>> {
        let one = |path: String| match self.read(&path)? {
            Some(bytes) => Ok((path, bytes)),
            None => {
                let text = format!(
                    "an object disappeared while it was packed in {}",
                    self.base.place()
                );
                Err(Error::new(ErrorCategory::Io, text).in_field(path))
            }
        };
        paths.map(one).collect()
    }

    /// Merges consecutive packs of entries.
    fn join_runs(&self) -> Result<()> {
        self.refresh()?;
        let runs = self.index().last_runs(SMALL, LONG);
        let (Some(first), Some(last)) = (runs.first().filter(|_| runs.len() >= RUNS), runs.last())
        else {
            return Ok(());
        };
        let (first, last) = (first.first, last.last);
        let entries = self.gathered((first..=last).map(log::path))?;
        self.make(&run(first, last), &entries)?;
        self.base
            .delete_all(&runs.iter().map(|run| run.path.as_str()).collect::<Vec<_>>())
    }

    /// Objects that exist both singly and in a pack.
    fn twice(&self) -> Result<Vec<String>> {
        let alone = self.base.list("")?;
        self.refresh()?;
        let index = self.index();
        let packed = alone
            .into_iter()
            .map(|listed| listed.path)
            .filter(|path| !is_pack(path));
        Ok(packed.filter(|path| index.holder(path).is_some()).collect())
    }

    /// Rewrites packs without these objects, and without those that a higher pack contains.
    fn without(&self, gone: &BTreeSet<&str>, packs: Vec<PackOrder>) -> Result<()> {
        for order in packs {
            let (path, group, left) = {
                let index = self.index();
                // A writer that has taken over merges packs, and the index may have learnt that
                // meanwhile.
                let Some(pack) = index.packs.get(&order) else {
                    continue;
                };
                let left = pack
                    .objects
                    .iter()
                    .filter(|(path, _)| !gone.contains(&**path) && index.is_in(path, order));
                let left: Vec<String> = left.map(|(path, _)| path.to_string()).collect();
                (pack.path.clone(), pack.group.clone(), left)
            };
            if !left.is_empty() {
                let Some(pack) = self.load(&path)? else {
                    continue;
                };
                let object = |path: String| pack.object(&path).map(|bytes| (path, bytes.to_vec()));
                self.write(&group, &left.into_iter().filter_map(object).collect())?;
            }
            self.base.delete(&path)?;
        }
        self.unload();
        self.refresh().map(|_| ())
    }
}

impl ReadStore for Packs {
    fn place(&self) -> String {
        self.base.place()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        for _ in 0..TRIES {
            let holder = self.index().holder(path);
            if let Some(holder) = holder {
                if let Some(pack) = self.load(&holder)? {
                    return pack.need(path, &holder).map(Some);
                }
                self.refresh()?;
                continue;
            }
            let alone = self.base.read(path)?;
            if alone.is_some() || is_pack(path) {
                return Ok(alone);
            }
            // It may have been packed since the list of packs was read.
            if !self.refresh()? {
                return Ok(None);
            }
        }
        let text = format!(
            "the packs at {} change all the time: check which programs are running there",
            self.base.place()
        );
        Err(Error::new(ErrorCategory::Io, text))
    }

    fn foreign(&self) -> Result<Vec<ForeignEntry>> {
        self.base.foreign()
    }

    /// Packed entries of the log are not listed; the newest one is never packed.
    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        // An object is in a pack before its single copy is removed.
        let mut found = self.base.list(prefix)?;
        self.refresh()?;
        found.extend(self.index().below(prefix));
        found.sort();
        found.dedup_by(|one, other| one.path == other.path);
        Ok(found)
    }

    fn afresh(&self) -> Result<Option<Arc<dyn ReadStore>>> {
        let fresh = Packs {
            room: LOADED_AFRESH,
            ..Packs::over(Arc::clone(&self.base))
        };
        // A packed object is read from its pack, even if a single copy exists.
        fresh.refresh()?;
        Ok(Some(Arc::new(fresh)))
    }

    fn differing(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let mut differing = Vec::new();
        for path in self.twice()? {
            let Some(alone) = self.base.read(&path)? else {
                continue;
            };
            if self.read(&path)?.as_ref() != Some(&alone) {
                differing.push((path, alone));
            }
        }
        Ok(differing)
    }
}

impl Store for Packs {
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome> {
        match self.index().holder(path) {
            Some(_) => Ok(CreateOutcome::Exists),
            None => self.base.create(path, bytes),
        }
    }

    fn delete(&self, path: &str) -> Result<()> {
        self.delete_all(&[path])
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.base.replace(path, bytes)
    }

    fn create_all(&self, objects: &[(String, Vec<u8>)]) -> Result<Vec<CreateOutcome>> {
        let known: Vec<bool> = {
            let index = self.index();
            objects
                .iter()
                .map(|(path, _)| index.holder(path).is_some())
                .collect()
        };
        if !known.contains(&true) {
            return self.base.create_all(objects);
        }
        objects
            .iter()
            .map(|(path, bytes)| self.create(path, bytes))
            .collect()
    }

    fn delete_all(&self, paths: &[&str]) -> Result<()> {
        self.base.delete_all(paths)?;
        let gone: BTreeSet<&str> = paths.iter().copied().collect();
        let packs = self.index().with_any(&gone);
        if packs.is_empty() {
            Ok(())
        } else {
            self.without(&gone, packs)
        }
    }

    fn settle(&self, epoch: u64, stays: &dyn Fn(&[u8]) -> bool) -> Result<()> {
        self.epoch.store(epoch, Relaxed);
        self.refresh()?;
        let (covered, doubled) = {
            let index = self.index();
            (index.covered(), index.doubled())
        };
        self.base
            .delete_all(&covered.iter().map(String::as_str).collect::<Vec<_>>())?;
        self.without(&BTreeSet::new(), doubled)?;
        let mut superfluous = Vec::new();
        for path in self.twice()? {
            // A single copy of an entry may belong to a writer that was late; the packed one
            // counts.
            if log::place(&path).is_none() || !self.read(&path)?.is_some_and(|entry| stays(&entry))
            {
                superfluous.push(path);
            }
        }
        self.base
            .delete_all(&superfluous.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn pack(&self, group: &str, paths: &[&str], few: usize) -> Result<u64> {
        let wanted: BTreeSet<&str> = paths.iter().copied().collect();
        let folders: BTreeSet<&str> = wanted
            .iter()
            .filter_map(|path| Some(path.split_once('/')?.0))
            .collect();
        let (mut alone, mut room) = (Vec::new(), ROOM);
        for folder in folders {
            let listed = self.base.list(folder)?.into_iter();
            let wanted = listed
                .filter(|listed| wanted.contains(listed.path.as_str()) && listed.size < LARGE);
            for ListedObject { path, size } in wanted {
                let Some(left) = room.checked_sub(size) else {
                    break;
                };
                room = left;
                alone.push(path);
            }
        }
        if alone.len() < few.max(1) {
            return Ok(0);
        }
        self.refresh()?;
        let (small, joined): (Vec<PackOrder>, Vec<String>) = self.index().small(group, SMALL);
        let mut objects = BTreeMap::new();
        for (path, bytes) in self.gathered(joined.into_iter().chain(alone.iter().cloned()))? {
            objects.insert(path, bytes);
            if objects.values().map(Vec::len).sum::<usize>() >= MOST {
                self.write(group, &std::mem::take(&mut objects))?;
            }
        }
        if !objects.is_empty() {
            self.write(group, &objects)?;
        }
        self.refresh()?;
        self.base
            .delete_all(&alone.iter().map(String::as_str).collect::<Vec<_>>())?;
        self.without(&BTreeSet::new(), small)?;
        Ok(alone.len() as u64)
    }

    fn pack_entries(&self, next: u64, few: usize, stays: &dyn Fn(&[u8]) -> bool) -> Result<u64> {
        self.refresh()?;
        let newest = self.index().newest_run();
        let end = newest.as_ref().map_or(0, |run| run.last + 1);
        // The newest entry keeps its place.
        let Some(new) = next.checked_sub(1).and_then(|last| last.checked_sub(end)) else {
            return Ok(0);
        };
        if new < few.max(1) as u64 {
            return Ok(0);
        }
        let before = newest.filter(|run| run.size < SMALL);
        let first = before.as_ref().map_or(end, |run| run.first);
        let (mut entries, mut bytes, mut last) = (BTreeMap::new(), 0, first);
        for seq in first..next - 1 {
            let path = log::path(seq);
            // A log that begins after a checkpoint is left unchanged.
            let Some(entry) = self.read(&path)? else {
                return Ok(0);
            };
            bytes += entry.len();
            entries.insert(path, entry);
            last = seq;
            if bytes >= MOST {
                break;
            }
        }
        self.make(&run(first, last), &entries)?;
        self.refresh()?;
        let alone = entries
            .iter()
            .filter(|(path, entry)| log::place(path).is_some_and(|at| at >= end) && !stays(entry));
        self.base
            .delete_all(&alone.map(|(path, _)| path.as_str()).collect::<Vec<_>>())?;
        before
            .iter()
            .try_for_each(|run| self.base.delete(&run.path))?;
        self.join_runs()?;
        self.unload();
        self.refresh()?;
        Ok((last + 1).saturating_sub(end))
    }
}

impl std::fmt::Debug for Packs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Packs({})", self.place())
    }
}
