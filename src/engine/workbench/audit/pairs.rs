//! The comparison of every two releases of a chain (SCIENCE 2): over all comparable pairs, and over
//! those that contain people.

use rayon::prelude::*;

use crate::gate::chain::{ReleaseChain, ShrunkRelease};
use crate::gate::correspondence::{Anonymity, Correspondence};
use crate::histogram::{Excess, JoinCells, Slices, Tuples};
use crate::model::Taxonomy;

/// Two releases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairFigures {
    /// The earlier release.
    pub earlier: usize,
    /// The later release.
    pub later: usize,
    /// Over all comparable pairs and classes.
    pub all: Anonymity,
    /// Over those that contain a person.
    pub realised: Option<Anonymity>,
}

/// All pairs, by earlier, then later release.
///
/// # Errors
/// A release lacks rows of an earlier one.
pub(super) fn figures(
    chain: &ReleaseChain<'_>,
    slices: Option<&Slices>,
    trees: &[&Taxonomy],
    values: usize,
) -> Result<Vec<PairFigures>, ShrunkRelease> {
    let n = chain.releases().len();
    let pairs: Vec<(usize, usize)> = (0..n)
        .flat_map(|i| (i + 1..n).map(move |l| (i, l)))
        .collect();
    assert!(
        pairs.len() == n * n.saturating_sub(1) / 2,
        "each two releases once"
    );
    let figures = |&(earlier, later): &(usize, usize)| {
        let (a, b) = (&chain.releases()[earlier], &chain.releases()[later]);
        let cells = JoinCells::of(a, b, trees);
        let excess = Excess::of(&cells, a, b, values).map_err(|place| ShrunkRelease {
            earlier,
            later,
            place,
        })?;
        let attack = Correspondence::new(a, b, &cells, &excess);
        let realised = slices.map(|slices| {
            let (both, newcomers) = people(chain, slices, earlier, later);
            attack.realised(&both, &newcomers)
        });
        Ok(PairFigures {
            earlier,
            later,
            all: attack.all(),
            realised,
        })
    };
    let found: Vec<Result<PairFigures, ShrunkRelease>> = pairs.par_iter().map(figures).collect();
    found.into_iter().collect()
}

/// The pairs of classes that share a person of the increments up to `earlier`, and the classes of
/// `later` that hold a person who came in between.
fn people(
    chain: &ReleaseChain<'_>,
    slices: &Slices,
    earlier: usize,
    later: usize,
) -> (Vec<[u32; 2]>, Vec<u32>) {
    assert!(earlier < later, "the earlier release comes first");
    let (mut both, mut newcomers) = (Tuples::new(2), Tuples::new(1));
    for (increment, ids) in slices.iter() {
        let class = |release| {
            chain
                .class_in(release, ids)
                .expect("the rows were checked against the releases") as u32
        };
        if increment as usize <= earlier {
            both.number(&[class(earlier), class(later)]);
        } else if increment as usize <= later {
            newcomers.number(&[class(later)]);
        }
    }
    (
        both.iter().map(|pair| [pair[0], pair[1]]).collect(),
        newcomers.iter().map(|class| class[0]).collect(),
    )
}
