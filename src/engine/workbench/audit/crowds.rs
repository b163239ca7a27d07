//! The figures of chains whose rows keep their labels (SCIENCE 11). Comparing releases only shows
//! which rows are new, so a person of an increment hides among the new rows of a label. That holds
//! only if every earlier row is still there unchanged.

use rayon::prelude::*;

use super::growth::{RowChanges, RowContradiction};
use super::pairs::PairFigures;
use crate::gate::correspondence::Anonymity;
use crate::gate::diversity::{DiversityFigures, Measures, ValueShares};
use crate::histogram::Release;
use crate::model::Node;

/// Rows of one label that were added or removed together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmallChange {
    /// The number of rows.
    pub rows: u64,
    /// Their label.
    pub label: Vec<Node>,
}

/// The figures of a chain whose rows keep their labels.
#[derive(Debug)]
pub struct CrowdFigures {
    /// For each release the smallest number of new rows of a label; `None` if no row is new.
    pub new: Vec<Option<SmallChange>>,
    /// For each release the smallest number of removed rows of a label; `None` if no row is
    /// removed.
    pub gone: Vec<Option<SmallChange>>,
    /// Statements of rows about their release that contradict the tables.
    pub contradictions: Vec<RowContradiction>,
}

impl CrowdFigures {
    /// The figures of these changes.
    pub fn of(growth: &RowChanges) -> CrowdFigures {
        let few = |release: &Release| {
            let (rows, class) = release.smallest()?;
            Some(SmallChange {
                rows,
                label: release.class(class).to_vec(),
            })
        };
        let [new, gone] =
            [&growth.new, &growth.gone].map(|releases| releases.iter().map(few).collect());
        CrowdFigures {
            new,
            gone,
            contradictions: growth.contradictions.clone(),
        }
    }

    /// The number of rows among which a person of a release's increment hides; `None` if the
    /// increment is empty.
    pub fn left(&self, release: usize) -> Option<u64> {
        let rows = |few: &Option<SmallChange>| few.as_ref().map(|few| few.rows);
        [&self.new[release], &self.gone[release]]
            .into_iter()
            .filter_map(rows)
            .min()
    }

    /// The same minimum over all people.
    pub fn anonymity(&self) -> u64 {
        (0..self.new.len())
            .filter_map(|release| self.left(release))
            .min()
            .unwrap_or(0)
    }

    /// Whether every earlier row is still there unchanged, so that nothing else can be inferred.
    pub fn exact(&self) -> bool {
        self.gone.iter().all(Option::is_none)
    }
}

/// The worst diversity of each release, over its classes and over the rows that were added together
/// in it or earlier.
pub(super) fn diversity(
    releases: &[Release],
    growth: &RowChanges,
    measures: &Measures,
    shares: &[ValueShares],
) -> Vec<DiversityFigures> {
    assert_eq!(shares.len(), releases.len(), "shares of each release");
    // The increment of a release can be recognised in all later ones, which are further tables to
    // compare it with.
    let of = |at: usize| {
        let parts = growth.new[..=at]
            .iter()
            .map(|new| measures.of_release(new, &shares[at]));
        parts.fold(
            measures.of_release(&releases[at], &shares[at]),
            DiversityFigures::worse,
        )
    };
    (0..releases.len()).into_par_iter().map(of).collect()
}

/// For each two releases: a person of the earlier one cannot be distinguished from the other rows
/// of a label there, and a person who came in between not from the other new rows of a label.
pub(super) fn pairs(releases: &[Release], growth: &RowChanges) -> Vec<PairFigures> {
    let n = releases.len();
    let pairs: Vec<(usize, usize)> = (0..n)
        .flat_map(|i| (i + 1..n).map(move |l| (i, l)))
        .collect();
    let fewest = |release: &Release| release.smallest().map(|(rows, _)| rows);
    let figures = |&(earlier, later): &(usize, usize)| {
        let fa = fewest(&releases[earlier]);
        let new = releases[later].beyond(&growth.left(releases, earlier, later));
        let all = Anonymity {
            fa,
            ca: fa,
            ba: fewest(&new),
        };
        PairFigures {
            earlier,
            later,
            all,
            realised: Some(all),
        }
    };
    pairs.par_iter().map(figures).collect()
}
