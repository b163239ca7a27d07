//! Groups of neighbours as classes of a release (SCIENCE 7): who is in which class, and under which
//! labels, against the definitions on random tables.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use tidegate::engine::histogram::{Headcount, Heads, Histogram, Release};
use tidegate::engine::label::{Grouping, grouped};
use tidegate::engine::microaggregation::Points;
use tidegate::engine::model::{Decimal, Leaf, Node, Taxonomy};
use tidegate::engine::policy::{RefinementLimits, Values};

use super::numbers::{plain, plain_cuts};
use crate::common::random::{self, Draw};

/// Random people over random trees: leaf tuples, each with how many have it.
fn people(draw: &mut Draw, trees: &[&Taxonomy]) -> BTreeMap<Vec<Leaf>, u64> {
    let mut people: BTreeMap<Vec<Leaf>, u64> = BTreeMap::new();
    let many = draw.once_in(2);
    for _ in 0..draw.between(1, 70) {
        let tuple = trees
            .iter()
            .map(|tree| draw.between(0, tree.leaves() as u64 - 1) as Leaf)
            .collect();
        *people.entry(tuple).or_default() += if many && draw.once_in(4) {
            draw.between(2, 9)
        } else {
            1
        };
    }
    people
}

/// The position of the middle of a leaf among the values of its column.
fn middle(tree: &Taxonomy, leaf: Leaf) -> f64 {
    let values = |leaf: Leaf| tree.values(tree.leaf_node(leaf)) as f64;
    (0..leaf).map(values).sum::<f64>() + (values(leaf) - 1.0) / 2.0
}

/// The lowest node above some leaves: the last one in preorder that covers them all.
fn finest(tree: &Taxonomy, leaves: impl Iterator<Item = Leaf> + Clone) -> Node {
    let covers = |node: &Node| {
        leaves
            .clone()
            .all(|leaf| tree.covers(*node, tree.leaf_node(leaf)))
    };
    (0..tree.nodes() as Node)
        .rev()
        .find(covers)
        .expect("the root covers everything")
}

/// Limits on leakage, some of which are switched off.
fn limits(draw: &mut Draw) -> RefinementLimits {
    RefinementLimits {
        values: Values::Repeated,
        max_ratio: (!draw.once_in(3)).then(|| Decimal::from(draw.between(2, 20))),
        min_solutions: draw.between(1, 60),
        max_global_ratio: None,
        max_repairs: 0,
    }
}

/// Whether a group keeps the limits, with whole numbers: all sets of its rows under its label, and
/// those in which no child has all rows.
fn is_open(rows: &[(&Vec<Leaf>, u64)], trees: &[&Taxonomy], limits: &RefinementLimits) -> bool {
    let people: u64 = rows.iter().map(|(_, count)| count).sum();
    let (mut all, mut left, mut certain) = (BigUint::from(1u8), BigUint::from(1u8), false);
    for (at, tree) in trees.iter().enumerate() {
        let node = finest(tree, rows.iter().map(|(tuple, _)| tuple[at]));
        let sets = |node: Node| BigUint::from(tree.values(node)).pow(people as u32);
        let children: Vec<Node> = tree.children(node).collect();
        certain |= people == 2 && children.len() == 2;
        all *= sets(node);
        left *= sets(node) - children.into_iter().map(sets).sum::<BigUint>();
    }
    let most = limits.max_ratio.expect("limits that are on").digits();
    left >= BigUint::from(limits.min_solutions) && all <= left * most && !certain
}

#[test]
fn each_person_is_in_the_class_of_their_group_under_the_finest_labels() {
    random::run("groups as classes", 200, |draw| {
        let trees: Vec<Taxonomy> = (0..draw.between(1, 3) as usize)
            .map(|at| random::tree(draw, at, 3))
            .collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let people = people(draw, &trees);
        let heads = people.iter().map(|(tuple, &count)| {
            (
                tuple,
                Heads {
                    since: 0,
                    count: count as u32,
                },
            )
        });
        let heads = Headcount::of(trees.len(), heads);
        let tuples: Vec<&Vec<Leaf>> = people.keys().collect();
        let numbers = tuples.iter().flat_map(|tuple| {
            tuple
                .iter()
                .zip(&trees)
                .map(|(&leaf, tree)| middle(tree, leaf))
        });
        let points = Points::weighted(
            numbers.collect(),
            trees.len(),
            people.values().copied().collect(),
        );
        let (all, k) = (people.values().sum::<u64>(), draw.between(2, 6));
        let limits = limits(draw);
        let admits = |group: &[usize]| {
            let rows: Vec<(&Vec<Leaf>, u64)> = group
                .iter()
                .map(|&of| (tuples[of], people[tuples[of]]))
                .collect();
            limits.max_ratio.is_none() || group.is_empty() || is_open(&rows, &trees, &limits)
        };
        let mondrian = (Grouping::Mondrian, plain_cuts(&points, k as usize, &admits));
        let mdav = (
            Grouping::Mdav,
            plain(&points.standardized(), k as usize, &admits),
        );
        for (by, groups) in [mondrian, mdav] {
            let carving = grouped(&heads, &trees, (k, &limits), by, None);
            if all < k {
                assert!(carving.is_empty());
                continue;
            }
            let mut labels: BTreeMap<&Vec<Leaf>, Vec<Node>> = BTreeMap::new();
            for group in &groups {
                let label = |(at, tree): (usize, &&Taxonomy)| {
                    finest(tree, group.iter().map(|&of| tuples[of][at]))
                };
                let label: Vec<Node> = trees.iter().enumerate().map(label).collect();
                group
                    .iter()
                    .for_each(|&of| _ = labels.insert(tuples[of], label.clone()));
            }
            let finder = carving.finder(&trees);
            for (tuple, label) in &labels {
                assert_eq!(
                    finder.class(tuple).map(|(_, label)| label),
                    Some(&label[..]),
                    "{by:?}, k = {k}"
                );
            }
            assert_eq!(labels.len(), people.len(), "each person is in one group");
            // The table has these classes, each of at least k people, and the root is last.
            let columns: Vec<Vec<Leaf>> = (0..trees.len())
                .map(|at| tuples.iter().map(|tuple| tuple[at]).collect())
                .collect();
            let release = Release::carved(&counts(&columns, &people), 0..1, &carving, &trees);
            assert_eq!(
                release.classes(),
                carving.classes().len(),
                "labels stand once"
            );
            assert!(
                (0..release.classes()).all(|class| release.size(class) >= k)
                    && release.rows() == all
            );
            let at_root = |class: &Vec<Node>| class.iter().all(|&node| node == 0);
            assert!(
                carving
                    .classes()
                    .iter()
                    .rev()
                    .skip(1)
                    .all(|class| !at_root(class))
            );
        }
    });
}

/// The people with one sensitive value for all.
fn counts(columns: &[Vec<Leaf>], people: &BTreeMap<Vec<Leaf>, u64>) -> Histogram {
    use tidegate::engine::histogram::{Cell, SensitiveValues};
    let cell = |&count: &u64| Cell {
        increment: 0,
        value: 0,
        count: count as u32,
    };
    let cells: Vec<Cell> = people.values().map(cell).collect();
    Histogram::of_counts(
        columns,
        SensitiveValues::from_distinct(0, vec![Box::default()]).0,
        &cells,
    )
}
