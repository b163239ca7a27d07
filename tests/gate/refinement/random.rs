//! Larger releases than can be enumerated: against a plain dynamic program that drops no cap, and
//! on several numbers of threads.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use tidegate::engine::gate::refinement::{
    AttackTarget, AttackedRows, Attacker, CarvedClass, CarvedRelease, LayeredColumn,
    RefinementAttack, RepeatedValues, SolutionCount, joint,
};

use super::local::{Chance, columns, made};
use super::{attack, column, terms};
use crate::common::cases;

/// The number of solutions from blocks alone: rows per slab are kept for all slabs to the end.
fn plainly(target: &AttackTarget, values: RepeatedValues) -> BigUint {
    let children: Vec<usize> = target.slabs.iter().map(Vec::len).collect();
    let offset = |at: usize| 1 + children[..at].iter().sum::<usize>();
    let none = vec![0; offset(children.len())];
    let mut ways: BTreeMap<Vec<u64>, BigUint> = BTreeMap::from([(none, 1u8.into())]);
    for block in &target.blocks {
        let mut after: BTreeMap<Vec<u64>, BigUint> = BTreeMap::new();
        for (state, way) in &ways {
            let mut weight = way.clone();
            for rows in 0..=target.rows - state[0] {
                if rows > 0 {
                    let factor = match values {
                        RepeatedValues::Distinct => {
                            block.volume.saturating_sub(u128::from(rows - 1))
                        }
                        RepeatedValues::Repeated => {
                            block.volume * u128::from(target.rows - state[0] - rows + 1)
                        }
                    };
                    weight = weight * factor / rows;
                }
                let mut next = state.clone();
                next[0] += rows;
                block
                    .children
                    .iter()
                    .enumerate()
                    .for_each(|(at, child)| next[offset(at) + child] += rows);
                if next[1..].iter().any(|&held| held > target.cap) || weight == BigUint::ZERO {
                    break;
                }
                *after.entry(next).or_default() += &weight;
            }
        }
        ways = after;
    }
    ways.into_iter()
        .filter(|(state, _)| state[0] == target.rows)
        .map(|(_, way)| way)
        .sum()
}

/// Any classes, whether or not ARX-LR makes such; the paper's attacker accepts any.
fn anything(chance: &mut Chance) -> CarvedRelease {
    let columns = columns(chance, 4);
    let k = 2 + chance.below([6, 6, 5, 3, 2][columns.len()]);
    let mut places = BTreeSet::new();
    for _ in 0..1 + chance.below(8) {
        let state: Vec<usize> = columns
            .iter()
            .map(|column| 1 + chance.below(column.height() as u64) as usize)
            .collect();
        let node = |(column, &layer): (&LayeredColumn, &usize)| {
            chance.below(column.nodes(layer) as u64) as usize
        };
        let nodes = columns.iter().zip(&state).map(node).collect();
        if columns
            .iter()
            .zip(&state)
            .any(|(column, &layer)| layer < column.height())
        {
            places.insert((state, nodes));
        }
    }
    let mut class = |(state, nodes)| CarvedClass {
        state,
        nodes,
        rows: k + chance.below(k),
    };
    let classes = places.into_iter().map(&mut class).collect();
    let outliers = chance.below(k + 2);
    CarvedRelease::new(columns, classes, outliers, k).expect("a release")
}

#[test]
fn a_plain_dynamic_program_finds_the_same() {
    let mut chance = Chance(2);
    let (mut possible, mut impossible) = (0, 0);
    for _ in 0..cases(120) {
        let release = anything(&mut chance);
        for values in [RepeatedValues::Distinct, RepeatedValues::Repeated] {
            for target in attack(&release, terms(Attacker::Paper, values)) {
                let expected = match target.is_impossible() {
                    true => {
                        impossible += 1;
                        // Blocks are given if there is a solution.
                        continue;
                    }
                    false => plainly(&target, values),
                };
                possible += 1;
                assert_eq!(target.cra, SolutionCount::Exact(expected.clone()));
                for block in &target.blocks {
                    let all: BigUint = block
                        .marginals
                        .iter()
                        .flatten()
                        .map(|(_, count)| count)
                        .sum();
                    assert_eq!(all, expected);
                }
            }
        }
    }
    assert!(
        possible > 500 && impossible > 50,
        "{possible}, {impossible}"
    );
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let found = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        let mut chance = Chance(3);
        let mut one = || {
            let made = made(&mut chance, 3, 60);
            let mut terms = terms(Attacker::Strongest, RepeatedValues::Repeated);
            terms.budget.draws = 640;
            let whole = RefinementAttack::new(&made.release, terms).expect("an order of formation");
            // So that single figures are sampled too.
            terms.budget.arrows = 40;
            let targets = pool.install(|| attack(&made.release, terms));
            format!(
                "{targets:?} {:?}",
                pool.install(|| joint(&whole, &whole.targets()))
            )
        };
        (0..6).map(|_| one()).collect::<Vec<String>>()
    };
    let alone = found(1);
    assert!(alone.iter().any(|text| text.contains("AtLeast")));
    assert!(alone.iter().any(|text| text.contains("draws: 640")));
    assert_eq!(alone, found(2));
    assert_eq!(alone, found(7));
}

/// Five columns and k = 5: far more placements than can be counted one by one.
#[test]
fn five_columns() {
    let columns: Vec<LayeredColumn> = (0..5).map(|_| column(&[25; 8], &[2, 2, 2])).collect();
    let class = CarvedClass {
        state: vec![3, 3, 2, 3, 2],
        nodes: vec![0, 1, 2, 0, 3],
        rows: 7,
    };
    let corner = CarvedClass {
        state: vec![1; 5],
        nodes: vec![0, 4, 4, 1, 6],
        rows: 5,
    };
    let release = CarvedRelease::new(columns, vec![corner, class], 4, 5).expect("a release");
    let targets = attack(
        &release,
        terms(Attacker::Strongest, RepeatedValues::Repeated),
    );
    assert_eq!(targets[1].place, AttackedRows::Class(1));
    for target in &targets {
        assert_eq!(
            target.cra,
            SolutionCount::Exact(plainly(target, RepeatedValues::Repeated))
        );
    }
}
