//! Reads sealed objects of a log from which people may have been erased since: an object that was
//! rewritten is found in its new place, and one that was forgotten is not looked for.

use crate::wiped_bytes::WipedBytes;
use std::collections::{BTreeMap, HashSet};

use crate::engine::model::ReleaseColumn;
use crate::error::Result;
use crate::formats::{RowColumns, terms_from_bytes};
use crate::journal::{CheckedEntry, EntryBody, Moved, ObjectReader, Ref};
use crate::terms::ChainTerms;

/// The readable objects, and which of them were replaced.
pub struct ObjectSources<'a> {
    /// The sealed objects.
    pub objects: ObjectReader<'a>,
    /// The new object, by the path of the old one.
    pub moved: &'a BTreeMap<String, Option<Ref>>,
    /// Paths of objects that a later entry declares as forgotten: finding that one is missing would
    /// require reading the index of all packs.
    pub forgotten: HashSet<&'a str>,
}

/// The replaced objects, over a whole log.
pub(crate) fn moved(entries: &[CheckedEntry]) -> BTreeMap<String, Option<Ref>> {
    let mut moved = BTreeMap::new();
    for entry in entries {
        if let EntryBody::Erase(erase) = &entry.entry.body {
            moved.extend(
                erase
                    .moved
                    .iter()
                    .map(|Moved { old, new, .. }| (old.clone(), new.clone())),
            );
        }
    }
    moved
}

/// The forgotten objects, over a whole log.
pub(crate) fn forgotten(entries: &[CheckedEntry]) -> HashSet<&str> {
    let objects = entries.iter().filter_map(|entry| match &entry.entry.body {
        EntryBody::Forgotten(forgotten) => Some(&forgotten.objects),
        _ => None,
    });
    objects.flatten().map(String::as_str).collect()
}

impl ObjectSources<'_> {
    /// The current version of an object.
    pub fn now(&self, object: &Ref) -> Option<Ref> {
        let mut now = object.clone();
        while let Some(next) = self.moved.get(&now.path) {
            now = next.clone()?;
        }
        Some(now)
    }

    /// The content of an object; `None` if it is gone.
    ///
    /// # Errors
    /// It was changed.
    pub fn read(&self, object: &Ref) -> Result<Option<WipedBytes>> {
        match self.now(object) {
            Some(now) => self.read_now(&now),
            None => Ok(None),
        }
    }

    /// The content of a current object.
    ///
    /// # Errors
    /// It was changed.
    pub fn read_now(&self, now: &Ref) -> Result<Option<WipedBytes>> {
        match self.forgotten.contains(now.path.as_str()) {
            true => Ok(None),
            false => self.objects.read(now),
        }
    }

    /// The rows of a segment.
    ///
    /// # Errors
    /// It is gone, or was changed.
    pub fn roll(&self, object: &Ref) -> Result<RowColumns> {
        let now = self.now(object).unwrap_or_else(|| object.clone());
        RowColumns::parse(&self.objects.need(&now)?)
    }

    /// The terms of a chain whose tables have this column for the number of the release.
    ///
    /// # Errors
    /// They are gone, or were changed.
    pub fn terms(&self, object: &Ref, release: &ReleaseColumn) -> Result<ChainTerms> {
        let terms = terms_from_bytes(&self.objects.need(object)?)?;
        Ok(terms.with_release(release.clone()))
    }
}
