//! A person's request becomes one entry (HOUSE 3): who asked, when and why is in it. What cannot be done is refused in
//! words, and nothing is changed.

use super::super::writer::FeedWriter;
use super::request::{Request, RequestKind, RequestOutcome, answered, inbox};
use crate::daemon::config;
use crate::daemon::error::Result;
use crate::daemon::journal::{Entry, EntryBody, Erase};

/// What came of the inbox.
#[derive(Debug, Default)]
pub struct Inbox {
    /// What was asked and answered.
    pub answers: Vec<RequestOutcome>,
    /// People who were taken out, request by request.
    pub erased: Vec<Erase>,
    /// Notes that were not written with the key.
    pub strange: u64,
}

impl FeedWriter {
    /// Does what the inbox asks for. `feed` reads the feed file, when a new chain begins under it.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn inbox(&mut self, feed: &dyn Fn() -> Result<config::FeedConfig>, now: &str) -> Result<Inbox> {
        let mut done = Inbox::default();
        for (path, request) in inbox(self.log.store(), self.log.ring())? {
            let Some(request) = request else {
                self.log.store().delete(&path)?;
                done.strange += 1;
                continue;
            };
            let before = self.log.next();
            let answer = self.asked(&request, feed, now)?;
            if matches!(request.ask, RequestKind::Erase { .. }) {
                done.erased.extend(self.erased_since(before)?);
            }
            if !answer.done {
                // Nothing was appended: the writer that has taken over may know better.
                self.log.ours()?;
            }
            answered(self.log.store(), &request, &answer)?;
            done.answers.push(answer);
        }
        Ok(done)
    }

    /// What the entries from this place on say of people who were taken out.
    fn erased_since(&self, from: u64) -> Result<Option<Erase>> {
        for seq in from..self.log.next() {
            let bytes = self.log.store().read(&Entry::path(seq))?.unwrap_or_default();
            if let Ok(Entry { body: EntryBody::Erase(erase), .. }) = Entry::parse(&bytes, self.log.ring()) {
                return Ok(Some(erase));
            }
        }
        Ok(None)
    }

    /// Does what is asked for, once.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn asked(
        &mut self,
        request: &Request,
        feed: &dyn Fn() -> Result<config::FeedConfig>,
        now: &str,
    ) -> Result<RequestOutcome> {
        let ask = &request.ask;
        self.finish(now)?;
        if self.state.requests.contains(&request.wanted.request) {
            return Ok(ask.done("done already"));
        }
        match ask {
            RequestKind::Approve { .. } | RequestKind::Reject { .. } => self.approval(request, feed, now),
            RequestKind::NewChain => self.new_chain(request, feed),
            RequestKind::Erase { people, rows } => self.erase(request, people, *rows, now),
            RequestKind::Retry => self.retry(request),
            RequestKind::Withdraw { release, republish } => self.withdrawn(request, *release, *republish, now),
        }
    }
}
