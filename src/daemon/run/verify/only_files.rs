//! A public root in which a link, a pipe or a device counts as missing. Readers do not follow them,
//! so a check does not either, and names each of them as damage.

use std::ops::Range;

use super::FileFault;
use crate::engine::release::Layout;
use crate::error::Result;
use crate::journal::store::{ForeignEntry, ListedObject, ReadStore};

/// A public root without what is no file.
pub(super) struct OnlyFiles<'s> {
    store: &'s dyn ReadStore,
    foreign: Vec<ForeignEntry>,
}

impl<'s> OnlyFiles<'s> {
    /// Looks for everything in a public root that is no file.
    ///
    /// # Errors
    /// The root cannot be read.
    pub(super) fn of(store: &'s dyn ReadStore, layout: Layout) -> Result<OnlyFiles<'s>> {
        // The writer's own folder: that of its temporary files, or the private root of `anonymize`.
        let own = match layout {
            Layout::Root => ".new",
            Layout::Folders => ".private",
        };
        let mut foreign = store.foreign()?;
        foreign.retain(|entry| entry.path != own || entry.kind != "a hidden folder");
        Ok(OnlyFiles { store, foreign })
    }

    /// One finding for each thing that is no file.
    pub(super) fn findings(&self) -> Vec<FileFault> {
        let mut found = Vec::new();
        for ForeignEntry { path, kind } in &self.foreign {
            let text = format!(
                "{kind}: a public root consists of regular files and folders, and no command reads anything else. \
                 Remove it, and restore the published file if one was here"
            );
            found.push(FileFault::new(path.clone(), text));
        }
        found
    }

    /// Whether something that is no file is at a path, or at one of its folders.
    fn hides(&self, path: &str) -> bool {
        self.foreign.iter().any(|entry| {
            path.strip_prefix(&entry.path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

impl ReadStore for OnlyFiles<'_> {
    fn place(&self) -> String {
        self.store.place()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        if self.hides(path) {
            Ok(None)
        } else {
            self.store.read(path)
        }
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        if self.hides(prefix) {
            Ok(Vec::new())
        } else {
            self.store.list(prefix)
        }
    }

    fn read_part(&self, path: &str, part: Range<u64>) -> Result<Option<Vec<u8>>> {
        if self.hides(path) {
            Ok(None)
        } else {
            self.store.read_part(path, part)
        }
    }
}
