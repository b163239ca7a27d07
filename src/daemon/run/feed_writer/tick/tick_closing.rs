//! Closes a tick of the schedule (SCIENCE 3, closing; HOUSE 3): it contains the rows that came
//! before it. Its decisions are recorded in the log before anything is based on them, with the rows
//! and people that they are about.

use super::super::state_parts::Closing;
use super::super::writer::FeedWriter;
use super::chance_draws::ChanceDraws;
use super::repair::repair;
use crate::engine::feed::{self, ClosingResult, Ledger};
use crate::engine::model::Taxonomy;
use crate::engine::release::Layout;
use crate::error::Result;
use crate::formats::{AtomCounts, AtomMembers, Atoms, Grain, LedgerColumns, RecordedTick};
use crate::journal::{ClosedTick, ClosingOutcome, Drafts, Masked};

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

impl FeedWriter {
    /// Closes the tick scheduled for this time. If it makes a release, a decision is made next.
    ///
    /// # Errors
    /// Too many messages are set aside, or the log cannot be written.
    pub fn close(&mut self, time: &str) -> Result<Option<TickResult>> {
        self.retention(time)?;
        let is_due = self.state.table_is_behind(&self.policy);
        self.state.feed.set_due(is_due);
        let new = self.state.feed.new_rows();
        if self.goes_by() {
            return self.skip(new, time);
        }
        self.bearable(true)?;
        let columns = self.state.terms.columns.clone();
        let trees = columns.trees();
        let mut ticked = self.ticked(&trees)?;
        let mut recorded = RecordedTick::new(&ticked, &columns);
        let state = &mut self.state;
        recorded.repairs = repair(
            &mut state.feed,
            &mut ticked,
            &state.history,
            &self.policy,
            &columns,
        );
        let outcome = match std::mem::replace(&mut ticked.closed, ClosingResult::Waiting) {
            ClosingResult::Held => ClosingOutcome::Held,
            ClosingResult::Waiting => ClosingOutcome::Waiting,
            ClosingResult::Stopped => {
                recorded.stopped_before();
                ClosingOutcome::Stopped
            }
            ClosingResult::Impossible(why) => {
                recorded.impossible(&why);
                ClosingOutcome::Impossible
            }
            ClosingResult::Candidate(candidate) => {
                self.state.candidate = Some(candidate);
                ClosingOutcome::Candidate
            }
        };
        let mut drafts = Drafts::default();
        let feed = &self.state.feed;
        let formed = feed.unpublished().last().filter(|_| ticked.added > 0);
        let has_formed = formed.is_some();
        let atoms = Atoms::of(ticked.tick, feed.memory(), feed.waiting(), formed, &trees);
        let atoms = self.log.seal(&mut drafts, "atoms", &atoms.bytes())?;
        let verdict = match recorded.has_content() {
            true => Some(self.log.seal(&mut drafts, "verdict", &recorded.bytes())?),
            false => None,
        };
        drafts.put(self.log.store())?;
        let feed = &self.state.feed;
        let closed = ClosedTick {
            tick: ticked.tick,
            time: time.to_owned(),
            skipped: false,
            new,
            added: ticked.added,
            waiting: feed.waiting().rows(),
            pending: feed.pending(),
            outcome,
            atoms: Some(atoms),
            verdict,
            turn: feed.memory().ticks().last(),
        };
        self.append(closed.clone())?;
        let held = self.state.held.take();
        self.state.closed(&closed);
        if has_formed {
            self.state.forms();
        }
        held.iter().try_for_each(|held| self.unstage(held))?;
        self.finish_closing()?;
        Ok(Some(TickResult {
            tick: ticked.tick,
            new,
            added: ticked.added,
            outcome,
            recorded,
        }))
    }

    /// Whether a tick passes without publishing anything.
    fn goes_by(&self) -> bool {
        // A held release leaves out everything that has to be left out: it is not made again at
        // every tick.
        let owed = self.state.feed.owes_release() && self.state.held.is_none();
        !owed
            && !self
                .state
                .feed
                .is_due(&self.policy, self.settings.min_records)
    }

    /// The feed's result for a tick, with the random numbers that its labeller needs.
    fn ticked(&mut self, trees: &[&Taxonomy]) -> Result<feed::FeedTickResult> {
        let halves = self.policy.halves() && self.state.feed.is_due(&self.policy, 0);
        if halves && !self.state.feed.stopped() {
            let mut coins = self.coins()?;
            let feed = &mut self.state.feed;
            return Ok(feed.close(&self.policy, trees, &mut coins));
        }
        if self.policy.waits_again() {
            self.state.again();
        }
        let mut drawn = ChanceDraws::from(self.log.chance());
        let feed = &mut self.state.feed;
        let ticked = feed.close(&self.policy, trees, &mut drawn);
        drawn.sound()?;
        Ok(ticked)
    }

    /// Lets a tick pass. It is recorded if rows wait for it.
    fn skip(&mut self, new: u64, time: &str) -> Result<Option<TickResult>> {
        let feed = &self.state.feed;
        let (waiting, pending) = (feed.waiting().rows(), feed.pending());
        // The number of a tick can decide whether a later one halves.
        let memory = feed.memory_after_passing(&self.policy);
        // Each file of a folder has an entry of its own.
        let is_folder = self.settings.layout == Layout::Folders;
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
        self.append(closed.clone())?;
        self.state.feed.skipped(memory);
        self.state.closed(&closed);
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
    pub(in crate::feed_writer) fn finish_closing(&mut self) -> Result<()> {
        let Some(Closing { tick, atoms, .. }) = self.state.closing.clone() else {
            return Ok(());
        };
        let columns = self.state.terms.columns.clone();
        let trees = columns.trees();
        let has_formed = self.state.formed.last() == Some(&atoms);
        let ledger = if has_formed { self.changes()? } else { None };
        if let Some(ledger) = ledger.clone() {
            self.state.feed.masked(ledger);
            // It was built from unmasked values.
            self.state.candidate = None;
        }
        let feed = &self.state.feed;
        let formed = feed.unpublished().last().filter(|_| has_formed);
        let before = self.state.counts.last().map(|(tick, _)| *tick);
        let came = [Some(feed.waiting()), formed.map(|formed| &formed.people)];
        let came = came.into_iter().flatten();
        let came = came.flat_map(|rows| rows.people_after(before)).collect();
        let mut counts = AtomCounts::of(tick, feed.memory(), came, self.state.sensitive(), &trees);
        if let Some(formed) = formed {
            counts = counts.with_formed(formed, Grain::of(&self.policy), &trees);
        }
        let members = formed
            .filter(|_| self.policy.keeps_labels())
            .and_then(|formed| AtomMembers::of(formed, &trees));
        let mut drafts = Drafts::default();
        let counts = self.log.seal(&mut drafts, "mask", &counts.bytes())?;
        let ledger = ledger
            .map(|ledger| LedgerColumns::of(&ledger, &trees).bytes())
            .map(|ledger| self.log.seal(&mut drafts, "mask", &ledger))
            .transpose()?;
        let members = members
            .map(|members| self.log.seal(&mut drafts, "members", &members.bytes()))
            .transpose()?;
        drafts.put(self.log.store())?;
        let masked = Masked {
            tick,
            counts,
            ledger,
            members,
        };
        self.append(masked.clone())?;
        self.state.masked(&masked);
        Ok(())
    }

    /// The changed values of the people whose atoms formed last, drawn again: nothing outside knows
    /// an earlier draw.
    fn changes(&mut self) -> Result<Option<Ledger>> {
        let mut drawn = ChanceDraws::from(self.log.chance());
        let changes = self
            .state
            .feed
            .mask(&self.policy, &self.state.terms.columns, &mut drawn);
        drawn.sound()?;
        // If no value is available they stay unchanged, and the gate stops the chain.
        Ok(changes.unwrap_or_else(|_| Some(Ledger::default())))
    }
}
