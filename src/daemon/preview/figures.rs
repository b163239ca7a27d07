//! What a release shows, from its public files.

use super::answer::{CountFigures, MeasureSums, Uniform};
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::opened_release::{ColumnDetail, Opened};
use crate::engine::counting::{Countable, RandomCounts};
use crate::engine::histogram::Release;
use crate::engine::release::{CheckLine, Manifest};

/// The figures of a release.
#[derive(Default)]
pub struct Figures {
    /// Its rows.
    pub rows: u64,
    /// Loss of its manifest.
    pub loss: f64,
    /// Detail by column.
    pub columns: Vec<ColumnDetail>,
    /// How far counts lie off.
    pub count_error: Option<CountFigures>,
    /// Classes of one sensitive value.
    pub uniform_classes: Uniform,
    /// Sums of measures.
    pub measures: Vec<MeasureSums>,
    /// What was checked.
    pub checks: Vec<CheckLine>,
}

impl Figures {
    /// What a manifest tells alone.
    pub fn of_manifest(manifest: &Manifest) -> Figures {
        let Manifest { rows, loss, checks, .. } = manifest;
        Figures { rows: *rows, loss: *loss, checks: checks.clone(), ..Figures::default() }
    }

    /// Of a release. `place` is where a column that counts were drawn over is in it.
    pub fn of(opened: &Opened, place: impl Fn(usize) -> Option<usize>, counts: &RandomCounts) -> Result<Figures> {
        let trees = opened.columns.trees();
        let countable = Countable::learn(&opened.tables, &trees, opened.method());
        let too_many = |error| Error::new(Kind::Internal, format!("{error}"));
        let error = counts.error(&countable, opened.values.len(), place).map_err(too_many)?;
        Ok(Figures {
            columns: opened.detail(),
            count_error: error.map(|error| CountFigures { mean: error.mean, median: error.median }),
            uniform_classes: uniform(&opened.tables),
            ..Figures::of_manifest(&opened.manifest)
        })
    }
}

impl Figures {
    /// Loss of some of the columns.
    pub fn loss_of<'n>(&self, names: impl Iterator<Item = &'n String>) -> f64 {
        let (mut product, mut number) = (1.0, 0u32);
        for column in names.filter_map(|name| self.columns.iter().find(|column| column.name == *name)) {
            product *= column.loss + 1.0;
            number += 1;
        }
        if number == 0 { 0.0 } else { product.powf(1.0 / f64::from(number)) - 1.0 }
    }
}

/// Classes in which all rows have the same sensitive values.
fn uniform(tables: &[Release]) -> Uniform {
    let (mut rows, mut all) = (0, 0);
    for table in tables {
        all += table.rows();
        let one = (0..table.classes()).filter(|&class| table.range(class).len() == 1);
        rows += one.map(|class| table.size(class)).sum::<u64>();
    }
    Uniform { rows, share: if all == 0 { 0.0 } else { rows as f64 / all as f64 } }
}
