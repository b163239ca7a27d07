//! Objects in packs: every object that was created and not deleted can be read unchanged, a deleted
//! one is in no byte of the store any more, and after a writer that dies at any step the next one
//! repairs the store. Compared with a map.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tidegate::daemon::error::{Error, ErrorCategory, Result};
use tidegate::daemon::journal::Entry;
use tidegate::daemon::journal::store::{
    CreateOutcome, ListedObject, Memory, Packs, ReadStore, Store, log,
};

use crate::common::draw::Draw;
use crate::common::feed;
use crate::common::{cases, random};

/// A store whose writer dies: after this many changes nothing can be changed any more.
struct Mortal {
    store: Memory,
    changes: AtomicU64,
}

impl Mortal {
    fn changes(&self) -> Result<()> {
        let left = self
            .changes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            });
        left.map(|_| ())
            .map_err(|_| Error::new(ErrorCategory::Io, "it is dead"))
    }
}

impl ReadStore for Mortal {
    fn place(&self) -> String {
        self.store.place()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.store.read(path)
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        self.store.list(prefix)
    }
}

impl Store for Mortal {
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome> {
        self.changes()?;
        self.store.create(path, bytes)
    }

    fn delete(&self, path: &str) -> Result<()> {
        self.changes()?;
        self.store.delete(path)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.changes()?;
        self.store.replace(path, bytes)
    }
}

/// Whether an entry of a log keeps its place.
fn stays(bytes: &[u8]) -> bool {
    bytes.starts_with(b"fence")
}

/// The expected objects of a feed, and the writer that keeps them.
struct World {
    store: Memory,
    packs: Packs,
    epoch: u64,
    /// The objects, and those that were being deleted or created when a writer died.
    meant: BTreeMap<String, Vec<u8>>,
    doubtful: BTreeMap<String, Vec<u8>>,
    gone: BTreeSet<Vec<u8>>,
    next: u64,
    named: u64,
}

impl World {
    fn new() -> World {
        let store = Memory::default();
        let packs = Packs::over(Arc::new(store.clone()));
        let (meant, doubtful, gone) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        World {
            store,
            packs,
            epoch: 0,
            meant,
            doubtful,
            gone,
            next: 0,
            named: 0,
        }
    }

    /// A writer begins that dies after this many changes.
    fn begins(&mut self, changes: u64) -> Result<()> {
        self.packs = Packs::over(Arc::new(Mortal {
            store: self.store.clone(),
            changes: AtomicU64::new(changes),
        }));
        self.epoch += 1;
        // An object that the previous writer was changing exists or not, and that is then final.
        for (path, bytes) in std::mem::take(&mut self.doubtful) {
            let there = self.packs.read(&path).expect("memory");
            assert!(there.is_none() || there.as_ref() == Some(&bytes), "{path}");
            match there {
                Some(bytes) => _ = self.meant.insert(path, bytes),
                None => _ = self.meant.remove(&path),
            }
        }
        self.append(format!("fence {}", self.epoch).into_bytes())?;
        self.packs.settle(self.epoch, &stays)?;
        // Now each object is in one place.
        let listed = self.store.objects();
        for (path, bytes) in self
            .meant
            .iter()
            .filter(|(path, bytes)| log::place(path).is_none() && !bytes.is_empty())
        {
            let holds = listed.values().filter(|there| holds(there, bytes)).count();
            assert_eq!(holds, 1, "{path} is in {holds} places");
        }
        Ok(())
    }

    fn append(&mut self, bytes: Vec<u8>) -> Result<()> {
        let path = log::path(self.next);
        self.doubtful.insert(path.clone(), bytes.clone());
        assert_eq!(
            self.packs.create(&path, &bytes)?,
            CreateOutcome::Made,
            "{path}"
        );
        self.doubtful.clear();
        self.meant.insert(path, bytes);
        self.next += 1;
        Ok(())
    }

    fn does(&mut self, draw: &mut Draw) -> Result<()> {
        match draw.below(8) {
            0..=2 => {
                self.named += 1;
                let folder = ["mask", "keys", "seg"][draw.below(3) as usize];
                let path = format!("{folder}/{:010}/{:06}", self.epoch, self.named);
                // Each content can be found wherever it is.
                let bytes = format!("<{}:{}>", self.named, "x".repeat(draw.below(300) as usize))
                    .into_bytes();
                self.doubtful.insert(path.clone(), bytes.clone());
                assert_eq!(self.packs.create(&path, &bytes)?, CreateOutcome::Made);
                self.doubtful.clear();
                self.meant.insert(path.clone(), bytes);
                assert_eq!(self.packs.create(&path, b"other")?, CreateOutcome::Exists);
            }
            3 => self.append(format!("entry {} of {}", self.next, self.epoch).into_bytes())?,
            4 => {
                let objects = self.meant.keys().filter(|path| log::place(path).is_none());
                let chosen: Vec<String> = objects.filter(|_| draw.below(6) == 0).cloned().collect();
                let known = chosen
                    .iter()
                    .map(|path| (path.clone(), self.meant[path].clone()));
                self.doubtful.extend(known);
                self.packs
                    .delete_all(&chosen.iter().map(String::as_str).collect::<Vec<_>>())?;
                self.doubtful.clear();
                let gone = chosen
                    .iter()
                    .map(|path| self.meant.remove(path).expect("it was there"));
                self.gone.extend(gone);
            }
            5 => {
                _ = self
                    .packs
                    .pack_entries(self.next, 1 + draw.below(4) as usize, &stays)?
            }
            _ => {
                let group = ["kept", "passing"][draw.below(2) as usize];
                let fits = |path: &&String| {
                    path.starts_with("keys") == (group == "kept") && log::place(path).is_none()
                };
                let paths: Vec<&str> = self.meant.keys().filter(fits).map(String::as_str).collect();
                self.packs.pack(group, &paths, 1 + draw.below(4) as usize)?;
            }
        }
        Ok(())
    }

    /// Checks that a writer and another reader find everything, and that a deleted object is
    /// nowhere.
    fn check(&self) {
        let reader = Packs::over(Arc::new(self.store.clone()));
        for packs in [&self.packs, &reader] {
            for (path, bytes) in &self.meant {
                assert_eq!(
                    packs.read(path).expect("memory").as_ref(),
                    Some(bytes),
                    "{path}"
                );
            }
            let is_object = |path: &String| {
                ["mask", "keys", "seg"]
                    .iter()
                    .any(|folder| path.starts_with(folder))
            };
            let listed: BTreeSet<String> = packs
                .list("")
                .expect("memory")
                .into_iter()
                .map(|listed| listed.path)
                .filter(is_object)
                .collect();
            let meant: BTreeSet<String> = self
                .meant
                .keys()
                .filter(|path| is_object(path))
                .cloned()
                .collect();
            assert_eq!(listed, meant);
            let newest = packs
                .list("log")
                .expect("memory")
                .iter()
                .filter_map(|listed| log::place(&listed.path))
                .max();
            assert_eq!(newest, self.next.checked_sub(1));
        }
        let fences = self
            .meant
            .iter()
            .filter(|(path, bytes)| log::place(path).is_some() && stays(bytes));
        for (path, bytes) in fences {
            assert_eq!(
                self.store.read(path).expect("memory").as_ref(),
                Some(bytes),
                "a fence keeps its place"
            );
        }
    }

    fn nothing_is_left_of_what_is_gone(&self) {
        for (path, there) in self.store.objects() {
            let left = self.gone.iter().find(|gone| holds(&there, gone));
            assert!(left.is_none(), "{path} holds what was deleted");
        }
    }
}

fn holds(all: &[u8], some: &[u8]) -> bool {
    all.windows(some.len()).any(|window| window == some)
}

#[test]
fn whatever_a_writer_dies_at_nothing_is_lost() {
    let seed = random::seed();
    println!("seed {seed}; the same again: TIDEGATE_SEED={seed}");
    let mut deaths = 0;
    for case in 0..u64::from(cases(40)) {
        let mut draw = Draw(seed.wrapping_add(case).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut world = World::new();
        for _ in 0..6 {
            let dies = if draw.below(3) == 0 {
                u64::MAX
            } else {
                1 + draw.below(60)
            };
            let mut lives = world.begins(dies);
            for _ in 0..40 {
                if lives.is_err() {
                    break;
                }
                world.check();
                world.nothing_is_left_of_what_is_gone();
                lives = world.does(&mut draw);
            }
            deaths += u32::from(lives.is_err());
            // An entry that was being appended exists or does not.
            let at = log::path(world.next);
            if let Some(bytes) = world.store.read(&at).expect("memory") {
                world.meant.insert(at.clone(), bytes);
                world.doubtful.remove(&at);
                world.next += 1;
            } else {
                world.doubtful.remove(&at);
            }
        }
    }
    println!("{deaths} writers died");
    assert!(deaths > cases(40) / 2);
}

#[test]
fn packs_make_few_files_of_many() {
    let store = Memory::default();
    let packs = Packs::over(Arc::new(store.clone()));
    packs.settle(1, &stays).expect("memory");
    let mut paths = Vec::new();
    for at in 0..3000 {
        let path = format!("mask/0000000001/{at:06}");
        packs
            .create(&path, format!("{at}").repeat(50).as_bytes())
            .expect("memory");
        packs
            .create(&log::path(at), format!("entry {at}").as_bytes())
            .expect("memory");
        paths.push(path);
        packs
            .pack(
                "kept",
                &paths.iter().map(String::as_str).collect::<Vec<_>>(),
                64,
            )
            .expect("memory");
        packs.pack_entries(at + 1, 64, &stays).expect("memory");
    }
    let files = store.objects().len();
    assert!(files < 140, "{files} files");
    // Deleting one removes its pack, and no other.
    let gone: Vec<&str> = paths
        .iter()
        .map(String::as_str)
        .filter(|path| path.ends_with('7'))
        .collect();
    packs.delete_all(&gone).expect("memory");
    for (at, path) in paths.iter().enumerate() {
        let meant = (at % 10 != 7).then(|| format!("{at}").repeat(50).into_bytes());
        assert_eq!(packs.read(path).expect("memory"), meant, "{path}");
    }
}

/// Unpacked objects of an earlier version are packed part by part, so that this needs little
/// memory.
#[test]
fn many_loose_objects_are_packed_part_by_part() {
    let store = Memory::default();
    let packs = Packs::over(Arc::new(store.clone()));
    packs.settle(1, &stays).expect("memory");
    let paths: Vec<String> = (0..300)
        .map(|at| format!("mask/0000000001/{at:06}"))
        .collect();
    for (at, path) in paths.iter().enumerate() {
        packs
            .create(path, &vec![at as u8; 200 << 10])
            .expect("memory");
    }
    let all: Vec<&str> = paths.iter().map(String::as_str).collect();
    let first = packs.pack("kept", &all, 1).expect("memory");
    assert!((100..200).contains(&first), "{first} at first");
    assert_eq!(packs.pack("kept", &all, 1).expect("memory"), 300 - first);
    assert_eq!(packs.pack("kept", &all, 1).expect("memory"), 0);
    assert!(store.objects().len() < 30);
    for (at, path) in paths.iter().enumerate() {
        assert_eq!(
            packs.read(path).expect("memory"),
            Some(vec![at as u8; 200 << 10]),
            "{path}"
        );
    }
}

/// A reader that has seen the packs before they were joined and written again finds everything.
#[test]
fn a_reader_meanwhile_finds_everything() {
    let store = Memory::default();
    let writer = Packs::over(Arc::new(store.clone()));
    writer.settle(1, &stays).expect("memory");
    let ended = AtomicBool::new(false);
    let kept: Vec<String> = (0..200)
        .map(|at| format!("mask/0000000001/{at:06}"))
        .collect();
    for path in &kept {
        writer.create(path, path.as_bytes()).expect("memory");
    }
    let looks = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (packs, mut looks) = (Packs::over(Arc::new(store.clone())), 0);
            while !ended.load(Ordering::Relaxed) {
                for path in &kept {
                    assert_eq!(
                        packs.read(path).expect("a read").as_deref(),
                        Some(path.as_bytes()),
                        "{path}"
                    );
                }
                let listed = packs.list("mask").expect("a listing").len();
                assert!(listed >= kept.len(), "{listed}");
                looks += 1;
            }
            looks
        });
        for round in 0..200 {
            let more: Vec<String> = (0..5)
                .map(|at| format!("mask/0000000001/more-{round}-{at}"))
                .collect();
            for path in &more {
                writer.create(path, b"more").expect("memory");
            }
            let all: Vec<&str> = kept.iter().chain(&more).map(String::as_str).collect();
            writer.pack("kept", &all, 1).expect("memory");
            writer
                .delete_all(&more.iter().map(String::as_str).collect::<Vec<_>>())
                .expect("memory");
        }
        ended.store(true, Ordering::Relaxed);
        reader.join().expect("it ended")
    });
    assert!(looks > 0);
}

/// A writer that was taken over finds its next number used, however late it appends and whatever
/// was packed.
#[test]
fn a_writer_that_is_late_finds_the_fence() {
    let store = Memory::default();
    let [late, next] = [0, 1].map(|_| Packs::over(Arc::new(store.clone())));
    late.settle(1, &stays).expect("memory");
    for at in 0..10 {
        late.create(&log::path(at), format!("entry {at}").as_bytes())
            .expect("memory");
    }
    next.create(&log::path(10), b"fence 2").expect("memory");
    next.settle(2, &stays).expect("memory");
    for at in 11..40 {
        next.create(&log::path(at), format!("entry {at}").as_bytes())
            .expect("memory");
    }
    assert_eq!(next.pack_entries(40, 1, &stays).expect("memory"), 39);
    assert_eq!(
        store.list("log").expect("memory").len(),
        2,
        "the fence and the newest"
    );
    assert_eq!(
        late.create(&log::path(10), b"entry 10 of the first writer")
            .expect("memory"),
        CreateOutcome::Exists
    );
    assert_eq!(
        late.read(&log::path(10)).expect("memory").as_deref(),
        Some(&b"fence 2"[..])
    );
    // The objects that it packs, and those that it was about to delete, do no harm.
    late.pack_entries(9, 1, &stays).expect("memory");
    for at in 0..40 {
        assert!(next.read(&log::path(at)).expect("memory").is_some(), "{at}");
    }
}

#[test]
fn a_pack_that_was_changed_is_named() {
    let store = Memory::default();
    let packs = Packs::over(Arc::new(store.clone()));
    packs.settle(1, &stays).expect("memory");
    for at in 0..4 {
        packs
            .create(
                &format!("mask/0000000001/{at}"),
                format!("object {at}").as_bytes(),
            )
            .expect("memory");
    }
    let paths: Vec<String> = (0..4).map(|at| format!("mask/0000000001/{at}")).collect();
    packs
        .pack(
            "kept",
            &paths.iter().map(String::as_str).collect::<Vec<_>>(),
            1,
        )
        .expect("memory");
    let all = store.objects();
    let (path, bytes) = all.iter().next().expect("a pack");
    assert_eq!(all.len(), 1);
    for at in 0..bytes.len() {
        let mut changed = all.clone();
        changed.get_mut(path).expect("it")[at] ^= 1;
        let other = Packs::over(Arc::new(Memory::with(changed)));
        let error = other.read("mask/0000000001/2").expect_err("a changed pack");
        assert_eq!(
            error.field.as_deref(),
            Some(path.as_str()),
            "byte {at}: {error}"
        );
        assert!(!error.text.contains("object"), "{error}");
    }
    for length in 0..bytes.len() {
        let cut = [(path.clone(), bytes[..length].to_vec())]
            .into_iter()
            .collect();
        let error = Packs::over(Arc::new(Memory::with(cut)))
            .read("mask/0000000001/2")
            .expect_err("a cut pack");
        assert_eq!(
            error.field.as_deref(),
            Some(path.as_str()),
            "{length} bytes: {error}"
        );
    }
    // Another pack in its place.
    let other = [("pack/kept/0000000001/0000000009".to_owned(), bytes.clone())]
        .into_iter()
        .collect();
    assert!(
        Packs::over(Arc::new(Memory::with(other)))
            .read("mask/0000000001/2")
            .is_err()
    );
}

/// A writer that has read the log before another one continued it, and packed the appended entries,
/// finds its next number free. Its fence is not the newest entry, and so it ends.
#[test]
fn a_fence_in_a_place_that_was_packed_is_none() {
    let (private, public) = (Memory::default(), Memory::default());
    let stores = || -> (Arc<dyn Store>, Arc<dyn Store>) {
        (Arc::new(private.clone()), Arc::new(public.clone()))
    };
    let feed = feed::feed("k = 2");
    let (mine, shown) = stores();
    let mut first = feed::open(&feed, mine, shown, 1, false).expect("a feed");
    let people: Vec<feed::Human> = (0..6).map(|at| (at, at as u32 % 2, 3, 1)).collect();
    // The other one reads the log as it is now, and appends its fence when the first has continued.
    let read = Memory::with(private.objects());
    let seen = Memory::with(public.objects());
    let at = first.log().next();
    for tick in 0..3 {
        feed::step(&mut first, tick, &people).expect("a tick");
    }
    let gone = Entry::path(at);
    assert!(
        private.read(&gone).expect("memory").is_none(),
        "the entry lies in a pack alone"
    );
    let late: Arc<dyn Store> = Arc::new(Behind {
        before: read,
        now: private.clone(),
        at,
    });
    let error = feed::open(&feed, late, Arc::new(seen), 2, false)
        .err()
        .expect("it was too late");
    assert!(error.text.contains("has taken over"), "{error}");
    feed::step(&mut first, 3, &people).expect("the first one goes on");
    let (mine, shown) = stores();
    feed::open(&feed, mine, shown, 3, false).expect("the next one begins");
    assert_eq!(
        private.read(&gone).expect("memory"),
        None,
        "what the late one has put is gone"
    );
}

/// An earlier state of a store, until something is written at a number of the log.
struct Behind {
    before: Memory,
    now: Memory,
    at: u64,
}

impl Behind {
    fn store(&self) -> &Memory {
        let begun = self
            .now
            .read(&log::path(self.at))
            .expect("memory")
            .is_some();
        if begun { &self.now } else { &self.before }
    }
}

impl ReadStore for Behind {
    fn place(&self) -> String {
        self.now.place()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.store().read(path)
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        self.store().list(prefix)
    }
}

impl Store for Behind {
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome> {
        self.now.create(path, bytes)
    }

    fn delete(&self, path: &str) -> Result<()> {
        self.now.delete(path)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.now.replace(path, bytes)
    }
}
