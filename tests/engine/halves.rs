//! Halving (SCIENCE 6, safer local recoding): on all populations of a few people, that the same
//! release is equally likely however the people of a class are distributed in it, and that no
//! reader can be sure about any waiting person; on random ones, that classes are regions of halving
//! for the gate, and that it finds nothing in them.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::random::{self, Draw};
use tidegate::engine::anonymizer::{Halved, halves};
use tidegate::engine::arithmetic::choose;
use tidegate::engine::gate::refinement::{
    AttackTerms, AttackedRows, Attacker, CarvedRelease, Layers, Malformed, RatioFigure,
    RefinementAttack, RefinementBudget, RepeatedValues as Counted, SolutionCount, joint,
};
use tidegate::engine::histogram::{Headcount, Heads};
use tidegate::engine::model::{Leaf, Node, Taxonomy, Tree};
use tidegate::engine::policy::{Halving, Values};

/// Labels of classes, and their people.
type Shown = Vec<(Vec<Node>, u64)>;

/// Each person's leaf tuple, in order.
type People = Vec<Vec<Leaf>>;

/// The total weight of all draws: divisible by every number of thresholds as often as necessary.
const WHOLE: u128 = 2u128.pow(48) * 3u128.pow(20);

fn heads(people: &People, width: usize) -> Headcount {
    let mut sorted = people.clone();
    sorted.sort();
    Headcount::of(
        width,
        sorted
            .iter()
            .map(|tuple| (tuple, Heads { since: 0, count: 1 })),
    )
}

fn shown(found: &Halved) -> Shown {
    found
        .classes
        .iter()
        .map(|class| (class.nodes.clone(), class.people))
        .collect()
}

/// Every release that some draws make, with the weight of those draws.
fn outcomes(people: &People, trees: &[&Taxonomy], rule: &Halving<'_>) -> BTreeMap<Shown, u128> {
    let heads = heads(people, trees.len());
    let (mut outcomes, mut script) = (BTreeMap::new(), Vec::<(u64, u64)>::new());
    loop {
        let mut at = 0;
        let found = halves(&heads, trees, rule, &mut |of| {
            if at == script.len() {
                script.push((0, of));
            }
            at += 1;
            assert_eq!(script[at - 1].1, of, "what was drawn before decides");
            script[at - 1].0
        });
        let weight = script.iter().fold(WHOLE, |left, (_, of)| {
            assert_eq!(left % u128::from(*of), 0, "weights are whole");
            left / u128::from(*of)
        });
        *outcomes.entry(shown(&found)).or_default() += weight;
        while let Some((drawn, of)) = script.pop() {
            if drawn + 1 < of {
                script.push((drawn + 1, of));
                break;
            }
        }
        if script.is_empty() {
            return outcomes;
        }
    }
}

/// `*` over nodes, each with this many leaves, or a leaf itself, of one value each.
fn tree(column: usize, leaves: &[usize]) -> Taxonomy {
    let mut tree = Tree::new("*");
    for (at, &leaves) in leaves.iter().enumerate() {
        let child = tree.add(0, &format!("{column}.{at}"), 1);
        (0..leaves).for_each(|leaf| _ = tree.add(child, &format!("{column}.{at}.{leaf}"), 1));
    }
    tree.finish().expect("a tree")
}

/// Every population of this many people, in which no two may be equal if they must be distinct.
fn populations(trees: &[&Taxonomy], people: usize, values: Values) -> Vec<People> {
    let mut cells: Vec<Vec<Leaf>> = vec![Vec::new()];
    for tree in trees {
        let longer = |cell: &Vec<Leaf>| -> Vec<Vec<Leaf>> {
            (0..tree.leaves() as Leaf)
                .map(|leaf| [&cell[..], &[leaf]].concat())
                .collect()
        };
        cells = cells.iter().flat_map(longer).collect();
    }
    fn from(
        cells: &[Vec<Leaf>],
        left: usize,
        values: Values,
        so_far: &mut People,
        all: &mut Vec<People>,
    ) {
        if left == 0 {
            all.push(so_far.clone());
            return;
        }
        for at in 0..cells.len() {
            so_far.push(cells[at].clone());
            from(
                &cells[at + usize::from(values == Values::Distinct)..],
                left - 1,
                values,
                so_far,
                all,
            );
            so_far.pop();
        }
    }
    let mut all = Vec::new();
    from(&cells, people, values, &mut Vec::new(), &mut all);
    all
}

fn inside(tuple: &[Leaf], class: &[Node], trees: &[&Taxonomy]) -> bool {
    trees
        .iter()
        .zip(class)
        .zip(tuple)
        .all(|((tree, &node), leaf)| tree.leaf_range(node).contains(leaf))
}

/// A small world: taxonomies, the smallest class, the required sets of rows, and the greatest
/// number of people.
struct World {
    leaves: &'static [&'static [usize]],
    k: u64,
    least: u64,
    most: usize,
    values: Values,
}

const WORLDS: &[World] = &[
    World {
        leaves: &[&[2, 2], &[0, 0]],
        k: 2,
        least: 1,
        most: 5,
        values: Values::Repeated,
    },
    World {
        leaves: &[&[0, 2, 1]],
        k: 2,
        least: 1,
        most: 7,
        values: Values::Repeated,
    },
    World {
        leaves: &[&[2, 0], &[2, 0]],
        k: 2,
        least: 4,
        most: 5,
        values: Values::Repeated,
    },
    World {
        leaves: &[&[2, 2]],
        k: 3,
        least: 1,
        most: 9,
        values: Values::Repeated,
    },
    World {
        leaves: &[&[2, 2], &[0, 0]],
        k: 2,
        least: 3,
        most: 6,
        values: Values::Distinct,
    },
    World {
        leaves: &[&[3, 0], &[0, 0]],
        k: 2,
        least: 0,
        most: 6,
        values: Values::Distinct,
    },
];

#[test]
fn every_arrangement_of_the_people_of_a_class_makes_the_release_as_likely() {
    let (mut looked, mut moved) = (0u64, 0u64);
    for World {
        leaves,
        k,
        least,
        most,
        values,
    } in WORLDS
    {
        let trees: Vec<Taxonomy> = leaves
            .iter()
            .enumerate()
            .map(|(at, leaves)| tree(at, leaves))
            .collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let rule = Halving::new(&trees, *k, *least, *values).expect("small");
        for number in *k as usize..=*most {
            let all = populations(&trees, number, *values);
            let known: BTreeMap<&People, BTreeMap<Shown, u128>> = all
                .iter()
                .map(|people| (people, outcomes(people, &trees, &rule)))
                .collect();
            let cells = populations(&trees, 1, *values);
            for (people, outcomes) in &known {
                assert_eq!(outcomes.values().sum::<u128>(), WHOLE);
                for (release, weight) in outcomes {
                    looked += 1;
                    // A person in a class can be anywhere else in it. All distributions follow from
                    // such moves.
                    for (class, _) in release {
                        let cells = || {
                            cells
                                .iter()
                                .map(|cell| &cell[0])
                                .filter(|cell| inside(cell, class, &trees))
                        };
                        for person in
                            (0..people.len()).filter(|&at| inside(&people[at], class, &trees))
                        {
                            for cell in cells() {
                                let mut others = (*people).clone();
                                others[person].clone_from(cell);
                                others.sort();
                                // No such people if two would be equal.
                                let Some(outcomes) = known.get(&others) else {
                                    continue;
                                };
                                assert_eq!(
                                    outcomes.get(release),
                                    Some(weight),
                                    "{people:?} {others:?} {release:?}"
                                );
                                moved += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(
        looked > 10_000 && moved > 100_000,
        "{looked} releases, {moved} moves"
    );
}

#[test]
fn that_a_person_waits_is_never_certain() {
    let mut waited = 0u64;
    for World {
        leaves,
        k,
        least,
        most,
        values,
    } in WORLDS
    {
        let trees: Vec<Taxonomy> = leaves
            .iter()
            .enumerate()
            .map(|(at, leaves)| tree(at, leaves))
            .collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let rule = Halving::new(&trees, *k, *least, *values).expect("small");
        // Many populations are equal after the waiting people are removed.
        let mut known: BTreeMap<People, BTreeSet<_>> = BTreeMap::new();
        for people in (*k as usize..=*most).flat_map(|number| populations(&trees, number, *values))
        {
            for release in outcomes(&people, &trees, &rule).into_keys() {
                let published = |tuple: &&Vec<Leaf>| {
                    release
                        .iter()
                        .any(|(class, _)| inside(tuple, class, &trees))
                };
                let alone: People = people.iter().filter(published).cloned().collect();
                waited += u64::from(alone.len() < people.len());
                // The same people without any who wait: the release is as possible.
                let possible = known.entry(alone).or_insert_with_key(|alone| {
                    outcomes(alone, &trees, &rule).into_keys().collect()
                });
                assert!(possible.contains(&release), "{people:?} {release:?}");
            }
        }
    }
    assert!(
        waited > 5_000,
        "{waited} releases beside which a person waits"
    );
}

#[test]
fn with_one_threshold_for_all_it_would_be() {
    // Two halves of two leaves, k = 3, cut at six people: a release of three in one half would
    // reveal at least three others.
    let tree = tree(0, &[2, 2]);
    let trees = [&tree];
    let rule = Halving::new(&trees, 3, 1, Values::Repeated).expect("small");
    let fixed = |people: &People| shown(&halves(&heads(people, 1), &trees, &rule, &mut |_| 3));
    let found = fixed(&vec![vec![0], vec![0], vec![1], vec![1], vec![2], vec![3]]);
    assert_eq!(found, [(vec![1], 4)]);
    let alone = populations(&trees, 4, Values::Repeated);
    assert!(
        alone.iter().all(|people| fixed(people) != found),
        "two wait in the other half, for certain"
    );
    assert!(
        alone
            .iter()
            .any(|people| outcomes(people, &trees, &rule).contains_key(&found))
    );
}

/// A tree whose leaves have any depth, some nodes with one child.
fn random_tree(draw: &mut Draw, column: usize) -> Taxonomy {
    let mut tree = Tree::new("*");
    let mut open = vec![(0, 0)];
    let mut label = 0;
    while let Some((node, depth)) = open.pop() {
        for _ in 0..draw.between(1, 3) {
            label += 1;
            let child = tree.add(node, &format!("{column}.{label}"), draw.between(1, 3));
            if depth < 2 && draw.once_in(2) {
                open.push((child, depth + 1));
            }
        }
    }
    tree.finish().expect("a tree")
}

fn apart(a: &[Node], b: &[Node], trees: &[&Taxonomy]) -> bool {
    trees
        .iter()
        .zip(a)
        .zip(b)
        .any(|((tree, &a), &b)| !tree.covers(a, b) && !tree.covers(b, a))
}

fn released(
    found: &Shown,
    trees: &[&Taxonomy],
    rule: &Halving<'_>,
) -> Result<CarvedRelease, Malformed> {
    let classes = found.iter().map(|(nodes, people)| (&nodes[..], *people));
    Layers::of_any(trees).expect("layers").halved(classes, rule)
}

fn terms(values: Values) -> AttackTerms {
    let values = if values == Values::Distinct {
        Counted::Distinct
    } else {
        Counted::Repeated
    };
    AttackTerms {
        attacker: Attacker::Strongest,
        values,
        marginals: true,
        seed: 1,
        budget: RefinementBudget::FULL,
    }
}

/// Removes people of a leaf tuple that has fewer combinations of values than people, no two of whom
/// may be equal.
fn as_distinct(people: &mut People, trees: &[&Taxonomy]) {
    let combinations = |tuple: &Vec<Leaf>| -> u64 {
        tuple
            .iter()
            .zip(trees)
            .map(|(&leaf, tree)| tree.values(tree.leaf_node(leaf)))
            .product()
    };
    let mut seen: BTreeMap<Vec<Leaf>, u64> = BTreeMap::new();
    people.retain(|tuple| {
        let before = seen.entry(tuple.clone()).or_default();
        *before += 1;
        *before <= combinations(tuple)
    });
}

#[test]
fn classes_share_no_cell_and_nothing_is_found_in_them() {
    random::run("halving", 240, |draw| {
        let trees: Vec<Taxonomy> = (0..draw.between(1, 4))
            .map(|column| random_tree(draw, column as usize))
            .collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let tuple = |draw: &mut Draw| -> Vec<Leaf> {
            trees
                .iter()
                .map(|tree| draw.between(0, tree.leaves() as u64 - 1) as Leaf)
                .collect()
        };
        let mut tuples: People = (0..draw.between(1, 200)).map(|_| tuple(draw)).collect();
        let (k, least) = (draw.between(2, 6), draw.between(0, 2000));
        let values = if draw.once_in(4) {
            Values::Distinct
        } else {
            Values::Repeated
        };
        if values == Values::Distinct {
            as_distinct(&mut tuples, &trees);
        }
        let rule = Halving::new(&trees, k, least, values).expect("small");
        let heads = heads(&tuples, trees.len());
        let found = halves(&heads, &trees, &rule, &mut |of| draw.between(0, of - 1));
        let mut seen: Vec<u32> = found
            .classes
            .iter()
            .flat_map(|class| &class.tuples)
            .copied()
            .collect();
        seen.extend(&found.waiting);
        seen.sort_unstable();
        assert!(
            seen.into_iter().eq(0..heads.tuples() as u32),
            "each person is in one place"
        );
        let classes = shown(&found);
        for (at, class) in found.classes.iter().enumerate() {
            assert!(
                class.people >= k
                    && class
                        .tuples
                        .iter()
                        .map(|&at| heads.count(at as usize))
                        .sum::<u64>()
                        == class.people
            );
            assert!(
                classes[..at]
                    .iter()
                    .all(|(other, _)| apart(&class.nodes, other, &trees))
            );
        }
        let release = released(&classes, &trees, &rule).expect("regions");
        let attack = RefinementAttack::new(&release, terms(values)).expect("no order");
        let targets = attack.targets();
        for target in &targets {
            let class = match target.place {
                AttackedRows::Class(at) => found
                    .classes
                    .iter()
                    .filter(|class| class.nodes.iter().any(|&node| node != 0))
                    .nth(at),
                AttackedRows::Outliers => found.classes.first(),
            };
            let class = class.expect("a class");
            let of = |&at: &u32| {
                std::iter::repeat_n(
                    heads.tuple_at(at as usize).collect(),
                    heads.count(at as usize) as usize,
                )
            };
            let rows: People = class.tuples.iter().flat_map(of).collect();
            assert_eq!(attack.admits(target.place, &rows), Some(true));
            assert!(
                target.ratio == RatioFigure::Exact { log10: 0.0 }
                    && target.cra == target.lr
                    && target.is_decided()
            );
            assert!(target.cra.is_at_least(least) || least == 0);
            assert_eq!(target.certain_crowds(), Some(Vec::new()));
            assert_eq!(target.free_volume, Some(target.volume));
            let cells = target.free_cells.expect("it is known");
            match &target.assignments {
                SolutionCount::Exact(count) => {
                    assert_eq!(*count, choose(cells + target.rows - 1, target.rows))
                }
                other => assert!(*other != SolutionCount::Unknown),
            }
        }
        assert_eq!(
            joint(&attack, &targets).ratio,
            RatioFigure::Exact { log10: 0.0 }
        );
    });
}

#[test]
fn people_who_cannot_all_differ_are_impossible() {
    // Two values and five people, no two of whom may be equal.
    let tree = tree(0, &[0, 0]);
    let trees = [&tree];
    let five = vec![vec![0], vec![0], vec![1], vec![1], vec![1]];
    let found = |least: u64| {
        let rule = Halving::new(&trees, 2, least, Values::Distinct).expect("small");
        let classes = shown(&halves(&heads(&five, 1), &trees, &rule, &mut |_| 0));
        let release = released(&classes, &trees, &rule).expect("regions");
        let ratios = RefinementAttack::new(&release, terms(Values::Distinct))
            .expect("no order")
            .targets();
        ratios
            .into_iter()
            .map(|target| target.ratio)
            .collect::<Vec<_>>()
    };
    // If any number of sets is enough, none is enough as well, and the attack says that there is
    // none.
    assert_eq!(found(0), [RatioFigure::Impossible, RatioFigure::Impossible]);
    // If one set is required, all people wait.
    assert!(found(1).is_empty());
}

#[test]
fn labels_that_halving_does_not_make_are_reported() {
    let (ages, sexes) = (tree(0, &[2, 2]), tree(1, &[0, 0]));
    let trees = [&ages, &sexes];
    let rule = Halving::new(&trees, 2, 1, Values::Repeated).expect("small");
    let made = |classes: &[([Node; 2], u64)]| {
        let classes = classes
            .iter()
            .map(|(nodes, rows)| (nodes.to_vec(), *rows))
            .collect();
        released(&classes, &trees, &rule).map(|release| release.places().len())
    };
    // 1 and 4 are the halves of the ages, 2 and 3 the ages of the first one; 1 and 2 the sexes.
    assert_eq!(made(&[([1, 1], 2), ([1, 2], 3), ([4, 0], 2)]), Ok(3));
    assert_eq!(made(&[([0, 0], 2)]), Ok(1));
    assert_eq!(made(&[([1, 1], 2), ([4, 0], 1)]), Err(Malformed::Small(1)));
    // The sexes are not cut before the ages, nor a single age before the sexes.
    assert_eq!(made(&[([4, 0], 2), ([0, 1], 2)]), Err(Malformed::Region(1)));
    assert_eq!(made(&[([2, 0], 2)]), Err(Malformed::Region(0)));
    // One inside another, in either order, including the class of all people.
    assert_eq!(made(&[([1, 0], 2), ([1, 1], 2)]), Err(Malformed::Region(1)));
    assert_eq!(made(&[([2, 1], 2), ([1, 0], 2)]), Err(Malformed::Region(0)));
    assert_eq!(made(&[([0, 0], 2), ([4, 0], 2)]), Err(Malformed::Region(1)));
    assert_eq!(made(&[([4, 0], 2), ([4, 0], 2)]), Err(Malformed::Twice(1)));
}
