//! Groups of neighbours as classes with labels of their own (SCIENCE 7): by median cuts (Mondrian) or by MDAV. Each leaf tuple is a
//! point, wherever its leaves lie among the values of their columns, and stands for all its people: no group divides them, so that
//! nothing but quasi-identifiers decides who is in which class. The label of a class is in each column the lowest node above its people;
//! groups with the same labels are one class. A group is made only if its label, which readers know to be the finest, leaves as much open
//! as the policy asks for: where many people have the same values, they come out with neighbours, under a wider label.
//!
//! Nothing here could look at a sensitive value: there is none in what it is given. Where a policy asks for classes whose sums give no
//! number away (`dominance_safe`), groups grow by what a function says of them, and that is all that is known of numbers here.

use std::collections::BTreeMap;

use crate::histogram::Headcount;
use crate::microaggregation::{Points, mdav_where, mondrian_where, until_safe_where};
use crate::model::{Carving, Leaf, Node, Taxonomy};
use crate::policy::RefinementLimits;

/// How neighbours are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// By median cuts, in the column in which a region is spread most in relation to all people.
    Mondrian,
    /// Around the people who lie farthest out; columns are standardised.
    Mdav,
}

/// Whether sums of the people of these leaf tuples would not be published.
pub type HiddenSums<'h> = &'h dyn Fn(&[Vec<Leaf>]) -> bool;

/// Classes of at least `k` people that keep to these limits, each person in one; none if there are fewer people, and one that may break the
/// limits if all people together do. A class at the root is the last one.
///
/// # Panics
/// `k` is 0.
///
/// A group that is `hidden`, which its sums would be, becomes one with a neighbour until it has three times `k` people, or its people are
/// in no class.
pub fn grouped(
    people: &Headcount,
    trees: &[&Taxonomy],
    (k, limits): (u64, &RefinementLimits),
    by: Grouping,
    hidden: Option<HiddenSums<'_>>,
) -> Carving {
    assert!(k >= 1, "a class holds a person at least");
    assert_eq!(people.width(), trees.len(), "a taxonomy for each column");
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
            let tuples =
                |group: &[usize]| group.iter().map(|&tuple| people.tuple_at(tuple).collect()).collect::<Vec<_>>();
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
        classes[at].1.extend(group.iter().map(|&tuple| people.tuple_at(tuple).collect::<Vec<Leaf>>()));
    }
    classes.sort_by_key(|(labels, _)| labels.iter().all(|&node| node == 0));
    let (classes, members): (Vec<_>, Vec<_>) = classes.into_iter().unzip();
    Carving::of_groups(classes, &members)
}

/// Whether the labels of a group keep to the limits, to a reader who knows that they are the finest that cover it: its rows are not all
/// below one child, in any column, and no child holds fewer than `k` of them for certain. An empty group does.
fn is_open(people: &Headcount, trees: &[&Taxonomy], limits: &RefinementLimits, group: &[usize]) -> bool {
    let Some(max_ratio) = limits.max_ratio.filter(|_| !group.is_empty()) else { return true };
    let rows: u64 = group.iter().map(|&tuple| people.count(tuple)).sum();
    let (mut sets, mut ratio) = (0.0, 0.0);
    for (node, tree) in labels(people, trees, group).into_iter().zip(trees) {
        let values = tree.values(node) as f64;
        let children: Vec<Node> = tree.children(node).collect();
        let part = |&child: &Node| (tree.values(child) as f64 / values).powf(rows as f64);
        let apart = if children.len() > 1 { 1.0 - children.iter().map(part).sum::<f64>() } else { 1.0 };
        if rows == 2 && children.len() == 2 {
            return false;
        }
        (sets, ratio) = (sets + rows as f64 * values.log2() + apart.log2(), ratio - apart.log2());
    }
    // Whole numbers that differ are farther apart than that; the gate counts them exactly.
    sets >= (limits.min_solutions as f64).log2() - 1e-9 && ratio <= max_ratio.get().log2() + 1e-9
}

/// Leaf tuples as points, each for all its people.
fn points(people: &Headcount, trees: &[&Taxonomy]) -> Points {
    assert_eq!(people.width(), trees.len(), "a taxonomy for each column");
    let places: Vec<Vec<f64>> = trees.iter().map(|tree| places(tree)).collect();
    let number = |tuple: usize| people.tuple_at(tuple).zip(&places).map(|(leaf, places)| places[leaf as usize]);
    let numbers = (0..people.tuples()).flat_map(number).collect();
    Points::weighted(numbers, trees.len(), (0..people.tuples()).map(|tuple| people.count(tuple)).collect())
}

/// Where the middle of each leaf lies among the values of its column.
fn places(tree: &Taxonomy) -> Vec<f64> {
    let middle = |before: &mut u64, leaf: u32| {
        let values = tree.values(tree.leaf_node(leaf));
        let middle = *before as f64 + (values as f64 - 1.0) / 2.0;
        *before += values;
        Some(middle)
    };
    (0..tree.leaves() as u32).scan(0, middle).collect()
}

/// Per column the lowest node above all leaves of a group.
fn labels(people: &Headcount, trees: &[&Taxonomy], group: &[usize]) -> Vec<Node> {
    assert!(!group.is_empty(), "a group has people");
    let label = |(column, tree): (usize, &&Taxonomy)| {
        let leaves = people.column(column);
        let (first, last) = group
            .iter()
            .map(|&tuple| leaves[tuple])
            .fold((Leaf::MAX, 0), |(first, last), leaf| (first.min(leaf), last.max(leaf)));
        tree.common(tree.leaf_node(first), tree.leaf_node(last))
    };
    trees.iter().enumerate().map(label).collect()
}
