//! The number of sums of measures that a release shows, from its public files.

use super::answer::MeasureSums;
use crate::engine::gate::bytes::read_part;
use crate::engine::model::{Columns, ReleaseColumn};
use crate::engine::release::{Manifest, MeasureFigures, TableKind};
use crate::error::{Error, ErrorCategory, Result};
use crate::journal::store::ReadStore;

/// For each measure, in the order of the feed file.
pub(super) fn sums(
    public: &dyn ReadStore,
    manifest: &Manifest,
    columns: &Columns,
) -> Result<Vec<MeasureSums>> {
    let grows = manifest.layout.is_some();
    let of_measures = columns.of_measures();
    let of_measures = if grows {
        of_measures
    } else {
        of_measures.with_release(ReleaseColumn::Absent)
    };
    let mut found: Vec<MeasureSums> = Vec::new();
    for file in manifest
        .files
        .iter()
        .filter(|file| TableKind::of(&file.path) == TableKind::Measures)
    {
        let bytes = public.read(&file.path)?.unwrap_or_default();
        let (part, _) = read_part(&bytes, &of_measures, manifest.release);
        let part = part.ok_or_else(|| {
            Error::new(
                ErrorCategory::Internal,
                "a table of measures cannot be read back",
            )
        })?;
        for rows in part.releases.values() {
            for figures in MeasureFigures::of(rows, &part.values, columns) {
                let known = found
                    .iter()
                    .position(|sums| sums.name == figures.name)
                    .unwrap_or_else(|| {
                        found.push(MeasureSums {
                            name: figures.name.clone(),
                            labels: 0,
                            shown: 0,
                            left_out: 0,
                        });
                        found.len() - 1
                    });
                found[known].labels += figures.labels;
                found[known].shown += figures.shown;
                found[known].left_out += (figures.hidden.len() + figures.few.len()) as u64;
            }
        }
    }
    Ok(found)
}
