//! Compares the public root with the log: it contains the manifests, the removal notices and the
//! commits of Delta logs that were decided, and no others. Files that are just being removed are
//! not reported.

use std::collections::BTreeMap;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::CheckedPublicRoot;
use super::delta::{SeenLog, is_same_checkpoint};
use super::private::Private;
use crate::engine::delta::LogFile;
use crate::engine::release::{RemovalNotice, RemovalReason, Sha256, TableId};
use crate::error::Result;
use crate::feed_writer::{ChainTable, DeltaLog, FeedState, log_path};
use crate::journal::store::ReadStore;

// A scrub reports this in the same words.
pub(super) const RELEASE_GONE: &str = "this release was published and is missing";
pub(super) const OTHER_MANIFEST: &str = "this manifest is not the one that was published";
pub(super) const COMMIT_GONE: &str = "this commit was decided and is missing";
pub(super) const OTHER_COMMIT: &str = "this commit is not the one that was decided";

impl Private {
    /// Checks that the public root contains what was decided, and no more.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn published(
        &mut self,
        state: &FeedState,
        public: &CheckedPublicRoot,
        shown: &dyn ReadStore,
    ) -> Result<()> {
        if let Some(pending) = &state.publishing {
            self.leaving.extend(
                pending
                    .approved
                    .files()
                    .iter()
                    .map(|file| file.path.clone()),
            );
            let signed = [
                public.layout.manifest(pending.approved.release()),
                public.layout.notice(pending.approved.release()),
            ];
            self.leaving
                .extend(signed.map(|path| format!("{path}.sig")));
        }
        let manifest = |release: u32| public.layout.manifest(release);
        let there: BTreeMap<u32, Sha256> = public
            .releases
            .iter()
            .map(|(manifest, sha256)| (manifest.release, *sha256))
            .collect();
        for line in &state.releases {
            match (there.get(&line.release), line.manifest) {
                (None, Some(_)) if line.removed.is_none() => {
                    self.wrong(manifest(line.release), RELEASE_GONE);
                }
                (Some(_), Some(_)) if line.removed.is_some() && !state.cleaning => {
                    self.wrong(
                        manifest(line.release),
                        "this manifest should have been deleted from the public root \
                         and exists",
                    );
                }
                (Some(sha256), Some(meant)) if *sha256 != meant => {
                    self.wrong(manifest(line.release), OTHER_MANIFEST);
                }
                _ => {}
            }
        }
        self.removals(state, public, shown)?;
        for (id, table) in &state.tables {
            self.delta((*id, table), state.cleaning, public, shown)?;
        }
        let known = state.releases.last().map_or(0, |line| line.release);
        for (stranger, _) in public
            .releases
            .iter()
            .filter(|(manifest, _)| manifest.release > known)
        {
            self.wrong(
                manifest(stranger.release),
                "the log contains no such release",
            );
        }
        Ok(())
    }

    /// Removal notices are at the paths of removed manifests. Files that are just being removed are
    /// not reported.
    fn removals(
        &mut self,
        state: &FeedState,
        public: &CheckedPublicRoot,
        shown: &dyn ReadStore,
    ) -> Result<()> {
        for (line, removed) in state
            .releases
            .iter()
            .filter_map(|line| Some((line, line.removed?)))
        {
            if state.cleaning {
                self.leaving
                    .extend(line.files.iter().map(|(path, _)| path.clone()));
                let notice = public.layout.removal(removed.reason, line.release);
                self.leaving.extend([
                    format!("{}.sig", public.layout.manifest(line.release)),
                    format!("{notice}.sig"),
                    notice,
                ]);
                continue;
            }
            let newest = state.removed_in(line.chain, removed.reason).max();
            let path = public.layout.removal(removed.reason, line.release);
            let is_needed =
                removed.reason != RemovalReason::Expired || newest == Some(line.release);
            let notice = shown
                .read(&path)?
                .and_then(|bytes| RemovalNotice::parse(&bytes).ok());
            if is_needed
                && notice.and_then(|notice| Some(notice.manifest == line.manifest?)) != Some(true)
            {
                self.wrong(
                    path,
                    "the notice that replaces this release's manifest is missing or was changed",
                );
            }
        }
        Ok(())
    }

    /// A Delta log contains the commits that were decided, and no others.
    fn delta(
        &mut self,
        (id, table): (TableId, &ChainTable),
        cleaning: bool,
        public: &CheckedPublicRoot,
        shown: &dyn ReadStore,
    ) -> Result<()> {
        let nothing = SeenLog::default();
        let seen = public.logs.get(&id).unwrap_or(&nothing);
        let decided = table.delta().map(DeltaLog::versions).unwrap_or_default();
        let due = table.delta().map(DeltaLog::due).unwrap_or_default();
        let is_due = |version: u64| {
            due.iter()
                .any(|commit| commit.name() == LogFile::Commit(version))
        };
        let path = |version: u64| log_path(id, LogFile::Commit(version));
        let first = table.delta().map_or(0, DeltaLog::first);
        for (version, decided) in (0..)
            .zip(decided)
            .skip(usize::try_from(first).unwrap_or(usize::MAX))
        {
            match seen.commits.get(&version) {
                None if !is_due(version) => self.wrong(path(version), COMMIT_GONE),
                Some(commit) if *commit != decided.commit => {
                    self.wrong(path(version), OTHER_COMMIT);
                }
                _ => {}
            }
        }
        for version in seen
            .commits
            .keys()
            .filter(|version| **version >= decided.len() as u64)
        {
            self.wrong(path(*version), "no decision of the log made this commit");
        }
        // Checkpoints of versions that are just being removed may be of a withdrawn release.
        let checkpoints = seen
            .checkpoints
            .par_iter()
            .filter(|version| !cleaning || **version >= first);
        let is_other = |version: &u64| {
            let path = log_path(id, LogFile::Checkpoint(*version));
            let meant = table
                .checkpoint(*version)
                .map(|checkpoint| checkpoint.content);
            let bytes = shown.read(&path)?.unwrap_or_default();
            let is_same =
                meant.is_some_and(|meant| is_same_checkpoint(&path, bytes, meant.bytes()));
            Ok((!is_same).then_some(path))
        };
        let other: Vec<Option<String>> = checkpoints.map(is_other).collect::<Result<_>>()?;
        for path in other.into_iter().flatten() {
            self.wrong(
                path,
                "this checkpoint does not match the decisions of the log",
            );
        }
        Ok(())
    }
}
