//! The gate's history of the table of measures: the published figures of each label, release by
//! release, as the gate read them. Each row is about one label, so the rows that a release added
//! form a table like that of people.

use serde::{Deserialize, Serialize};

use super::crowd_history::{CrowdHistory, ErasedAtom};
use crate::histogram::{Release, SensitiveValues, ValueCode};

/// The table of measures as it was published.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct MeasuresHistory {
    pub(super) values: SensitiveValues,
    pub(super) rows: CrowdHistory,
}

impl MeasuresHistory {
    /// Adds what the next release added, on its dictionary.
    pub(super) fn grow(&mut self, added: &Release, values: &SensitiveValues) {
        let (values, maps) = SensitiveValues::union(&[&self.values, values]);
        let growth = self
            .rows
            .growth(added.clone().with_values(&maps[1]), &maps[0]);
        self.rows.push(growth, &maps[0]);
        assert!(
            values.len() >= self.values.len(),
            "values come, and none goes"
        );
        self.values = values;
    }

    /// Removes atoms that the next release leaves out. If one of them is not in the newest release,
    /// returns `false` and changes nothing.
    pub(super) fn erase(&mut self, atoms: &[ErasedAtom]) -> bool {
        let Some((rest, _)) = self.rows.without(atoms) else {
            return false;
        };
        self.rows = rest;
        self.forget_unused_values();
        true
    }

    /// Drops figures that no row shows any more: nothing is kept of removed rows.
    pub(super) fn forget_unused_values(&mut self) {
        let used: Vec<bool> = self.rows.used(self.values.len());
        let (values, map): (SensitiveValues, Vec<ValueCode>) = self.values.only(&used);
        self.rows.recode(&map);
        self.values = values;
    }
}
