//! The decision about a release that is due (HOUSE 3, Publish): the gate's answer is recorded in
//! the log.

use std::collections::BTreeSet;

use super::super::state_parts::UndecidedRelease;
use super::super::writer::FeedWriter;
use super::judge::GateAnswer;
use crate::engine::feed::ProposedRelease;
use crate::engine::gate::verdict::{Approved, Verdict};
use crate::engine::histogram::Histogram;
use crate::engine::model::Role;
use crate::engine::policy::ChainKind;
use crate::engine::release::Manifest;
use crate::error::{Error, ErrorCategory, Result};
use crate::formats::RecordedTick;
use crate::journal::{DecisionTerms, EntryBody, NewEntry, Ref, Rejection};

/// The decision about a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionMade {
    /// It will be published.
    Publish,
    /// It is held for approval.
    Hold,
    /// It may not be published, for reasons that depend only on quasi-identifiers.
    Reject,
    /// A check that reads sensitive values failed.
    Stop,
}

impl FeedWriter {
    /// Decides about the release that is due, if there is one.
    ///
    /// # Errors
    /// Its files cannot be written, or the log cannot.
    pub fn decide(&mut self) -> Result<Option<(DecisionMade, RecordedTick)>> {
        let Some(due) = self.state.due.clone() else {
            return Ok(None);
        };
        let mut recorded = self.recorded(due.tick, due.verdict.as_ref())?;
        let candidate = self.candidate();
        let said = self.ask_gate(&candidate, &due, &mut recorded)?;
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
                self.discard(release)?;
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
        let sha256 = self.append(entry.clone())?;
        if let EntryBody::Decision(decision) = entry.body() {
            self.state.decided(decision, sha256, &self.policy);
        }
        if let Some(approved) = approved {
            self.commit(*approved)?;
        }
        Ok(Some((decided, recorded)))
    }

    /// The candidate of a release that is due.
    fn candidate(&mut self) -> Box<ProposedRelease> {
        if let Some(candidate) = self.state.candidate.take() {
            return candidate;
        }
        let trees = self.state.terms.columns.trees();
        Box::new(self.state.feed.propose(&self.policy, &trees))
    }

    /// Columns of the decided or held release whose only labels stand for all values, and which had
    /// other labels in the newest visible release, or there is none.
    ///
    /// # Errors
    /// The manifest of either cannot be read.
    pub fn newly_without_detail(&self) -> Result<Vec<String>> {
        let Some(pending) = self.state.publishing.as_ref().or(self.state.held.as_ref()) else {
            return Ok(Vec::new());
        };
        let names = |bytes: &[u8]| {
            let manifest = Manifest::parse(bytes).ok();
            let columns = &self.state.terms.columns;
            manifest.map(|manifest| {
                manifest
                    .without_detail(columns)
                    .into_iter()
                    .map(str::to_owned)
                    .collect()
            })
        };
        let mut found: Vec<String> =
            names(&self.staged_file(pending.approved.manifest())?).unwrap_or_default();
        let before = self
            .state
            .releases
            .iter()
            .rev()
            .find(|line| line.manifest.is_some());
        if let Some(before) = before.filter(|_| !found.is_empty()) {
            let bytes = self
                .public
                .read(&self.settings.layout.manifest(before.release))?;
            // The manifest of a release that was withdrawn or is too old does not count.
            let known: Vec<String> = bytes.and_then(|bytes| names(&bytes)).unwrap_or_default();
            found.retain(|name| !known.contains(name));
        }
        Ok(found)
    }

    /// Sensitive columns in which new people of the release that is due have a guarded value in a
    /// spelling that is not guarded.
    pub fn misspelled_guarded(&self) -> Vec<String> {
        if self.state.due.is_none() {
            return Vec::new();
        }
        let unpublished = self.state.feed.unpublished().iter();
        let new: Vec<&Histogram> = unpublished.map(|increment| &increment.rows).collect();
        let columns = self.state.terms.columns.of(Role::Sensitive).enumerate();
        let found = columns
            .filter(|(_, column)| !column.guarded.is_empty())
            .filter(|(at, column)| {
                let is_misspelled = column.misspellings();
                new.iter().any(|rows| {
                    let cells = (0..rows.tuples()).flat_map(|tuple| rows.cells_of(tuple));
                    let codes: BTreeSet<u32> = cells.map(|cell| cell.value).collect();
                    codes
                        .into_iter()
                        .any(|code| is_misspelled(&rows.values().get(code)[*at]))
                })
            });
        found.map(|(_, column)| column.name.to_string()).collect()
    }

    /// The record of a tick for the operator, as it was stored.
    ///
    /// # Errors
    /// It is gone, or was changed.
    pub fn recorded(&self, tick: u32, kept: Option<&Ref>) -> Result<RecordedTick> {
        match kept {
            Some(kept) => RecordedTick::parse(&self.log.objects().need(kept)?),
            None => Ok(RecordedTick::of(tick)),
        }
    }

    /// Adds to the gate's history of published releases what it has just read.
    fn commit(&mut self, approved: Approved) -> Result<()> {
        let cumulative = self.policy.kind() == ChainKind::Cumulative;
        let left_out = self
            .state
            .releases
            .last()
            .map(|line| [&line.erased[..], &line.retired].concat());
        let erased = self.state.for_the_gate(&left_out.unwrap_or_default())?;
        if let Some(published) = self.state.feed.published().last().filter(|_| cumulative) {
            // The gate has checked that they exist.
            self.state.history.erase(&erased);
            let entered = approved.enter(&mut self.state.history, &published.recoding);
            entered.map_err(|_| {
                Error::new(ErrorCategory::Internal, "the gate has checked the labels")
            })?;
            if !erased.is_empty() {
                // The gate has read the release under a dictionary with the values of erased rows.
                self.state.history.forget_unused_values();
            }
        }
        Ok(())
    }
}

fn rejection(
    release: u32,
    due: &UndecidedRelease,
    verdict: &Verdict,
    stops: bool,
    kept: Ref,
) -> Rejection {
    let reasons = verdict.reasons();
    let reasons = reasons.map(|(check, reason)| reason.for_the_log(check.public_value()));
    Rejection {
        release,
        tick: due.tick,
        time: due.time.clone(),
        stops,
        reasons: reasons.collect(),
        verdict: Some(kept),
        wanted: None,
    }
}
