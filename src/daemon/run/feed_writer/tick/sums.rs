//! How many sums of measures the newest release shows, and how many it suppresses, as any reader
//! can count them in its files.

use super::super::publish::public_root::PublicRoot;
use super::super::state::FeedState;
use crate::engine::gate::bytes::read_part;
use crate::engine::model::ReleaseColumn;
use crate::engine::policy::Policy;
use crate::engine::release::{MeasureFigures, TableKind};
use crate::error::Result;

/// The numbers of sums of all measures of a release: in a table that grows, of the labels that it
/// has added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NewestSums {
    /// The number of published sums.
    pub shown: u64,
    /// The number of suppressed sums.
    pub left_out: u64,
}

/// The numbers for the newest release; `None` if there are no measures, or its files are not
/// public any more.
pub(in crate::feed_writer) fn newest_sums(
    state: &FeedState,
    policy: &Policy,
    public: &PublicRoot,
) -> Result<Option<NewestSums>> {
    let columns = &state.terms.columns;
    let Some(line) = state.releases.last().filter(|_| columns.has_measures()) else {
        return Ok(None);
    };
    let parts = state.parts_of(TableKind::Measures);
    let grows = policy.has_atoms();
    let part = parts
        .iter()
        .find(|part| part.span.holds(line.release))
        .map(|part| &part.file.path);
    let table = line
        .files
        .iter()
        .map(|(path, _)| path)
        .find(|path| TableKind::of(path) == TableKind::Measures);
    let Some(path) = part.or(table) else {
        return Ok(None);
    };
    let Some(bytes) = public.read(path)? else {
        return Ok(None);
    };
    let of_measures = columns.of_measures();
    let of_measures = if grows {
        of_measures
    } else {
        of_measures.with_release(ReleaseColumn::Absent)
    };
    let (Some(table), _) = read_part(&bytes, &of_measures, line.release) else {
        return Ok(None);
    };
    let Some(rows) = table.releases.get(&line.release) else {
        return Ok(None);
    };
    let mut found = NewestSums::default();
    for figures in MeasureFigures::of(rows, &table.values, columns) {
        found.shown += figures.shown;
        found.left_out += (figures.hidden.len() + figures.few.len()) as u64;
    }
    Ok(Some(found))
}
