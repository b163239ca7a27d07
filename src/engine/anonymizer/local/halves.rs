//! Halving (SCIENCE 6, safer local recoding): the space of quasi columns is divided from the top
//! down, region by region. The two parts of a region are fixed in advance; whether it is divided
//! depends on its number of people and on a number that is drawn for it alone. A part with fewer
//! people than a class waits, and a region that is not divided is a class.
//!
//! So the result depends only on the numbers of people of the regions down to the classes, and
//! never on where people are inside a class: every distribution of people inside a class leads to
//! the same release with the same probability, so the release does not narrow the distribution
//! down. This module cannot look at sensitive values, since its input has none.

use crate::histogram::Headcount;
use crate::model::{Node, Taxonomy};
use crate::policy::{Halving, RegionParts};

/// A region that is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its label in each column.
    pub nodes: Vec<Node>,
    /// Its leaf tuples, by number, ascending.
    pub tuples: Vec<u32>,
    /// The number of people.
    pub people: u64,
}

/// The result of halving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halved {
    /// The published regions, of which none contains another, in preorder.
    pub classes: Vec<Region>,
    /// The leaf tuples of people who wait, ascending.
    pub waiting: Vec<u32>,
}

/// Divides all people. `draw` gives a number of `0..n`, all equally likely; no person may be able
/// to predict it, or to learn it afterwards.
pub fn halves(
    people: &Headcount,
    trees: &[&Taxonomy],
    rule: &Halving<'_>,
    draw: &mut dyn FnMut(u64) -> u64,
) -> Halved {
    assert_eq!(people.width(), trees.len(), "one taxonomy for each column");
    let rows = (0..people.tuples())
        .map(|tuple| people.count(tuple))
        .collect();
    let mut all: Vec<u32> = (0..people.tuples() as u32).collect();
    let found = Halved {
        classes: Vec::new(),
        waiting: Vec::new(),
    };
    let mut course = Course {
        people,
        trees,
        rule,
        rows,
        draw,
        found,
    };
    course.region(&mut rule.root(), &mut all);
    let mut found = course.found;
    found.waiting.sort_unstable();
    found
        .classes
        .iter_mut()
        .for_each(|class| class.tuples.sort_unstable());
    found
}

struct Course<'c> {
    people: &'c Headcount,
    trees: &'c [&'c Taxonomy],
    rule: &'c Halving<'c>,
    /// The number of people of each leaf tuple.
    rows: Vec<u64>,
    draw: &'c mut dyn FnMut(u64) -> u64,
    found: Halved,
}

impl Course<'_> {
    /// Divides or publishes one region.
    fn region(&mut self, nodes: &mut [Node], tuples: &mut [u32]) {
        let people: u64 = tuples.iter().map(|&tuple| self.rows[tuple as usize]).sum();
        if people < self.rule.people() {
            self.found.waiting.extend_from_slice(tuples);
            return;
        }
        match self
            .rule
            .parts(nodes)
            .filter(|parts| self.cuts(parts, people))
        {
            Some(parts) => self.cut(parts, nodes, tuples),
            None if self.rule.is_open(nodes, people) => {
                self.found.classes.push(Region {
                    nodes: nodes.to_vec(),
                    tuples: tuples.to_vec(),
                    people,
                });
            }
            None => self.found.waiting.extend_from_slice(tuples),
        }
    }

    /// Whether this number of people is enough for a split, given the draw.
    fn cuts(&mut self, parts: &RegionParts, people: u64) -> bool {
        let (least, most) = self.rule.thresholds(parts).into_inner();
        people >= least + (self.draw)(most - least + 1)
    }

    fn cut(
        &mut self,
        RegionParts { column, children }: RegionParts,
        nodes: &mut [Node],
        mut tuples: &mut [u32],
    ) {
        let (leaves, tree, whole) = (
            self.people.column(column),
            self.trees[column],
            nodes[column],
        );
        tuples.sort_unstable_by_key(|&tuple| leaves[tuple as usize]);
        for child in children {
            let end = tree.leaf_range(child).end;
            let (here, rest) =
                tuples.split_at_mut(tuples.partition_point(|&tuple| leaves[tuple as usize] < end));
            nodes[column] = child;
            self.region(nodes, here);
            tuples = rest;
        }
        nodes[column] = whole;
    }
}
