//! The joint attack on all targets (SCIENCE 6, the last point on joint figures): solutions of
//! single targets need not fit together, because in every segment of every state there are fewer
//! than k rows of the classes formed after it and of the outliers. The attack samples how often
//! independent solutions of all targets fit together; the joint ratio gets an upper bound, which is
//! wrong in at most one run of 10^9.

use std::ops::Range;

use rayon::prelude::*;

use super::attack::RefinementAttack;
use super::blocks::BlockShape;
use super::budget::BudgetSpent;
use super::cover::{self, Cover};
use super::figure::RatioFigure;
use super::formation_order::{FormationState, states};
use super::release::{AttackedRows, CarvedRelease, CarvingRule, RepeatedValues};
use super::sample::Sampler;
use super::target::AttackTarget;
use super::urn::Urn;
use crate::arithmetic::{self, SeededDraws};

/// The number of samples that share one random stream.
const TOGETHER: u64 = 64;
/// The limit on the work, in multiples of that of one target.
const SHARE: u64 = 4;
/// The numbers of the random streams of joint samples, distinct from those of targets.
const STREAMS: u64 = 1 << 40;

/// The leakage of all targets together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    /// The number of samples.
    pub draws: u64,
    /// How many of them fitted together.
    pub kept: u64,
    /// An upper bound of the decimal logarithm of LR over the solutions that were sampled, for all
    /// targets. If no target is too large, this is the product of all single ratios.
    pub apart: Option<f64>,
    /// The joint ratio: an upper bound, or unknown.
    pub ratio: RatioFigure,
}

impl Joint {
    /// The decimal logarithm of the likeliest ratio; no bound.
    pub fn estimate(&self) -> Option<f64> {
        let apart = self.apart.filter(|_| self.kept > 0)?;
        Some(apart - (self.kept as f64 / self.draws as f64).log10())
    }
}

/// The free cells in one block.
#[derive(Default)]
pub(super) struct FreeCells {
    /// The leaf numbers per column, one cell after the other.
    pub leaves: Vec<u32>,
    /// The number of combinations of values of each cell.
    pub volumes: Vec<u128>,
}

/// One target, prepared for sampling.
struct DrawnTarget<'s> {
    sampler: Sampler<'s>,
    /// The free cells by block.
    cells: Vec<(FreeCells, Urn)>,
    /// The decimal logarithm of LR over the sampled solutions, or an upper bound.
    ratio: f64,
}

/// The leakage of all targets of an attack together, given that of each.
pub fn joint(attack: &RefinementAttack<'_>, targets: &[AttackTarget]) -> Joint {
    let unknown = Joint {
        draws: 0,
        kept: 0,
        apart: None,
        ratio: RatioFigure::Unknown,
    };
    if targets.iter().any(AttackTarget::is_impossible) {
        return Joint {
            ratio: RatioFigure::Impossible,
            ..unknown
        };
    }
    if attack.release.rule().is_halving() {
        // Whatever the rows of one class are, those of all others can be placed as before.
        return Joint {
            draws: 1,
            kept: 1,
            apart: Some(0.0),
            ratio: RatioFigure::Exact { log10: 0.0 },
        };
    }
    if *attack.release.rule() == CarvingRule::Finest {
        // Each class requires rows of its own, and none of another's: the joint ratio is the
        // product of the single ones.
        let ratios: Option<Vec<f64>> = targets.iter().map(|target| target.ratio.most()).collect();
        return ratios.map_or(unknown, |ratios| {
            let log10 = ratios.iter().sum();
            Joint {
                draws: 1,
                kept: 1,
                apart: Some(log10),
                ratio: RatioFigure::AtMost { log10 },
            }
        });
    }
    draw(attack, targets).unwrap_or(unknown)
}

fn draw(attack: &RefinementAttack<'_>, targets: &[AttackTarget]) -> Result<Joint, BudgetSpent> {
    let (release, terms) = (attack.release, attack.terms);
    let budget = terms.budget;
    let cells_of = |target: &AttackTarget| cover::cells(&release.segment(target.place));
    if targets
        .iter()
        .fold(0u64, |sum, target| sum.saturating_add(cells_of(target)))
        > budget.cells
    {
        return Err(BudgetSpent);
    }
    let shape = |target: &AttackTarget| {
        BlockShape::new(
            release,
            &attack.cover,
            target.place,
            (terms.values, budget.cells),
        )
    };
    let shapes: Vec<BlockShape> = targets
        .par_iter()
        .map(shape)
        .collect::<Result<_, BudgetSpent>>()?;
    let drawn = shapes
        .par_iter()
        .zip(targets)
        .map(|(shape, target)| DrawnTarget::new(attack, shape, target));
    let drawn: Vec<DrawnTarget<'_>> = drawn.collect::<Result<_, BudgetSpent>>()?;
    let apart: f64 = drawn.iter().map(|drawn| drawn.ratio).sum();
    let whole = drawn.iter().all(|drawn| drawn.sampler.is_whole());
    let states = states(release, terms.attacker, (whole, budget.operations))?;
    let rows: u64 = states
        .iter()
        .flat_map(|state| &state.later)
        .map(|&at| shapes[at].rows)
        .sum();
    let work = drawn.iter().map(|drawn| drawn.sampler.cost()).sum::<u64>() + rows;
    let draws = budget
        .draws
        .min(budget.operations.saturating_mul(SHARE) / work.max(1))
        / TOGETHER
        * TOGETHER;
    let chunk = |chunk: u64| -> u64 {
        let mut chance = SeededDraws::new(terms.seed, STREAMS + chunk);
        let distinct = terms.values == RepeatedValues::Distinct;
        (0..TOGETHER)
            .filter(|_| fits(release, (&drawn, distinct), &states, &mut chance))
            .count() as u64
    };
    let kept = (0..draws / TOGETHER).into_par_iter().map(chunk).sum();
    assert!(kept <= draws, "some of the draws are kept");
    let slack: f64 = drawn.iter().map(|drawn| drawn.sampler.slack()).sum();
    let share = if draws == 0 {
        0.0
    } else {
        arithmetic::least(kept, draws) - slack
    };
    let ratio = if share > 0.0 {
        RatioFigure::AtMost {
            log10: apart - share.log10() + 1e-12,
        }
    } else {
        RatioFigure::Unknown
    };
    Ok(Joint {
        draws,
        kept,
        apart: Some(apart),
        ratio,
    })
}

/// Samples a solution of every target and says whether they fit together.
fn fits(
    release: &CarvedRelease,
    (drawn, distinct): (&[DrawnTarget<'_>], bool),
    states: &[FormationState],
    chance: &mut SeededDraws,
) -> bool {
    let width = release.columns().len();
    let rows: Vec<Vec<u32>> = drawn
        .iter()
        .map(|drawn| drawn.rows(width, distinct, chance))
        .collect();
    let mut segments: Vec<u64> = Vec::new();
    states.iter().all(|state| {
        segments.clear();
        segments.extend(
            state
                .later
                .iter()
                .flat_map(|&at| rows[at].chunks(width))
                .map(|row| state.segment(row)),
        );
        segments.sort_unstable();
        segments
            .chunk_by(|a, b| a == b)
            .all(|rows| (rows.len() as u64) < release.k())
    })
}

impl<'s> DrawnTarget<'s> {
    /// Some caps may be dropped: if all targets fit together, all caps of each hold.
    fn new(
        attack: &RefinementAttack<'_>,
        shape: &'s BlockShape,
        target: &AttackTarget,
    ) -> Result<DrawnTarget<'s>, BudgetSpent> {
        let budget = attack.terms.budget;
        let sampler = Sampler::new(shape, budget.fewer()).ok_or(BudgetSpent)?;
        let ratio = match sampler.is_whole() {
            true => target.ratio.most(),
            false => target.lr.most().map(|lr| lr - sampler.all()),
        };
        let cells = cells(
            attack.release,
            &attack.cover,
            target.place,
            (shape, budget.cells),
        )?;
        let urn = |cells: FreeCells| {
            let urn = Urn::new(cells.volumes.iter().copied());
            (cells, urn)
        };
        let cells = cells.into_iter().map(urn).collect();
        Ok(DrawnTarget {
            sampler,
            cells,
            ratio: ratio.ok_or(BudgetSpent)?,
        })
    }

    /// The leaves of every row of one solution, one row after the other.
    fn rows(&self, width: usize, distinct: bool, chance: &mut SeededDraws) -> Vec<u32> {
        let mut rows = Vec::new();
        for (block, count) in self.sampler.draw(chance) {
            let (cells, urn) = &self.cells[block];
            for cell in urn.draw(count, distinct, chance) {
                rows.extend_from_slice(&cells.leaves[cell * width..][..width]);
            }
        }
        rows
    }
}

/// A target's free cells by block.
pub(super) fn cells(
    release: &CarvedRelease,
    cover: &Cover,
    place: AttackedRows,
    (shape, budget): (&BlockShape, u64),
) -> Result<Vec<FreeCells>, BudgetSpent> {
    let segment = release.segment(place);
    let free = cover.free(place, &segment, budget)?;
    let mut cells: Vec<FreeCells> = Vec::new();
    cells.resize_with(shape.blocks.len(), FreeCells::default);
    let slabs: Vec<Vec<Range<u32>>> = release
        .columns()
        .iter()
        .zip(release.nodes(place))
        .map(|(column, (layer, node))| column.children(layer, node).collect())
        .collect();
    let mut leaves: Vec<u32> = segment.iter().map(|side| side.start).collect();
    for free in free {
        if free {
            let child = |&at: &usize| slabs[at].partition_point(|slab| slab.end <= leaves[at]);
            let children: Vec<usize> = shape.columns.iter().map(child).collect();
            let at = shape
                .blocks
                .partition_point(|block| block.children < children);
            let sides = release.columns().iter().zip(&leaves);
            let volume: u128 = sides
                .map(|(column, &leaf)| u128::from(column.length(leaf)))
                .product();
            cells[at].leaves.extend_from_slice(&leaves);
            cells[at].volumes.push(volume);
        }
        // The next cell in lexicographic order.
        for (leaf, side) in leaves.iter_mut().zip(&segment).rev() {
            *leaf += 1;
            if *leaf < side.end {
                break;
            }
            *leaf = side.start;
        }
    }
    let width = release.columns().len();
    assert!(
        cells
            .iter()
            .all(|cells| cells.leaves.len() == cells.volumes.len() * width),
        "a leaf of each column for each cell"
    );
    Ok(cells)
}
