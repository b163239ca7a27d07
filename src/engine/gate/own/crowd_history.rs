//! What was published of a chain of crowds, as far as the next release is judged by it: the newest release, which holds all others,
//! and what was new in each.

use serde::{Deserialize, Serialize};

use crate::histogram::{Release, ValueCode};

/// The releases of a chain of crowds as they were published.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CrowdHistory {
    newest: Option<Release>,
    added: Vec<Added>,
}

/// What is new in a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Added {
    rows: u64,
    /// The fewest rows of a label that has any.
    fewest: Option<u64>,
}

impl CrowdHistory {
    /// Takes in the next release; `map` gives the codes of earlier ones their new ones.
    pub fn push(&mut self, release: Release, map: &[ValueCode]) {
        let before = self.newest.take().map(|newest| newest.with_values(map));
        // What the gate approved holds what was there before.
        let added = before.map_or(Some(release.clone()), |before| release.without(&before));
        let (rows, fewest) = added.map_or((0, Some(0)), |added| (added.rows(), fewest(&added)));
        self.added.push(Added { rows, fewest });
        self.newest = Some(release);
    }

    /// How many releases.
    pub fn len(&self) -> usize {
        self.added.len()
    }

    /// The newest one.
    pub fn newest(&self) -> Option<&Release> {
        self.newest.as_ref()
    }

    /// How many rows were new in each.
    pub fn rows(&self) -> impl Iterator<Item = u64> + '_ {
        self.added.iter().map(|added| added.rows)
    }

    /// The fewest rows that were new of a label, in each that had any.
    pub fn fewest(&self) -> impl Iterator<Item = u64> + '_ {
        self.added.iter().filter_map(|added| added.fewest)
    }
}

/// The fewest rows of a label.
pub fn fewest(release: &Release) -> Option<u64> {
    (0..release.classes()).map(|class| release.size(class)).min()
}
