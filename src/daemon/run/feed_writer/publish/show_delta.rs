//! Makes the Delta log of a chain visible after the manifest of its release (CONTRACTS 4): commits
//! are only written where none exist, so that a writer that repeats it writes the same bytes;
//! checkpoints only repeat what commits say.

use super::super::state::FeedState;
use super::delta_log::DeltaCheckpoint;
use super::public_root::PublicRoot;
use crate::engine::delta::LogFile;
use crate::engine::release::TableId;
use crate::error::Result;
use crate::journal::store::ReadStore;

/// Writes the due commits of a table into its log.
pub(in crate::feed_writer) fn show_delta(
    public: &PublicRoot,
    state: &FeedState,
    id: TableId,
) -> Result<()> {
    let Some(table) = state.tables.get(&id) else {
        return Ok(());
    };
    for commit in table.delta().map(|delta| delta.due()).unwrap_or_default() {
        public.put_commit(id, &commit)?;
    }
    match table.checkpoint_due() {
        Some(checkpoint) => show_checkpoint(public, id, &checkpoint),
        None => Ok(()),
    }
}

/// Writes a checkpoint into the log of a table, and names the newest one. Another version of
/// the program may have written the same content in other bytes, which readers can use as well;
/// `verify` compares the content.
pub(in crate::feed_writer) fn show_checkpoint(
    public: &PublicRoot,
    id: TableId,
    checkpoint: &DeltaCheckpoint,
) -> Result<()> {
    let DeltaCheckpoint {
        version,
        content,
        named,
    } = checkpoint;
    public.put_checkpoint(id, content)?;
    // Another writer may have continued: the newest checkpoint must be named.
    if newest_checkpoint(&**public, id)? == Some(*version) {
        public.name_checkpoint(id, named)?;
    }
    Ok(())
}

/// The version of the newest checkpoint in the log of a table.
pub(in crate::feed_writer) fn newest_checkpoint(
    public: &dyn ReadStore,
    table: TableId,
) -> Result<Option<u64>> {
    let folder = table.folder();
    let listed = public.list(&format!("{folder}/_delta_log"))?;
    let files = listed
        .iter()
        .filter_map(|object| LogFile::at(object.path.strip_prefix(&folder)?.strip_prefix('/')?));
    let versions = files.filter_map(|file| match file {
        LogFile::Checkpoint(version) => Some(version),
        LogFile::Commit(_) | LogFile::LastCheckpoint => None,
    });
    Ok(versions.max())
}
