//! The published part of a chain of crowds, as far as the next release is compared with it: the
//! rows that each release added, and the files that contain them.
//!
//! Results about a release are stored, and extended to the next one by its new rows alone: sums of
//! the whole table, the rows of each label, and which private table was compared with the rows of
//! an earlier release. All of it comes from bytes that the gate read and from comparisons that it
//! made; nothing is copied from the proposal.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::histogram::{Histogram, Release, SensitiveValues, TableSums, ValueCode, keeps_codes};
use crate::model::Node;
use crate::release::PartLine;

/// An atom as readers can identify it: the rows of one label that came with one release.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ErasedAtom {
    /// Labels, and how many of their rows a release left out.
    pub release: usize,
    /// The label.
    pub label: Vec<Node>,
}

/// Labels, and how many of their rows left a release.
pub(super) type RemovedLabels = BTreeMap<Vec<Node>, u64>;

/// The releases of a chain of crowds as they were published.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct CrowdHistory {
    /// Sums over the newest release, which contains the rows of all others except erased atoms.
    sums: TableSums,
    /// The number of rows of each of its labels.
    sizes: Sizes,
    /// The rows that each release added.
    added: Vec<AddedRows>,
    /// The files of the newest release.
    parts: Vec<PartLine>,
}

/// The number of rows of each label.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(Vec<Node>, u64)>", into = "Vec<(Vec<Node>, u64)>")]
struct Sizes(BTreeMap<Vec<Node>, u64>);

impl From<Vec<(Vec<Node>, u64)>> for Sizes {
    fn from(sizes: Vec<(Vec<Node>, u64)>) -> Sizes {
        Sizes(sizes.into_iter().collect())
    }
}

impl From<Sizes> for Vec<(Vec<Node>, u64)> {
    fn from(Sizes(sizes): Sizes) -> Vec<(Vec<Node>, u64)> {
        sizes.into_iter().collect()
    }
}

/// The rows that a release added, without atoms that were erased since.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct AddedRows {
    rows: Release,
    /// The smallest number of rows of a label; `None` if the release added none.
    fewest: Option<u64>,
    /// The private table that was compared with them and found to match. A shared table never
    /// changes.
    #[serde(skip)]
    people: OnceLock<Arc<Histogram>>,
}

impl AddedRows {
    fn new(rows: Release) -> AddedRows {
        AddedRows {
            fewest: fewest(&rows),
            rows,
            people: OnceLock::new(),
        }
    }

    fn with_values(self, map: &[ValueCode]) -> AddedRows {
        AddedRows {
            rows: self.rows.with_values(map),
            ..self
        }
    }
}

/// What a release adds to the one before it.
#[derive(Debug, Clone)]
pub(super) struct ReleaseGrowth {
    /// The new rows, on the dictionary of the release.
    pub added: Release,
    /// Sums over all its rows.
    pub sums: TableSums,
}

impl ReleaseGrowth {
    /// The same under a dictionary that contains more values; `map` gives the new code of each old
    /// code, in order.
    #[must_use]
    pub(super) fn with_values(self, map: &[ValueCode]) -> ReleaseGrowth {
        let masked = ReleaseGrowth {
            added: self.added.with_values(map),
            sums: self.sums.with_values(map),
        };
        assert!(
            masked.added.rows() <= masked.sums.rows(),
            "the new rows are some of all"
        );
        masked
    }
}

impl CrowdHistory {
    /// The growth of a release that adds these rows to the newest one; `map` translates codes of
    /// the chain to those of these rows.
    pub(super) fn growth(&self, added: Release, map: &[ValueCode]) -> ReleaseGrowth {
        let mut sums = self.sums.clone().with_values(map);
        sums.add(&added, |label| self.size_of(label));
        assert_eq!(
            sums.rows(),
            self.sums.rows() + added.rows(),
            "the rows before and those that are new"
        );
        ReleaseGrowth { added, sums }
    }

    /// The number of rows of a label in the newest release.
    pub(super) fn size_of(&self, label: &[Node]) -> u64 {
        self.sizes.0.get(label).copied().unwrap_or(0)
    }

    /// Adds the next release, which was compared with the newest one; `map` translates the codes of
    /// earlier releases to the new ones.
    pub(super) fn push(&mut self, growth: ReleaseGrowth, map: &[ValueCode]) {
        self.recode_added(map);
        let ReleaseGrowth { added, sums } = growth;
        assert!(
            sums.rows() == self.sums.rows() + added.rows(),
            "sums of the rows before and of those that are new"
        );
        for class in 0..added.classes() {
            *self.sizes.0.entry(added.class(class).to_vec()).or_default() += added.size(class);
        }
        self.sums = sums;
        self.added.push(AddedRows::new(added));
        assert_eq!(
            self.sizes.0.values().sum::<u64>(),
            self.sums.rows(),
            "each row has one label"
        );
    }

    fn recode_added(&mut self, map: &[ValueCode]) {
        if !keeps_codes(map) {
            let added = std::mem::take(&mut self.added);
            self.added = added
                .into_iter()
                .map(|added| added.with_values(map))
                .collect();
        }
    }

    /// The same releases under another dictionary; `map` gives the new code of each code in use.
    pub(super) fn recode(&mut self, map: &[ValueCode]) {
        self.recode_added(map);
        let rows = self.sums.rows();
        self.sums = std::mem::take(&mut self.sums).with_values(map);
        assert_eq!(self.sums.rows(), rows, "other codes, the same rows");
    }

    /// Which codes of a dictionary with `values` values are in use.
    pub(super) fn used(&self, values: usize) -> Vec<bool> {
        let mut used = vec![false; values];
        self.added
            .iter()
            .flat_map(|added| added.rows.values())
            .for_each(|value| used[*value as usize] = true);
        assert!(
            self.sums.rows() == 0 || used.contains(&true),
            "rows have values"
        );
        used
    }

    /// The files with the rows of the newest release.
    pub(super) fn parts(&self) -> &[PartLine] {
        &self.parts
    }

    /// Sets the files with the rows of the newest release.
    pub(super) fn set_files(&mut self, parts: Vec<PartLine>) {
        self.parts = parts;
    }

    /// The history without these atoms, and how many rows of each label they have. `None` if no
    /// release added one of them, or if it was erased before.
    pub(super) fn without(&self, atoms: &[ErasedAtom]) -> Option<(CrowdHistory, RemovedLabels)> {
        let (mut rest, mut rows) = (self.clone(), RemovedLabels::new());
        for ErasedAtom { release, label } in atoms {
            let added = rest.added.get_mut(*release)?;
            let [atom, others] = added.rows.divide(|class| class == label.as_slice());
            if atom.rows() == 0 {
                return None;
            }
            *added = AddedRows::new(others);
            let size = rest.sizes.0.get_mut(label)?;
            rest.sums.take(&atom, |_| *size);
            *size -= atom.rows();
            if *size == 0 {
                rest.sizes.0.remove(label);
            }
            *rows.entry(label.clone()).or_default() += atom.rows();
        }
        let gone: u64 = rows.values().sum();
        assert!(
            rest.sums.rows() + gone == self.sums.rows(),
            "a row that is removed is in no sum any more"
        );
        Some((rest, rows))
    }

    /// The number of releases.
    pub(super) fn len(&self) -> usize {
        self.added.len()
    }

    /// Sums over the newest release.
    pub(super) fn sums(&self) -> &TableSums {
        &self.sums
    }

    /// The rows that a release added, without atoms that were erased since.
    pub(super) fn added(&self, release: usize) -> Option<&Release> {
        self.added.get(release).map(|added| &added.rows)
    }

    /// Whether the rows that a release added are those of a private table; `values` is the
    /// dictionary of the chain. A table that was compared once is not compared again: it is the
    /// same shared table, and neither it nor the rows have changed.
    pub(super) fn are_of(
        &self,
        release: usize,
        people: &Arc<Histogram>,
        values: &SensitiveValues,
    ) -> bool {
        let Some(added) = self.added.get(release) else {
            return false;
        };
        if added
            .people
            .get()
            .is_some_and(|known| Arc::ptr_eq(known, people))
        {
            return true;
        }
        let (_, maps) = SensitiveValues::union(&[values, people.values()]);
        let masked = Release::from_own_labels(people).with_values(&maps[1]);
        let same = added
            .rows
            .clone()
            .with_values(&maps[0])
            .first_difference(&masked)
            .is_none();
        if same {
            _ = added.people.set(Arc::clone(people));
        }
        same
    }

    /// The smallest number of rows of a label that a release added, for each release that added
    /// any.
    pub(super) fn fewest(&self) -> impl Iterator<Item = u64> + '_ {
        self.added.iter().filter_map(|added| added.fewest)
    }
}

/// The smallest number of rows of a label.
fn fewest(release: &Release) -> Option<u64> {
    release.smallest().map(|(rows, _)| rows)
}
