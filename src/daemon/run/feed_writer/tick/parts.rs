//! The files of a release of a table that grows (SCIENCE 11): those of the previous release, and
//! new ones with the new rows, with the rows of several small files, or with the remaining rows of
//! a file when atoms are erased.

use std::collections::BTreeMap;

use super::super::state::FeedState;
use super::super::times::milliseconds;
use crate::engine::feed::ProposedRelease;
use crate::engine::histogram::Histogram;
use crate::engine::policy::{ChainKind, Policy};
use crate::engine::release::{PartLine, ReleaseSpan, TableKind, replaced, rewritten};

/// The files that a candidate needs and that are not published: for each the releases, and the
/// rows that these have added.
///
/// Files are only merged within an eighth of the retention period, if there is one: so a file
/// is removed as a whole, and not much later than its oldest rows could be.
pub(in crate::feed_writer) fn new_parts(
    state: &FeedState,
    candidate: &ProposedRelease,
    policy: &Policy,
    retain: Option<u64>,
) -> Vec<(ReleaseSpan, Histogram)> {
    let earlier = rewritten_spans(state, TableKind::Rows, policy, retain).into_iter();
    let earlier = earlier.map(|span| (span, state.feed.rows_of(span.first..=span.last)));
    earlier
        .chain([(ReleaseSpan::of(candidate.release), candidate.new_rows())])
        .collect()
}

/// The same of the table of measures.
pub(in crate::feed_writer) fn new_measures(
    state: &FeedState,
    candidate: &ProposedRelease,
    policy: &Policy,
    retain: Option<u64>,
) -> Vec<(ReleaseSpan, Histogram)> {
    let earlier = rewritten_spans(state, TableKind::Measures, policy, retain).into_iter();
    let earlier =
        earlier.filter_map(|span| Some((span, state.feed.measures_of(span.first..=span.last)?)));
    earlier
        .chain(
            candidate
                .measures()
                .map(|new| (ReleaseSpan::of(candidate.release), new)),
        )
        .collect()
}

/// The releases whose rows are written again with the next one.
fn rewritten_spans(
    state: &FeedState,
    kind: TableKind,
    policy: &Policy,
    retain: Option<u64>,
) -> Vec<ReleaseSpan> {
    let parts = state.parts_of(kind);
    let period = |time: &str| {
        retain.map_or(0, |retain| {
            milliseconds(time) / (1_000 * (retain / 8).max(1) as i64)
        })
    };
    let times: BTreeMap<u32, &str> = state
        .of_chain()
        .map(|line| (line.release, line.time.as_str()))
        .collect();
    let of = |span: ReleaseSpan| times.get(&span.last).map_or(0, |time| period(time));
    let now = state.due.as_ref().map_or(0, |due| period(&due.time));
    // Without a column for the release each file contains the rows of one.
    let joined = state.terms.columns.release().name().is_some();
    let changed = || {
        parts
            .iter()
            .map(|part| part.span)
            .filter(|span| loses_rows(state, *span))
    };
    let spans = match policy.kind() {
        ChainKind::Cumulative if !joined => changed().collect(),
        ChainKind::Cumulative => rewritten(&parts, |span| loses_rows(state, span), (of, now)),
        ChainKind::Disjoint => Vec::new(),
    };
    let missing = state.not_in_table();
    // Merged parts contain the rows of all releases between them.
    let missing = missing
        .into_iter()
        .filter(|span| !spans.iter().any(|known| known.meets(*span)));
    spans.iter().copied().chain(missing).collect()
}

/// Whether atoms of one of these releases are in no later one. For atoms that were too old and
/// have been erased since, only the newest release of those that were too old is known.
fn loses_rows(state: &FeedState, span: ReleaseSpan) -> bool {
    let too_old = state.retired_through >= Some(span.first);
    too_old
        || state
            .erased
            .iter()
            .chain(&state.retired)
            .any(|atom| span.holds(atom.release))
}

/// The files of the newest release, after these new ones are added.
pub(in crate::feed_writer) fn parts_with(
    state: &FeedState,
    new: &[PartLine],
    policy: &Policy,
) -> Vec<PartLine> {
    match policy.kind() {
        ChainKind::Cumulative => {
            let known = TableKind::ALL.map(|kind| state.parts_of(kind)).concat();
            replaced(&known, new, |span| loses_rows(state, span))
        }
        ChainKind::Disjoint => new.to_vec(),
    }
}
