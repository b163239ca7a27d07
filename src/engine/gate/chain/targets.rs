//! Targets (SCIENCE 3): a tuple of mutually comparable classes, one per release from the target's
//! increment on. Because taxonomies are trees, classes that are comparable in pairs have leaf
//! tuples in common, and releases under one recoding show a target in the same class.
//!
//! There can be very many non-empty tuples if recodings cross; their enumeration is limited, and
//! the caller learns whether the limit was reached.

use rayon::prelude::*;

use super::{AttackerView, ReleaseChain};
use crate::histogram::{JoinCells, ValueCode};

/// The most tuples that are examined in a chain; each increment has an equal share of them.
const MOST_TUPLES: u64 = 20_000_000;

/// A target, and the candidates that pairwise attacks leave.
pub struct ChainTarget<'t> {
    /// The class in the release of each view.
    pub classes: &'t [u32],
    /// M(s) for every sensitive value that has candidates left, ascending.
    pub crowd: &'t [(ValueCode, u64)],
    /// Σ M(s).
    pub left: u64,
    /// The paper's composed figure.
    pub paper: u64,
}

/// Examines targets one by one; results over different targets are combined. The result must not
/// depend on the order, since targets are distributed over all cores.
pub trait Fold: Send + Sync {
    /// The result.
    type Sum: Send;
    /// The result before any target.
    fn start(&self) -> Self::Sum;
    /// Adds one target.
    fn take(&self, sum: &mut Self::Sum, target: &ChainTarget<'_>);
    /// Combines two results; `first` is over earlier targets.
    fn join(&self, first: Self::Sum, second: Self::Sum) -> Self::Sum;
}

/// Storage that is reused for every target.
#[derive(Default)]
pub struct Scratch {
    crowd: Vec<(ValueCode, u64)>,
}

impl Scratch {
    /// The candidates of the last target.
    pub fn crowd(&self) -> &[(ValueCode, u64)] {
        &self.crowd
    }
}

impl ReleaseChain<'_> {
    /// Computes M(s) of a target into `scratch`; returns Σ M(s) and the paper's figure.
    pub fn remaining(
        &self,
        sight: &AttackerView<'_>,
        classes: &[u32],
        scratch: &mut Scratch,
    ) -> (u64, u64) {
        let range =
            |view: usize| self.releases[sight.views[view].release].range(classes[view] as usize);
        assert!(
            classes.len() == sight.views.len(),
            "a class in each release that shows the target"
        );
        let base = (0..classes.len())
            .min_by_key(|&view| range(view).len())
            .expect("a target is seen somewhere");
        let values = self.releases[sight.views[base].release].values();
        scratch.crowd.clear();
        let (mut left, mut paper) = (0, 0);
        for group in range(base) {
            let (mut m, mut p) = (
                sight.views[base].left[group],
                sight.views[base].paper[group],
            );
            for view in (0..classes.len()).filter(|&view| view != base) {
                let others = range(view);
                match self.releases[sight.views[view].release].values()[others.clone()]
                    .binary_search(&values[group])
                {
                    Ok(at) => {
                        m = m.min(sight.views[view].left[others.start + at]);
                        p = p.min(sight.views[view].paper[others.start + at]);
                    }
                    Err(_) => (m, p) = (0, 0),
                }
            }
            left += m;
            paper += p;
            if m > 0 {
                scratch.crowd.push((values[group], m));
            }
        }
        (left, paper)
    }

    fn take<F: Fold>(
        &self,
        sight: &AttackerView<'_>,
        classes: &[u32],
        scratch: &mut Scratch,
        fold: &F,
        sum: &mut F::Sum,
    ) {
        let (left, paper) = self.remaining(sight, classes, scratch);
        fold.take(
            sum,
            &ChainTarget {
                classes,
                crowd: &scratch.crowd,
                left,
                paper,
            },
        );
    }

    /// Whether the people of these slices are in a class of every release of a view; `ids` as in
    /// [`ReleaseChain::classes_of`].
    pub fn shows(&self, sight: &AttackerView<'_>, slices: &[&[u32]]) -> bool {
        let shown = |ids: &[u32]| {
            sight
                .views
                .iter()
                .all(|view| self.class_in(view.release, ids).is_some())
        };
        slices.iter().all(|ids| shown(ids))
    }

    /// The classes of a slice in the releases of a view; `ids` holds a class number per recoding.
    ///
    /// # Panics
    /// If the slice's people are in no class of a release; see [`ReleaseChain::shows`].
    pub fn classes_of(&self, sight: &AttackerView<'_>, ids: &[u32]) -> Vec<u32> {
        let class = |view: &super::TargetView<'_>| {
            self.class_in(view.release, ids)
                .expect("the rows were checked against the releases") as u32
        };
        sight.views.iter().map(class).collect()
    }

    /// Examines the targets that contain a person: one per slice of the increment (`ids` as in
    /// [`ReleaseChain::classes_of`]).
    ///
    /// # Panics
    /// If one of these people is in no class of a release; see [`ReleaseChain::shows`].
    pub fn realised<F: Fold>(
        &self,
        sight: &AttackerView<'_>,
        slices: &[&[u32]],
        fold: &F,
    ) -> F::Sum {
        let part = |ids: &[&[u32]]| {
            let (mut sum, mut scratch) = (fold.start(), Scratch::default());
            ids.iter().for_each(|ids| {
                self.take(
                    sight,
                    &self.classes_of(sight, ids),
                    &mut scratch,
                    fold,
                    &mut sum,
                )
            });
            sum
        };
        let parts: Vec<F::Sum> = slices.par_chunks(256).map(part).collect();
        parts
            .into_iter()
            .fold(fold.start(), |first, second| fold.join(first, second))
    }

    /// Examines all non-empty targets; false if there were too many.
    pub fn all<F: Fold>(
        &self,
        sight: &AttackerView<'_>,
        pairs: &ComparablePairs,
        fold: &F,
    ) -> (F::Sum, bool) {
        assert!(!sight.views.is_empty(), "a release shows the increment");
        let first = &sight.views[0];
        let roots: Vec<u32> = (0..self.numbered[first.recoding].len() as u32).collect();
        let share = MOST_TUPLES / (self.releases.len() * roots.len().max(1)) as u64 + 1;
        let parts: Vec<(F::Sum, bool)> = roots
            .par_iter()
            .map(|&root| {
                let mut walk = Walk {
                    chain: self,
                    sight,
                    pairs,
                    fold,
                    scratch: Scratch::default(),
                    share,
                    ids: vec![root],
                };
                let mut sum = fold.start();
                let whole = self.numbered[first.recoding]
                    .in_release(first.release, root)
                    .is_none()
                    || walk.descend(&mut sum);
                (sum, whole)
            })
            .collect();
        let whole = parts.iter().all(|(_, whole)| *whole);
        let sums = parts.into_iter().map(|(sum, _)| sum);
        (
            sums.fold(fold.start(), |first, second| fold.join(first, second)),
            whole,
        )
    }
}

/// The comparable classes of each two recodings, by class number.
pub struct ComparablePairs {
    /// `cells[b][a]` for recodings a < b.
    cells: Vec<Vec<JoinCells>>,
}

impl ComparablePairs {
    /// Joins the last releases of all recodings.
    pub fn of(chain: &ReleaseChain<'_>) -> ComparablePairs {
        let last = |recoding: usize| &chain.releases[chain.numbered[recoding].last()];
        let row = |b: usize| {
            (0..b)
                .map(|a| JoinCells::of(last(a), last(b), chain.trees))
                .collect()
        };
        ComparablePairs {
            cells: (0..chain.numbered.len()).into_par_iter().map(row).collect(),
        }
    }

    /// The classes of recoding `to` that are comparable to a class of recoding `from`.
    pub(super) fn partners(&self, from: usize, id: u32, to: usize) -> &[u32] {
        assert_ne!(from, to, "two recodings");
        if from < to {
            let cells = &self.cells[to][from];
            cells.later(cells.of_earlier(id as usize))
        } else {
            let cells = &self.cells[from][to];
            cells.earlier(cells.of_later(id as usize))
        }
    }

    /// Whether two classes have a leaf tuple in common.
    pub(super) fn comparable(&self, from: usize, id: u32, to: usize, other: u32) -> bool {
        if from > to {
            return self.comparable(to, other, from, id);
        }
        assert_ne!(from, to, "two recodings");
        let cells = &self.cells[to][from];
        cells.of_earlier(id as usize) == cells.of_later(other as usize)
    }
}

/// Extends a tuple of comparable classes view by view.
struct Walk<'w, F> {
    chain: &'w ReleaseChain<'w>,
    sight: &'w AttackerView<'w>,
    pairs: &'w ComparablePairs,
    fold: &'w F,
    scratch: Scratch,
    /// How many more tuples may be examined.
    share: u64,
    ids: Vec<u32>,
}

impl<F: Fold> Walk<'_, F> {
    /// False if the share is used up.
    fn descend(&mut self, sum: &mut F::Sum) -> bool {
        let (chain, sight, depth) = (self.chain, self.sight, self.ids.len());
        assert!(depth <= sight.views.len(), "at most one class in each view");
        let Some(next) = sight.views.get(depth) else {
            if self.share == 0 {
                return false;
            }
            self.share -= 1;
            let class = |(view, &id): (&super::TargetView<'_>, &u32)| {
                let class = chain.numbered[view.recoding].in_release(view.release, id);
                class.expect("only non-empty classes are chosen") as u32
            };
            let classes: Vec<u32> = sight.views.iter().zip(&self.ids).map(class).collect();
            chain.take(sight, &classes, &mut self.scratch, self.fold, sum);
            return true;
        };
        let pairs = self.pairs;
        let partners =
            |at: usize| pairs.partners(sight.views[at].recoding, self.ids[at], next.recoding);
        let fewest = (0..depth)
            .map(partners)
            .min_by_key(|found| found.len())
            .unwrap_or(&[]);
        for &id in fewest {
            let fits = (0..depth).all(|at| {
                pairs.comparable(sight.views[at].recoding, self.ids[at], next.recoding, id)
            });
            if !fits
                || chain.numbered[next.recoding]
                    .in_release(next.release, id)
                    .is_none()
            {
                continue;
            }
            self.ids.push(id);
            let whole = self.descend(sum);
            self.ids.pop();
            if !whole {
                return false;
            }
        }
        true
    }
}
