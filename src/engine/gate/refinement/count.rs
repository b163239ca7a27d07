//! The number of solutions and assignments of a target's placements (CRA 4.5; SCIENCE 6), by one
//! pass over the graph from its end, and how many of them have each number of rows in a block, by a
//! second pass from its beginning. The same passes run modulo primes and in floats. The caller says
//! how precise a figure is.

use num_bigint::BigUint;
use num_integer::Integer;

use super::blocks::{Block, BlockShape};
use super::moduli::{Moduli, needed};
use super::paths::PlacementPaths;
use super::ring::{Floats, NumberRing, Residues, SeveralPrimes, Whole128};
use super::wide_float::WideFloat;

/// The weight of a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SolutionWeight {
    /// The number of values that its rows can have.
    Solutions,
    /// The number of counts of leaf cells that it represents.
    Assignments,
}

/// The weights of the counts that each block may have, in the order of the graph.
pub(super) struct Weights<T> {
    all: Vec<T>,
    /// The first weight of each block.
    first: Vec<usize>,
}

impl<T: Copy> Weights<T> {
    /// The weight of a number of rows in a block.
    pub(super) fn of(&self, at: usize, rows: usize) -> T {
        self.all[self.first[at] + rows]
    }
}

/// The weights of all counts; for repeated values without the factor n!.
pub(super) fn weights<R: NumberRing>(
    ring: &R,
    shape: &BlockShape,
    paths: &PlacementPaths,
    weigh: SolutionWeight,
) -> Weights<R::Item> {
    let most = |block: usize| paths.support(block).last().copied().unwrap_or(0);
    let number = paths
        .order
        .iter()
        .map(|&block| most(block) as usize + 1)
        .sum();
    let mut weights = Weights {
        all: Vec::with_capacity(number),
        first: Vec::with_capacity(paths.blocks()),
    };
    for &block in &paths.order {
        weights.first.push(weights.all.len());
        weigh_block(
            ring,
            shape,
            &shape.blocks[block],
            weigh,
            (most(block), &mut weights.all),
        );
    }
    weights
}

/// From 0 rows to the largest possible number.
fn weigh_block<R: NumberRing>(
    ring: &R,
    shape: &BlockShape,
    block: &Block,
    weigh: SolutionWeight,
    (most, weights): (u32, &mut Vec<R::Item>),
) {
    let (volume, mut weight) = (ring.number(block.volume), ring.number(1));
    weights.push(weight);
    for rows in 1..=most {
        let before = u128::from(rows - 1);
        // C(V, u) = C(V, u−1) (V−u+1) / u; V^u / u! and C(m+u−1, u) similarly.
        let factor = match (weigh, shape.distinct) {
            (SolutionWeight::Solutions, false) => volume,
            (SolutionWeight::Solutions, true) => ring.number(block.volume.saturating_sub(before)),
            (SolutionWeight::Assignments, _) => ring.number(u128::from(block.cells) + before),
        };
        weight = ring.over(ring.times(weight, factor), rows);
        weights.push(weight);
    }
}

/// For each state the weight of all placements from there.
pub(super) fn behind<R: NumberRing>(
    ring: &R,
    paths: &PlacementPaths,
    weights: &Weights<R::Item>,
) -> Vec<R::Item> {
    let mut behind = vec![ring.number(0); paths.number()];
    behind[paths.states(paths.blocks())].fill(ring.number(1));
    for at in (0..paths.blocks()).rev() {
        for state in paths.states(at) {
            let ways = paths
                .from(state)
                .map(|(rows, to)| ring.times(weights.of(at, rows), behind[to]));
            if let Some(all) = ways.reduce(|a, b| ring.sum(a, b)) {
                behind[state] = all;
            }
        }
    }
    behind
}

/// For each block, in the order of the graph, and each count of its support, the weight of the
/// placements that have it.
pub(super) fn marginals<R: NumberRing>(
    ring: &R,
    paths: &PlacementPaths,
    weights: &Weights<R::Item>,
    behind: &[R::Item],
) -> Vec<Vec<R::Item>> {
    let mut before = vec![ring.number(0); paths.number()];
    before[0] = ring.number(1);
    let of = |at: usize| {
        let support = paths.support(paths.order[at]);
        let mut held = vec![ring.number(0); support.last().map_or(0, |&most| most as usize + 1)];
        for state in paths.states(at) {
            for (rows, to) in paths.from(state) {
                let weight = ring.times(before[state], weights.of(at, rows));
                held[rows] = ring.sum(held[rows], ring.times(weight, behind[to]));
                before[to] = ring.sum(before[to], weight);
            }
        }
        support.iter().map(|&rows| held[rows as usize]).collect()
    };
    (0..paths.blocks()).map(of).collect()
}

/// No figure of a target needs more bits.
pub(super) fn bits(shape: &BlockShape, weigh: SolutionWeight) -> u64 {
    let rows = shape.rows as f64;
    let ways = match weigh {
        SolutionWeight::Solutions => shape.free_volume() as f64,
        SolutionWeight::Assignments => shape.free_cells() as f64 + rows,
    };
    let orders: f64 = match (weigh, shape.distinct) {
        (SolutionWeight::Solutions, false) => 0.0,
        // n! ≥ (n / e)^n
        _ => rows * (rows.max(1.0).log2() - std::f64::consts::LOG2_E),
    };
    ((rows * ways.max(1.0).log2() - orders) * (1.0 + 1e-12))
        .max(0.0)
        .ceil() as u64
        + 4
}

/// The operations for exact figures.
pub(super) fn cost(paths: &PlacementPaths, bits: u64, marginals: bool) -> u64 {
    let primes = needed(bits) as u64;
    let values: u64 = if marginals {
        (0..paths.blocks())
            .map(|block| paths.support(block).len() as u64)
            .sum()
    } else {
        1
    };
    let passes = if marginals { 3 } else { 1 };
    primes
        .saturating_mul(paths.arrows())
        .saturating_mul(passes)
        .saturating_add(values.saturating_mul(primes * primes))
}

/// The number of solutions or assignments, of at most `bits` bits, and on request, for each block
/// of the shape, how many of them have each count of its support.
pub(super) fn exact(
    shape: &BlockShape,
    paths: &PlacementPaths,
    (weigh, with_marginals): (SolutionWeight, bool),
    bits: u64,
) -> (BigUint, Vec<Vec<BigUint>>) {
    let labelled = weigh == SolutionWeight::Solutions && !shape.distinct;
    // A weight is at most the total, multiplied by a number of rows before it is divided.
    let numbers: Vec<BigUint> = if !labelled
        && bits + u64::from(shape.rows.max(1).ilog2()) < u64::from(u128::BITS)
    {
        totals(&Whole128, shape, paths, (weigh, with_marginals))
            .into_iter()
            .map(BigUint::from)
            .collect()
    } else {
        let moduli = Moduli::new(bits, shape.rows as u32);
        let mut residues: Vec<Vec<u64>> = Vec::new();
        for rings in moduli.rings().chunks(4) {
            let options = (weigh, with_marginals);
            match *rings {
                [ref a] => modulo([a], shape, paths, options, &mut residues),
                [ref a, ref b] => modulo([a, b], shape, paths, options, &mut residues),
                [ref a, ref b, ref c] => modulo([a, b, c], shape, paths, options, &mut residues),
                [ref a, ref b, ref c, ref d] => {
                    modulo([a, b, c, d], shape, paths, options, &mut residues)
                }
                _ => unreachable!("chunks have one to four rings"),
            }
        }
        residues
            .iter()
            .map(|residues| moduli.number(residues))
            .collect()
    };
    let mut numbers = numbers.into_iter();
    let total = numbers.next().expect("the total comes first");
    let mut held = vec![Vec::new(); if with_marginals { paths.blocks() } else { 0 }];
    for &block in paths.order.iter().filter(|_| with_marginals) {
        held[block] = numbers.by_ref().take(paths.support(block).len()).collect();
    }
    (total, held)
}

/// Adds the residues of all figures modulo some primes.
fn modulo<const N: usize>(
    rings: [&Residues; N],
    shape: &BlockShape,
    paths: &PlacementPaths,
    (weigh, with_marginals): (SolutionWeight, bool),
    residues: &mut Vec<Vec<u64>>,
) {
    let ring = SeveralPrimes(rings);
    let labelled = weigh == SolutionWeight::Solutions && !shape.distinct;
    let orders = (1..=shape.rows)
        .filter(|_| labelled)
        .map(|row| ring.number(row.into()));
    let orders = orders.fold(ring.number(1), |a, b| ring.times(a, b));
    let found = totals(&ring, shape, paths, (weigh, with_marginals));
    residues.resize_with(found.len(), Vec::new);
    residues
        .iter_mut()
        .zip(found)
        .for_each(|(residues, found)| residues.extend(ring.times(orders, found)));
}

/// The weight of all placements, then on request of the placements with each count of each block in
/// the order of the graph.
fn totals<R: NumberRing>(
    ring: &R,
    shape: &BlockShape,
    paths: &PlacementPaths,
    (weigh, marginal): (SolutionWeight, bool),
) -> Vec<R::Item> {
    let weights = weights(ring, shape, paths, weigh);
    let behind = behind(ring, paths, &weights);
    let mut found = vec![behind[0]];
    if marginal {
        found.extend(
            marginals(ring, paths, &weights, &behind)
                .into_iter()
                .flatten(),
        );
    }
    found
}

/// The number of solutions or assignments as a float, and its largest error in units.
pub(super) fn near(
    shape: &BlockShape,
    paths: &PlacementPaths,
    weigh: SolutionWeight,
) -> (WideFloat, f64) {
    let weights = weights(&Floats, shape, paths, weigh);
    let total = behind(&Floats, paths, &weights)[0];
    let (orders, factors) = match weigh == SolutionWeight::Solutions && !shape.distinct {
        true => (
            (1..=shape.rows).fold(WideFloat::ONE, |product, row| {
                product * WideFloat::from(u128::from(row))
            }),
            shape.rows,
        ),
        false => (WideFloat::ONE, 0),
    };
    (total * orders, units(shape, paths) + factors as f64 + 1.0)
}

/// The largest error in units of the weight after any state. A placement is a product of one weight
/// per block; each weight takes three roundings per row and one of the volume, and each block a
/// product and as many sums as a state has arrows.
pub(super) fn units(shape: &BlockShape, paths: &PlacementPaths) -> f64 {
    let sums: usize = (0..paths.blocks()).map(|at| paths.widest(at) + 2).sum();
    4.0 * shape.rows as f64 + sums as f64 + 1.0
}

/// C(V, n) or V^n, exactly.
pub(super) fn all(volume: u128, rows: u64, distinct: bool) -> BigUint {
    assert!(volume > 0, "rows lie in cells");
    if !distinct {
        return BigUint::from(volume).pow(rows as u32);
    }
    if u128::from(rows) > volume {
        return BigUint::ZERO;
    }
    let (above, remainder) =
        product(volume - u128::from(rows), volume).div_rem(&product(0, rows.into()));
    assert!(
        remainder == BigUint::ZERO,
        "a product of n neighbours is a multiple of n!"
    );
    above
}

/// The same as a float, with its largest error in units.
pub(super) fn all_near(volume: u128, rows: u64, distinct: bool) -> (WideFloat, f64) {
    assert!(volume > 0, "rows lie in cells");
    let factor = |row: u128| match distinct {
        true => WideFloat::from(volume.saturating_sub(row - 1)) / WideFloat::from(row),
        false => WideFloat::from(volume),
    };
    let number = (1..=u128::from(rows)).fold(WideFloat::ONE, |product, row| product * factor(row));
    (number, 4.0 * rows as f64)
}

/// (low + 1) · … · high
fn product(low: u128, high: u128) -> BigUint {
    assert!(low <= high.saturating_add(1), "a range of factors");
    if high - low <= 16 {
        return (low + 1..=high).fold(BigUint::from(1u8), |product, factor| product * factor);
    }
    let middle = low + (high - low) / 2;
    product(low, middle) * product(middle, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::choose;

    /// Two blocks of which each can hold at most 30 of 50 rows, with increasing room: the sum over
    /// all placements, in numbers that fit into 128 bits, that just fit, and that do not.
    #[test]
    fn figures_are_sums_over_all_ways() {
        let (rows, cap) = (50, 30);
        for free in (1..20).chain(60..110) {
            for distinct in [false, true] {
                let block = |at: usize, free: u64| Block {
                    children: vec![at],
                    volume: free.into(),
                    cells: free,
                };
                let (one, other) = (free, free + 7);
                let blocks = vec![block(0, one), block(1, other)];
                let (columns, children) = (vec![0], vec![2]);
                let volume = u128::from(one + other);
                let shape = BlockShape {
                    columns,
                    children,
                    blocks,
                    rows,
                    cap,
                    volume,
                    distinct,
                };
                let paths = PlacementPaths::new(&shape, 1 << 20).expect("a small shape");
                for weigh in [SolutionWeight::Solutions, SolutionWeight::Assignments] {
                    if weigh == SolutionWeight::Solutions && distinct && free < cap {
                        continue;
                    }
                    let of = |rows_here: u64| match (weigh, distinct) {
                        (SolutionWeight::Solutions, true) => {
                            choose(one, rows_here) * choose(other, rows - rows_here)
                        }
                        (SolutionWeight::Solutions, false) => {
                            let values = BigUint::from(one).pow(rows_here as u32)
                                * BigUint::from(other).pow((rows - rows_here) as u32);
                            values * choose(rows, rows_here)
                        }
                        (SolutionWeight::Assignments, _) => {
                            choose(one + rows_here - 1, rows_here)
                                * choose(other + rows - rows_here - 1, rows - rows_here)
                        }
                    };
                    let truth: Vec<BigUint> = (rows - cap..=cap).map(of).collect();
                    let sum: BigUint = truth.iter().sum();
                    let bits = bits(&shape, weigh);
                    assert!(
                        sum.bits() <= bits,
                        "{free} free, {weigh:?}: {} bits, not {bits}",
                        sum.bits()
                    );
                    let (total, held) = exact(&shape, &paths, (weigh, true), bits);
                    if !(distinct && weigh == SolutionWeight::Assignments && free < cap) {
                        assert_eq!(
                            (&total, &held[0]),
                            (&sum, &truth),
                            "{free} free, {weigh:?}, distinct: {distinct}"
                        );
                    }
                }
            }
        }
    }

    /// One block that holds all of 50 rows: each weight is a whole figure, multiplied by a number
    /// of rows while it is computed.
    #[test]
    fn figures_that_just_fit_are_computed_without_a_loss() {
        let rows = 50;
        for free in 100..200 {
            let blocks = vec![Block {
                children: vec![0],
                volume: free.into(),
                cells: free,
            }];
            let (columns, children) = (vec![0], vec![1]);
            let volume = free.into();
            let shape = BlockShape {
                columns,
                children,
                blocks,
                rows,
                cap: rows,
                volume,
                distinct: true,
            };
            let paths = PlacementPaths::new(&shape, 1 << 20).expect("a small shape");
            for (weigh, truth) in [
                (SolutionWeight::Solutions, choose(free, rows)),
                (SolutionWeight::Assignments, choose(free + rows - 1, rows)),
            ] {
                assert_eq!(
                    exact(&shape, &paths, (weigh, false), bits(&shape, weigh)).0,
                    truth,
                    "{free} free, {weigh:?}"
                );
            }
        }
    }
}
