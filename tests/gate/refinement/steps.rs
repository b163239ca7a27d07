//! Local recoding by steps that are fixed in advance: the truth is always a solution, every way to place the rows of a class
//! is counted once, and all placements that the steps make the same release of are among them.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use tidegate::engine::anonymizer::{CarvingResult, steps};
use tidegate::engine::gate::refinement::{
    AttackTarget, AttackTerms, AttackedRows, Attacker, CarvedRelease, Layers, RatioFigure, RefinementAttack,
    RefinementBudget, RepeatedValues, SolutionCount, joint,
};
use tidegate::engine::histogram::{Headcount, Heads};
use tidegate::engine::model::{Leaf, Taxonomy, Tree};

use super::local::Chance;

/// A tree whose leaves may lie at any depth, with some values in each.
fn tree(chance: &mut Chance, column: usize) -> Taxonomy {
    let mut tree = Tree::new("*");
    let mut label = 0;
    let mut next = || {
        label += 1;
        format!("{column}.{label}")
    };
    for _ in 0..2 + chance.below(2) {
        let size = 1 + chance.below(3);
        let child = tree.add(0, &next(), size);
        if chance.below(3) > 0 {
            for _ in 0..1 + chance.below(3) {
                let size = 1 + chance.below(3);
                tree.add(child, &next(), size);
            }
        }
    }
    tree.finish().expect("a tree")
}

/// A layer per column, in each step one or more columns one layer up.
fn path(chance: &mut Chance, trees: &[&Taxonomy]) -> Vec<Vec<usize>> {
    let tops: Vec<usize> = trees.iter().map(|tree| tree.padded().len()).collect();
    let mut at = vec![1; trees.len()];
    let mut path = Vec::new();
    let all = chance.below(2) == 0;
    while at != tops {
        if chance.below(6) > 0 || !path.is_empty() {
            path.push(at.clone());
        }
        let open: Vec<usize> = (0..tops.len()).filter(|&column| at[column] < tops[column]).collect();
        let one = chance.one_of(&open);
        open.into_iter().filter(|&column| all || column == one).for_each(|column| at[column] += 1);
    }
    path
}

fn people(tuples: &[Vec<Leaf>], width: usize) -> Headcount {
    let mut sorted = tuples.to_vec();
    sorted.sort();
    Headcount::of(width, sorted.iter().map(|tuple| (tuple, Heads { since: 0, count: 1 })))
}

fn released(
    found: &CarvingResult,
    heads: &Headcount,
    trees: &[&Taxonomy],
    path: &[Vec<usize>],
    k: u64,
) -> CarvedRelease {
    let left: u64 = found.outliers.iter().map(|&tuple| heads.count(tuple as usize)).sum();
    let top = vec![0; trees.len()];
    let classes = found.classes.iter().map(|class| (&class.nodes[..], class.people));
    let classes = classes.chain((left > 0).then_some((&top[..], left)));
    Layers::of_any(trees).expect("layers").stepped(classes, k, path).expect("classes of steps")
}

/// The rows of some tuples.
fn rows(tuples: &[u32], heads: &Headcount) -> Vec<Vec<Leaf>> {
    let of = |&tuple: &u32| {
        std::iter::repeat_n(heads.tuple_at(tuple as usize).collect(), heads.count(tuple as usize) as usize)
    };
    tuples.iter().flat_map(of).collect()
}

fn terms(values: RepeatedValues) -> AttackTerms {
    AttackTerms { attacker: Attacker::Strongest, values, marginals: true, seed: 1, budget: RefinementBudget::FULL }
}

#[test]
fn the_truth_is_always_a_solution() {
    let mut chance = Chance(77);
    for case in 0..1500 {
        let trees: Vec<Taxonomy> = (0..1 + chance.below(3)).map(|at| tree(&mut chance, at as usize)).collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let tuple = |chance: &mut Chance| -> Vec<Leaf> {
            trees.iter().map(|tree| chance.below(tree.leaves() as u64) as Leaf).collect()
        };
        let tuples: Vec<Vec<Leaf>> = (0..1 + chance.below(40)).map(|_| tuple(&mut chance)).collect();
        let (heads, path, k) = (people(&tuples, trees.len()), path(&mut chance, &trees), 2 + chance.below(4));
        let found = steps(&heads, &trees, &path, k);
        assert!(found.classes.iter().all(|class| class.people >= k));
        let release = released(&found, &heads, &trees, &path, k);
        let attack = RefinementAttack::new(&release, terms(RepeatedValues::Repeated)).expect("an order");
        let targets = attack.targets();
        for target in &targets {
            let of = match target.place {
                AttackedRows::Class(at) => rows(&found.classes[at].tuples, &heads),
                AttackedRows::Outliers => rows(&found.outliers, &heads),
            };
            assert_eq!(attack.admits(target.place, &of), Some(true), "case {case}, {:?}", target.place);
            assert!(target.cra.is_at_least(1), "case {case}");
            let certain = target.certain_crowds().expect("known");
            assert!(certain.iter().all(|crowd| crowd.least < k), "case {case}");
        }
        let few = RefinementBudget { draws: 128, ..RefinementBudget::FULL };
        let attack = RefinementAttack::new(&release, AttackTerms { budget: few, ..terms(RepeatedValues::Repeated) })
            .expect("an order");
        assert!(!matches!(joint(&attack, &targets).ratio, RatioFigure::Impossible), "case {case}");
    }
}

/// Every way to put rows into cells, with how many sets of values it stands for.
fn placements(cells: &[(Vec<Leaf>, u64)], rows: u64, act: &mut dyn FnMut(&[u64], BigUint)) {
    fn go(
        cells: &[(Vec<Leaf>, u64)],
        left: u64,
        so_far: &mut Vec<u64>,
        weight: BigUint,
        act: &mut dyn FnMut(&[u64], BigUint),
    ) {
        let Some(((_, values), rest)) = cells.split_first() else {
            if left == 0 {
                act(so_far, weight);
            }
            return;
        };
        for here in 0..=left {
            let choose = (0..here).fold(BigUint::from(1u8), |all, at| all * (left - at) / (at + 1));
            so_far.push(here);
            go(rest, left - here, so_far, &weight * choose * BigUint::from(*values).pow(here as u32), act);
            so_far.pop();
        }
    }
    go(cells, rows, &mut Vec::new(), BigUint::from(1u8), act);
}

/// What is not computed exactly is computed with floats.
fn assert_near<'t>(targets: &'t [AttackTarget], release: &CarvedRelease) -> &'t [AttackTarget] {
    let budget = RefinementBudget { bits: 0, ..RefinementBudget::FULL };
    let terms = AttackTerms { budget, ..terms(RepeatedValues::Repeated) };
    let floats = RefinementAttack::new(release, terms).expect("an order").targets();
    for (exact, float) in targets.iter().zip(&floats) {
        let [exact, float] = [exact, float].map(|target| target.cra.log10().expect("solutions"));
        assert!((exact - float).abs() < 1e-9, "{exact} and {float}");
    }
    targets
}

#[test]
fn every_solution_is_counted_once_and_holds_all_placements_that_give_the_release() {
    let mut chance = Chance(4);
    let (mut looked, mut narrowed) = (0, 0);
    while looked < 120 {
        let trees: Vec<Taxonomy> = (0..1 + chance.below(2)).map(|at| tree(&mut chance, at as usize)).collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let sides: Vec<u32> = trees.iter().map(|tree| tree.leaves() as u32).collect();
        let number: u32 = sides.iter().product();
        let tuples: Vec<Vec<Leaf>> = (0..3 + chance.below(3))
            .map(|_| sides.iter().map(|&side| chance.below(side.into()) as Leaf).collect())
            .collect();
        let (heads, path, k) = (people(&tuples, trees.len()), path(&mut chance, &trees), 2 + chance.below(2));
        let found = steps(&heads, &trees, &path, k);
        if number > 6 || found.classes.is_empty() {
            continue;
        }
        looked += 1;
        let all = |mut at: u32| -> Vec<Leaf> {
            let mut tuple: Vec<Leaf> = sides.iter().rev().map(|side| (at % side, at /= side).0).collect();
            tuple.reverse();
            tuple
        };
        let values = |tuple: &Vec<Leaf>| {
            trees.iter().zip(tuple).map(|(tree, &leaf)| tree.values(tree.leaf_node(leaf))).product::<u64>()
        };
        let cells: Vec<(Vec<Leaf>, u64)> = (0..number).map(all).map(|tuple| (tuple.clone(), values(&tuple))).collect();
        let release = released(&found, &heads, &trees, &path, k);
        let attack = RefinementAttack::new(&release, terms(RepeatedValues::Repeated)).expect("an order");
        let targets = attack.targets();
        for target in assert_near(&targets, &release) {
            let mut count = BigUint::ZERO;
            placements(&cells, target.rows, &mut |held, weight| {
                let of = held
                    .iter()
                    .zip(&cells)
                    .flat_map(|(&many, (tuple, _))| std::iter::repeat_n(tuple.clone(), many as usize));
                if attack.admits(target.place, &of.collect::<Vec<_>>()) == Some(true) {
                    count += weight;
                }
            });
            assert_eq!(target.cra, SolutionCount::Exact(count));
            narrowed += u32::from(target.ratio.log10().is_some_and(|log10| log10 > 0.0));
        }
        // Whatever gives the same release is a solution of every target.
        let shape = |found: &CarvingResult| -> Vec<(Vec<u32>, u64)> {
            found.classes.iter().map(|class| (class.nodes.clone(), class.people)).collect()
        };
        placements(&cells, tuples.len() as u64, &mut |held, _| {
            let of = held
                .iter()
                .zip(&cells)
                .flat_map(|(&many, (tuple, _))| std::iter::repeat_n(tuple.clone(), many as usize));
            let heads = people(&of.collect::<Vec<_>>(), trees.len());
            let other = steps(&heads, &trees, &path, k);
            if shape(&other) != shape(&found) {
                return;
            }
            let places = targets.iter().map(|target| target.place);
            let mut parts: BTreeMap<AttackedRows, Vec<Vec<Leaf>>> = places.map(|place| (place, Vec::new())).collect();
            other
                .classes
                .iter()
                .enumerate()
                .for_each(|(at, class)| _ = parts.insert(AttackedRows::Class(at), rows(&class.tuples, &heads)));
            parts.entry(AttackedRows::Outliers).and_modify(|outliers| *outliers = rows(&other.outliers, &heads));
            assert!(parts.iter().all(|(&place, rows)| attack.admits(place, rows) == Some(true)));
        });
    }
    assert!(narrowed > 30, "{narrowed} targets are narrowed down");
}
