//! The same ticks in memory, with nothing written: what a feed file would publish of a sample.

use super::entry::Entry;
use super::inputs::{self, Input};
use super::task::{Task, Watch};
use super::ticks::in_memory;
use crate::daemon::chance::System;
use crate::daemon::error::Result;
use crate::daemon::ingest::PersonHasher;
use crate::daemon::journal::Ring;
use crate::daemon::journal::store::Memory;
use crate::engine::histogram::Rows;

/// The rows of inputs, decoded once for several rehearsals under the same columns.
pub struct Sample {
    inputs: Vec<Input>,
}

impl std::fmt::Debug for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sample({} inputs)", self.inputs.len())
    }
}

impl Sample {
    /// Reads the inputs of a task for a chain that begins with them.
    ///
    /// # Errors
    /// An input cannot be read or decoded, or no chain can begin under the feed file.
    pub fn read(task: &Task<'_>, watch: &mut dyn Watch) -> Result<Sample> {
        task.feed.beginning()?;
        let ring = Ring::draw(&task.key, &mut System)?;
        Ok(Sample { inputs: inputs::read(task, None, &PersonHasher::new(&ring.people()), watch)? })
    }

    /// All rows, in order.
    pub fn rows(&self) -> Option<Rows> {
        let mut all = self.inputs.iter().filter_map(|input| input.rows.as_ref());
        let first = all.next()?.clone();
        Some(all.fold(first, Rows::and))
    }

    /// Rows that were set aside.
    pub fn set_aside(&self) -> u64 {
        self.inputs.iter().filter_map(|input| input.aside.as_ref()).map(|(rows, _)| rows).sum()
    }

    /// The same rows as so many inputs, one as large as the other.
    #[must_use]
    pub fn divided(&self, parts: usize) -> Sample {
        let Some(rows) = self.rows() else { return Sample { inputs: Vec::new() } };
        let input = |part: usize| {
            let (from, to) = (rows.len() * part / parts, rows.len() * (part + 1) / parts);
            Input::of_rows(part, rows.only(|row| (from..to).contains(&row)))
        };
        Sample { inputs: (0..parts).map(input).collect() }
    }
}

/// Runs all ticks of a sample in memory: what came of each, and the public files.
///
/// # Errors
/// No chain can begin under the feed file.
pub fn rehearse(task: &Task<'_>, sample: &Sample, watch: &mut dyn Watch) -> Result<(Vec<Entry>, Memory)> {
    in_memory(task, sample.inputs.clone(), watch)
}
