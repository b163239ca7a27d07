//! Requests of operators to a feed: approve, erase, withdraw, begin another chain, change the key.

pub(super) mod approval;
pub(super) mod erase;
pub(super) mod leaving_atoms;
pub(super) mod new_chain;
pub(super) mod person_search;
pub(super) mod request;
pub(super) mod request_entry;
pub(super) mod rewrite;
pub(super) mod statement;
pub(super) mod withdraw;

use super::writer::FeedWriter;
use crate::config;
use crate::error::Result;
use crate::journal::{RequestOrigin, remove_others};
use crate::seal::OperatorKey;
use request::{Request, RequestOutcome};
use request_entry::{Inbox, carry_out, inbox};

impl FeedWriter {
    /// Changes the operator's key (HOUSE 3): the keys of the feed are drawn anew, every object is sealed under keys of its
    /// own beside the old one, the feed's own keys last; then one entry says that the new ones are valid, and the old ones are
    /// deleted. A writer that dies on the way leaves one key that opens everything. This writer ends with it. Returns the number of objects that
    /// were sealed anew.
    ///
    /// # Errors
    /// An object or a key was changed, another writer has taken over, or the store cannot be
    /// written.
    pub fn rekey(mut self, to: &OperatorKey, wanted: RequestOrigin) -> Result<u64> {
        let objects = self.log.rekey(to, wanted)?;
        remove_others(self.log.store(), self.log.ring(), self.log.writer().epoch)?;
        Ok(objects)
    }

    /// Does what the requests in the inbox ask for. `feed` reads the feed file, under which a new
    /// chain begins.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn inbox(
        &mut self,
        feed: &dyn Fn() -> Result<config::FeedConfig>,
        now: &str,
    ) -> Result<Inbox> {
        inbox(self, feed, now)
    }

    /// Does what a request asks for, once.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn carry_out(
        &mut self,
        request: &Request,
        feed: &dyn Fn() -> Result<config::FeedConfig>,
        now: &str,
    ) -> Result<RequestOutcome> {
        carry_out(self, request, feed, now)
    }
}
