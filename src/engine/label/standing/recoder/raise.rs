//! Makes a recoding one step coarser for a class (SCIENCE 6, repair), and no column coarser than
//! its floor. Where each column has one level, a whole column is raised.

use std::collections::BTreeMap;

use super::super::super::levels::Lattice;
use super::levels;
use super::terms::Recoder;
use crate::model::{Cut, Node, Recoding, Taxonomy};

impl Recoder {
    /// The column that is raised for a class, and the new recoding: the one with the least
    /// Σ|class|² of these people. `None` if nothing is coarser.
    pub fn raise(
        &self,
        people: Vec<(Vec<Node>, u64)>,
        cut: &Recoding,
        class: &[Node],
        trees: &[&Taxonomy],
    ) -> Option<(usize, Recoding)> {
        let of_each = levels::of_recoding(cut, trees).filter(|_| self.levels);
        match of_each {
            None => self.raise_node(&people, cut, class, trees),
            Some(of_each) => self.raise_level(&people, &of_each, class, trees),
        }
    }

    /// A step has to change something, so a node with a single child is skipped.
    fn raise_node(
        &self,
        people: &[(Vec<Node>, u64)],
        cut: &Recoding,
        class: &[Node],
        trees: &[&Taxonomy],
    ) -> Option<(usize, Recoding)> {
        let mut best: Option<(u128, usize, Recoding)> = None;
        for (column, (&node, tree)) in class.iter().zip(trees).enumerate() {
            let mut above = std::iter::successors(tree.parent(node), |&node| tree.parent(node));
            let Some(above) = above.find(|&node| splits(tree, node)) else {
                continue;
            };
            // Of two nodes on one path the lower one has the larger number.
            if self.coarsest[column].at(tree.leaf_range(above).start) > above {
                continue;
            }
            let mut nodes = cut[column].nodes().to_vec();
            nodes.retain(|&below| !tree.covers(above, below));
            nodes.push(above);
            let mut raised = cut.clone();
            raised[column] = Cut::completed(tree, &nodes).expect("a node replaces all below it");
            let squares = squares(people, &raised, trees);
            if best.as_ref().is_none_or(|(least, ..)| squares < *least) {
                best = Some((squares, column, raised));
            }
        }
        best.map(|(_, column, raised)| (column, raised))
    }

    fn raise_level(
        &self,
        people: &[(Vec<Node>, u64)],
        of_each: &[u8],
        class: &[Node],
        trees: &[&Taxonomy],
    ) -> Option<(usize, Recoding)> {
        let floors: Vec<Option<u8>> = self.details.iter().map(|detail| detail.floor()).collect();
        let lattice = Lattice::up_to(trees, &floors);
        let higher = |column: usize| {
            let tree = trees[column];
            let mut levels = of_each.to_vec();
            // A level that does not change the class is no step.
            levels[column] = (of_each[column] + 1..lattice.height(column)).find(|&level| {
                let above = lattice
                    .recoding_of(column, level, tree)
                    .at(tree.leaf_range(class[column]).start);
                tree.values(above) > tree.values(class[column])
            })?;
            let recoding = lattice.recoding(trees, &levels);
            Some((squares(people, &recoding, trees), column, recoding))
        };
        let found = (0..trees.len())
            .filter_map(higher)
            .min_by_key(|(squares, column, _)| (*squares, *column));
        found.map(|(_, column, recoding)| (column, recoding))
    }
}

/// Σ|class|² of people under a coarser recoding.
fn squares(people: &[(Vec<Node>, u64)], recoding: &Recoding, trees: &[&Taxonomy]) -> u128 {
    let mut classes: BTreeMap<Vec<Node>, u128> = BTreeMap::new();
    for (nodes, rows) in people {
        let node =
            |column: usize| recoding[column].at(trees[column].leaf_range(nodes[column]).start);
        *classes
            .entry((0..nodes.len()).map(node).collect())
            .or_default() += u128::from(*rows);
    }
    classes.values().map(|rows| rows * rows).sum()
}

/// Whether a node has more than one child with values.
fn splits(tree: &Taxonomy, node: Node) -> bool {
    let children = tree.children(node);
    children.filter(|&child| tree.values(child) > 0).count() > 1
}
