//! Closes a tick of the schedule (SCIENCE 3, closing; HOUSE 3): it contains the rows that came
//! before it. Its decisions are recorded in the log before anything is based on them, with the rows
//! and people that they are about.

use super::super::state::FeedState;
use super::super::state_parts::Closing;
use super::super::writer::FeedWriter;
use super::chance_draws::ChanceDraws;
use super::coins::coins;
use crate::engine::feed;
use crate::engine::feed::Ledger;
use crate::engine::model::Taxonomy;
use crate::engine::policy::Policy;
use crate::engine::release::Layout;
use crate::error::Result;
use crate::formats::{AtomCounts, AtomMembers, Grain, LedgerColumns, RecordedTick};
use crate::journal::{ClosedTick, ClosingOutcome, Drafts, Log, Masked};

/// The result of a tick.
#[derive(Debug, Clone)]
pub struct TickResult {
    /// Its number.
    pub tick: u32,
    /// The number of rows that came since the previous tick.
    pub new: u64,
    /// The number of rows whose atoms formed.
    pub added: u64,
    /// The outcome.
    pub outcome: ClosingOutcome,
    /// The record for the operator.
    pub recorded: RecordedTick,
}

/// Whether a tick passes without publishing anything.
pub(super) fn goes_by(writer: &FeedWriter) -> bool {
    // A held release leaves out everything that has to be left out: it is not made again at
    // every tick.
    let owed = writer.state.feed.owes_release() && writer.state.held.is_none();
    !owed
        && !writer
            .state
            .feed
            .is_due(&writer.policy, writer.settings.min_records)
}

/// The feed's result for a tick, with the random numbers that its labeller needs.
pub(super) fn ticked(
    log: &mut Log,
    state: &mut FeedState,
    policy: &Policy,
    trees: &[&Taxonomy],
) -> Result<feed::FeedTickResult> {
    let halves = policy.halves() && state.feed.is_due(policy, 0);
    if halves && !state.feed.stopped() {
        let mut coins = coins(log, state)?;
        let feed = &mut state.feed;
        return Ok(feed.close(policy, trees, &mut coins));
    }
    if policy.waits_again() {
        state.again();
    }
    let mut drawn = ChanceDraws::from(log.chance());
    let feed = &mut state.feed;
    let ticked = feed.close(policy, trees, &mut drawn);
    drawn.sound()?;
    Ok(ticked)
}

/// Lets a tick pass. It is recorded if rows wait for it.
pub(super) fn skip(writer: &mut FeedWriter, new: u64, time: &str) -> Result<Option<TickResult>> {
    let feed = &writer.state.feed;
    let (waiting, pending) = (feed.waiting().rows(), feed.pending());
    // The number of a tick can decide whether a later one halves.
    let memory = feed.memory_after_passing(&writer.policy);
    // Each file of a folder has an entry of its own.
    let is_folder = writer.settings.layout == Layout::Folders;
    if new == 0 && waiting == 0 && memory == *feed.memory() && !is_folder {
        return Ok(None);
    }
    let (tick, outcome) = (feed.ticks(), ClosingOutcome::Skipped);
    let closed = ClosedTick {
        tick,
        time: time.to_owned(),
        skipped: true,
        new,
        added: 0,
        waiting,
        pending,
        outcome,
        atoms: None,
        verdict: None,
        turn: memory.ticks().last(),
    };
    writer.log.append(closed.clone())?;
    writer.state.feed.skipped(memory);
    writer.state.closed(&closed);
    Ok(Some(TickResult {
        tick,
        new,
        added: 0,
        outcome,
        recorded: RecordedTick::of(tick),
    }))
}

/// Fixes the values of the tick that was closed as they will be published, if they are not yet:
/// then the writer has just closed it, or the one before has ended in between.
///
/// # Errors
/// The log cannot be written.
pub(in crate::feed_writer) fn finish_closing(
    log: &mut Log,
    state: &mut FeedState,
    policy: &Policy,
) -> Result<()> {
    let Some(Closing { tick, atoms, .. }) = state.closing.clone() else {
        return Ok(());
    };
    let columns = state.terms.columns.clone();
    let trees = columns.trees();
    let has_formed = state.formed.last() == Some(&atoms);
    let ledger = if has_formed {
        changes(log, state, policy)?
    } else {
        None
    };
    if let Some(ledger) = ledger.clone() {
        state.feed.masked(ledger);
        // It was built from unmasked values.
        state.candidate = None;
    }
    let feed = &state.feed;
    let formed = feed.unpublished().last().filter(|_| has_formed);
    let before = state.counts.last().map(|(tick, _)| *tick);
    let came = [Some(feed.waiting()), formed.map(|formed| &formed.people)];
    let came = came.into_iter().flatten();
    let came = came.flat_map(|rows| rows.people_after(before)).collect();
    let mut counts = AtomCounts::of(tick, feed.memory(), came, state.sensitive(), &trees);
    if let Some(formed) = formed {
        counts = counts.with_formed(formed, Grain::of(policy), &trees);
    }
    let members = formed
        .filter(|_| policy.keeps_labels())
        .and_then(|formed| AtomMembers::of(formed, &trees));
    let mut drafts = Drafts::default();
    let counts = log.seal(&mut drafts, "mask", &counts.bytes())?;
    let ledger = ledger
        .map(|ledger| LedgerColumns::of(&ledger, &trees).bytes())
        .map(|ledger| log.seal(&mut drafts, "mask", &ledger))
        .transpose()?;
    let members = members
        .map(|members| log.seal(&mut drafts, "members", &members.bytes()))
        .transpose()?;
    drafts.put(log.store())?;
    let masked = Masked {
        tick,
        counts,
        ledger,
        members,
    };
    log.append(masked.clone())?;
    state.masked(&masked);
    Ok(())
}

/// The changed values of the people whose atoms formed last, drawn again: nothing outside knows
/// an earlier draw.
fn changes(log: &mut Log, state: &mut FeedState, policy: &Policy) -> Result<Option<Ledger>> {
    let mut drawn = ChanceDraws::from(log.chance());
    let changes = feed::mask(&state.feed, policy, &state.terms.columns, &mut drawn);
    drawn.sound()?;
    // If no value is available they stay unchanged, and the gate stops the chain.
    Ok(changes.unwrap_or_else(|_| Some(Ledger::default())))
}
