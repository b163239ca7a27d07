//! What a release shows, from its public files.

use super::answer::{CountFigures, MeasureSums, UniformRows};
use crate::engine::counting::{Countable, RandomCounts};
use crate::engine::gate::diversity::Measures;
use crate::engine::histogram::ValueCode;
use crate::engine::release::{CheckLine, Manifest};
use crate::error::{Error, ErrorCategory, Result};
use crate::opened_release::{ColumnDetail, Opened};

/// The figures of a release.
#[derive(Default)]
pub(super) struct PreviewFigures {
    /// The number of rows.
    pub rows: u64,
    /// The information loss in its manifest.
    pub loss: f64,
    /// Detail by column.
    pub columns: Vec<ColumnDetail>,
    /// Errors of counts.
    pub count_error: Option<CountFigures>,
    /// Classes with only one sensitive value.
    pub uniform_classes: UniformRows,
    /// Sums of measures.
    pub measures: Vec<MeasureSums>,
    /// The checks that were made.
    pub checks: Vec<CheckLine>,
}

impl PreviewFigures {
    /// The figures that the manifest alone contains.
    pub(super) fn of_manifest(manifest: &Manifest) -> PreviewFigures {
        let Manifest {
            rows, loss, checks, ..
        } = manifest;
        PreviewFigures {
            rows: *rows,
            loss: *loss,
            checks: checks.clone(),
            ..PreviewFigures::default()
        }
    }

    /// The figures of a release. `place` gives the position in it of a column that count queries
    /// were drawn over.
    pub(super) fn of(
        opened: &Opened,
        place: impl Fn(usize) -> Option<usize>,
        counts: &RandomCounts,
    ) -> Result<PreviewFigures> {
        let trees = opened.columns.trees();
        let countable = Countable::learn(&opened.tables, &trees, opened.method());
        let too_many = |error| Error::new(ErrorCategory::Internal, format!("{error}"));
        let error = counts
            .error(&countable, opened.values.len(), place)
            .map_err(too_many)?;
        Ok(PreviewFigures {
            columns: opened.detail(),
            count_error: error.map(|error| CountFigures {
                mean: error.mean,
                median: error.median,
            }),
            uniform_classes: uniform(opened),
            ..PreviewFigures::of_manifest(&opened.manifest)
        })
    }
}

impl PreviewFigures {
    /// The information loss of some of the columns.
    pub(super) fn loss_of<'n>(&self, names: impl Iterator<Item = &'n String>) -> f64 {
        let (mut product, mut number) = (1.0, 0u32);
        for column in
            names.filter_map(|name| self.columns.iter().find(|column| column.name == *name))
        {
            product *= column.loss + 1.0;
            number += 1;
        }
        if number == 0 {
            0.0
        } else {
            product.powf(1.0 / f64::from(number)) - 1.0
        }
    }
}

/// Classes in which all rows have the same sensitive values, whatever their spelling.
fn uniform(opened: &Opened) -> UniformRows {
    let measures = Measures::new(&opened.columns, &opened.values, None);
    let (mut rows, mut all) = (0, 0);
    for table in &opened.tables {
        all += table.rows();
        for class in 0..table.classes() {
            let values: Vec<(ValueCode, u64)> = table
                .range(class)
                .map(|group| (table.values()[group], table.counts()[group]))
                .collect();
            if measures.shape(&values).distinct_l <= Some(1) {
                rows += table.size(class);
            }
        }
    }
    UniformRows {
        rows,
        share: if all == 0 {
            0.0
        } else {
            rows as f64 / all as f64
        },
    }
}
