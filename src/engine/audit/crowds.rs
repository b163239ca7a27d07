//! The figures of chains whose rows keep their labels (SCIENCE 11). All that comparing releases tells is which rows are new, so that
//! a person who came with a release hides among the new rows of a label. That holds only as long as every earlier row is there
//! unchanged.

use rayon::prelude::*;

use super::growth::{RowChanges, RowContradiction};
use super::pairs::PairFigures;
use crate::gate::correspondence::Anonymity;
use crate::gate::diversity::{DiversityFigures, Measures, ValueShares};
use crate::histogram::Release;
use crate::model::Node;

/// Rows of one label that came together, or went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmallChange {
    /// How many.
    pub rows: u64,
    /// Their label.
    pub label: Vec<Node>,
}

/// The figures of a chain whose rows keep their labels.
#[derive(Debug)]
pub struct CrowdFigures {
    /// Per release the fewest new rows of a label; `None` if no row is new.
    pub new: Vec<Option<SmallChange>>,
    /// Per release the fewest rows of a label that are gone; `None` if none is.
    pub gone: Vec<Option<SmallChange>>,
    /// What rows say of their release and tables contradict.
    pub contradictions: Vec<RowContradiction>,
}

impl CrowdFigures {
    /// Of what came and went.
    pub fn of(growth: &RowChanges) -> CrowdFigures {
        let few = |release: &Release| {
            let (rows, class) = release.smallest()?;
            Some(SmallChange { rows, label: release.class(class).to_vec() })
        };
        let [new, gone] = [&growth.new, &growth.gone].map(|releases| releases.iter().map(few).collect());
        CrowdFigures { new, gone, contradictions: growth.contradictions.clone() }
    }

    /// Among how few rows a person who came with a release hides; `None` if no person did.
    pub fn left(&self, release: usize) -> Option<u64> {
        let rows = |few: &Option<SmallChange>| few.as_ref().map(|few| few.rows);
        [&self.new[release], &self.gone[release]].into_iter().filter_map(rows).min()
    }

    /// The same of all people.
    pub fn anonymity(&self) -> u64 {
        (0..self.new.len()).filter_map(|release| self.left(release)).min().unwrap_or(0)
    }

    /// Whether every earlier row is there unchanged, so that there is nothing else to be seen.
    pub fn exact(&self) -> bool {
        self.gone.iter().all(Option::is_none)
    }
}

/// The worst diversity of each release, of its labels and of rows that came together in it or before.
pub fn diversity(
    releases: &[Release],
    growth: &RowChanges,
    measures: &Measures,
    shares: &[ValueShares],
) -> Vec<DiversityFigures> {
    assert_eq!(shares.len(), releases.len(), "shares of each release");
    // What came with a release can be told apart in all later ones, which are other tables to compare it with.
    let of = |at: usize| {
        let parts = growth.new[..=at].iter().map(|new| measures.of_release(new, &shares[at]));
        parts.fold(measures.of_release(&releases[at], &shares[at]), DiversityFigures::worse)
    };
    (0..releases.len()).into_par_iter().map(of).collect()
}

/// Every two releases: no person who was in the earlier one can be told apart from the rows of a label there, and no person who came in
/// between from the new rows of a label.
pub fn pairs(releases: &[Release], growth: &RowChanges) -> Vec<PairFigures> {
    let n = releases.len();
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |l| (i, l))).collect();
    let fewest = |release: &Release| release.smallest().map(|(rows, _)| rows);
    let figures = |&(earlier, later): &(usize, usize)| {
        let fa = fewest(&releases[earlier]);
        let new = releases[later].beyond(&growth.left(releases, earlier, later));
        let all = Anonymity { fa, ca: fa, ba: fewest(&new) };
        PairFigures { earlier, later, all, realised: Some(all) }
    };
    pairs.par_iter().map(figures).collect()
}
