//! Chains of any length (SCIENCE 3; BCF 7.1, corrected): the pair bound for every target, the
//! paper's composed figure, and a sound lower bound if the raw rows are known.
//!
//! Releases under one recoding are combined: of those before a target only the newest matters, of
//! those after it only the earliest, so the cost depends on the number of distinct recodings.

mod exact;
mod lower_bound;
mod targets;

use rayon::prelude::*;

use crate::histogram::{Excess, JoinCells, NotSuperset, NumberedClasses, Release};
use crate::model::{Cut, Taxonomy};

pub use exact::{
    ExactBudget, ExactTarget, ExactWorlds, FewestCandidates, Headcounts, LeastRemaining, PeopleType,
};
pub use lower_bound::lower_bounds;
pub use targets::{ChainTarget, ComparablePairs, Fold};

/// The releases of one chain, prepared to be attacked together.
pub struct ReleaseChain<'a> {
    releases: &'a [Release],
    number: &'a [usize],
    trees: &'a [&'a Taxonomy],
    values: usize,
    numbered: Vec<NumberedClasses>,
}

/// The release in which a target of some increment first appears under one recoding, and what the
/// attacks on it leave.
#[derive(Clone, Copy)]
pub struct TargetView<'s> {
    /// The recoding's number.
    pub recoding: usize,
    /// The first release under it that contains the target.
    pub release: usize,
    /// For each group of that release the minimum of its size and of N_j over the earlier releases
    /// j.
    left: &'s [u64],
    /// The same for the paper's figure, which only looks back from the target's own release.
    paper: &'s [u64],
}

/// Everything an attacker can use against a target of one increment.
pub struct AttackerView<'s> {
    /// The increment.
    pub increment: usize,
    /// One view per recoding of the releases from that increment on.
    pub views: Vec<TargetView<'s>>,
}

/// A release that lacks rows of an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShrunkRelease {
    /// The earlier release.
    pub earlier: usize,
    /// The later release.
    pub later: usize,
    /// Where the rows are missing.
    pub place: NotSuperset,
}

impl<'a> ReleaseChain<'a> {
    /// From releases with their recodings numbered in order of appearance, over a dictionary of
    /// this many values.
    pub fn new(
        releases: &'a [Release],
        number: &'a [usize],
        trees: &'a [&'a Taxonomy],
        values: usize,
    ) -> ReleaseChain<'a> {
        assert_eq!(
            releases.len(),
            number.len(),
            "a number for the recoding of each release"
        );
        assert!(
            releases
                .iter()
                .all(|release| release.width() == trees.len()),
            "one taxonomy for each column"
        );
        let numbered = NumberedClasses::all(releases, number, trees.len());
        ReleaseChain {
            releases,
            number,
            trees,
            values,
            numbered,
        }
    }

    /// The releases.
    pub fn releases(&self) -> &'a [Release] {
        self.releases
    }

    /// The taxonomies of the quasi columns.
    pub fn trees(&self) -> &'a [&'a Taxonomy] {
        self.trees
    }

    /// The class of a release that contains a slice's people; `ids` holds a class number per
    /// recoding.
    pub fn class_in(&self, release: usize, ids: &[u32]) -> Option<usize> {
        let recoding = self.number[release];
        self.numbered[recoding].in_release(release, ids[recoding])
    }

    /// The numbered classes of every recoding.
    pub fn numbered(&self) -> &[NumberedClasses] {
        &self.numbered
    }

    /// The cuts of every recoding.
    pub fn cuts(&self) -> Vec<&'a [Cut]> {
        self.numbered
            .iter()
            .map(|numbered| self.releases[numbered.last()].recoding())
            .collect()
    }

    /// Whether any two comparable classes of any two releases are nested; then the pair bound is
    /// exact.
    pub fn nested(&self) -> bool {
        let lasts: Vec<&Release> = self
            .numbered
            .iter()
            .map(|numbered| &self.releases[numbered.last()])
            .collect();
        (0..lasts.len()).into_par_iter().all(|a| {
            (0..a).all(|b| JoinCells::of(lasts[a], lasts[b], self.trees).nested(lasts[a], lasts[b]))
        })
    }

    /// Calls `look` with the view of every increment, in order.
    ///
    /// # Errors
    /// A release lacks rows of an earlier one.
    pub fn each_sight(&self, mut look: impl FnMut(&AttackerView<'_>)) -> Result<(), ShrunkRelease> {
        let mut sweep = Sweep::new(self);
        for increment in 0..self.releases.len() {
            sweep.advance(increment)?;
            look(&sweep.sight(increment));
        }
        Ok(())
    }
}

/// The state of [`ReleaseChain::each_sight`]: for each release what is left of each group, and the
/// releases against which that was computed.
pub struct Sweep<'c, 'a> {
    chain: &'c ReleaseChain<'a>,
    left: Vec<Vec<u64>>,
    against: Vec<Vec<bool>>,
}

impl<'c, 'a> Sweep<'c, 'a> {
    /// Before the first increment.
    pub fn new(chain: &'c ReleaseChain<'a>) -> Sweep<'c, 'a> {
        let n = chain.releases.len();
        Sweep {
            chain,
            left: vec![Vec::new(); n],
            against: vec![vec![false; n]; n],
        }
    }

    /// The first release under each recoding from `increment` on.
    fn seen_in(&self, increment: usize) -> Vec<usize> {
        let first = |recoding| {
            (increment..self.chain.number.len()).find(|&at| self.chain.number[at] == recoding)
        };
        (0..self.chain.numbered.len()).filter_map(first).collect()
    }

    /// Adds the attacks that the releases before `increment` make possible.
    pub fn advance(&mut self, increment: usize) -> Result<(), ShrunkRelease> {
        let chain = self.chain;
        let newest = |recoding| {
            (0..increment)
                .rev()
                .find(|&at| chain.number[at] == recoding)
        };
        let before: Vec<usize> = (0..chain.numbered.len()).filter_map(newest).collect();
        let later = self.seen_in(increment);
        let mut taken: Vec<(usize, Vec<u64>, Vec<bool>)> = Vec::with_capacity(later.len());
        for release in later {
            let (left, against) = (&mut self.left[release], &mut self.against[release]);
            taken.push((release, std::mem::take(left), std::mem::take(against)));
        }
        let attacked = |(release, mut left, mut against): (usize, Vec<u64>, Vec<bool>)| {
            if left.is_empty() {
                left = chain.releases[release].counts().to_vec();
            }
            for &earlier in before
                .iter()
                .filter(|&&earlier| !std::mem::replace(&mut against[earlier], true))
            {
                chain.lessen(&mut left, earlier, release)?;
            }
            Ok((release, left, against))
        };
        let done: Vec<Result<_, ShrunkRelease>> = taken.into_par_iter().map(attacked).collect();
        for done in done {
            let (release, left, against) = done?;
            let counts = chain.releases[release].counts();
            assert!(
                left.iter().zip(counts).all(|(left, count)| left <= count),
                "an attack adds no rows"
            );
            (self.left[release], self.against[release]) = (left, against);
        }
        Ok(())
    }

    /// The attacker's view of a target of the current increment.
    pub fn sight(&self, increment: usize) -> AttackerView<'_> {
        let view = |release: usize| {
            let (left, counts) = (
                self.left[release].as_slice(),
                self.chain.releases[release].counts(),
            );
            let paper = if release == increment { left } else { counts };
            TargetView {
                recoding: self.chain.number[release],
                release,
                left,
                paper,
            }
        };
        assert!(
            increment < self.chain.releases.len(),
            "an increment of the chain"
        );
        AttackerView {
            increment,
            views: self.seen_in(increment).into_iter().map(view).collect(),
        }
    }
}

impl ReleaseChain<'_> {
    /// Lowers what is left of the groups of a later release by N of an earlier one.
    fn lessen(&self, left: &mut [u64], earlier: usize, later: usize) -> Result<(), ShrunkRelease> {
        let (from, to) = (&self.releases[earlier], &self.releases[later]);
        let cells = JoinCells::of(from, to, self.trees);
        let excess = Excess::of(&cells, from, to, self.values).map_err(|place| ShrunkRelease {
            earlier,
            later,
            place,
        })?;
        for class in 0..to.classes() {
            let cell = cells.of_later(class);
            for group in to.range(class) {
                left[group] = left[group].min(excess.rows(cell, to.values()[group]));
            }
        }
        Ok(())
    }
}
