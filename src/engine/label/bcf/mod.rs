//! The BCF-anonymizer (SCIENCE 3 and 4; BCF 5.2 and 7.1): the top-down search under the paper's
//! validity. FA, CA and BA stay at `k` or more for all comparable pairs with every earlier release,
//! and so does the pair bound for all comparable tuples of the chain.
//!
//! This is the published method, for comparison: it looks at sensitive values during the search, so
//! it is not safe against an attacker who knows the algorithm. No other search may use this code.

mod cells;
mod groups;
mod targets;
mod validity;

use super::table::SearchTable;
use super::top_down::{TopDownResult, top_down};
use super::validity::InvalidReason;
use crate::histogram::{Excess, Histogram, JoinCells, NumberedClasses, Release};
use crate::model::{Cut, Recoding, Taxonomy};
use cells::PastReleases;
use validity::Bcf;

/// Why a next release is impossible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoRelease {
    /// Not even the release with `*` everywhere is valid: there are fewer than `k` new people, or
    /// the chain was unsafe before.
    Unsafe(InvalidReason),
    /// The table lacks rows of this earlier release.
    NotSuperset {
        /// The number of that release, counted from 0.
        earlier: usize,
    },
    /// The earlier releases cross in more combinations than the search can examine.
    TooManyTargets,
}

/// The recoding of the next release, which holds all rows of `all`. Earlier releases share its
/// dictionary of sensitive values; without any, the result is the first release: every class has at
/// least `k` rows.
///
/// # Errors
/// No next release is valid, for the reason returned.
pub fn bcf(
    all: &Histogram,
    earlier: &[Release],
    trees: &[&Taxonomy],
    k: u64,
) -> Result<TopDownResult, NoRelease> {
    assert!(k >= 2, "a class has at least two people");
    assert_eq!(all.width(), trees.len(), "one taxonomy for each column");
    let number = number(earlier);
    let numbered = NumberedClasses::all(earlier, &number, trees.len());
    for view in &numbered {
        let last = &earlier[view.last()];
        let now = Release::under(all, 0..u32::MAX, last.recoding());
        let cells = JoinCells::of(last, &now, trees);
        Excess::of(&cells, last, &now, all.values().len()).map_err(|_| NoRelease::NotSuperset {
            earlier: view.last(),
        })?;
    }
    let past = PastReleases::new(earlier, &number, &numbered);
    let targets =
        targets::families(&past, trees, all.values().len()).ok_or(NoRelease::TooManyTargets)?;
    let rows: Vec<u64> = (0..all.tuples())
        .map(|tuple| {
            all.cells_of(tuple)
                .iter()
                .map(|cell| u64::from(cell.count))
                .sum()
        })
        .collect();
    let columns = (0..all.width()).map(|column| all.column(column)).collect();
    let leaves: Recoding = trees.iter().map(|tree| Cut::leaves(tree)).collect();
    let table = SearchTable {
        trees,
        columns,
        rows: &rows,
        weights: Vec::new(),
    };
    top_down(&table, &leaves, &mut Bcf::new(all, &past, &targets, k)).map_err(NoRelease::Unsafe)
}

/// Numbers the recodings of releases in order of appearance.
fn number(releases: &[Release]) -> Vec<usize> {
    let mut known: Vec<&[Cut]> = Vec::new();
    let mut number = Vec::with_capacity(releases.len());
    for release in releases {
        let at = known
            .iter()
            .position(|cuts| *cuts == release.recoding())
            .unwrap_or(known.len());
        if at == known.len() {
            known.push(release.recoding());
        }
        number.push(at);
    }
    number
}
