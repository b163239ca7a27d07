//! Turns a request into one entry (HOUSE 3), with who made it, when and why. A request that cannot
//! be done is refused in words, and nothing is changed.

use super::super::intake::retry::retry;
use super::super::state::FeedState;
use super::super::writer::FeedWriter;
use super::approval::approval;
use super::erase::erase;
use super::new_chain::new_chain;
use super::request::{self, Request, RequestKind, RequestOutcome, answered};
use super::withdraw::withdrawn;
use crate::config;
use crate::error::Result;
use crate::journal::{Entry, EntryBody, Erase, Log, Refused};

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

/// Does what the requests in the inbox ask for. `feed` reads the feed file, under which a new
/// chain begins.
pub(in crate::feed_writer) fn inbox(
    writer: &mut FeedWriter,
    feed: &dyn Fn() -> Result<config::FeedConfig>,
    now: &str,
) -> Result<Inbox> {
    let mut done = Inbox::default();
    for (path, request) in request::inbox(writer.log.store(), writer.log.ring())? {
        let Some(request) = request else {
            // A writer that another one has taken over may lack the keys of notes that are
            // valid.
            writer.log.ours()?;
            writer.log.store().delete(&path)?;
            done.strange += 1;
            continue;
        };
        let before = writer.log.next();
        let answer = carry_out(writer, &request, feed, now)?;
        if matches!(request.ask, RequestKind::Erase { .. }) {
            done.erased.extend(erased_since(&writer.log, before)?);
        }
        if !answer.done {
            refused(&mut writer.log, &mut writer.state, &request)?;
        }
        answered(&mut writer.log, &request, &answer)?;
        done.answers.push(answer);
    }
    Ok(done)
}

/// Records that a request was refused: a copy of the note must not be done later.
fn refused(log: &mut Log, state: &mut FeedState, request: &Request) -> Result<()> {
    if state.requests.contains_key(&request.wanted.request) {
        // Nothing is appended: a writer that has taken over may give another answer.
        return log.ours();
    }
    let refused = Refused {
        wanted: request.wanted.clone(),
        command: request.ask.name().to_owned(),
    };
    log.append(refused.clone())?;
    state.refused(&refused);
    Ok(())
}

/// The erasures in the entries from this number on.
fn erased_since(log: &Log, from: u64) -> Result<Option<Erase>> {
    for seq in from..log.next() {
        let bytes = log.store().read(&Entry::path(seq))?.unwrap_or_default();
        if let Ok(Entry {
            body: EntryBody::Erase(erase),
            ..
        }) = Entry::parse(&bytes, log.ring())
        {
            return Ok(Some(erase));
        }
    }
    Ok(None)
}

/// Does what a request asks for, once.
pub(in crate::feed_writer) fn carry_out(
    writer: &mut FeedWriter,
    request: &Request,
    feed: &dyn Fn() -> Result<config::FeedConfig>,
    now: &str,
) -> Result<RequestOutcome> {
    let ask = &request.ask;
    writer.finish(now)?;
    match writer.state.requests.get(&request.wanted.request) {
        Some(true) => return Ok(ask.done("done already")),
        Some(false) => {
            return Ok(ask.refused("this request was refused before: make another one"));
        }
        None => {}
    }
    if request.feed != writer.log.ring().feed() || !writer.log.holds(&request.after)? {
        let text = "this request was made for another feed, or for a log with entries that this one lacks: make it \
                    again";
        return Ok(ask.refused(text));
    }
    match ask {
        RequestKind::Approve { .. } | RequestKind::Reject { .. } => approval(writer, request, now),
        RequestKind::NewChain => new_chain(writer, request, feed),
        RequestKind::Erase { people, rows } => erase(writer, request, people, *rows, now),
        RequestKind::Retry => retry(writer, request),
        RequestKind::Withdraw { release, republish } => {
            withdrawn(writer, request, *release, *republish, now)
        }
    }
}
