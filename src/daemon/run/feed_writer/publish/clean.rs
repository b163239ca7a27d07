//! Removes files from the public root (CONTRACTS 4): first notices are written, then manifests are
//! removed, so that each visible manifest is complete, then files of a Delta log before a
//! checkpoint, and finally the files that no manifest lists any more. Every step can be repeated;
//! an entry after them records that all are done.

use std::collections::BTreeSet;

use super::super::state::FeedState;
use super::super::state_parts::DecidedRelease;
use super::super::writer::{FeedSettings, FeedWriter};
use super::delta_log::log_path;
use super::public_root::{INDEX, LATEST, PublicRoot, latest};
use super::release_index::write_index;
use super::show_delta::{newest_checkpoint, show_checkpoint, show_delta};
use crate::engine::delta::{LogFile, named_checkpoint};
use crate::engine::release::{Layout, RemovalNotice, RemovalReason, Sha256, TableId};
use crate::error::Result;
use crate::journal::Cleaned;

/// Removes from the public root what is to be removed, if anything is.
pub(in crate::feed_writer) fn clean(writer: &mut FeedWriter, now: &str) -> Result<bool> {
    if !writer.state.cleaning {
        return Ok(false);
    }
    // A writer that was taken over must not restore what was removed.
    writer.log.ours()?;
    put_notices(&writer.public, &writer.settings, &writer.state)?;
    if writer.settings.layout == Layout::Root {
        name_newest(&writer.public, &writer.settings, &writer.state)?;
    }
    write_index(writer, None)?;
    delete_manifests(&writer.public, &writer.settings, &writer.state)?;
    delete_versions(&writer.public, &writer.state)?;
    delete_files(&writer.public, &writer.state)?;
    let mut replaced = writer.state.replaced.clone();
    replaced.sort_unstable();
    let of_them = writer
        .state
        .removed()
        .filter(|(line, _)| replaced.contains(&line.release));
    let notice = of_them.filter_map(|(_, removed)| removed.notice).max();
    writer.log.append(Cleaned {
        time: now.to_owned(),
        replaced,
        notice,
    })?;
    writer.state.cleaned();
    Ok(true)
}

/// Writes a signed notice for each manifest that is to be removed. For expired ones the notice
/// of the newest stands for those before it.
fn put_notices(public: &PublicRoot, settings: &FeedSettings, state: &FeedState) -> Result<()> {
    let layout = settings.layout;
    for (line, removed) in state.removed() {
        let Some(manifest) = line.manifest else {
            continue;
        };
        if removed.reason == RemovalReason::Expired
            && state.last_expired(line.chain) != Some(line.release)
        {
            continue;
        }
        let why = (removed.reason, removed.notice);
        let notice = RemovalNotice::new(&state.terms.name, line.chain, line.release, manifest, why);
        let path = layout.removal(removed.reason, line.release);
        public.put_notice(&path, &notice, settings.signing.as_ref())?;
    }
    Ok(())
}

/// Keeps removed manifests, tables and versions of Delta logs removed, even if a writer that
/// was held up wrote one of them again, or a write arrives that a bucket had given up. The
/// files that help readers to find releases do not name removed ones either.
pub(in crate::feed_writer) fn removed_stay_away(writer: &mut FeedWriter) -> Result<()> {
    if writer.state.cleaning {
        return Ok(());
    }
    if writer.state.removed().next().is_some() {
        delete_manifests(&writer.public, &writer.settings, &writer.state)?;
        delete_files(&writer.public, &writer.state)?;
        removed_stay_unnamed(writer)?;
    }
    writer.state.tables.keys().try_for_each(|id| {
        delete_earlier_versions(&writer.public, &writer.state, *id)?;
        name_checkpoint_that_stays(&writer.public, &writer.state, *id)
    })
}

fn delete_manifests(public: &PublicRoot, settings: &FeedSettings, state: &FeedState) -> Result<()> {
    let layout = settings.layout;
    let mut gone = Vec::new();
    let prefix = if layout == Layout::Root {
        "manifest"
    } else {
        ""
    };
    let there: BTreeSet<u32> = public
        .list(prefix)?
        .iter()
        .filter_map(|object| layout.release(&object.path))
        .collect();
    for (line, removed) in state.removed() {
        if there.contains(&line.release) {
            gone.push(layout.manifest(line.release));
        }
        let path = layout.removal(RemovalReason::Expired, line.release);
        if removed.reason == RemovalReason::Expired
            && state.last_expired(line.chain) != Some(line.release)
        {
            gone.extend([format!("{path}.sig"), path]);
        }
    }
    // The newest first, so that the rest is always a chain from its beginning; a notice is
    // removed before its signature.
    for path in gone.iter().rev() {
        public.delete(path)?;
    }
    let signatures = state
        .removed()
        .map(|(line, _)| format!("{}.sig", layout.manifest(line.release)));
    let listed: BTreeSet<String> = public
        .list(prefix)?
        .into_iter()
        .map(|object| object.path)
        .collect();
    let signatures: Vec<String> = signatures.filter(|path| listed.contains(path)).collect();
    public.delete_all(&signatures.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Makes sure that neither `LATEST` nor the page over all releases names a removed release.
fn removed_stay_unnamed(writer: &mut FeedWriter) -> Result<()> {
    if writer.settings.layout == Layout::Root
        && let Some(named) = writer.public.read(LATEST)?
    {
        let names = |line: &DecidedRelease| latest(writer.settings.layout, line.release) == named;
        if writer.state.removed().any(|(line, _)| names(line)) {
            name_newest(&writer.public, &writer.settings, &writer.state)?;
        }
    }
    if writer
        .public
        .read(INDEX)?
        .is_none_or(|there| writer.index != Some(Sha256::of(&there)))
    {
        write_index(writer, None)?;
    }
    Ok(())
}

/// Names the newest release in `LATEST`. Another writer may have continued meanwhile, and its
/// release must be named: after writing the name, a writer looks for a newer manifest, so that
/// in the end the newest one is named.
pub(super) fn newest(public: &PublicRoot, settings: &FeedSettings, mut release: u32) -> Result<()> {
    let newer = |release: u32| {
        public
            .read(&settings.layout.manifest(release + 1))
            .map(|there| there.is_some())
    };
    loop {
        while newer(release)? {
            release += 1;
        }
        public.name_newest(settings.layout, Some(release))?;
        if !newer(release)? {
            return Ok(());
        }
    }
}

/// Makes sure that `LATEST` names a manifest that stays. Another writer may have continued
/// meanwhile: then its release is named.
fn name_newest(public: &PublicRoot, settings: &FeedSettings, state: &FeedState) -> Result<()> {
    let layout = settings.layout;
    let next = state.releases.last().map_or(1, |line| line.release + 1);
    let last = state.releases.iter().rev().find(|line| line.is_visible());
    public.name_newest(layout, last.map(|line| line.release))?;
    if public.read(&layout.manifest(next))?.is_some() {
        newest(public, settings, next)?;
    }
    Ok(())
}

/// Writes a checkpoint of the oldest version to which readers can go back; the part of the log
/// before it is removed.
fn delete_versions(public: &PublicRoot, state: &FeedState) -> Result<()> {
    for (id, table) in &state.tables {
        let Some(delta) = table.delta().filter(|delta| delta.metadata().is_some()) else {
            continue;
        };
        show_delta(public, state, *id)?;
        let first = delta.first();
        if first == 0 {
            continue;
        }
        if let Some(checkpoint) = table.checkpoint(first) {
            show_checkpoint(public, *id, &checkpoint)?;
        }
        delete_earlier_versions(public, state, *id)?;
    }
    Ok(())
}

/// Deletes the files of a table's log that are before the oldest version to which readers can
/// go back.
fn delete_earlier_versions(public: &PublicRoot, state: &FeedState, id: TableId) -> Result<()> {
    let first = state
        .tables
        .get(&id)
        .and_then(|table| table.delta())
        .map_or(0, |delta| delta.first());
    if first == 0 {
        return Ok(());
    }
    let folder = id.folder();
    let listed = public.list(&format!("{folder}/_delta_log"))?;
    let is_before = |path: &str| match LogFile::at(path.strip_prefix(&folder)?.strip_prefix('/')?)?
    {
        LogFile::Commit(version) | LogFile::Checkpoint(version) if version < first => Some(version),
        _ => None,
    };
    let mut before: Vec<(u64, &str)> = listed
        .iter()
        .filter_map(|object| Some((is_before(&object.path)?, object.path.as_str())))
        .collect();
    before.sort_unstable();
    // The oldest version first: without it a reader begins at the checkpoint, whatever remains
    // in between.
    let oldest = before
        .partition_point(|(version, _)| Some(*version) == before.first().map(|(first, _)| *first));
    before[..oldest]
        .iter()
        .try_for_each(|(_, path)| public.delete(path))?;
    public.delete_all(
        &before[oldest..]
            .iter()
            .map(|(_, path)| *path)
            .collect::<Vec<_>>(),
    )
}

/// Makes sure that readers of a table begin at no removed checkpoint.
fn name_checkpoint_that_stays(public: &PublicRoot, state: &FeedState, id: TableId) -> Result<()> {
    let Some(table) = state.tables.get(&id) else {
        return Ok(());
    };
    let first = table.delta().map_or(0, |delta| delta.first());
    if first == 0 {
        return Ok(());
    }
    let named = public.read(&log_path(id, LogFile::LastCheckpoint))?;
    if named
        .as_deref()
        .and_then(named_checkpoint)
        .is_none_or(|version| version >= first)
    {
        return Ok(());
    }
    let newest = newest_checkpoint(&**public, id)?;
    match newest.and_then(|version| table.checkpoint(version)) {
        Some(checkpoint) => public.name_checkpoint(id, &checkpoint.named),
        None => Ok(()),
    }
}

/// Deletes files that no visible release lists. Notices of erased rows stay.
fn delete_files(public: &PublicRoot, state: &FeedState) -> Result<()> {
    let needed = state.needed_files();
    let own = state
        .removed()
        .flat_map(|(line, _)| &line.files)
        .map(|(path, _)| path.as_str());
    let mut there = BTreeSet::new();
    // Taxonomies contain no rows, and the next release may list the same ones again.
    for folder in ["data", "measures", "sensitive", "report"] {
        there.extend(public.list(folder)?.into_iter().map(|object| object.path));
    }
    let is_there = |path: &&str| there.contains(*path) && !needed.contains(*path);
    let gone: BTreeSet<&str> = own.filter(is_there).collect();
    public.delete_all(&gone.into_iter().collect::<Vec<_>>())
}
