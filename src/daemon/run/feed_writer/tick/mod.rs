//! A tick of the schedule: it closes the increment, draws coins, and decides about the release that
//! is due.

pub(super) mod chance_draws;
pub(super) mod coins;
pub(super) mod decide;
pub(super) mod judge;
pub(super) mod parts;
pub(super) mod repair;
pub(super) mod retention;
pub(super) mod sums;
pub(super) mod tick_closing;

use super::intake::taken_messages::bearable;
use super::publish::make_visible::{discard, unstage};
use super::writer::FeedWriter;
use crate::engine::feed::ClosingResult;
use crate::error::Result;
use crate::formats::{Atoms, RecordedTick};
use crate::journal::{ClosedTick, ClosingOutcome, DecisionTerms, Drafts, EntryBody, NewEntry, Ref};
use decide::{
    DecisionMade, candidate, commit, misspelled_guarded, newly_without_detail, recorded, rejection,
};
use judge::{GateAnswer, ask_gate};
use repair::repair;
use retention::retention;
use sums::{NewestSums, newest_sums};
use tick_closing::{TickResult, finish_closing, goes_by, skip, ticked};

impl FeedWriter {
    /// The numbers for the newest release; `None` if there are no measures, or its files are not
    /// public any more.
    ///
    /// # Errors
    /// The store does not answer.
    pub fn newest_sums(&self) -> Result<Option<NewestSums>> {
        newest_sums(&self.state, &self.policy, &self.public)
    }

    /// Decides about the release that is due, if there is one.
    ///
    /// # Errors
    /// Its files cannot be written, or the log cannot.
    pub fn decide(&mut self) -> Result<Option<(DecisionMade, RecordedTick)>> {
        let Some(due) = self.state.due.clone() else {
            return Ok(None);
        };
        let mut recorded = recorded(&self.log, due.tick, due.verdict.as_ref())?;
        let candidate = candidate(&mut self.state, &self.policy);
        let said = ask_gate(self, &candidate, &due, &mut recorded)?;
        let release = candidate.release;
        let verdict = self.log.keep("verdict", &recorded.bytes())?;
        let (entry, decided, approved): (NewEntry, _, _) = match said {
            GateAnswer::Approved(approved, stages) => {
                self.state.candidate = Some(candidate);
                let (tick, time) = (due.tick, due.time.clone());
                let terms = DecisionTerms {
                    release,
                    tick,
                    time,
                    verdict,
                    stages,
                };
                match self.settings.approval.clone() {
                    Some(rule) => (
                        NewEntry::hold(&approved, terms, rule),
                        DecisionMade::Hold,
                        None,
                    ),
                    None => (
                        NewEntry::publish(&approved, terms),
                        DecisionMade::Publish,
                        Some(approved),
                    ),
                }
            }
            GateAnswer::Refused(said) => {
                discard(&self.log, release)?;
                let stops = said.stops();
                let decided = if stops {
                    DecisionMade::Stop
                } else {
                    DecisionMade::Reject
                };
                (
                    rejection(release, &due, &said, stops, verdict).into(),
                    decided,
                    None,
                )
            }
        };
        let sha256 = self.log.append(entry.clone())?;
        if let EntryBody::Decision(decision) = entry.body() {
            self.state.decided(decision, sha256, &self.policy);
        }
        if let Some(approved) = approved {
            commit(&mut self.state, &self.policy, *approved)?;
        }
        Ok(Some((decided, recorded)))
    }

    /// Columns of the decided or held release whose only labels stand for all values, and which had
    /// other labels in the newest visible release, or there is none.
    ///
    /// # Errors
    /// The manifest of either cannot be read.
    pub fn newly_without_detail(&self) -> Result<Vec<String>> {
        newly_without_detail(&self.log, &self.state, &self.public, &self.settings)
    }

    /// Sensitive columns in which new people of the release that is due have a guarded value in a
    /// spelling that is not guarded.
    pub fn misspelled_guarded(&self) -> Vec<String> {
        misspelled_guarded(&self.state)
    }

    /// The record of a tick for the operator, as it was stored.
    ///
    /// # Errors
    /// It is gone, or was changed.
    pub fn recorded(&self, tick: u32, kept: Option<&Ref>) -> Result<RecordedTick> {
        recorded(&self.log, tick, kept)
    }

    /// Closes the tick scheduled for this time. If it makes a release, a decision is made next.
    ///
    /// # Errors
    /// Too many messages are set aside, or the log cannot be written.
    pub fn close(&mut self, time: &str) -> Result<Option<TickResult>> {
        retention(self, time)?;
        let is_due = self.state.table_is_behind(&self.policy);
        self.state.feed.set_due(is_due);
        let new = self.state.feed.new_rows();
        if goes_by(self) {
            return skip(self, new, time);
        }
        bearable(&self.state, &self.settings, true)?;
        let columns = self.state.terms.columns.clone();
        let trees = columns.trees();
        let mut ticked = ticked(&mut self.log, &mut self.state, &self.policy, &trees)?;
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
        self.log.append(closed.clone())?;
        let held = self.state.held.take();
        self.state.closed(&closed);
        if has_formed {
            self.state.forms();
        }
        held.iter().try_for_each(|held| unstage(&self.log, held))?;
        finish_closing(&mut self.log, &mut self.state, &self.policy)?;
        Ok(Some(TickResult {
            tick: ticked.tick,
            new,
            added: ticked.added,
            outcome,
            recorded,
        }))
    }
}
