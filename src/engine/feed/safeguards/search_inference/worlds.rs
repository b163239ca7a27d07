//! All pre-images of a small release (SCIENCE 6): all ways to distribute the people of each class
//! over its leaf tuples, with equal people counted together, each weighted with its number of
//! combinations of values.

use num_bigint::BigUint;
use rayon::prelude::*;

use super::clean::all;
use super::figure::TraceRatio;
use super::rerun::RerunRelease;
use super::terms::{FigureSource, TraceTerms, WholeTrace};
use crate::histogram::{Headcount, Heads, Release};
use crate::model::{Leaf, Taxonomy};
use crate::policy::Values;

/// The number of pre-images that are examined together.
const TOGETHER: u64 = 256;

/// A leaf tuple and its number of combinations of values.
struct Cell {
    leaves: Vec<Leaf>,
    volume: u128,
}

/// One way to distribute the people of a class over its cells.
struct Spread {
    counts: Vec<u32>,
    weight: BigUint,
}

struct Class {
    cells: Vec<Cell>,
    spreads: Vec<Spread>,
}

/// By running the search on every pre-image; `None` if there are too many.
pub(super) fn counted(
    release: &Release,
    trees: &[&Taxonomy],
    a: u64,
    terms: TraceTerms,
) -> Option<WholeTrace> {
    assert_eq!(release.width(), trees.len(), "one taxonomy for each column");
    let (mut worlds, mut at_most) = (1u64, 1u64);
    let mut every = BigUint::from(1u8);
    let mut classes = Vec::new();
    for class in 0..release.classes() {
        let cells = cells(release, class, trees, terms.budget.worlds)?;
        let rows = release.size(class);
        at_most = at_most.checked_mul(spreads(cells.len() as u64, rows, terms.budget.worlds)?)?;
        if at_most > terms.budget.worlds {
            return None;
        }
        let volume = cells
            .iter()
            .try_fold(0u128, |sum, cell| sum.checked_add(cell.volume))?;
        every *= all(rows, volume, terms.values);
        let mut class = Class {
            cells,
            spreads: Vec::new(),
        };
        class.spread(
            u32::try_from(rows).ok()?,
            &mut Vec::new(),
            BigUint::from(1u8),
            terms.values,
        );
        worlds *= class.spreads.len() as u64;
        classes.push(class);
    }
    let again = RerunRelease::new(release, trees, a);
    let kept: BigUint = (0..worlds.div_ceil(TOGETHER))
        .into_par_iter()
        .map(|chunk| {
            let some = chunk * TOGETHER..worlds.min((chunk + 1) * TOGETHER);
            some.map(|world| weight(world, &classes, trees.len(), &again))
                .sum::<BigUint>()
        })
        .sum();
    Some(WholeTrace {
        ratio: TraceRatio::exact(every, kept),
        source: FigureSource::Counted { worlds },
    })
}

/// The number of ways to distribute rows over cells, if it is at most `most`.
fn spreads(cells: u64, rows: u64, most: u64) -> Option<u64> {
    // C(cells + rows − 1, rows), whose intermediate results never decrease.
    let (few, many) = if rows + 1 < cells {
        (rows, cells)
    } else {
        (cells.checked_sub(1)?, rows + 1)
    };
    (0..few).try_fold(1u64, |product, at| {
        let next = u128::from(product) * u128::from(many + at) / u128::from(at + 1);
        u64::try_from(next).ok().filter(|&next| next <= most)
    })
}

fn cells(release: &Release, class: usize, trees: &[&Taxonomy], most: u64) -> Option<Vec<Cell>> {
    let mut cells = vec![Cell {
        leaves: Vec::new(),
        volume: 1,
    }];
    for (&node, tree) in release.class(class).iter().zip(trees) {
        let leaves = tree.leaf_range(node);
        if (cells.len() as u64).checked_mul(leaves.len() as u64)? > most {
            return None;
        }
        let mut longer = Vec::new();
        for cell in &cells {
            for leaf in leaves.clone() {
                let volume = cell
                    .volume
                    .checked_mul(tree.values(tree.leaf_node(leaf)).into())?;
                longer.push(Cell {
                    leaves: [&cell.leaves[..], &[leaf]].concat(),
                    volume,
                });
            }
        }
        cells = longer;
    }
    cells.retain(|cell| cell.volume > 0);
    Some(cells)
}

impl Class {
    /// All ways to put the rest of the people into the following cells, given the numbers in the
    /// cells before.
    fn spread(&mut self, rest: u32, before: &mut Vec<u32>, weight: BigUint, values: Values) {
        let Some(cell) = self.cells.get(before.len()) else {
            if rest == 0 {
                self.spreads.push(Spread {
                    counts: before.clone(),
                    weight,
                });
            }
            return;
        };
        let volume = cell.volume;
        let last = before.len() + 1 == self.cells.len();
        let mut weight = weight;
        for count in 0..=rest {
            if weight == BigUint::ZERO {
                break;
            }
            if !last || count == rest {
                before.push(count);
                self.spread(rest - count, before, weight.clone(), values);
                before.pop();
            }
            weight = match values {
                Values::Repeated => weight * volume * (rest - count) / (count + 1),
                Values::Distinct => weight * volume.saturating_sub(count.into()) / (count + 1),
            };
        }
    }
}

/// The weight of a pre-image, if it gives the release again.
fn weight(world: u64, classes: &[Class], width: usize, again: &RerunRelease<'_>) -> BigUint {
    let mut rest = world;
    let mut weight = BigUint::from(1u8);
    let mut people: Vec<(&[Leaf], Heads)> = Vec::new();
    for class in classes {
        let spread = &class.spreads[(rest % class.spreads.len() as u64) as usize];
        rest /= class.spreads.len() as u64;
        weight *= &spread.weight;
        let heads = class
            .cells
            .iter()
            .zip(&spread.counts)
            .filter(|(_, count)| **count > 0);
        people.extend(
            heads.map(|(cell, &count)| (cell.leaves.as_slice(), Heads { since: 0, count })),
        );
    }
    if again.comes_of(&Headcount::of(width, people)) {
        weight
    } else {
        BigUint::ZERO
    }
}
