//! The Delta log of a chain becomes visible behind the manifest of its release (CONTRACTS 4): commits are put where none are, so that
//! a writer that does it again puts the same bytes; checkpoints only repeat what commits say.

use super::delta_log::DeltaCheckpoint;
use super::work::Live;
use crate::daemon::error::Result;
use crate::daemon::journal::store::{Store, put};
use crate::engine::delta::LogFile;

/// The folder of the table of a chain.
pub fn table_folder(chain: u32) -> String {
    format!("data/{chain}")
}

/// Where a file of the Delta log of a chain lies.
pub fn log_path(chain: u32, file: LogFile) -> String {
    format!("{}/{}", table_folder(chain), file.path())
}

impl Live {
    /// Puts the commits of a chain that are due into its log.
    pub(super) fn show_delta(&self, chain: u32) -> Result<()> {
        let Some(table) = self.state.tables.get(&chain) else { return Ok(()) };
        for (file, bytes) in table.delta().map(|delta| delta.due()).unwrap_or_default() {
            self.show(&log_path(chain, file), &bytes)?;
        }
        match table.checkpoint_due() {
            Some(checkpoint) => self.show_checkpoint(chain, &checkpoint),
            None => Ok(()),
        }
    }

    /// Puts a checkpoint into the log of a chain, and names the newest one. Another version of the program may have written the same
    /// content in other bytes, which readers can use as well; `verify` compares the content.
    pub(super) fn show_checkpoint(&self, chain: u32, checkpoint: &DeltaCheckpoint) -> Result<()> {
        let DeltaCheckpoint { version, bytes, named } = checkpoint;
        put(&*self.public, &log_path(chain, LogFile::Checkpoint(*version)), bytes)?;
        // Another writer may have gone on: the newest checkpoint must not be left unnamed.
        if newest_checkpoint(&*self.public, chain)? == Some(*version) {
            self.public.replace(&log_path(chain, LogFile::LastCheckpoint), named)?;
        }
        Ok(())
    }
}

/// The version of the newest checkpoint in the log of a chain.
pub(super) fn newest_checkpoint(public: &dyn Store, chain: u32) -> Result<Option<u64>> {
    let folder = table_folder(chain);
    let listed = public.list(&format!("{folder}/_delta_log"))?;
    let files = listed.iter().filter_map(|object| LogFile::at(object.path.strip_prefix(&folder)?.strip_prefix('/')?));
    let versions = files.filter_map(|file| match file {
        LogFile::Checkpoint(version) => Some(version),
        LogFile::Commit(_) | LogFile::LastCheckpoint => None,
    });
    Ok(versions.max())
}
