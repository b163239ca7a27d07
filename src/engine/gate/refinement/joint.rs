//! All targets at once (SCIENCE 6, the last point on joint figures): solutions of single targets need not fit together,
//! because in every segment of every state the rows of all classes formed after it, and the outliers, are fewer than k. How
//! often independent solutions of all targets fit together is drawn; the joint ratio is bounded from above, and the truth
//! is never higher but for one run in 10^9.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::attack::Attack;
use super::blocks::Shape;
use super::budget::Spent;
use super::confidence;
use super::cover::{self, Cover};
use super::draw::Draws;
use super::figure::Ratio;
use super::key::Key;
use super::release::{Attacker, Place, Release, Rule, Values};
use super::sample::Sampler;
use super::target::Target;
use super::urn::Urn;

/// Draws that share one stream of chance.
const TOGETHER: u64 = 64;
/// As much work as so many targets may take.
const SHARE: u64 = 4;
/// Streams of joint draws, which no target has.
const STREAMS: u64 = 1 << 40;

/// What all targets together tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    /// How many times solutions of all targets were drawn.
    pub draws: u64,
    /// How often they fitted together.
    pub kept: u64,
    /// The decimal logarithm of LR over the solutions that were drawn from, for all targets; a bound of it from above. Where
    /// no target is too large, of the product of all single ratios.
    pub apart: Option<f64>,
    /// The joint ratio: a bound from above, or not known.
    pub ratio: Ratio,
}

impl Joint {
    /// The decimal logarithm of what is most likely; no bound.
    pub fn estimate(&self) -> Option<f64> {
        let apart = self.apart.filter(|_| self.kept > 0)?;
        Some(apart - (self.kept as f64 / self.draws as f64).log10())
    }
}

/// Somebody's free cells in one block.
struct Cells {
    /// Leaf numbers per column, one cell after the other.
    leaves: Vec<u32>,
    urn: Urn,
}

/// One target as it is drawn.
struct Drawn<'s> {
    sampler: Sampler<'s>,
    cells: Vec<Cells>,
    /// The decimal logarithm of LR over what is drawn from, or a bound from above.
    ratio: f64,
}

/// A state, and the targets that were formed after it.
struct After {
    /// Per column and leaf its node in this state, times the number of nodes of the columns after it.
    nodes: Vec<Vec<u64>>,
    later: Vec<usize>,
}

/// What all targets of an attack together tell, from what each of them tells.
pub fn joint(attack: &Attack<'_>, targets: &[Target]) -> Joint {
    let unknown = Joint { draws: 0, kept: 0, apart: None, ratio: Ratio::Unknown };
    if targets.iter().any(Target::is_impossible) {
        return Joint { ratio: Ratio::Impossible, ..unknown };
    }
    if *attack.release.rule() == Rule::Halves {
        // Whatever the rows of one class, those of all others can lie as before.
        return Joint { draws: 1, kept: 1, apart: Some(0.0), ratio: Ratio::Exact { log10: 0.0 } };
    }
    draw(attack, targets).unwrap_or(unknown)
}

fn draw(attack: &Attack<'_>, targets: &[Target]) -> Result<Joint, Spent> {
    let (release, terms) = (attack.release, attack.terms);
    let budget = terms.budget;
    let cells_of = |target: &Target| cover::cells(&release.segment(target.place));
    if targets.iter().fold(0u64, |sum, target| sum.saturating_add(cells_of(target))) > budget.cells {
        return Err(Spent);
    }
    let shape = |target: &Target| Shape::new(release, &attack.cover, target.place, (terms.values, budget.cells));
    let shapes: Vec<Shape> = targets.par_iter().map(shape).collect::<Result<_, Spent>>()?;
    let counted: Vec<Cow<'_, Shape>> = shapes.iter().map(Shape::counted).collect();
    let all = shapes.par_iter().zip(&counted).zip(targets);
    let drawn = all.map(|((shape, counted), target)| Drawn::new(attack, shape, counted, target));
    let drawn: Vec<Drawn<'_>> = drawn.collect::<Result<_, Spent>>()?;
    let apart: f64 = drawn.iter().map(|drawn| drawn.ratio).sum();
    let whole = drawn.iter().all(|drawn| drawn.sampler.is_whole());
    let states = states(release, terms.attacker, (whole, budget.operations))?;
    let rows: u64 = states.iter().flat_map(|state| &state.later).map(|&at| shapes[at].rows).sum();
    let work = drawn.iter().map(|drawn| drawn.sampler.cost()).sum::<u64>() + rows;
    let draws = budget.draws.min(budget.operations.saturating_mul(SHARE) / work.max(1)) / TOGETHER * TOGETHER;
    let chunk = |chunk: u64| -> u64 {
        let mut chance = Draws::new(terms.seed, STREAMS + chunk);
        let distinct = terms.values == Values::Distinct;
        (0..TOGETHER).filter(|_| fits(release, (&drawn, distinct), &states, &mut chance)).count() as u64
    };
    let kept = (0..draws / TOGETHER).into_par_iter().map(chunk).sum();
    let slack: f64 = drawn.iter().map(|drawn| drawn.sampler.slack()).sum();
    let share = if draws == 0 { 0.0 } else { confidence::least(kept, draws) - slack };
    let ratio = if share > 0.0 { Ratio::AtMost { log10: apart - share.log10() + 1e-12 } } else { Ratio::Unknown };
    Ok(Joint { draws, kept, apart: Some(apart), ratio })
}

/// Draws a solution of every target and says whether they fit together.
fn fits(release: &Release, (drawn, distinct): (&[Drawn<'_>], bool), states: &[After], chance: &mut Draws) -> bool {
    let width = release.columns().len();
    let rows: Vec<Vec<u32>> = drawn.iter().map(|drawn| drawn.rows(width, distinct, chance)).collect();
    let mut segments: Vec<u64> = Vec::new();
    states.iter().all(|state| {
        let segment =
            |row: &[u32]| -> u64 { row.iter().zip(&state.nodes).map(|(&leaf, nodes)| nodes[leaf as usize]).sum() };
        segments.clear();
        segments.extend(state.later.iter().flat_map(|&at| rows[at].chunks(width)).map(segment));
        segments.sort_unstable();
        segments.chunk_by(|a, b| a == b).all(|rows| (rows.len() as u64) < release.k())
    })
}

impl<'s> Drawn<'s> {
    /// Some caps may be forgotten: that all targets fit together implies all caps of each.
    fn new(attack: &Attack<'_>, shape: &Shape, counted: &'s Shape, target: &Target) -> Result<Drawn<'s>, Spent> {
        let budget = attack.terms.budget;
        let sampler = Sampler::new(counted, budget.fewer()).ok_or(Spent)?;
        let ratio = match sampler.is_whole() {
            true => target.ratio.most(),
            false => target.lr.most().map(|lr| lr - sampler.all()),
        };
        let cells = cells(attack.release, &attack.cover, target.place, (shape, budget.cells))?;
        Ok(Drawn { sampler, cells, ratio: ratio.ok_or(Spent)? })
    }

    /// The leaves of every row of one solution, one row after the other.
    fn rows(&self, width: usize, distinct: bool, chance: &mut Draws) -> Vec<u32> {
        let mut rows = Vec::new();
        for (block, count) in self.sampler.draw(chance) {
            let cells = &self.cells[block];
            for cell in cells.urn.draw(count, distinct, chance) {
                rows.extend_from_slice(&cells.leaves[cell * width..][..width]);
            }
        }
        rows
    }
}

/// A target's free cells by block.
fn cells(release: &Release, cover: &Cover, place: Place, (shape, budget): (&Shape, u64)) -> Result<Vec<Cells>, Spent> {
    let segment = release.segment(place);
    let free = cover.free(place, &segment, budget)?;
    let mut cells: Vec<(Vec<u32>, Vec<u128>)> = vec![Default::default(); shape.blocks.len()];
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
            let at = shape.blocks.partition_point(|block| block.children < children);
            let sides = release.columns().iter().zip(&leaves);
            let volume: u128 = sides.map(|(column, &leaf)| u128::from(column.length(leaf))).product();
            cells[at].0.extend_from_slice(&leaves);
            cells[at].1.push(volume);
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
    Ok(cells.into_iter().map(|(leaves, volumes)| Cells { leaves, urn: Urn::new(volumes.into_iter()) }).collect())
}

/// Every state below the top, those with the greatest loss first. What one target alone can violate is asked only if it may
/// be drawn without all of its caps.
fn states(release: &Release, attacker: Attacker, (whole, budget): (bool, u64)) -> Result<Vec<After>, Spent> {
    if let Rule::Steps(steps) = release.rule() {
        return Ok(after_steps(release, steps, whole));
    }
    let columns = release.columns();
    let number = columns.iter().fold(1u64, |number, column| number.saturating_mul(column.height() as u64));
    let places = release.places();
    if number.saturating_mul(places.len() as u64 + 1) > budget {
        return Err(Spent);
    }
    let key_of = |state: &[usize]| Key::new(columns, state);
    let keys: Vec<Key> = release.classes().iter().map(|class| key_of(&class.state)).collect();
    let mut found: Vec<(Key, After)> = Vec::new();
    for number in 0..number - 1 {
        let mut rest = number as usize;
        let mut state = vec![0; columns.len()];
        for (layer, column) in state.iter_mut().zip(columns).rev() {
            *layer = rest % column.height() + 1;
            rest /= column.height();
        }
        let key = key_of(&state);
        let last = release.classes().iter().rposition(|class| class.state == state);
        // A state that formed no class forms none once everything that is tied with it is through.
        let after = |place: &Place| match (*place, attacker, last) {
            (Place::Outliers, _, _) => true,
            (Place::Class(at), Attacker::Strongest, Some(last)) => at > last,
            (Place::Class(at), _, _) => keys[at] > key,
        };
        let later: Vec<usize> = (0..places.len()).filter(|&at| after(&places[at])).collect();
        if later.len() > usize::from(whole) {
            found.push((key, After { nodes: nodes(release, &state), later }));
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0));
    Ok(found.into_iter().map(|(_, after)| after).collect())
}

/// The states of all steps, the last one first.
fn after_steps(release: &Release, steps: &[Vec<usize>], whole: bool) -> Vec<After> {
    let places = release.places();
    let after = |step: usize| {
        let later = |place: &Place| match *place {
            Place::Outliers => true,
            Place::Class(at) => release.keys()[at] as usize > step,
        };
        let later = (0..places.len()).filter(|&at| later(&places[at])).collect();
        After { nodes: nodes(release, &steps[step]), later }
    };
    let all = (0..steps.len()).rev().map(after);
    all.filter(|after| after.later.len() > usize::from(whole)).collect()
}

fn nodes(release: &Release, state: &[usize]) -> Vec<Vec<u64>> {
    let mut stride = 1u64;
    let mut nodes: Vec<Vec<u64>> = Vec::new();
    for (column, &layer) in release.columns().iter().zip(state).rev() {
        nodes.push((0..column.leaves()).map(|leaf| column.above(layer, leaf) as u64 * stride).collect());
        stride *= column.nodes(layer) as u64;
    }
    nodes.reverse();
    nodes
}
