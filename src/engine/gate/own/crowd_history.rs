//! What was published of a chain of crowds, as far as the next release is judged by it: the newest release, which holds all others
//! but for erased atoms, and the rows that each release added.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::histogram::{Release, ValueCode};
use crate::model::Node;

/// An atom as readers can tell it: the rows of one label that came with one release.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ErasedAtom {
    /// The place of the release in its chain, from 0.
    pub release: usize,
    /// The label.
    pub label: Vec<Node>,
}

/// Labels, and how many of their rows left a release.
pub type ErasedRows = BTreeMap<Vec<Node>, u64>;

/// The releases of a chain of crowds as they were published.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CrowdHistory {
    newest: Option<Release>,
    /// The rows that each release added, without atoms that were erased since; `None` if it did not hold the one before.
    added: Vec<Option<Release>>,
}

impl CrowdHistory {
    /// Takes in the next release; `map` gives the codes of earlier ones their new ones.
    pub fn push(&mut self, release: Release, map: &[ValueCode]) {
        let recoded = |release: Release| release.with_values(map);
        self.added = std::mem::take(&mut self.added).into_iter().map(|added| added.map(recoded)).collect();
        let before = self.newest.take().map(recoded);
        // What the gate approved holds what was there before.
        let added = before.map_or(Some(release.clone()), |before| release.without(&before));
        self.added.push(added);
        self.newest = Some(release);
    }

    /// The history without these atoms, and how many rows of each label they have. `None` if no release added one of them, or if it
    /// was erased before.
    pub fn without(&self, atoms: &[ErasedAtom]) -> Option<(CrowdHistory, ErasedRows)> {
        let (mut rest, mut rows) = (self.clone(), ErasedRows::new());
        for ErasedAtom { release, label } in atoms {
            let added = rest.added.get_mut(*release)?.as_mut()?;
            let [atom, others] = added.divide(|class| class == label.as_slice());
            if atom.rows() == 0 {
                return None;
            }
            *added = others;
            rest.newest = Some(rest.newest?.without(&atom)?);
            *rows.entry(label.clone()).or_default() += atom.rows();
        }
        Some((rest, rows))
    }

    /// How many releases.
    pub fn len(&self) -> usize {
        self.added.len()
    }

    /// The newest one.
    pub fn newest(&self) -> Option<&Release> {
        self.newest.as_ref()
    }

    /// How many rows each of them added.
    pub fn rows(&self) -> impl Iterator<Item = u64> + '_ {
        self.added.iter().map(|added| added.as_ref().map_or(0, Release::rows))
    }

    /// The fewest rows of a label that a release added, for each release that added any.
    pub fn fewest(&self) -> impl Iterator<Item = u64> + '_ {
        self.added.iter().filter_map(|added| added.as_ref().map_or(Some(0), fewest))
    }
}

/// The fewest rows of a label.
pub fn fewest(release: &Release) -> Option<u64> {
    release.smallest().map(|(rows, _)| rows)
}
