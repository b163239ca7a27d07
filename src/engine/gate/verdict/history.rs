//! The gate's history of a chain: its releases as they were published, each as the gate read it, on
//! one dictionary of sensitive values.

use serde::{Deserialize, Serialize};

use super::crowd_history::{CrowdHistory, ErasedAtom, ReleaseGrowth};
use super::measures_history::MeasuresHistory;
use crate::bytes::{PublishedTable, under_recoding};
use crate::histogram::{Release, SensitiveValues, ValueCode};
use crate::model::{Cut, Recoding};
use crate::release::{PartLine, TableKind};

/// The releases of one chain as they were published, on one dictionary.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct History {
    pub(super) values: SensitiveValues,
    pub(super) releases: Vec<Release>,
    recodings: Vec<Recoding>,
    /// The number of each release's recoding.
    pub(super) number: Vec<usize>,
    /// A chain of crowds, whose newest release contains all others.
    pub(super) crowds: CrowdHistory,
    /// The table of measures beside it.
    pub(super) measures: MeasuresHistory,
}

/// A published table that violates the recoding that its manifest states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// The quasi column in which it does.
    pub column: usize,
}

impl History {
    /// Adds the next release of the chain, as its bytes show it.
    ///
    /// # Errors
    /// Its labels are not those of its recoding.
    pub fn push(&mut self, table: PublishedTable, recoding: &[Cut]) -> Result<(), Defect> {
        self.take(table, recoding, None)
    }

    /// Adds the next release of a chain of crowds, as the bytes of its parts show it: the rows that
    /// it added, on their dictionary.
    pub fn grow(&mut self, added: Release, values: &SensitiveValues) {
        let (values, maps) = SensitiveValues::union(&[&self.values, values]);
        let growth = self.crowds.growth(added.with_values(&maps[1]), &maps[0]);
        self.crowds.push(growth, &maps[0]);
        self.values = values;
    }

    /// Adds what the release added to the table of measures.
    pub fn grow_measures(&mut self, added: &Release, values: &SensitiveValues) {
        self.measures.grow(added, values);
    }

    /// The files of the newest release of a chain of crowds.
    pub fn parts(&self) -> Vec<PartLine> {
        let of = |parts: &[PartLine], kind| {
            parts
                .iter()
                .all(|part| (part.table() == TableKind::Rows) == kind)
        };
        assert!(
            of(self.crowds.parts(), true) && of(self.measures.rows.parts(), false),
            "parts lie with their tables"
        );
        [self.crowds.parts(), self.measures.rows.parts()].concat()
    }

    /// Sets the files of the newest release of a chain of crowds.
    pub fn set_files(&mut self, parts: Vec<PartLine>) {
        let (rows, measures) = parts
            .into_iter()
            .partition(|part| part.table() == TableKind::Rows);
        self.crowds.set_files(rows);
        self.measures.rows.set_files(measures);
    }

    /// Adds a release whose growth is known, as in a chain of crowds.
    pub(super) fn take(
        &mut self,
        table: PublishedTable,
        recoding: &[Cut],
        growth: Option<ReleaseGrowth>,
    ) -> Result<(), Defect> {
        let (values, maps) = SensitiveValues::union(&[&self.values, &table.values]);
        if let Some(growth) = growth {
            self.crowds.push(growth.with_values(&maps[1]), &maps[0]);
            self.values = values;
            return Ok(());
        }
        let release =
            under_recoding(table.release, recoding).map_err(|column| Defect { column })?;
        self.recode(values, &maps[0]);
        self.number.push(self.number_of(recoding));
        if self.number.last() == Some(&self.recodings.len()) {
            self.recodings.push(recoding.to_vec());
        }
        self.releases.push(release.with_values(&maps[1]));
        assert_eq!(
            self.number.len(),
            self.releases.len(),
            "each release has the number of its recoding"
        );
        assert!(
            self.number
                .iter()
                .all(|&number| number < self.recodings.len()),
            "a number is of a recoding"
        );
        Ok(())
    }

    /// Removes atoms that the next release leaves out. If one of them is not in the newest release,
    /// returns `false` and changes nothing.
    pub fn erase(&mut self, atoms: &[ErasedAtom]) -> bool {
        if atoms.is_empty() {
            return true;
        }
        let Some((rest, _)) = self.crowds.without(atoms) else {
            return false;
        };
        if self.measures.rows.len() > 0 && !self.measures.erase(atoms) {
            return false;
        }
        self.crowds = rest;
        self.forget_unused_values();
        true
    }

    /// Drops values that no row of a chain of crowds has any more: nothing is kept of removed rows.
    pub fn forget_unused_values(&mut self) {
        let (values, map) = self.values.only(&self.crowds.used(self.values.len()));
        self.crowds.recode(&map);
        assert!(
            values.len() <= self.values.len(),
            "values are forgotten, and none comes"
        );
        self.values = values;
        self.measures.forget_unused_values();
    }

    fn recode(&mut self, values: SensitiveValues, map: &[ValueCode]) {
        assert_eq!(map.len(), self.values.len(), "each value has a code");
        if values.len() != self.values.len() {
            let releases = std::mem::take(&mut self.releases);
            self.releases = releases
                .into_iter()
                .map(|release| release.with_values(map))
                .collect();
        }
        self.values = values;
    }

    /// The number of a recoding; for a new recoding the next number.
    pub(super) fn number_of(&self, recoding: &[Cut]) -> usize {
        self.recodings
            .iter()
            .position(|known| known == recoding)
            .unwrap_or(self.recodings.len())
    }

    /// A release, its recoding and the dictionary of its codes.
    pub(super) fn release(&self, at: usize) -> (&Release, &[Cut], &SensitiveValues) {
        assert!(at < self.len(), "a release of the chain");
        (
            &self.releases[at],
            &self.recodings[self.number[at]],
            &self.values,
        )
    }

    /// The number of releases.
    pub fn len(&self) -> usize {
        self.releases.len() + self.crowds.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
