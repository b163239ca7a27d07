//! The decision about a release that is due (HOUSE 3, Publish): the gate's answer is recorded in
//! the log.

use std::collections::BTreeSet;

use super::super::publish::make_visible::staged_file;
use super::super::publish::public_root::PublicRoot;
use super::super::state::FeedState;
use super::super::state_parts::UndecidedRelease;
use super::super::writer::FeedSettings;
use super::judge::for_the_gate;
use crate::engine::feed::ProposedRelease;
use crate::engine::gate::verdict::{Approved, Verdict};
use crate::engine::histogram::Histogram;
use crate::engine::model::Role;
use crate::engine::policy::{ChainKind, Policy};
use crate::engine::release::Manifest;
use crate::error::{Error, ErrorCategory, Result};
use crate::formats::RecordedTick;
use crate::journal::{Log, Ref, Rejection};

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

/// The candidate of a release that is due.
pub(super) fn candidate(state: &mut FeedState, policy: &Policy) -> Box<ProposedRelease> {
    if let Some(candidate) = state.candidate.take() {
        return candidate;
    }
    let trees = state.terms.columns.trees();
    Box::new(state.feed.propose(policy, &trees))
}

/// Columns of the decided or held release whose only labels stand for all values, and which had
/// other labels in the newest visible release, or there is none.
pub(in crate::feed_writer) fn newly_without_detail(
    log: &Log,
    state: &FeedState,
    public: &PublicRoot,
    settings: &FeedSettings,
) -> Result<Vec<String>> {
    let Some(pending) = state.publishing.as_ref().or(state.held.as_ref()) else {
        return Ok(Vec::new());
    };
    let names = |bytes: &[u8]| {
        let manifest = Manifest::parse(bytes).ok();
        let columns = &state.terms.columns;
        manifest.map(|manifest| {
            manifest
                .without_detail(columns)
                .into_iter()
                .map(str::to_owned)
                .collect()
        })
    };
    let mut found: Vec<String> =
        names(&staged_file(log, pending.approved.manifest())?).unwrap_or_default();
    let before = state
        .releases
        .iter()
        .rev()
        .find(|line| line.manifest.is_some());
    if let Some(before) = before.filter(|_| !found.is_empty()) {
        let bytes = public.read(&settings.layout.manifest(before.release))?;
        // The manifest of a release that was withdrawn or is too old does not count.
        let known: Vec<String> = bytes.and_then(|bytes| names(&bytes)).unwrap_or_default();
        found.retain(|name| !known.contains(name));
    }
    Ok(found)
}

/// Sensitive columns in which new people of the release that is due have a guarded value in a
/// spelling that is not guarded.
pub(in crate::feed_writer) fn misspelled_guarded(state: &FeedState) -> Vec<String> {
    if state.due.is_none() {
        return Vec::new();
    }
    let unpublished = state.feed.unpublished().iter();
    let new: Vec<&Histogram> = unpublished.map(|increment| &increment.rows).collect();
    let columns = state.terms.columns.of(Role::Sensitive).enumerate();
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
pub(in crate::feed_writer) fn recorded(
    log: &Log,
    tick: u32,
    kept: Option<&Ref>,
) -> Result<RecordedTick> {
    match kept {
        Some(kept) => RecordedTick::parse(&log.objects().need(kept)?),
        None => Ok(RecordedTick::of(tick)),
    }
}

/// Adds to the gate's history of published releases what it has just read.
pub(super) fn commit(state: &mut FeedState, policy: &Policy, approved: Approved) -> Result<()> {
    let cumulative = policy.kind() == ChainKind::Cumulative;
    let left_out = state
        .releases
        .last()
        .map(|line| [&line.erased[..], &line.retired].concat());
    let erased = for_the_gate(state, &left_out.unwrap_or_default())?;
    if let Some(published) = state.feed.published().last().filter(|_| cumulative) {
        // The gate has checked that they exist.
        state.history.erase(&erased);
        let entered = approved.enter(&mut state.history, &published.recoding);
        entered
            .map_err(|_| Error::new(ErrorCategory::Internal, "the gate has checked the labels"))?;
        if !erased.is_empty() {
            // The gate has read the release under a dictionary with the values of erased rows.
            state.history.forget_unused_values();
        }
    }
    Ok(())
}

pub(super) fn rejection(
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
