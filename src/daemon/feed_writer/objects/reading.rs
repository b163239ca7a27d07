//! Reading sealed objects of a log whose people may have been erased since: an object that was written anew is found where it
//! is now.

use crate::daemon::wiped_bytes::WipedBytes;
use std::collections::BTreeMap;

use crate::daemon::error::Result;
use crate::daemon::formats::{RowColumns, terms_from_bytes};
use crate::daemon::journal::{Body, CheckedEntry, Moved, ObjectReader, Ref};
use crate::daemon::terms::ChainTerms;
use crate::engine::model::ReleaseColumn;

/// Where objects are read, and which took the place of which.
pub struct ObjectSources<'a> {
    /// The sealed objects.
    pub objects: ObjectReader<'a>,
    /// The new object by the path of the old one.
    pub moved: &'a BTreeMap<String, Option<Ref>>,
}

/// What has moved, over a whole log.
pub fn moved(entries: &[CheckedEntry]) -> BTreeMap<String, Option<Ref>> {
    let mut moved = BTreeMap::new();
    for entry in entries {
        if let Body::Erase(erase) = &entry.entry.body {
            moved.extend(erase.moved.iter().map(|Moved { old, new, .. }| (old.clone(), new.clone())));
        }
    }
    moved
}

impl ObjectSources<'_> {
    /// Where an object is now.
    pub fn now(&self, object: &Ref) -> Option<Ref> {
        let mut now = object.clone();
        while let Some(next) = self.moved.get(&now.path) {
            now = next.clone()?;
        }
        Some(now)
    }

    /// What an object says; `None` when it is gone.
    ///
    /// # Errors
    /// It was changed.
    pub fn read(&self, object: &Ref) -> Result<Option<WipedBytes>> {
        match self.now(object) {
            Some(now) => self.objects.read(&now),
            None => Ok(None),
        }
    }

    /// Rows of a segment.
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
