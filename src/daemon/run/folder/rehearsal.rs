//! The same ticks in memory, without writing anything: what a feed file would publish of a sample.

use super::entry::InputEntry;
use super::inputs::{self, Input};
use super::task::{Task, TaskProgress};
use super::ticks::in_memory;
use crate::chance::SystemChance;
use crate::engine::histogram::{CodedRows, MisfitKind};
use crate::error::Result;
use crate::ingest::{ColumnSpellings, PersonHasher};
use crate::journal::KeyRing;
use crate::journal::store::Memory;

/// The rows of inputs, decoded once for several rehearsals under the same columns.
pub struct RehearsalRows {
    inputs: Vec<Input>,
}

impl std::fmt::Debug for RehearsalRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sample({} inputs)", self.inputs.len())
    }
}

impl RehearsalRows {
    /// Reads the inputs of a task for a chain that begins with them.
    ///
    /// # Errors
    /// An input cannot be read or decoded, or no chain can begin under the feed file.
    pub fn read(task: &Task<'_>, watch: &mut dyn TaskProgress) -> Result<RehearsalRows> {
        let ring = KeyRing::draw(&task.key, &task.feed.name, &mut SystemChance)?;
        let hasher = PersonHasher::new(&ring.people());
        // Nothing can be set aside here.
        Ok(RehearsalRows {
            inputs: inputs::read(task, None, &hasher, &MisfitKind::Outside.to_string(), watch)?,
        })
    }

    /// All rows, in order.
    pub fn rows(&self) -> Option<CodedRows> {
        let mut all = self.inputs.iter().filter_map(|input| input.rows.as_ref());
        let first = all.next()?.clone();
        Some(all.fold(first, CodedRows::and))
    }

    /// For each input its columns with values that differ in spelling alone.
    pub fn spellings(&self) -> impl Iterator<Item = &ColumnSpellings> {
        self.inputs.iter().flat_map(|input| &input.spellings)
    }

    /// The same rows as several inputs of equal size.
    #[must_use]
    pub fn divided(&self, parts: usize) -> RehearsalRows {
        let Some(rows) = self.rows() else {
            return RehearsalRows { inputs: Vec::new() };
        };
        let input = |part: usize| {
            let (from, to) = (rows.len() * part / parts, rows.len() * (part + 1) / parts);
            Input::of_rows(part, rows.only(|row| (from..to).contains(&row)))
        };
        RehearsalRows {
            inputs: (0..parts).map(input).collect(),
        }
    }
}

/// Runs all ticks of a sample in memory; returns their outcomes, and the public files.
///
/// # Errors
/// No chain can begin under the feed file.
pub fn rehearse(
    task: &Task<'_>,
    sample: &RehearsalRows,
    watch: &mut dyn TaskProgress,
) -> Result<(Vec<InputEntry>, Memory)> {
    in_memory(task, sample.inputs.clone(), watch)
}
