//! Every placement of the rows of a target in its leaf cells, one by one, against the constraints
//! as the paper states them (CRA 4.4 and A.1): no row in a cell of an earlier class, and fewer than
//! k in every smaller segment.

use std::ops::Range;

use num_bigint::BigUint;
use tidegate::engine::gate::refinement::{
    AttackedRows, Attacker, CarvedRelease, RatioFigure, RefinementAttack, RepeatedValues,
    SolutionCount,
};

use super::local::{Chance, Made, local, made};
use super::{column, terms};
use crate::common::cases;

type Segment = Vec<Range<u32>>;

/// Whether a class counts as earlier than a target; classes in order of formation.
pub fn earlier(
    release: &CarvedRelease,
    attacker: Attacker,
    class: usize,
    place: AttackedRows,
) -> bool {
    let classes = release.classes();
    match (place, attacker) {
        (AttackedRows::Outliers, _) => true,
        (AttackedRows::Class(at), Attacker::Paper) => release.keys()[class] < release.keys()[at],
        (AttackedRows::Class(at), Attacker::Strongest) => {
            class < at && classes[class].state != classes[at].state
        }
    }
}

fn inside(cell: &[u32], segment: &Segment) -> bool {
    cell.iter()
        .zip(segment)
        .all(|(leaf, side)| side.contains(leaf))
}

/// Every list with one item of each list.
pub fn products<T: Clone>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    lists.iter().fold(vec![Vec::new()], |all, list| {
        let longer = |start: &Vec<T>| {
            list.iter()
                .map(|item| [&start[..], std::slice::from_ref(item)].concat())
                .collect::<Vec<_>>()
        };
        all.iter().flat_map(longer).collect()
    })
}

/// The free cells of a target with their volumes, and which of them are in each smaller segment.
pub struct Puzzle {
    pub cells: Vec<(Vec<u32>, u64)>,
    pub sparse: Vec<Vec<usize>>,
}

pub fn puzzle(release: &CarvedRelease, attacker: Attacker, place: AttackedRows) -> Puzzle {
    let (columns, whole) = (release.columns(), release.segment(place));
    let taken: Vec<Segment> = (0..release.classes().len())
        .filter(|&class| earlier(release, attacker, class, place))
        .map(|class| release.segment(AttackedRows::Class(class)))
        .collect();
    let sides: Vec<Vec<u32>> = whole.iter().map(|side| side.clone().collect()).collect();
    let free = |cell: &Vec<u32>| !taken.iter().any(|segment| inside(cell, segment));
    let volume = |cell: &Vec<u32>| {
        columns
            .iter()
            .zip(cell)
            .map(|(column, &leaf)| column.length(leaf))
            .product()
    };
    let cells: Vec<(Vec<u32>, u64)> = products(&sides)
        .into_iter()
        .filter(free)
        .map(|cell| (cell.clone(), volume(&cell)))
        .collect();
    let below: Vec<Vec<Range<u32>>> = columns
        .iter()
        .zip(&whole)
        .zip(release.nodes(place))
        .map(|((column, side), (layer, _))| {
            let nodes = (1..=layer).flat_map(|layer| {
                (0..column.nodes(layer)).map(move |node| column.node(layer, node))
            });
            nodes
                .filter(|node| side.start <= node.start && node.end <= side.end)
                .collect()
        })
        .collect();
    let smaller = products(&below)
        .into_iter()
        .filter(|segment| *segment != whole);
    let held = |segment: Segment| {
        (0..cells.len())
            .filter(|&at| inside(&cells[at].0, &segment))
            .collect()
    };
    let mut sparse: Vec<Vec<usize>> = smaller
        .map(held)
        .filter(|held: &Vec<usize>| !held.is_empty())
        .collect();
    sparse.sort();
    sparse.dedup();
    Puzzle { cells, sparse }
}

/// C(V, u) or, of labelled rows, V^u / u! · (u + left)! / left!.
fn weight(volume: u64, rows: u64, left: u64, values: RepeatedValues) -> u128 {
    let choose = |n: u64, k: u64| {
        (0..k).fold(1u128, |all, at| {
            all * u128::from(n - at) / u128::from(at + 1)
        })
    };
    match values {
        RepeatedValues::Distinct if rows > volume => 0,
        RepeatedValues::Distinct => choose(volume, rows),
        RepeatedValues::Repeated => u128::from(volume).pow(rows as u32) * choose(left + rows, rows),
    }
}

/// Calls `act` for every placement, with the counts per cell and the number of solutions that it
/// represents.
pub fn every(
    puzzle: &Puzzle,
    rows: u64,
    cap: u64,
    values: RepeatedValues,
    act: &mut impl FnMut(&[u64], u128),
) {
    fn place(
        (puzzle, cap, values): (&Puzzle, u64, RepeatedValues),
        counts: &mut Vec<u64>,
        (left, solutions): (u64, u128),
        act: &mut impl FnMut(&[u64], u128),
    ) {
        if counts.len() == puzzle.cells.len() {
            let fits = || {
                puzzle
                    .sparse
                    .iter()
                    .all(|held| held.iter().map(|&at| counts[at]).sum::<u64>() <= cap)
            };
            if left == 0 && fits() {
                act(counts, solutions);
            }
            return;
        }
        for rows in 0..=left {
            let weight = weight(puzzle.cells[counts.len()].1, rows, left - rows, values);
            counts.push(rows);
            place(
                (puzzle, cap, values),
                counts,
                (left - rows, solutions * weight),
                act,
            );
            counts.pop();
        }
    }
    place((puzzle, cap, values), &mut Vec::new(), (rows, 1), act);
}

/// The number of ways to put this many rows into this many cells; the last cell takes the rest, so
/// steps are few more.
pub fn size(cells: usize, rows: u64) -> u64 {
    (0..rows).fold(1u64, |all, at| {
        all.saturating_mul(cells as u64 + at) / (at + 1)
    })
}

/// Compares every figure of every target that can be enumerated; returns how many.
fn check(made: &Made, attacker: Attacker, values: RepeatedValues) -> u64 {
    let release = &made.release;
    let attack =
        RefinementAttack::new(release, terms(attacker, values)).expect("an order of formation");
    let cap = release.k() - 1;
    let mut enumerated = 0;
    for target in attack.targets() {
        let place = target.place;
        assert_eq!(
            attack.admits(place, made.rows(place)),
            Some(true),
            "the truth is a solution"
        );
        for slabs in target
            .slabs
            .iter()
            .filter(|slabs| slabs.len() == 2 && place != AttackedRows::Outliers)
        {
            // Neither half can contain all rows, so both have fewer than k, though mostly an
            // unknown number.
            assert!(
                target.is_impossible()
                    || slabs.iter().all(|slab| slab.least >= 1 && slab.most <= cap)
            );
        }
        let puzzle = puzzle(release, attacker, place);
        if size(puzzle.cells.len(), target.rows) > 3000 {
            continue;
        }
        enumerated += 1;
        let child = |cell: &Vec<u32>, &at: &usize| {
            let (layer, node) = release.nodes(place)[at];
            release.columns()[at]
                .children(layer, node)
                .position(|slab| slab.contains(&cell[at]))
                .expect("a child")
        };
        let children: Vec<Vec<usize>> = puzzle
            .cells
            .iter()
            .map(|(cell, _)| target.columns.iter().map(|at| child(cell, at)).collect())
            .collect();
        let (mut solutions, mut assignments) = (0u128, 0u64);
        let mut marginals = vec![vec![0u128; target.rows as usize + 1]; target.blocks.len()];
        let mut slabs: Vec<Vec<Vec<u64>>> = target
            .slabs
            .iter()
            .map(|slabs| vec![Vec::new(); slabs.len()])
            .collect();
        every(&puzzle, target.rows, cap, values, &mut |counts, weight| {
            solutions += weight;
            assignments += 1;
            if weight == 0 {
                return;
            }
            for (block, marginals) in target.blocks.iter().zip(&mut marginals) {
                let rows: u64 = counts
                    .iter()
                    .zip(&children)
                    .filter(|(_, at)| **at == block.children)
                    .map(|(n, _)| n)
                    .sum();
                marginals[rows as usize] += weight;
            }
            for (at, slabs) in slabs.iter_mut().enumerate() {
                for (child, seen) in slabs.iter_mut().enumerate() {
                    seen.push(
                        counts
                            .iter()
                            .zip(&children)
                            .filter(|(_, of)| of[at] == child)
                            .map(|(n, _)| n)
                            .sum(),
                    );
                }
            }
        });
        assert_eq!(target.cra, SolutionCount::Exact(solutions.into()));
        if target.is_impossible() {
            // Only if rows share values and the attacker assumes that they do not.
            assert!(solutions == 0 && values == RepeatedValues::Distinct);
            continue;
        }
        assert_eq!(target.assignments, SolutionCount::Exact(assignments.into()));
        compare(&target, &marginals, &slabs);
        // Without the attack every cell is free and nothing is capped.
        let SolutionCount::Exact(lr) = &target.lr else {
            panic!("exact")
        };
        assert_eq!(
            *lr,
            BigUint::from(weight(target.volume as u64, target.rows, 0, values))
        );
        let RatioFigure::Exact { log10 } = target.ratio else {
            panic!("exact")
        };
        let by_hand =
            weight(target.volume as u64, target.rows, 0, values) as f64 / solutions as f64;
        assert!((log10 - by_hand.log10()).abs() < 1e-12);
    }
    enumerated
}

fn compare(
    target: &tidegate::engine::gate::refinement::AttackTarget,
    marginals: &[Vec<u128>],
    slabs: &[Vec<Vec<u64>>],
) {
    for (block, marginals) in target.blocks.iter().zip(marginals) {
        let seen: Vec<(u64, BigUint)> = (0..)
            .zip(marginals)
            .filter(|(_, n)| **n > 0)
            .map(|(u, &n)| (u, n.into()))
            .collect();
        assert_eq!(
            (block.support.least, block.support.most),
            (seen[0].0, seen[seen.len() - 1].0)
        );
        assert_eq!(block.marginals.as_ref(), Some(&seen));
    }
    for (found, seen) in target.slabs.iter().flatten().zip(slabs.iter().flatten()) {
        assert_eq!(Some(&found.least), seen.iter().min());
        assert_eq!(Some(&found.most), seen.iter().max());
    }
}

/// Attackers and values.
pub const BOTH: [(Attacker, RepeatedValues); 4] = [
    (Attacker::Paper, RepeatedValues::Distinct),
    (Attacker::Paper, RepeatedValues::Repeated),
    (Attacker::Strongest, RepeatedValues::Distinct),
    (Attacker::Strongest, RepeatedValues::Repeated),
];

#[test]
fn every_placement_of_small_releases() {
    let mut chance = Chance(1);
    let (mut enumerated, mut outliers, mut wide, mut tied) = (0, 0, 0, 0);
    for _ in 0..cases(300) {
        let made = made(&mut chance, 3, 14);
        let release = &made.release;
        outliers += u64::from(release.outliers() > 0);
        wide += u64::from((0..release.classes().len()).any(|at| {
            let nodes = release.nodes(AttackedRows::Class(at));
            release
                .columns()
                .iter()
                .zip(nodes)
                .any(|(column, (layer, node))| column.children(layer, node).count() == 3)
        }));
        let keys = release.keys();
        let pairs = release.classes().windows(2).zip(keys.windows(2));
        tied += pairs
            .filter(|(classes, keys)| keys[0] == keys[1] && classes[0].state != classes[1].state)
            .count();
        enumerated += BOTH
            .iter()
            .map(|&(attacker, values)| check(&made, attacker, values))
            .sum::<u64>();
    }
    assert!(enumerated > 2000, "{enumerated}");
    assert!(
        outliers > 30 && wide > 50 && tied > 10,
        "{outliers}, {wide}, {tied}"
    );
}

/// Three rows, two of them equal, under a node with three children: one child is empty. A rule that
/// every child of a class contains a row (the halves of CRA 4.4) would call the truth impossible.
#[test]
fn a_child_of_three_may_be_empty() {
    let columns = [column(&[10; 9], &[3, 3])];
    let made = local(&columns, &[vec![3], vec![7], vec![15]], 3);
    let [class] = made.release.classes() else {
        panic!("one class")
    };
    assert_eq!((&class.state[..], &class.nodes[..]), (&[2][..], &[0][..]));
    for (attacker, values) in BOTH {
        assert!(check(&made, attacker, values) > 0);
        let attack = RefinementAttack::new(&made.release, terms(attacker, values))
            .expect("an order of formation");
        let target = attack.target(AttackedRows::Class(0));
        assert!(
            target.slabs[0]
                .iter()
                .all(|slab| (slab.least, slab.most) == (0, 2))
        );
        assert_eq!(target.crowds(), Some(Vec::new()));
    }
}
