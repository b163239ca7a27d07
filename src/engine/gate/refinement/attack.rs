//! The attack on one target after the other (CRA 4.4, 4.5; SCIENCE 6): the target's shape, all
//! possible placements of its rows, and the figures, as precise as the budget allows. Never exceeds
//! the budget, and says what it could not compute.

use std::collections::BTreeMap;
use std::ops::Range;

use num_bigint::BigUint;
use rayon::prelude::*;

use super::blocks::{Block, BlockShape};
use super::budget::RefinementBudget;
use super::count::{self, SolutionWeight};
use super::cover::Cover;
use super::figure::{RatioFigure, SolutionCount};
use super::finest_labels;
use super::halves;
use super::malformed_release::Malformed;
use super::paths::PlacementPaths;
use super::release::{AttackedRows, Attacker, CarvedRelease, CarvingRule, RepeatedValues};
use super::sample::Sampler;
use super::target::{AttackTarget, HeldRows, Support};
use crate::arithmetic::SeededDraws;

/// The terms of an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttackTerms {
    /// The attacker.
    pub attacker: Attacker,
    /// How solutions are counted.
    pub values: RepeatedValues,
    /// Whether to count the solutions for each count of each block.
    pub marginals: bool,
    /// The seed for estimates; equal seeds give equal figures.
    pub seed: u64,
    /// The budget for each target.
    pub budget: RefinementBudget,
}

/// An attack on a release.
pub struct RefinementAttack<'r> {
    pub(super) release: &'r CarvedRelease,
    pub(super) terms: AttackTerms,
    pub(super) cover: Cover,
}

impl<'r> RefinementAttack<'r> {
    /// For a release as an attacker sees it.
    ///
    /// # Errors
    /// The order of formation that the strongest attacker knows contradicts the public keys.
    pub fn new(
        release: &'r CarvedRelease,
        terms: AttackTerms,
    ) -> Result<RefinementAttack<'r>, Malformed> {
        // Classes without an order never cover each other, however large the grid is.
        let cells = if release.rule().is_unordered() {
            0
        } else {
            terms.budget.cells
        };
        let cover = Cover::new(release, terms.attacker, cells)?;
        Ok(RefinementAttack {
            release,
            terms,
            cover,
        })
    }

    /// Attacks every target: the classes in the order given, then the outliers if there are any.
    pub fn targets(&self) -> Vec<AttackTarget> {
        self.release
            .places()
            .into_par_iter()
            .map(|place| self.target(place))
            .collect()
    }

    /// Attacks one target.
    pub fn target(&self, place: AttackedRows) -> AttackTarget {
        let AttackTerms {
            values,
            budget,
            marginals,
            ..
        } = self.terms;
        let distinct = values == RepeatedValues::Distinct;
        let (rows, cap) = (self.release.rows(place), self.release.k() - 1);
        assert!(cap >= 1, "k is 2 at least");
        let segment = self.release.segment(place);
        assert_eq!(
            segment.len(),
            self.release.columns().len(),
            "leaves of each column"
        );
        let sides = self.release.columns().iter().zip(&segment);
        let volume: u128 = sides
            .map(|(column, leaves)| u128::from(column.values(leaves)))
            .product();
        let mut target = AttackTarget {
            place,
            rows,
            cap,
            volume,
            free_volume: None,
            free_cells: None,
            lr: SolutionCount::of_all(volume, rows, distinct, budget),
            cra: SolutionCount::Unknown,
            assignments: SolutionCount::Unknown,
            ratio: RatioFigure::Unknown,
            columns: Vec::new(),
            blocks: Vec::new(),
            slabs: Vec::new(),
        };
        if self.release.rule().is_halving() {
            halves::open(self.release, marginals, budget, &mut target);
        } else if *self.release.rule() == CarvingRule::Finest {
            finest_labels::attack(self.release, (values, budget), &mut target);
        } else if let Ok(shape) =
            BlockShape::new(self.release, &self.cover, place, (values, budget.cells))
        {
            self.attack(&shape, &mut target);
        }
        target
    }

    /// Whether rows, as leaf numbers per column, are a solution of a target, as the true rows
    /// always are; `None` if the test is beyond the budget.
    pub fn admits<R: AsRef<[u32]>>(&self, place: AttackedRows, rows: &[R]) -> Option<bool> {
        let segment = self.release.segment(place);
        let free = self
            .cover
            .free(place, &segment, self.terms.budget.cells)
            .ok()?;
        let inside = |row: &R| {
            segment
                .iter()
                .zip(row.as_ref())
                .all(|(leaves, leaf)| leaves.contains(leaf))
        };
        let cell = |row: &R| {
            let sides = segment.iter().zip(row.as_ref());
            sides.fold(0, |cell, (leaves, leaf)| {
                cell * leaves.len() + (leaf - leaves.start) as usize
            })
        };
        let all = rows.len() as u64 == self.release.rows(place);
        let columns = self
            .release
            .columns()
            .iter()
            .zip(self.release.nodes(place))
            .enumerate();
        let lowered = columns.filter(|(at, _)| self.release.is_lowered(place, *at));
        let slabs: Vec<(usize, Vec<Range<u32>>)> = lowered
            .map(|(at, (column, (layer, node)))| (at, column.children(layer, node).collect()))
            .collect();
        let child = |row: &R, (at, slabs): &(usize, Vec<Range<u32>>)| {
            slabs.partition_point(|slab| slab.end <= row.as_ref()[*at])
        };
        let mut parts: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for (row, slabs) in rows
            .iter()
            .flat_map(|row| slabs.iter().map(move |slabs| (row, slabs)))
        {
            *parts.entry((slabs.0, child(row, slabs))).or_default() += 1;
        }
        let sparse = parts.values().all(|&rows| rows < self.release.k());
        Some(all && sparse && rows.iter().all(|row| inside(row) && free[cell(row)]))
    }

    fn attack(&self, shape: &BlockShape, target: &mut AttackTarget) {
        let budget = self.terms.budget;
        target.free_volume = Some(shape.free_volume());
        target.free_cells = Some(shape.free_cells());
        target.columns.clone_from(&shape.columns);
        if let Ok(paths) = PlacementPaths::new(shape, budget.arrows) {
            self.solve(shape, &paths, target);
        } else if let Some(sampler) = Sampler::new(shape, budget.fewer()) {
            self.draw(shape, &sampler, target);
        } else {
            impossible(target);
        }
    }

    /// Figures from sampled placements.
    fn draw(&self, shape: &BlockShape, sampler: &Sampler<'_>, target: &mut AttackTarget) {
        let budget = self.terms.budget;
        let stream = match target.place {
            AttackedRows::Class(at) => at as u64,
            AttackedRows::Outliers => u64::from(u32::MAX),
        };
        let number = budget.draws.min(budget.operations / sampler.cost());
        let seen = sampler.estimate(&mut SeededDraws::new(self.terms.seed, stream), number);
        if seen.hits == 0 {
            return;
        }
        assert_eq!(
            seen.blocks.len(),
            shape.blocks.len(),
            "a count for each block"
        );
        let support = |&(least, most): &(u64, u64)| Support {
            least,
            most,
            exact: false,
        };
        target.slabs = seen
            .slabs
            .iter()
            .map(|slabs| slabs.iter().map(support).collect())
            .collect();
        let held = |(block, seen): (&Block, _)| held(block, support(seen), None);
        target.blocks = shape.blocks.iter().zip(&seen.blocks).map(held).collect();
        if let (Some(log10), Some(lr)) = (seen.log10, target.lr.most()) {
            target.cra = SolutionCount::AtLeast { log10 };
            target.ratio = RatioFigure::AtMost { log10: lr - log10 };
        }
    }

    /// Figures from all placements.
    fn solve(&self, shape: &BlockShape, paths: &PlacementPaths, target: &mut AttackTarget) {
        target.assignments = self.assignments(shape, paths);
        if !paths.possible {
            impossible(target);
            return;
        }
        let support = |(least, most)| Support {
            least,
            most,
            exact: true,
        };
        target.slabs = paths
            .slabs()
            .map(|slabs| slabs.iter().copied().map(support).collect())
            .collect();
        let range = |counts: &[u32]| support((counts[0].into(), counts[counts.len() - 1].into()));
        let blocks = shape.blocks.iter().enumerate();
        target.blocks = blocks
            .map(|(at, block)| held(block, range(paths.support(at)), None))
            .collect();
        if shape.columns.is_empty() {
            // One cell, and no cap: nothing is revealed.
            target.cra = target.lr.clone();
            target.ratio = RatioFigure::Exact { log10: 0.0 };
            if let (SolutionCount::Exact(all), true) = (&target.cra, self.terms.marginals) {
                target.blocks[0].marginals = Some(vec![(shape.rows, all.clone())]);
            }
            return;
        }
        self.solutions(shape, paths, target);
    }

    /// CRA, the ratio, and how many solutions have each count of each block.
    fn solutions(&self, shape: &BlockShape, paths: &PlacementPaths, target: &mut AttackTarget) {
        let AttackTerms { marginals, .. } = self.terms;
        if let Some(bits) = self.exactly(shape, paths, (SolutionWeight::Solutions, marginals)) {
            let (total, held) =
                count::exact(shape, paths, (SolutionWeight::Solutions, marginals), bits);
            target.cra = SolutionCount::Exact(total);
            for (at, (block, held)) in target.blocks.iter_mut().zip(held).enumerate() {
                let counts = paths.support(at).iter().map(|&rows| rows.into());
                block.marginals = Some(counts.zip(held).collect());
            }
        }
        if let (SolutionCount::Exact(lr), SolutionCount::Exact(cra)) = (&target.lr, &target.cra) {
            assert!(
                cra <= lr,
                "an attack leaves no more sets of rows than there are"
            );
            target.ratio = RatioFigure::exact(lr, cra);
            return;
        }
        let (cra, units) = count::near(shape, paths, SolutionWeight::Solutions);
        if target.cra == SolutionCount::Unknown {
            target.cra = SolutionCount::near(cra, units);
        }
        if target.lr != SolutionCount::Unknown {
            target.ratio = RatioFigure::near(
                count::all_near(shape.volume, shape.rows, shape.distinct),
                (cra, units),
            );
        }
    }

    /// Counts of leaf cells, whether or not a cell has as many distinct values.
    fn assignments(&self, shape: &BlockShape, paths: &PlacementPaths) -> SolutionCount {
        let most = shape.rows.min(shape.cap);
        if shape.columns.is_empty() {
            let cells = u128::from(shape.free_cells());
            return SolutionCount::Exact(count::all(
                cells + u128::from(shape.rows) - 1,
                shape.rows,
                true,
            ));
        }
        if shape.distinct
            && shape
                .blocks
                .iter()
                .any(|block| block.volume < u128::from(most))
        {
            let shape = BlockShape {
                distinct: false,
                ..shape.clone()
            };
            let paths = PlacementPaths::new(&shape, self.terms.budget.arrows);
            return paths.map_or(SolutionCount::Unknown, |paths| {
                self.assignments(&shape, &paths)
            });
        }
        if !paths.possible {
            return SolutionCount::Exact(BigUint::ZERO);
        }
        match self.exactly(shape, paths, (SolutionWeight::Assignments, false)) {
            Some(bits) => SolutionCount::Exact(
                count::exact(shape, paths, (SolutionWeight::Assignments, false), bits).0,
            ),
            None => {
                let (number, units) = count::near(shape, paths, SolutionWeight::Assignments);
                SolutionCount::near(number, units)
            }
        }
    }

    /// The number of bits of exact figures, if the budget allows them.
    fn exactly(
        &self,
        shape: &BlockShape,
        paths: &PlacementPaths,
        (weigh, marginals): (SolutionWeight, bool),
    ) -> Option<u64> {
        let (budget, bits) = (self.terms.budget, count::bits(shape, weigh));
        let may = bits <= budget.bits && count::cost(paths, bits, marginals) <= budget.operations;
        may.then_some(bits)
    }
}

fn held(block: &Block, support: Support, marginals: Option<Vec<(u64, BigUint)>>) -> HeldRows {
    HeldRows {
        children: block.children.clone(),
        volume: block.volume,
        cells: block.cells,
        support,
        marginals,
    }
}

/// Records that no solution exists.
fn impossible(target: &mut AttackTarget) {
    target.cra = SolutionCount::Exact(BigUint::ZERO);
    target.ratio = RatioFigure::Impossible;
}
