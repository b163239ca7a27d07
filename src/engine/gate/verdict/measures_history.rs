//! The gate's memory of the table of measures: what it tells of each label, release by release, as the gate read it. A row of it is one
//! label's, so the rows that a release added are a table like that of people.

use serde::{Deserialize, Serialize};

use super::crowd_history::{CrowdHistory, ErasedAtom};
use crate::histogram::{Release, SensitiveValues, ValueCode};

/// The table of measures as it was published.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct MeasuresHistory {
    pub(super) values: SensitiveValues,
    pub(super) rows: CrowdHistory,
}

impl MeasuresHistory {
    /// Takes in what the next release added, on its dictionary.
    pub fn grow(&mut self, added: &Release, values: &SensitiveValues) {
        let (values, maps) = SensitiveValues::union(&[&self.values, values]);
        let growth = self.rows.growth(added.clone().with_values(&maps[1]), &maps[0]);
        self.rows.push(growth, &maps[0]);
        assert!(values.len() >= self.values.len(), "values come, and none goes");
        self.values = values;
    }

    /// The next release leaves these atoms out. `false`, and nothing is changed, if one of them is not in the newest release.
    pub fn erase(&mut self, atoms: &[ErasedAtom]) -> bool {
        let Some((rest, _)) = self.rows.without(atoms) else { return false };
        self.rows = rest;
        self.forget_unused_values();
        true
    }

    /// Aggregates that no row shows any more: of rows that are gone nothing is kept.
    pub fn forget_unused_values(&mut self) {
        let used: Vec<bool> = self.rows.used(self.values.len());
        let (values, map): (SensitiveValues, Vec<ValueCode>) = self.values.only(&used);
        self.rows.recode(&map);
        self.values = values;
    }
}
