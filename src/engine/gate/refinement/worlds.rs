//! What is certain when all targets are considered together (SCIENCE 6): for each class alone, the
//! number of its rows in a part may be uncertain, while the states that formed no class leave only
//! one possibility for all classes together. A part is uncertain if two placements of all rows are
//! found that satisfy every state and differ there; a part that is never found uncertain is certain
//! if all placements were enumerated, and otherwise unknown. So an error can only reject a release,
//! never let one pass.

use std::collections::BTreeMap;

use super::attack::RefinementAttack;
use super::blocks::BlockShape;
use super::budget::BudgetSpent;
use super::formation_order::{FormationState, states};
use super::joint::cells;
use super::release::RepeatedValues;
use super::search::{EqualCells, PlacementSearch, TargetRows};
use super::target::{AttackTarget, CertainClass, SegmentPart, Support};
use crate::arithmetic::SeededDraws;

/// The most caps that are looked up, one per cell and state.
const LOOKED_UP: u64 = 1 << 22;
/// The most cells of a target that are used; if it has more, nothing can be proved certain, but
/// parts may still be found uncertain.
const MOST_CELLS: u64 = 1 << 12;
/// The fewest cells that are used, if it has as many.
const FEWEST_CELLS: u64 = 1 << 3;
/// The numbers of the random streams for placements, distinct from those of targets and joint
/// samples.
const STREAM: u64 = 1 << 41;

/// Classes below k that no target shows alone, with the index of their target; `None` if it is
/// unknown whether there are any.
pub fn crowds(
    attack: &RefinementAttack<'_>,
    targets: &[AttackTarget],
) -> Option<Vec<(usize, CertainClass)>> {
    let parts: Vec<Vec<(SegmentPart, Support)>> =
        targets.iter().map(parts).collect::<Option<_>>()?;
    let (rows, whole) = rows(attack, targets).ok()?;
    let k = attack.release.k();
    let mut search = PlacementSearch::new(rows, k - 1, SeededDraws::new(attack.terms.seed, STREAM));
    let small = |seen: (u32, u32)| seen.0 == seen.1 && (1..k).contains(&u64::from(seen.0));
    // Parts that a target alone proves certain are reported for it alone.
    let open_alone = |at: usize, part: usize| parts[at][part].1.certain().is_none();
    let found = search.begin();
    if found {
        search.walk();
    }
    let mut left = search.alike(&|at, part, seen| small(seen) && open_alone(at, part));
    if found {
        left.retain(|&(at, part)| !search.differs(at, part));
    }
    if left.is_empty() && found {
        return Some(Vec::new());
    }
    if !whole || !search.every(&left) {
        return None;
    }
    left.retain(|&(at, part)| small(search.seen(at, part)) && open_alone(at, part));
    let crowd = |&(at, part): &(usize, usize)| {
        let rows = u64::from(search.seen(at, part).0);
        (
            at,
            CertainClass {
                part: parts[at][part].0,
                least: rows,
                most: rows,
            },
        )
    };
    search.is_found().then(|| left.iter().map(crowd).collect())
}

/// The parts of a target: its blocks, then its slabs; `None` if nothing is known about it.
fn parts(target: &AttackTarget) -> Option<Vec<(SegmentPart, Support)>> {
    target.blocks.first()?;
    let block = |(at, held): (usize, &super::target::HeldRows)| match held.cells {
        1 => (SegmentPart::Cell(at), held.support),
        _ => (SegmentPart::Block(at), held.support),
    };
    let slabs = target.slabs.iter().enumerate();
    let slabs = slabs.flat_map(|(at, slabs)| {
        (0..)
            .zip(slabs)
            .map(move |(child, support)| (SegmentPart::Slab(at, child), *support))
    });
    Some(
        target
            .blocks
            .iter()
            .enumerate()
            .map(block)
            .chain(slabs)
            .collect(),
    )
}

/// The rows of all targets with the cells that they may be in, and whether these are all cells.
fn rows(
    attack: &RefinementAttack<'_>,
    targets: &[AttackTarget],
) -> Result<(Vec<TargetRows>, bool), BudgetSpent> {
    let (release, terms) = (attack.release, attack.terms);
    let states = states(release, terms.attacker, (false, LOOKED_UP))?;
    let looked_up = LOOKED_UP / (targets.len() as u64 * states.len().max(1) as u64).max(1);
    if looked_up < FEWEST_CELLS {
        return Err(BudgetSpent);
    }
    let most = looked_up.min(MOST_CELLS) as usize;
    let of: Vec<Vec<usize>> = {
        let mut of = vec![Vec::new(); targets.len()];
        (0..)
            .zip(&states)
            .for_each(|(state, after)| after.later.iter().for_each(|&at| of[at].push(state)));
        of
    };
    let (mut caps, mut whole) = (
        Caps {
            of: vec![BTreeMap::new(); states.len()],
            next: 0,
        },
        true,
    );
    let mut all = Vec::with_capacity(targets.len());
    for (at, target) in targets.iter().enumerate() {
        let after: Vec<(usize, &FormationState)> = of[at]
            .iter()
            .map(|&state| (state, &states[state]))
            .collect();
        let (cells, all_of_them) = one(attack, target, (&after, most), &mut caps)?;
        whole &= all_of_them;
        all.push(TargetRows::new(
            target.rows as usize,
            cells,
            parts_of_blocks(target),
        ));
    }
    assert_eq!(all.len(), targets.len(), "rows of each target");
    Ok((all, whole))
}

/// For each block of a target the parts that contain it, as indices in [`parts`].
fn parts_of_blocks(target: &AttackTarget) -> Vec<Vec<usize>> {
    let begin = |slab: usize| {
        target.blocks.len() + target.slabs[..slab].iter().map(Vec::len).sum::<usize>()
    };
    let block = |(at, held): (usize, &super::target::HeldRows)| {
        let slabs = (0..target.slabs.len()).map(|slab| begin(slab) + held.children[slab]);
        std::iter::once(at).chain(slabs).collect()
    };
    target.blocks.iter().enumerate().map(block).collect()
}

/// The numbers of the caps: one for every segment of every state in which a person may have rows.
struct Caps {
    of: Vec<BTreeMap<u64, u32>>,
    next: u32,
}

impl Caps {
    fn number(&mut self, state: usize, segment: u64) -> u32 {
        let next = &mut self.next;
        *self.of[state].entry(segment).or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }
}

/// The cells of a target, with cells that no cap and no part distinguishes combined; and whether
/// these are all cells.
fn one(
    attack: &RefinementAttack<'_>,
    target: &AttackTarget,
    (after, most): (&[(usize, &FormationState)], usize),
    caps: &mut Caps,
) -> Result<(Vec<EqualCells>, bool), BudgetSpent> {
    let (release, terms) = (attack.release, attack.terms);
    let width = release.columns().len();
    let shape = BlockShape::new(
        release,
        &attack.cover,
        target.place,
        (terms.values, terms.budget.cells),
    )?;
    let blocks = cells(
        release,
        &attack.cover,
        target.place,
        (&shape, terms.budget.cells),
    )?;
    let number: usize = blocks.iter().map(|block| block.volumes.len()).sum();
    // Every n-th cell of each block, so that no block is without cells.
    let every = number.div_ceil(most).max(1);
    let mut found: BTreeMap<(usize, Vec<u32>), u64> = BTreeMap::new();
    for (block, cells) in blocks.iter().enumerate() {
        for (leaves, &volume) in cells
            .leaves
            .chunks(width)
            .zip(&cells.volumes)
            .step_by(every)
        {
            let caps = after
                .iter()
                .map(|(state, after)| caps.number(*state, after.segment(leaves)))
                .collect();
            let room = if terms.values == RepeatedValues::Distinct {
                u64::try_from(volume).unwrap_or(u64::MAX)
            } else {
                u64::MAX
            };
            let most = found.entry((block, caps)).or_default();
            *most = most.saturating_add(room);
        }
    }
    let cell = |((block, caps), most): ((usize, Vec<u32>), u64)| EqualCells { block, caps, most };
    assert!(
        found.keys().all(|(_, caps)| caps.len() == after.len()),
        "a cap of each state that comes before"
    );
    Ok((found.into_iter().map(cell).collect(), every == 1))
}
