//! Turns a request into one entry (HOUSE 3), with who made it, when and why. A request that cannot
//! be done is refused in words, and nothing is changed.

use super::super::writer::FeedWriter;
use super::request::{Request, RequestKind, RequestOutcome, answered, inbox};
use crate::config;
use crate::error::Result;
use crate::journal::{Entry, EntryBody, Erase, Refused};

/// The result of processing the inbox.
#[derive(Debug, Default)]
pub struct Inbox {
    /// The requests with their outcomes.
    pub answers: Vec<RequestOutcome>,
    /// The people who were erased, request by request.
    pub erased: Vec<Erase>,
    /// The number of notes that were not written with the key.
    pub strange: u64,
}

impl FeedWriter {
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
        let mut done = Inbox::default();
        for (path, request) in inbox(self.log.store(), self.log.ring())? {
            let Some(request) = request else {
                // A writer that another one has taken over may lack the keys of notes that are
                // valid.
                self.log.ours()?;
                self.log.store().delete(&path)?;
                done.strange += 1;
                continue;
            };
            let before = self.log.next();
            let answer = self.carry_out(&request, feed, now)?;
            if matches!(request.ask, RequestKind::Erase { .. }) {
                done.erased.extend(self.erased_since(before)?);
            }
            if !answer.done {
                self.refused(&request)?;
            }
            answered(&mut self.log, &request, &answer)?;
            done.answers.push(answer);
        }
        Ok(done)
    }

    /// Records that a request was refused: a copy of the note must not be done later.
    fn refused(&mut self, request: &Request) -> Result<()> {
        if self.state.requests.contains_key(&request.wanted.request) {
            // Nothing is appended: a writer that has taken over may give another answer.
            return self.log.ours();
        }
        let refused = Refused {
            wanted: request.wanted.clone(),
            command: request.ask.name().to_owned(),
        };
        self.append(refused.clone())?;
        self.state.refused(&refused);
        Ok(())
    }

    /// The erasures in the entries from this number on.
    fn erased_since(&self, from: u64) -> Result<Option<Erase>> {
        for seq in from..self.log.next() {
            let bytes = self
                .log
                .store()
                .read(&Entry::path(seq))?
                .unwrap_or_default();
            if let Ok(Entry {
                body: EntryBody::Erase(erase),
                ..
            }) = Entry::parse(&bytes, self.log.ring())
            {
                return Ok(Some(erase));
            }
        }
        Ok(None)
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
        let ask = &request.ask;
        self.finish(now)?;
        match self.state.requests.get(&request.wanted.request) {
            Some(true) => return Ok(ask.done("done already")),
            Some(false) => {
                return Ok(ask.refused("this request was refused before: make another one"));
            }
            None => {}
        }
        if request.feed != self.log.ring().feed() || !self.log.holds(&request.after)? {
            let text = "this request was made for another feed, or for a log with entries that this one lacks: make it \
                        again";
            return Ok(ask.refused(text));
        }
        match ask {
            RequestKind::Approve { .. } | RequestKind::Reject { .. } => self.approval(request, now),
            RequestKind::NewChain => self.new_chain(request, feed),
            RequestKind::Erase { people, rows } => self.erase(request, people, *rows, now),
            RequestKind::Retry => self.retry(request),
            RequestKind::Withdraw { release, republish } => {
                self.withdrawn(request, *release, *republish, now)
            }
        }
    }
}
