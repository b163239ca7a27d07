//! Groups of neighbours as classes with labels of their own (SCIENCE 7), by median cuts (Mondrian)
//! or by MDAV. Each leaf tuple is a point, at the positions of its leaves among the values of their
//! columns, and stands for all its people: no group divides them, so that only quasi-identifiers
//! decide who is in which class. The label of a class in a column is the lowest node above its
//! people; groups with the same labels are one class. Readers know that these labels are the
//! finest, so a group is formed only if its label still leaves as many possibilities open as the
//! policy requires: many people with the same values are published together with neighbours, under
//! a wider label.
//!
//! This module cannot look at sensitive values, since its input has none. If a policy requires
//! classes whose sums reveal no single number (`dominance_safe`), a function says of a group
//! whether its sums may be published; that is all this module learns about numbers.

use std::collections::BTreeMap;

use crate::histogram::Headcount;
use crate::microaggregation::{Points, mdav_where, mondrian_where, until_safe_where};
use crate::model::{Carving, Leaf, Node, Taxonomy};
use crate::policy::RefinementLimits;

/// The method of grouping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// By median cuts, in the column with the largest spread of the region relative to that of all
    /// people.
    Mondrian,
    /// Around the people who are farthest from the centre; columns are standardised.
    Mdav,
}

/// Whether the sums of the people of these leaf tuples would be suppressed.
pub type HiddenSums<'h> = &'h dyn Fn(&[Vec<Leaf>]) -> bool;

/// Classes of at least `k` people within these limits, each person in one class; none if there are
/// fewer people, and a single class that may break the limits if all people together do. A class
/// with `*` in all columns is the last one.
///
/// # Panics
/// If `k` is 0.
///
/// A group whose sums would be suppressed (`hidden`) is merged with a neighbour until it has three
/// times `k` people; otherwise its people are in no class.
pub fn grouped(
    people: &Headcount,
    trees: &[&Taxonomy],
    (k, limits): (u64, &RefinementLimits),
    by: Grouping,
    hidden: Option<HiddenSums<'_>>,
) -> Carving {
    assert!(k >= 1, "a class has at least one person");
    assert_eq!(people.width(), trees.len(), "one taxonomy for each column");
    if people.rows() < k {
        return Carving::default();
    }
    let points = points(people, trees);
    let k = usize::try_from(k).expect("no more than there are people");
    let admits = |group: &[usize]| is_open(people, trees, limits, group);
    let (points, groups) = match by {
        Grouping::Mondrian => {
            let groups = mondrian_where(&points, k, &admits);
            (points.standardized(), groups)
        }
        Grouping::Mdav => {
            let points = points.standardized();
            let groups = mdav_where(&points, k, &admits);
            (points, groups)
        }
    };
    let groups = match hidden {
        None => groups,
        Some(hidden) => {
            let tuples = |group: &[usize]| {
                group
                    .iter()
                    .map(|&tuple| people.tuple_at(tuple).collect())
                    .collect::<Vec<_>>()
            };
            let is_hidden = |group: &[usize]| hidden(&tuples(group));
            until_safe_where(groups, &points, Some(3 * k), &is_hidden, &admits).groups
        }
    };
    let mut classes: Vec<(Vec<Node>, Vec<Vec<Leaf>>)> = Vec::new();
    let mut known: BTreeMap<Vec<Node>, usize> = BTreeMap::new();
    for group in groups {
        let labels = labels(people, trees, &group);
        let at = *known.entry(labels.clone()).or_insert(classes.len());
        if at == classes.len() {
            classes.push((labels, Vec::new()));
        }
        classes[at].1.extend(
            group
                .iter()
                .map(|&tuple| people.tuple_at(tuple).collect::<Vec<Leaf>>()),
        );
    }
    classes.sort_by_key(|(labels, _)| labels.iter().all(|&node| node == 0));
    let (classes, members): (Vec<_>, Vec<_>) = classes.into_iter().unzip();
    Carving::of_groups(classes, &members)
}

/// Whether the labels of a group are within the limits for a reader who knows that they are the
/// finest that cover it: in no column are all its rows below one child, and no child certainly
/// holds fewer than `k` of them. True for an empty group.
fn is_open(
    people: &Headcount,
    trees: &[&Taxonomy],
    limits: &RefinementLimits,
    group: &[usize],
) -> bool {
    let Some(max_ratio) = limits.max_ratio.filter(|_| !group.is_empty()) else {
        return true;
    };
    let rows: u64 = group.iter().map(|&tuple| people.count(tuple)).sum();
    let (mut sets, mut ratio) = (0.0, 0.0);
    for (node, tree) in labels(people, trees, group).into_iter().zip(trees) {
        let values = tree.values(node) as f64;
        let children: Vec<Node> = tree.children(node).collect();
        let part = |&child: &Node| (tree.values(child) as f64 / values).powf(rows as f64);
        let apart = if children.len() > 1 {
            1.0 - children.iter().map(part).sum::<f64>()
        } else {
            1.0
        };
        if rows == 2 && children.len() == 2 {
            return false;
        }
        (sets, ratio) = (
            sets + rows as f64 * values.log2() + apart.log2(),
            ratio - apart.log2(),
        );
    }
    // Different whole numbers are farther apart than this; the gate counts them exactly.
    sets >= (limits.min_solutions as f64).log2() - 1e-9 && ratio <= max_ratio.get().log2() + 1e-9
}

/// Leaf tuples as points, each with the weight of its people.
fn points(people: &Headcount, trees: &[&Taxonomy]) -> Points {
    assert_eq!(people.width(), trees.len(), "one taxonomy for each column");
    let places: Vec<Vec<f64>> = trees.iter().map(|tree| places(tree)).collect();
    let number = |tuple: usize| {
        people
            .tuple_at(tuple)
            .zip(&places)
            .map(|(leaf, places)| places[leaf as usize])
    };
    let numbers = (0..people.tuples()).flat_map(number).collect();
    Points::weighted(
        numbers,
        trees.len(),
        (0..people.tuples())
            .map(|tuple| people.count(tuple))
            .collect(),
    )
}

/// The middle of each leaf among the values of its column.
fn places(tree: &Taxonomy) -> Vec<f64> {
    let middle = |before: &mut u64, leaf: u32| {
        let values = tree.values(tree.leaf_node(leaf));
        let middle = *before as f64 + (values as f64 - 1.0) / 2.0;
        *before += values;
        Some(middle)
    };
    (0..tree.leaves() as u32).scan(0, middle).collect()
}

/// For each column the lowest node above all leaves of a group.
fn labels(people: &Headcount, trees: &[&Taxonomy], group: &[usize]) -> Vec<Node> {
    assert!(!group.is_empty(), "a group has people");
    let label = |(column, tree): (usize, &&Taxonomy)| {
        let leaves = people.column(column);
        let (first, last) = group
            .iter()
            .map(|&tuple| leaves[tuple])
            .fold((Leaf::MAX, 0), |(first, last), leaf| {
                (first.min(leaf), last.max(leaf))
            });
        tree.common(tree.leaf_node(first), tree.leaf_node(last))
    };
    trees.iter().enumerate().map(label).collect()
}
