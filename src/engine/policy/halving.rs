//! Halving (SCIENCE 6, safer local recoding): the parts of a region, which is one label in each
//! quasi column, and how many people a division requires. All of it follows from the taxonomies and
//! the policy alone, so that a reader of a release knows it in advance; no line here could look at
//! a person.

use std::ops::RangeInclusive;

use super::open_sets::{OpenSets, countable, volume};
use super::settings::Values;
use crate::model::{Node, Taxonomy};

/// The rule by which regions are divided.
#[derive(Debug, Clone)]
pub struct Halving<'t> {
    trees: Vec<&'t Taxonomy>,
    people: u64,
    open: OpenSets,
}

/// The parts of a region: a child of its label in one column each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionParts {
    /// The column.
    pub column: usize,
    /// The children, in the order of the taxonomy; at least two.
    pub children: Vec<Node>,
}

impl<'t> Halving<'t> {
    /// For regions over these taxonomies with at least `people` people that leave at least `least`
    /// sets of rows possible; 0 means no limit. `None` if there are more combinations of values
    /// than 128 bits can count, or of leaves than 64.
    pub fn new(
        trees: &[&'t Taxonomy],
        people: u64,
        least: u64,
        values: Values,
    ) -> Option<Halving<'t>> {
        countable(trees)?;
        Some(Halving {
            trees: trees.to_vec(),
            people,
            open: OpenSets { least, values },
        })
    }

    /// The smallest number of people of a published region.
    pub fn people(&self) -> u64 {
        self.people
    }

    /// The region of all people.
    pub fn root(&self) -> Vec<Node> {
        vec![0; self.trees.len()]
    }

    /// The parts of a region: among the columns in which every part would still leave enough sets
    /// of rows possible, the one with the largest loss, the first of several; `None` if there is no
    /// such column.
    pub fn parts(&self, region: &[Node]) -> Option<RegionParts> {
        assert_eq!(region.len(), self.trees.len(), "one node for each column");
        let volume = volume(&self.trees, region);
        let mut best: Option<(u64, u64, RegionParts)> = None;
        for (column, (tree, &node)) in self.trees.iter().zip(region).enumerate() {
            let (lost, domain) = (tree.values(node) - 1, tree.values(0) - 1);
            // lost / domain ≤ that of the best column
            let less = |(most, of, _): &(u64, u64, RegionParts)| {
                u128::from(lost) * u128::from(*of) <= u128::from(*most) * u128::from(domain)
            };
            if best.as_ref().is_some_and(less) {
                continue;
            }
            let children = children(tree, node);
            let Some(smallest) = children.iter().map(|&child| tree.values(child)).min() else {
                continue;
            };
            let smallest = volume / u128::from(tree.values(node)) * u128::from(smallest);
            if self.open.holds(smallest, self.people) {
                best = Some((lost, domain, RegionParts { column, children }));
            }
        }
        best.map(|(.., parts)| parts)
    }

    /// The numbers of people of which one is drawn: a region with at least as many is divided. It
    /// may be the smallest class itself, so that a single published part does not prove to a reader
    /// that a person is in another one. Three classes more for every further part are a compromise:
    /// with fewer, more people are in no class and wait; with more, classes are larger than
    /// necessary.
    pub fn thresholds(&self, parts: &RegionParts) -> RangeInclusive<u64> {
        assert!(parts.children.len() > 1, "a region has parts");
        let most = 3 * parts.children.len() as u64 - 2;
        self.people..=self.people.saturating_mul(most) - 1
    }

    /// Whether this number of people in a region leaves enough sets of rows possible.
    pub fn is_open(&self, region: &[Node], people: u64) -> bool {
        assert_eq!(region.len(), self.trees.len(), "one node for each column");
        self.open.holds(volume(&self.trees, region), people)
    }

    /// Whether the divisions can produce a published region. `other` says of regions whether they
    /// are published as well: none of those that contain this one may be.
    pub fn comes_to(&self, region: &[Node], other: impl Fn(&[Node]) -> bool) -> bool {
        assert_eq!(region.len(), self.trees.len(), "one node for each column");
        let mut at = self.root();
        while at != region {
            let Some(RegionParts { column, children }) = self.parts(&at) else {
                return false;
            };
            let holds = |child: &&Node| self.trees[column].covers(**child, region[column]);
            match children.iter().find(holds) {
                Some(&child) if !other(&at) => at[column] = child,
                _ => return false,
            }
        }
        true
    }
}

/// The children of a node, or of its only child; empty for a leaf.
fn children(tree: &Taxonomy, node: Node) -> Vec<Node> {
    let mut children: Vec<Node> = tree.children(node).collect();
    while let [only] = children[..] {
        children = tree.children(only).collect();
    }
    children
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Tree;

    /// `*` over `a` (4 values in two leaves) and `b` (2 values).
    fn uneven() -> Taxonomy {
        let mut tree = Tree::new("*");
        let a = tree.add(0, "a", 1);
        ["a0", "a1"]
            .iter()
            .for_each(|leaf| _ = tree.add(a, leaf, 2));
        tree.add(0, "b", 2);
        tree.finish().expect("a tree")
    }

    /// `*` over `only` over six values.
    fn chained() -> Taxonomy {
        let mut tree = Tree::new("*");
        let only = tree.add(0, "only", 1);
        (0..6).for_each(|leaf| _ = tree.add(only, &format!("{leaf}"), 1));
        tree.finish().expect("a tree")
    }

    #[test]
    fn the_column_that_has_lost_most_is_cut() {
        let (uneven, chained) = (uneven(), chained());
        let trees = [&uneven, &chained];
        let rule = Halving::new(&trees, 2, 1, Values::Repeated).expect("small");
        let parts = |region: &[Node]| {
            rule.parts(region)
                .map(|parts| (parts.column, parts.children))
        };
        // Both columns have lost everything: the first one is divided. Then `a` has lost 3/5, and
        // the other column, with everything lost, has lost more.
        assert_eq!(parts(&[0, 0]), Some((0, vec![1, 4])));
        assert_eq!(parts(&[1, 0]), Some((1, (2..8).collect())));
        assert_eq!(parts(&[1, 2]), Some((0, vec![2, 3])));
        assert_eq!(parts(&[2, 2]), None);
        // Six parts: from one class to almost sixteen of them.
        let six = rule.parts(&[1, 0]).expect("parts");
        assert_eq!(rule.thresholds(&six), 2..=31);
    }

    #[test]
    fn no_part_is_too_small_for_enough_sets() {
        let uneven = uneven();
        let parts = |people, least, values| {
            let trees = [&uneven];
            Halving::new(&trees, people, least, values)
                .expect("small")
                .parts(&[0])
                .is_some()
        };
        // `b` has two values: 2^3 sets of three people, or a single one of two people with
        // different values.
        assert!(parts(3, 8, Values::Repeated) && !parts(3, 9, Values::Repeated));
        assert!(parts(2, 1, Values::Distinct) && !parts(2, 2, Values::Distinct));
        assert!(!parts(3, 1, Values::Distinct) && parts(3, 0, Values::Distinct));
        let trees = [&uneven];
        let rule = Halving::new(&trees, 2, 15, Values::Distinct).expect("small");
        let open: Vec<bool> = (0..8).map(|people| rule.is_open(&[0], people)).collect();
        // C(6, n): 1, 6, 15, 20, 15, 6, 1, 0
        assert_eq!(open, [false, false, true, true, true, false, false, false]);
    }

    #[test]
    fn regions_that_cutting_does_not_reach_are_reported() {
        let (uneven, chained) = (uneven(), chained());
        let trees = [&uneven, &chained];
        let rule = Halving::new(&trees, 2, 1, Values::Repeated).expect("small");
        let comes = |region: &[Node]| rule.comes_to(region, |_| false);
        assert!(comes(&[0, 0]) && comes(&[1, 0]) && comes(&[4, 2]) && comes(&[3, 7]));
        // The first column is divided first; and no region has the label in between.
        assert!(!comes(&[0, 2]) && !comes(&[2, 0]) && !comes(&[1, 1]));
        assert!(
            !rule.comes_to(&[3, 7], |region| region == [1, 7])
                && rule.comes_to(&[3, 7], |region| region == [4, 0])
        );
    }

    #[test]
    fn more_combinations_than_can_be_counted_are_refused() {
        let tree = chained();
        assert!(Halving::new(&[&tree; 24], 2, 1, Values::Repeated).is_some());
        assert!(Halving::new(&[&tree; 25], 2, 1, Values::Repeated).is_none());
    }
}
