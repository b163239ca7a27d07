//! What was published of a chain of crowds, as far as the next release is judged by it: the newest release, which holds all others
//! but for erased atoms, and the rows that each release added.
//!
//! What was found of a release once is kept and found of the next one from its new rows alone: sums of the whole table, and which
//! private table was compared with the rows of an earlier release. All of it comes from bytes that the gate read and from comparisons
//! that it made; nothing is taken over from whoever proposes a release.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::sums::Sums;
use crate::histogram::{Histogram, Release, ValueCode, Values, keeps_codes};
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
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CrowdHistory {
    newest: Option<Release>,
    /// Of the newest one.
    sums: Sums,
    /// What each release added; `None` if it did not hold the one before.
    added: Vec<Option<Added>>,
}

/// The rows that a release added, without atoms that were erased since.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Added {
    rows: Release,
    /// The fewest rows of a label; `None` if it added none.
    fewest: Option<u64>,
    /// The private table that was compared with them and found to be of these people. What is shared like this never changes.
    #[serde(skip)]
    people: OnceLock<Arc<Histogram>>,
}

impl Added {
    fn new(rows: Release) -> Added {
        Added { fewest: fewest(&rows), rows, people: OnceLock::new() }
    }

    fn with_values(self, map: &[ValueCode]) -> Added {
        Added { rows: self.rows.with_values(map), ..self }
    }
}

/// A release, compared with what was published before it.
#[derive(Debug, Clone)]
pub struct Growth {
    /// The rows that it has more, on its dictionary; `None` if it does not hold all of the release before it.
    pub added: Option<Release>,
    /// Of all its rows.
    pub sums: Sums,
    /// The releases and the rows that were there before it.
    follows: (usize, u64),
}

impl Growth {
    /// The same under a dictionary that holds more values; `map` gives each old code its new one, in order.
    #[must_use]
    pub fn with_values(self, map: &[ValueCode]) -> Growth {
        if keeps_codes(map) {
            return self;
        }
        let added = self.added.map(|added| added.with_values(map));
        Growth { added, sums: self.sums.with_values(map), ..self }
    }
}

impl CrowdHistory {
    /// Compares a release with the newest one, once; `map` gives the codes of the chain those of the release.
    pub fn growth(&self, release: &Release, map: &[ValueCode]) -> Growth {
        let last = self.newest.as_ref().map(|newest| match keeps_codes(map) {
            true => Cow::Borrowed(newest),
            false => Cow::Owned(newest.clone().with_values(map)),
        });
        let added = match &last {
            None => Some(release.clone()),
            Some(last) => release.without(last),
        };
        let sums = match &added {
            None => Sums::of(release),
            Some(added) => {
                let mut sums = self.sums.clone().with_values(map);
                sums.add(added, |label| last.as_ref().map_or(0, |last| last.size_of(label)));
                sums
            }
        };
        debug_assert_eq!(sums, Sums::of(release), "a release is the one before it and what it adds");
        Growth { added, sums, follows: self.mark() }
    }

    /// Tells apart what a growth was found against.
    fn mark(&self) -> (usize, u64) {
        (self.len(), self.sums.rows())
    }

    /// Takes in the next release, whose growth may be known; `map` gives the codes of earlier ones their new ones.
    pub fn push(&mut self, release: Release, map: &[ValueCode], growth: Option<Growth>) {
        if !keeps_codes(map) {
            let added = std::mem::take(&mut self.added);
            self.added = added.into_iter().map(|added| added.map(|added| added.with_values(map))).collect();
            self.newest = self.newest.take().map(|newest| newest.with_values(map));
            self.sums = std::mem::take(&mut self.sums).with_values(map);
        }
        let known = growth.filter(|growth| growth.follows == self.mark());
        let Growth { added, sums, .. } = known.unwrap_or_else(|| self.growth(&release, &[]));
        self.added.push(added.map(Added::new));
        (self.newest, self.sums) = (Some(release), sums);
    }

    /// The history without these atoms, and how many rows of each label they have. `None` if no release added one of them, or if it
    /// was erased before.
    pub fn without(&self, atoms: &[ErasedAtom]) -> Option<(CrowdHistory, ErasedRows)> {
        let (mut rest, mut rows) = (self.clone(), ErasedRows::new());
        for ErasedAtom { release, label } in atoms {
            let added = rest.added.get_mut(*release)?.as_mut()?;
            let [atom, others] = added.rows.divide(|class| class == label.as_slice());
            if atom.rows() == 0 {
                return None;
            }
            *added = Added::new(others);
            rest.newest = Some(rest.newest?.without(&atom)?);
            *rows.entry(label.clone()).or_default() += atom.rows();
        }
        rest.sums = rest.newest.as_ref().map(Sums::of).unwrap_or_default();
        Some((rest, rows))
    }

    /// How many releases.
    pub fn len(&self) -> usize {
        self.added.len()
    }

    /// Figures of the newest one.
    pub fn sums(&self) -> &Sums {
        &self.sums
    }

    /// Whether the rows that a release added are those of a private table; `values` is the dictionary of the chain. A table that
    /// was compared once is not compared again: it is the very same one, and neither it nor the rows have changed.
    pub fn are_of(&self, release: usize, people: &Arc<Histogram>, values: &Values) -> bool {
        let Some(Some(added)) = self.added.get(release) else { return false };
        if added.people.get().is_some_and(|known| Arc::ptr_eq(known, people)) {
            return true;
        }
        let (_, maps) = Values::union(&[values, people.values()]);
        let told = Release::from_own_labels(people).with_values(&maps[1]);
        let same = added.rows.clone().with_values(&maps[0]).first_difference(&told).is_none();
        if same {
            _ = added.people.set(Arc::clone(people));
        }
        same
    }

    /// The fewest rows of a label that a release added, for each release that added any.
    pub fn fewest(&self) -> impl Iterator<Item = u64> + '_ {
        self.added.iter().filter_map(|added| added.as_ref().map_or(Some(0), |added| added.fewest))
    }
}

/// The fewest rows of a label.
pub fn fewest(release: &Release) -> Option<u64> {
    release.smallest().map(|(rows, _)| rows)
}
