//! The index of packs: which pack contains what.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::form::{self, PackedPaths, TRAILER};
use crate::error::{Error, ErrorCategory, Result};
use crate::journal::store::{ListedObject, Store, log};

/// The folder of packs.
const FOLDER: &str = "pack";
/// The number of attempts if packs change meanwhile.
pub(super) const TRIES: usize = 8;
/// The group of entries.
const ENTRIES: &str = "log";

/// The order of a pack of objects: an object in two packs belongs to the higher one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PackOrder {
    /// The epoch of its writer.
    pub epoch: u64,
    /// Its number among the packs of this writer.
    pub number: u64,
}

/// A pack of objects.
#[derive(Debug, Clone)]
pub(super) struct Pack {
    /// Its path.
    pub path: String,
    /// Its group: objects of one kind, which are deleted at about the same time.
    pub group: String,
    /// Its objects.
    pub objects: PackedPaths,
    /// Its size in bytes.
    size: u64,
}

/// A pack of consecutive entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EntryPack {
    /// The number of the first.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
    /// Its path.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
}

/// The packs that were read last.
#[derive(Default)]
pub(super) struct PackIndex {
    listed: Vec<ListedObject>,
    /// Packs of objects.
    pub packs: BTreeMap<PackOrder, Pack>,
    objects: BTreeMap<Arc<str>, (PackOrder, u64)>,
    runs: Vec<EntryPack>,
}

impl PackOrder {
    /// The path of such a pack.
    pub(super) fn path(self, group: &str) -> String {
        format!("{FOLDER}/{group}/{:010}/{:010}", self.epoch, self.number)
    }
}

/// Whether a path is that of a pack.
pub(super) fn is_pack(path: &str) -> bool {
    path.starts_with("pack/")
}

/// The path of the pack of these entries.
pub(super) fn run(first: u64, last: u64) -> String {
    format!("{FOLDER}/{ENTRIES}/{first:020}-{last:020}")
}

/// The kind of pack at a path.
enum Named {
    Entries(u64, u64),
    Objects(String, PackOrder),
}

fn named(path: &str) -> Option<Named> {
    let (group, rest) = path
        .strip_prefix(FOLDER)?
        .strip_prefix('/')?
        .split_once('/')?;
    if group == ENTRIES {
        let (first, last) = rest.split_once('-')?;
        return Some(Named::Entries(first.parse().ok()?, last.parse().ok()?));
    }
    let (epoch, number) = rest.split_once('/')?;
    Some(Named::Objects(
        group.to_owned(),
        PackOrder {
            epoch: epoch.parse().ok()?,
            number: number.parse().ok()?,
        },
    ))
}

/// The list of a pack; `None` if it is gone.
fn contents(store: &dyn Store, path: &str, size: u64) -> Result<Option<PackedPaths>> {
    let end = |length: u64| store.read_part(path, size.saturating_sub(length)..size);
    let Some(trailer) = end(TRAILER as u64)? else {
        return Ok(None);
    };
    let length = form::end(path, &trailer)?.min(size);
    let Some(end) = end(length)? else {
        return Ok(None);
    };
    form::paths(path, &end, size).map(Some)
}

impl PackIndex {
    /// Reads the list of packs again; returns whether it changed.
    ///
    /// # Errors
    /// The store cannot be read, or a pack was changed.
    pub(super) fn refresh(&mut self, store: &dyn Store) -> Result<bool> {
        for _ in 0..TRIES {
            let listed = store.list(FOLDER)?;
            if listed == self.listed {
                return Ok(false);
            }
            if let Some(index) = self.after(store, listed)? {
                *self = index;
                return Ok(true);
            }
        }
        let text = format!(
            "the packs at {} change all the time: check which programs are running there",
            store.place()
        );
        Err(Error::new(ErrorCategory::Io, text))
    }

    /// The index with these packs; `None` if one of them is gone by now.
    fn after(&mut self, store: &dyn Store, listed: Vec<ListedObject>) -> Result<Option<PackIndex>> {
        let mut index = PackIndex::default();
        for ListedObject { path, size } in &listed {
            match named(path) {
                None => {}
                Some(Named::Entries(first, last)) => {
                    index.runs.push(EntryPack {
                        first,
                        last,
                        path: path.clone(),
                        size: *size,
                    });
                }
                Some(Named::Objects(group, order)) => {
                    let known = self
                        .packs
                        .get(&order)
                        .filter(|pack| pack.path == *path && pack.size == *size);
                    let objects = match known {
                        Some(known) => known.objects.clone(),
                        None => match contents(store, path, *size)? {
                            Some(objects) => objects,
                            None => return Ok(None),
                        },
                    };
                    index.packs.insert(
                        order,
                        Pack {
                            path: path.clone(),
                            group,
                            objects,
                            size: *size,
                        },
                    );
                }
            }
        }
        for (order, pack) in &index.packs {
            let held = pack
                .objects
                .iter()
                .map(|(path, length)| (Arc::clone(path), (*order, *length)));
            index.objects.extend(held);
        }
        // Among packs with the same first entry the longer one comes first.
        index
            .runs
            .sort_by_key(|run| (run.first, std::cmp::Reverse(run.last)));
        index.listed = listed;
        Ok(Some(index))
    }

    /// The pack that contains an object or an entry.
    pub(super) fn holder(&self, path: &str) -> Option<String> {
        if let Some(seq) = log::place(path) {
            let after = self.runs.partition_point(|run| run.first <= seq);
            let holds = self.runs[..after].iter().rev().find(|run| run.last >= seq);
            return holds.map(|run| run.path.clone());
        }
        self.objects
            .get(path)
            .map(|(order, _)| self.packs[order].path.clone())
    }

    /// Whether an object belongs to this pack, and to no higher one.
    pub(super) fn is_in(&self, path: &str, order: PackOrder) -> bool {
        self.objects
            .get(path)
            .is_some_and(|(holds, _)| *holds == order)
    }

    /// The objects whose path is `prefix` or is below it.
    pub(super) fn below(&self, prefix: &str) -> Vec<ListedObject> {
        let is_below = |path: &str| {
            let rest = path.strip_prefix(prefix);
            rest.is_some_and(|rest| prefix.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        let from = self.objects.range::<str, _>((
            std::ops::Bound::Included(prefix),
            std::ops::Bound::Unbounded,
        ));
        let near = from
            .take_while(|(path, _)| path.starts_with(prefix))
            .filter(|(path, _)| is_below(path));
        near.map(|(path, (_, size))| ListedObject {
            path: path.to_string(),
            size: *size,
        })
        .collect()
    }

    /// The packs that contain any of these.
    pub(super) fn with_any(&self, paths: &BTreeSet<&str>) -> Vec<PackOrder> {
        let holds = |pack: &Pack| {
            paths.iter().any(|path| {
                pack.objects
                    .binary_search_by(|(known, _)| (**known).cmp(path))
                    .is_ok()
            })
        };
        self.packs
            .iter()
            .filter(|(_, pack)| holds(pack))
            .map(|(order, _)| *order)
            .collect()
    }

    /// The packs of a group with fewer bytes than this, and the objects that belong to them.
    pub(super) fn small(&self, group: &str, bytes: u64) -> (Vec<PackOrder>, Vec<String>) {
        let small: Vec<PackOrder> = self
            .packs
            .iter()
            .filter(|(_, pack)| pack.group == group && pack.size < bytes)
            .map(|(order, _)| *order)
            .collect();
        let held = small.iter().flat_map(|order| {
            self.packs[order]
                .objects
                .iter()
                .map(move |(path, _)| (path, *order))
        });
        let own = held
            .filter(|(path, order)| self.is_in(path, *order))
            .map(|(path, _)| path.to_string())
            .collect();
        (small, own)
    }

    /// The packs with an object that a higher one contains.
    pub(super) fn doubled(&self) -> Vec<PackOrder> {
        let twice = |(order, pack): &(&PackOrder, &Pack)| {
            pack.objects
                .iter()
                .any(|(path, _)| !self.is_in(path, **order))
        };
        self.packs
            .iter()
            .filter(twice)
            .map(|(order, _)| *order)
            .collect()
    }

    /// The pack with the newest entries.
    pub(super) fn newest_run(&self) -> Option<EntryPack> {
        self.runs
            .iter()
            .max_by_key(|run| (run.last, std::cmp::Reverse(run.first)))
            .cloned()
    }

    /// The newest consecutive packs of entries with a size in this range, except that one at the
    /// end may be smaller.
    pub(super) fn last_runs(&self, least: u64, less_than: u64) -> Vec<EntryPack> {
        let grown = self.runs.iter().rev().skip_while(|run| run.size < least);
        let mut runs: Vec<EntryPack> = grown
            .take_while(|run| (least..less_than).contains(&run.size))
            .cloned()
            .collect();
        runs.reverse();
        let follows = runs.windows(2).all(|two| two[0].last + 1 == two[1].first);
        if follows { runs } else { Vec::new() }
    }

    /// The packs of entries that another one contains completely.
    pub(super) fn covered(&self) -> Vec<String> {
        let covers = |all: &EntryPack, run: &EntryPack| {
            all != run && all.first <= run.first && run.last <= all.last
        };
        let covered = self
            .runs
            .iter()
            .filter(|run| self.runs.iter().any(|all| covers(all, run)));
        covered.map(|run| run.path.clone()).collect()
    }
}
