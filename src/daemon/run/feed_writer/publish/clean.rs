//! Removes files from the public root (CONTRACTS 4): first notices are written, then manifests are
//! removed, so that each visible manifest is complete, then files of a Delta log before a
//! checkpoint, and finally the files that no manifest lists any more. Every step can be repeated;
//! an entry after them records that all are done.

use std::collections::BTreeSet;

use super::super::state::FeedState;
use super::super::state_parts::DecidedRelease;
use super::super::writer::FeedWriter;
use super::delta_log::log_path;
use super::public_root::{INDEX, LATEST, latest};
use super::removed_manifest::Removed;
use super::show_delta::newest_checkpoint;
use crate::engine::delta::{LogFile, named_checkpoint};
use crate::engine::release::{Layout, RemovalNotice, RemovalReason, Sha256, TableId};
use crate::error::Result;
use crate::journal::Cleaned;

impl FeedWriter {
    /// Removes from the public root what is to be removed, if anything is.
    ///
    /// # Errors
    /// The public root or the log cannot be written.
    pub fn clean(&mut self, now: &str) -> Result<bool> {
        if !self.state.cleaning {
            return Ok(false);
        }
        // A writer that was taken over must not restore what was removed.
        self.log.ours()?;
        self.put_notices()?;
        if self.settings.layout == Layout::Root {
            self.name_newest()?;
        }
        self.write_index(None)?;
        self.delete_manifests()?;
        self.delete_versions()?;
        self.delete_files()?;
        let mut replaced = self.state.replaced.clone();
        replaced.sort_unstable();
        let of_them = self
            .state
            .removed()
            .filter(|(line, _)| replaced.contains(&line.release));
        let notice = of_them.filter_map(|(_, removed)| removed.notice).max();
        self.append(Cleaned {
            time: now.to_owned(),
            replaced,
            notice,
        })?;
        self.state.cleaned();
        Ok(true)
    }

    /// Writes a signed notice for each manifest that is to be removed. For expired ones the notice
    /// of the newest stands for those before it.
    fn put_notices(&self) -> Result<()> {
        let layout = self.settings.layout;
        for (line, removed) in self.state.removed() {
            let Some(manifest) = line.manifest else {
                continue;
            };
            if removed.reason == RemovalReason::Expired
                && self.state.last_expired(line.chain) != Some(line.release)
            {
                continue;
            }
            let why = (removed.reason, removed.notice);
            let notice = RemovalNotice::new(
                &self.state.terms.name,
                line.chain,
                line.release,
                manifest,
                why,
            );
            let path = layout.removal(removed.reason, line.release);
            self.public
                .put_notice(&path, &notice, self.settings.signing.as_ref())?;
        }
        Ok(())
    }

    /// Keeps removed manifests, tables and versions of Delta logs removed, even if a writer that
    /// was held up wrote one of them again, or a write arrives that a bucket had given up. The
    /// files that help readers to find releases do not name removed ones either.
    ///
    /// # Errors
    /// The public root cannot be read or written.
    pub fn removed_stay_away(&mut self) -> Result<()> {
        if self.state.cleaning {
            return Ok(());
        }
        if self.state.removed().next().is_some() {
            self.delete_manifests()?;
            self.delete_files()?;
            self.removed_stay_unnamed()?;
        }
        self.state.tables.keys().try_for_each(|id| {
            self.delete_earlier_versions(*id)?;
            self.name_checkpoint_that_stays(*id)
        })
    }

    fn delete_manifests(&self) -> Result<()> {
        let layout = self.settings.layout;
        let mut gone = Vec::new();
        let prefix = if layout == Layout::Root {
            "manifest"
        } else {
            ""
        };
        let there: BTreeSet<u32> = self
            .public
            .list(prefix)?
            .iter()
            .filter_map(|object| layout.release(&object.path))
            .collect();
        for (line, removed) in self.state.removed() {
            if there.contains(&line.release) {
                gone.push(layout.manifest(line.release));
            }
            let path = layout.removal(RemovalReason::Expired, line.release);
            if removed.reason == RemovalReason::Expired
                && self.state.last_expired(line.chain) != Some(line.release)
            {
                gone.extend([format!("{path}.sig"), path]);
            }
        }
        // The newest first, so that the rest is always a chain from its beginning; a notice is
        // removed before its signature.
        for path in gone.iter().rev() {
            self.public.delete(path)?;
        }
        let signatures = self
            .state
            .removed()
            .map(|(line, _)| format!("{}.sig", layout.manifest(line.release)));
        let listed: BTreeSet<String> = self
            .public
            .list(prefix)?
            .into_iter()
            .map(|object| object.path)
            .collect();
        let signatures: Vec<String> = signatures.filter(|path| listed.contains(path)).collect();
        self.public
            .delete_all(&signatures.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Makes sure that neither `LATEST` nor the page over all releases names a removed release.
    fn removed_stay_unnamed(&mut self) -> Result<()> {
        if self.settings.layout == Layout::Root
            && let Some(named) = self.public.read(LATEST)?
        {
            let names = |line: &DecidedRelease| latest(self.settings.layout, line.release) == named;
            if self.state.removed().any(|(line, _)| names(line)) {
                self.name_newest()?;
            }
        }
        if self
            .public
            .read(INDEX)?
            .is_none_or(|there| self.index != Some(Sha256::of(&there)))
        {
            self.write_index(None)?;
        }
        Ok(())
    }

    /// Makes sure that `LATEST` names a manifest that stays. Another writer may have continued
    /// meanwhile: then its release is named.
    fn name_newest(&self) -> Result<()> {
        let layout = self.settings.layout;
        let next = self
            .state
            .releases
            .last()
            .map_or(1, |line| line.release + 1);
        let newest = self
            .state
            .releases
            .iter()
            .rev()
            .find(|line| line.is_visible());
        self.public
            .name_newest(layout, newest.map(|line| line.release))?;
        if self.public.read(&layout.manifest(next))?.is_some() {
            self.newest(next)?;
        }
        Ok(())
    }

    /// Writes a checkpoint of the oldest version to which readers can go back; the part of the log
    /// before it is removed.
    fn delete_versions(&self) -> Result<()> {
        for (id, table) in &self.state.tables {
            let Some(delta) = table.delta().filter(|delta| delta.metadata().is_some()) else {
                continue;
            };
            self.show_delta(*id)?;
            let first = delta.first();
            if first == 0 {
                continue;
            }
            if let Some(checkpoint) = table.checkpoint(first) {
                self.show_checkpoint(*id, &checkpoint)?;
            }
            self.delete_earlier_versions(*id)?;
        }
        Ok(())
    }

    /// Deletes the files of a table's log that are before the oldest version to which readers can
    /// go back.
    fn delete_earlier_versions(&self, id: TableId) -> Result<()> {
        let first = self
            .state
            .tables
            .get(&id)
            .and_then(|table| table.delta())
            .map_or(0, |delta| delta.first());
        if first == 0 {
            return Ok(());
        }
        let folder = id.folder();
        let listed = self.public.list(&format!("{folder}/_delta_log"))?;
        let is_before =
            |path: &str| match LogFile::at(path.strip_prefix(&folder)?.strip_prefix('/')?)? {
                LogFile::Commit(version) | LogFile::Checkpoint(version) if version < first => {
                    Some(version)
                }
                _ => None,
            };
        let mut before: Vec<(u64, &str)> = listed
            .iter()
            .filter_map(|object| Some((is_before(&object.path)?, object.path.as_str())))
            .collect();
        before.sort_unstable();
        // The oldest version first: without it a reader begins at the checkpoint, whatever remains
        // in between.
        let oldest = before.partition_point(|(version, _)| {
            Some(*version) == before.first().map(|(first, _)| *first)
        });
        before[..oldest]
            .iter()
            .try_for_each(|(_, path)| self.public.delete(path))?;
        self.public.delete_all(
            &before[oldest..]
                .iter()
                .map(|(_, path)| *path)
                .collect::<Vec<_>>(),
        )
    }

    /// Makes sure that readers of a table begin at no removed checkpoint.
    fn name_checkpoint_that_stays(&self, id: TableId) -> Result<()> {
        let Some(table) = self.state.tables.get(&id) else {
            return Ok(());
        };
        let first = table.delta().map_or(0, |delta| delta.first());
        if first == 0 {
            return Ok(());
        }
        let named = self.public.read(&log_path(id, LogFile::LastCheckpoint))?;
        if named
            .as_deref()
            .and_then(named_checkpoint)
            .is_none_or(|version| version >= first)
        {
            return Ok(());
        }
        let newest = newest_checkpoint(&*self.public, id)?;
        match newest.and_then(|version| table.checkpoint(version)) {
            Some(checkpoint) => self.public.name_checkpoint(id, &checkpoint.named),
            None => Ok(()),
        }
    }

    /// Deletes files that no visible release lists. Notices of erased rows stay.
    fn delete_files(&self) -> Result<()> {
        let needed = self.state.needed_files();
        let own = self
            .state
            .removed()
            .flat_map(|(line, _)| &line.files)
            .map(|(path, _)| path.as_str());
        let mut there = BTreeSet::new();
        // Taxonomies contain no rows, and the next release may list the same ones again.
        for folder in ["data", "measures", "sensitive", "report"] {
            there.extend(
                self.public
                    .list(folder)?
                    .into_iter()
                    .map(|object| object.path),
            );
        }
        let is_there = |path: &&str| there.contains(*path) && !needed.contains(*path);
        let gone: BTreeSet<&str> = own.filter(is_there).collect();
        self.public
            .delete_all(&gone.into_iter().collect::<Vec<_>>())
    }
}

impl FeedState {
    /// Releases whose manifests were removed, oldest first.
    fn removed(&self) -> impl Iterator<Item = (&DecidedRelease, Removed)> {
        self.releases
            .iter()
            .filter_map(|line| Some((line, line.removed?)))
    }

    /// Releases of a chain whose manifests were removed for a reason.
    pub fn removed_in(&self, chain: u32, reason: RemovalReason) -> impl Iterator<Item = u32> + '_ {
        let of_them = self
            .removed()
            .filter(move |(line, removed)| line.chain == chain && removed.reason == reason);
        of_them.map(|(line, _)| line.release)
    }

    /// The newest release of a chain whose manifest has expired.
    fn last_expired(&self, chain: u32) -> Option<u32> {
        self.removed_in(chain, RemovalReason::Expired).max()
    }

    /// Files that some visible release, or the newest table of a chain, needs.
    pub fn needed_files(&self) -> BTreeSet<&str> {
        let visible = || self.releases.iter().filter(|line| line.is_visible());
        let own = visible()
            .flat_map(|line| &line.files)
            .map(|(path, _)| path.as_str());
        let part_of = |path: &str| {
            self.tables
                .values()
                .flat_map(|table| table.parts())
                .any(|part| part.line.file.path == path)
        };
        let mut needed: BTreeSet<&str> = own.filter(|path| !part_of(path)).collect();
        for (id, table) in &self.tables {
            let in_use = table.parts().iter().filter(|part| {
                part.until.is_none()
                    || visible().any(|line| line.chain == id.chain && part.is_in(line.release))
            });
            needed.extend(in_use.map(|part| part.line.file.path.as_str()));
        }
        needed
    }
}
