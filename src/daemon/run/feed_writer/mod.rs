//! A running feed (HOUSE 2 and 3): its state is the fold of its log, and every action is an entry
//! first. Nothing here approves a release; nothing here waits for a clock.

mod apply_entry;
mod intake;
mod objects;
mod publish;
mod recovery;
mod requests;
mod state;
mod state_fold;
mod state_parts;
mod tick;
mod times;
mod writer;

pub use intake::set_aside::UnnamedObjects;
pub use intake::taken_messages::{SetAsideCounts, TakenMessages, TakenPart};
pub use publish::chain_table::{ChainTable, TablePart};
pub use publish::delta_log::{DeltaLog, Version, log_path};
pub use publish::make_visible::{PublishedRelease, not_as_decided};
pub use publish::public_root::{FinalManifest, PublicRoot};
pub use recovery::checkpoint::checkpoints;
pub use recovery::feed_opening::{OpenedFeed, Opening, OpeningReport};
pub use recovery::pack::FEW;
pub use recovery::published_releases::intact;
pub use recovery::replay::{ReplayedLog, from_checkpoint, past, past_of, past_quickly};
pub use recovery::snapshot::{FeedRoots, FeedSnapshot};
pub use requests::request::{Hash, Request, RequestKind, RequestOutcome};
pub use requests::request_entry::Inbox;
pub use requests::statement::Statement;
pub use state::FeedState;
pub use state_parts::{Consumed, DecidedRelease, OutgoingRelease};
pub use tick::decide::DecisionMade;
pub use tick::tick_closing::TickResult;
pub use writer::{FeedSettings, FeedWriter};

use crate::engine::policy::Policy;
use crate::error::Result;
use crate::ingest::PersonHasher;
use crate::journal::Log;
use crate::journal::store::ReadStore;
use jiff::Timestamp;
use publish::clean::{clean, removed_stay_away};
use publish::make_visible::leave;
use publish::published_files::shown;
use recovery::checkpoint::checkpoint;
use recovery::forget::forget;
use recovery::pack::pack;
use recovery::sweep::sweep;
use tick::tick_closing::finish_closing;

impl FeedWriter {
    /// The state, as the log gives it.
    pub fn state(&self) -> &FeedState {
        &self.state
    }

    /// The policy in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The log.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The public root.
    pub fn public(&self) -> &dyn ReadStore {
        &*self.public
    }

    /// The settings that may change.
    pub fn settings(&self) -> &FeedSettings {
        &self.settings
    }

    /// Makes the decided release visible, if there is one.
    ///
    /// # Errors
    /// The public root cannot be written, or contains other bytes in the place of the release.
    pub fn leave(&mut self, now: &str) -> Result<Option<PublishedRelease>> {
        leave(self, now)
    }

    /// Completes what the previous writer left half done, including a decision: nothing else is
    /// done before.
    ///
    /// # Errors
    /// As for each step.
    pub fn finish(&mut self, now: &str) -> Result<()> {
        self.roll_forward(now)?;
        if self.decide()?.is_some() {
            leave(self, now)?;
        }
        Ok(())
    }

    /// Completes what the previous writer left half done, except for a decision.
    ///
    /// # Errors
    /// As for each step.
    pub fn roll_forward(&mut self, now: &str) -> Result<Option<PublishedRelease>> {
        finish_closing(&mut self.log, &mut self.state, &self.policy)?;
        let left = leave(self, now)?;
        clean(self, now)?;
        Ok(left)
    }

    /// Checks that the manifests are unchanged and have their signatures, all of them or only the
    /// `newest`.
    ///
    /// # Errors
    /// One is missing, was changed or has lost its signature, or the public root cannot be read.
    pub fn shown(&self, newest: bool) -> Result<()> {
        shown(&self.log, &self.state, &self.public, &self.settings, newest)
    }

    /// Removes from the public root what is to be removed, if anything is.
    ///
    /// # Errors
    /// The public root or the log cannot be written.
    pub fn clean(&mut self, now: &str) -> Result<bool> {
        clean(self, now)
    }

    /// Keeps removed manifests, tables and versions of Delta logs removed, even if a writer that
    /// was held up wrote one of them again, or a write arrives that a bucket had given up. The
    /// files that help readers to find releases do not name removed ones either.
    ///
    /// # Errors
    /// The public root cannot be read or written.
    pub fn removed_stay_away(&mut self) -> Result<()> {
        removed_stay_away(self)
    }

    /// The hasher for the people of this feed.
    pub fn hasher(&self) -> &PersonHasher {
        &self.hasher
    }

    /// Removes what a crash has left behind; returns the number of objects.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn sweep(&self) -> Result<u64> {
        sweep(&self.log, &self.state)
    }

    /// Packs single entries and objects, if there are enough of them; returns how many.
    ///
    /// # Errors
    /// Another writer has taken over, or the store cannot be read or written.
    pub fn pack(&mut self) -> Result<u64> {
        pack(&mut self.log, &self.state, &self.settings, &mut self.packed)
    }

    /// Whether enough entries have come since the last time.
    pub fn packs_soon(&self) -> bool {
        self.log.next() - self.packed >= 4 * self.settings.few as u64
    }

    /// Deletes objects whose period is over; returns their number.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn forget(&mut self, now: Timestamp) -> Result<u64> {
        forget(&mut self.log, &mut self.state, &self.settings, now)
    }

    /// Writes a checkpoint, if one is due and nothing is half done. Returns the number of its entry
    /// and its size in bytes.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn checkpoint(&mut self) -> Result<Option<(u64, u64)>> {
        checkpoint(&mut self.log, &self.state, &mut self.last)
    }

    /// Opens a feed, or begins one.
    ///
    /// # Errors
    /// As for [`OpenedFeed::read`] and [`OpenedFeed::begin`].
    pub fn open(opening: Opening<'_>) -> Result<(FeedWriter, OpeningReport)> {
        OpenedFeed::read(opening)?.begin()
    }
}
