//! The outcome of a tick, from the log: after the tick itself, and by the command that completes a
//! tick that a kill interrupted.

use super::entry::{InputEntry, InputOutcome, TickTotals};
use super::outcome::TickVerdict;
use crate::engine::policy::ChainKind;
use crate::error::{Error, ErrorCategory, Result};
use crate::feed_writer::FeedWriter;
use crate::journal::{
    ClosedTick, ClosingOutcome, Decision, Entry as Logged, EntryBody, IntakePart, Ref, Rejection,
};

/// The entries of a tick.
#[derive(Default)]
struct TickEntries {
    part: Option<IntakePart>,
    closed: Option<ClosedTick>,
    decision: Option<Decision>,
}

/// The input of the newest tick, with this index in the command, and its outcome; `None` before the
/// first.
///
/// # Errors
/// The log cannot be read.
pub(super) fn newest(
    writer: &FeedWriter,
    input: usize,
) -> Result<Option<(IntakePart, TickVerdict)>> {
    let Some(tick) = writer.state().feed.ticks().checked_sub(1) else {
        return Ok(None);
    };
    let TickEntries {
        part: Some(part),
        closed: Some(closed),
        decision,
    } = TickEntries::read(writer, tick)?
    else {
        return Err(Error::new(
            ErrorCategory::Internal,
            "each tick of a folder has its input",
        ));
    };
    let kept: Option<&Ref> = match &decision {
        Some(decision) => decision.verdict(),
        None => closed.verdict.as_ref(),
    };
    let recorded = writer.recorded(tick, kept)?;
    let state = writer.state();
    let outcome = match outcome(&closed, decision.as_ref()) {
        InputOutcome::Waiting if closed.skipped && state.feed.published().is_empty() => {
            InputOutcome::Held
        }
        outcome => outcome,
    };
    let release = state
        .releases
        .last()
        .filter(|_| outcome == InputOutcome::Published);
    let mut answer = InputEntry::new(
        input,
        outcome,
        release.map(|line| line.release),
        totals(writer),
    );
    answer.added = added(writer, &closed, outcome);
    let counts = &part.counts;
    (answer.duplicate, answer.skipped) = (counts.duplicate, counts.skipped);
    answer.quarantined = counts.quarantined;
    answer.reasons.clone_from(&recorded.reasons);
    answer.levels.clone_from(&recorded.levels);
    let verdict = TickVerdict::of(
        recorded,
        &part.origin.name(),
        answer,
        &closed.time,
        state.feed.chain(),
    );
    Ok(Some((part, verdict)))
}

/// Totals after the newest tick.
pub(super) fn totals(writer: &FeedWriter) -> TickTotals {
    let feed = &writer.state().feed;
    TickTotals {
        rows: writer.state().releases.last().map_or(0, |line| line.rows),
        // If people are gathered over several ticks, new rows wait as well.
        waiting: feed.waiting().rows() + feed.new_rows(),
        pending: feed.pending(),
    }
}

impl TickEntries {
    /// Reads the log backwards as far as needed.
    fn read(writer: &FeedWriter, tick: u32) -> Result<TickEntries> {
        let mut found = TickEntries::default();
        let (log, mut at) = (writer.log(), writer.log().next());
        while found.part.is_none() && at > 0 {
            at -= 1;
            let path = Logged::path(at);
            let gone = |text: String| Error::new(ErrorCategory::Input, text).in_field(path.clone());
            let bytes = log
                .store()
                .read(&path)?
                .ok_or_else(|| gone("this entry of the log is missing".to_owned()))?;
            match Logged::parse(&bytes, log.ring())
                .map_err(|none| gone(none.to_string()))?
                .body
            {
                EntryBody::Ingest(ingest) if ingest.tick == tick => {
                    found.part = ingest.parts.into_iter().next()
                }
                EntryBody::Closed(closed) if closed.tick == tick => found.closed = Some(closed),
                EntryBody::Decision(decision) if decision.tick() == tick => {
                    found.decision = Some(decision)
                }
                _ => {}
            }
        }
        Ok(found)
    }
}

fn outcome(closed: &ClosedTick, decision: Option<&Decision>) -> InputOutcome {
    match (closed.outcome, decision) {
        (ClosingOutcome::Held, _) => InputOutcome::Held,
        (ClosingOutcome::Waiting | ClosingOutcome::Skipped, _) => InputOutcome::Waiting,
        (ClosingOutcome::Stopped, _)
        | (ClosingOutcome::Candidate, Some(Decision::Reject(Rejection { stops: true, .. }))) => {
            InputOutcome::Stopped
        }
        (ClosingOutcome::Impossible, _)
        | (ClosingOutcome::Candidate, Some(Decision::Reject(_)) | None) => InputOutcome::Rejected,
        (ClosingOutcome::Candidate, Some(_)) => InputOutcome::Published,
    }
}

/// The number of rows whose atoms formed, and that are published or will be with the next release.
fn added(writer: &FeedWriter, closed: &ClosedTick, outcome: InputOutcome) -> u64 {
    let (state, policy) = (writer.state(), writer.policy());
    match outcome {
        InputOutcome::Published => {
            let mut newest = state.releases.iter().rev().map(|line| line.rows);
            let rows = newest.next().unwrap_or(0);
            match policy.kind() {
                ChainKind::Disjoint => rows,
                ChainKind::Cumulative => rows - newest.next().unwrap_or(0),
            }
        }
        InputOutcome::Rejected | InputOutcome::Stopped if state.feed.pending() == 0 => 0,
        _ => closed.added,
    }
}
