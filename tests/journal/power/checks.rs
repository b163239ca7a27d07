//! What must hold for every disk that a power cut has left, at once and when the feed has continued
//! to the end of its script.
//!
//! At once: an object exists as a whole or not at all; everything that the store has promised
//! exists, byte for byte; everything that it has called deleted is gone; no manifest is without its
//! files. Then the feed opens, its state is the fold of its log and contains a first part of the
//! offered files. In the end each person is in it once, every entry of the log is unchanged,
//! everything that could be read in the public root is unchanged, and the tables are those of an
//! undisturbed run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tidegate::daemon::feed_writer::{FeedWriter, past};
use tidegate::daemon::journal::store::{ListedObject, Memory, Packs, Store};
use tidegate::engine::release::{Manifest, Sha256};

use super::disk::{Objects, Roots};
use super::requests;
use super::writer::Script;

/// The messages of the writer: the possible contents of each object, and which objects must and
/// must not exist.
#[derive(Debug, Clone, Default)]
pub struct WriterMessages {
    meant: BTreeMap<String, BTreeSet<String>>,
    promised: BTreeMap<String, String>,
    gone: BTreeSet<String>,
}

impl WriterMessages {
    /// Adds a line.
    pub fn hear(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let [what, path, sha256] = words[..] else {
            return;
        };
        let (path, sha256) = (path.to_owned(), sha256.to_owned());
        match what {
            "making" => {
                self.gone.remove(&path);
                self.meant.entry(path).or_default().insert(sha256);
            }
            "made" => _ = self.promised.insert(path, sha256),
            "going" => _ = self.promised.remove(&path),
            "gone" => _ = self.gone.insert(path),
            _ => {}
        }
    }
}

/// The result of an undisturbed script.
#[derive(Clone)]
pub struct Meant {
    pub script: Script,
    public: Objects,
    /// The number of people after a number of ticks.
    people: Vec<usize>,
}

impl Meant {
    /// With requests the releases depend on random draws, and on the state at the time of the
    /// request.
    fn is_known(&self) -> bool {
        !self.script.asked
    }
}

impl Meant {
    pub fn of(script: &Script) -> Meant {
        Meant::if_published(script).unwrap_or_else(|| panic!("{script:?} publishes something"))
    }

    /// The same; None if nothing is published, as when the values of a first release are all equal
    /// and the policy requires different ones.
    pub fn if_published(script: &Script) -> Option<Meant> {
        let public = Memory::default();
        let private: Arc<dyn Store> = Arc::new(Memory::default());
        let shown: Arc<dyn Store> = Arc::new(public.clone());
        let writer = script.run(&private, &shown, 99).expect("a script");
        if writer.state().releases.is_empty() {
            return None;
        }
        let (mut known, mut people) = (BTreeSet::new(), vec![0]);
        for tick in script.people() {
            known.extend(tick.iter().map(|human| human.0));
            people.push(known.len());
        }
        Some(Meant {
            script: script.clone(),
            public: public.objects(),
            people,
        })
    }

    /// The tables, and the name of the last one.
    fn tables(public: &Objects) -> BTreeMap<&String, &Vec<u8>> {
        public
            .iter()
            .filter(|(path, _)| path.starts_with("data/") || *path == "LATEST")
            .collect()
    }
}

/// Checks a disk after a power cut, given what was seen in the public root before and the writer's
/// messages; `chance` is the seed of the next writer.
pub fn look(
    left: &Roots,
    seen: &Objects,
    reported: &WriterMessages,
    meant: &Meant,
    chance: u64,
) -> Result<(), String> {
    promises(left, reported)?;
    complete(&left.public)?;
    let (private, public) = (
        Memory::with(left.private.clone()),
        Memory::with(left.public.clone()),
    );
    let after = continues(Arc::new(private), Arc::new(public), meant, chance)?;
    let is_log = |path: &str| path.starts_with("log/");
    let before = crate::common::feed::unpacked(Arc::new(Memory::with(left.private.clone())));
    same(&before, &after.private, is_log)?;
    if !meant.is_known() {
        return Ok(());
    }
    let is_kept = |path: &str| !crate::common::is_advisory(path);
    same(seen, &after.public, is_kept)?;
    same(&left.public, &after.public, is_kept)
}

/// Opens a feed and continues to the end of the script; returns its objects then.
pub fn continues(
    private: Arc<dyn Store>,
    public: Arc<dyn Store>,
    meant: &Meant,
    chance: u64,
) -> Result<Roots, String> {
    let writer = meant.script.open(&private, &public, 1 << 31 | chance);
    let writer = writer.map_err(|error| format!("it does not open: {error}"))?;
    let whole = Packs::over(private.clone());
    folded(&writer, &whole, &*public)?;
    if meant.is_known() {
        first_part(&writer, meant)?;
    }
    drop(writer);
    let writer = meant.script.run(&private, &public, 1 << 32 | chance);
    let writer = writer.map_err(|error| format!("it does not go on: {error}"))?;
    folded(&writer, &whole, &*public)?;
    let after = Roots {
        private: crate::common::feed::unpacked(private),
        public: objects(&*public)?,
    };
    complete(&after.public)?;
    if !meant.is_known() {
        return requests::is_whole(&writer, &whole, &*public).map(|()| after);
    }
    finished(&writer, meant)?;
    if Meant::tables(&after.public) == Meant::tables(&meant.public) {
        Ok(after)
    } else {
        Err("other tables".to_owned())
    }
}

/// All objects of a store.
pub fn objects(store: &dyn Store) -> Result<Objects, String> {
    let listed = store.list("").map_err(|error| error.to_string())?;
    let read = |listed: ListedObject| {
        let bytes = store
            .read(&listed.path)
            .map_err(|error| error.to_string())?;
        Ok((listed.path, bytes.ok_or("it was there just now")?))
    };
    listed.into_iter().map(read).collect()
}

/// Checks what the store has promised.
pub fn promises(left: &Roots, reported: &WriterMessages) -> Result<(), String> {
    let name = |root: &str, (path, bytes): (&String, &Vec<u8>)| {
        (format!("{root}/{path}"), Sha256::of(bytes).to_string())
    };
    let private = left.private.iter().map(|object| name("private", object));
    let there: BTreeMap<String, String> = private
        .chain(left.public.iter().map(|object| name("public", object)))
        .collect();
    for (path, sha256) in &there {
        if !reported
            .meant
            .get(path)
            .is_some_and(|meant| meant.contains(sha256))
        {
            return Err(format!("{path} is not whole"));
        }
        if reported.gone.contains(path) {
            return Err(format!("{path} is there again"));
        }
    }
    match reported
        .promised
        .iter()
        .find(|(path, sha256)| there.get(*path) != Some(sha256))
    {
        Some((path, _)) => Err(format!("{path} was promised and is not there")),
        None => Ok(()),
    }
}

/// Manifests and the files that they name.
fn complete(public: &Objects) -> Result<(), String> {
    for (path, bytes) in public
        .iter()
        .filter(|(path, _)| path.starts_with("manifest/") && path.ends_with(".json"))
    {
        let manifest = Manifest::parse(bytes).map_err(|error| format!("{path}: {error}"))?;
        for file in &manifest.files {
            if public.get(&file.path).map(|bytes| Sha256::of(bytes)) != Some(file.sha256) {
                return Err(format!("{path} names {}, which is not there", file.path));
            }
        }
        if manifest.signed && !public.contains_key(&format!("{path}.sig")) {
            return Err(format!("{path} has no signature"));
        }
    }
    Ok(())
}

/// The state is the fold of the log.
fn folded(writer: &FeedWriter, private: &dyn Store, public: &dyn Store) -> Result<(), String> {
    let (_, ring) = requests::opened(private)
        .map_err(|error| error.to_string())?
        .ok_or("no keys")?;
    let past = past(private, public, &ring).map_err(|error| format!("the log: {error}"))?;
    let folded = past
        .state
        .is_some_and(|state| state.bytes() == writer.state().bytes());
    if folded {
        Ok(())
    } else {
        Err("the state is not the fold of the log".to_owned())
    }
}

/// It contains the first files of the script, whole, and no others.
fn first_part(writer: &FeedWriter, meant: &Meant) -> Result<(), String> {
    let files = &writer.state().files;
    let in_order = (0..files.len())
        .map(|tick| format!("{tick:03}.csv"))
        .eq(files.keys().cloned());
    match in_order && writer.state().feed.people().len() == meant.people[files.len()] {
        true => Ok(()),
        false => Err(format!("not a first part of the input: {:?}", files.keys())),
    }
}

/// Each person is in it, once.
fn finished(writer: &FeedWriter, meant: &Meant) -> Result<(), String> {
    let feed = &writer.state().feed;
    let newest = writer.state().releases.last().map_or(0, |line| line.rows);
    let places = newest + feed.waiting().rows() + feed.pending() + feed.new_rows();
    let all = meant.people.last().copied().unwrap_or(0);
    // A check that reads sensitive values has stopped the chain: people of its increments count as
    // published for ever.
    let all_there = if feed.stopped() {
        places <= all as u64
    } else {
        places == all as u64
    };
    if all_there && feed.people().len() == all {
        return Ok(());
    }
    Err(format!(
        "{all} people came, {} are known, {places} are in it",
        feed.people().len()
    ))
}

/// Checks that earlier objects are unchanged.
pub fn same(before: &Objects, after: &Objects, which: impl Fn(&str) -> bool) -> Result<(), String> {
    match before
        .iter()
        .find(|(path, bytes)| which(path) && after.get(*path) != Some(bytes))
    {
        Some((path, _)) => Err(format!("{path} has changed or is gone")),
        None => Ok(()),
    }
}
