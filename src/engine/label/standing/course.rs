//! A recoding with its specialisations, in the order in which they were made: undone one by one,
//! from the last to the first, they lead to ever larger classes (SCIENCE 5, MASK).

use serde::{Deserialize, Serialize};

use super::super::top_down::TopDownResult;
use crate::model::{Cut, Node, Recoding, Taxonomy, TreeGrowth};

/// A recoding and the specialisations that led to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Course {
    cut: Recoding,
    /// The columns and nodes that were specialised.
    steps: Vec<(usize, Node)>,
}

impl Course {
    /// A recoding with the specialisations that led to it; those that are no longer part of it are
    /// left out.
    pub fn new(
        cut: Recoding,
        steps: impl IntoIterator<Item = (usize, Node)>,
        trees: &[&Taxonomy],
    ) -> Course {
        assert!(cut.len() == trees.len(), "a cut of each taxonomy");
        let has = |&(column, node): &(usize, Node)| {
            let tree = trees[column];
            let at = cut[column].at(tree.leaf_range(node).start);
            at != node && tree.covers(node, at)
        };
        let steps = steps.into_iter().filter(has).collect();
        Course { cut, steps }
    }

    /// From the result of a search.
    pub fn searched(found: &TopDownResult, trees: &[&Taxonomy]) -> Course {
        Course::new(found.recoding.clone(), Course::found(found), trees)
    }

    /// From the result of a search that began at another recoding.
    pub(super) fn searched_from(
        from: &[Cut],
        found: &TopDownResult,
        trees: &[&Taxonomy],
    ) -> Course {
        let before = Course::level_by_level(from, trees).steps;
        Course::new(
            found.recoding.clone(),
            before.into_iter().chain(Course::found(found)),
            trees,
        )
    }

    /// For a recoding without a search: as if all nodes above it had been specialised by depth,
    /// then by column.
    pub fn level_by_level(cut: &[Cut], trees: &[&Taxonomy]) -> Course {
        assert!(cut.len() == trees.len(), "a cut of each taxonomy");
        let mut steps: Vec<(usize, usize, Node)> = Vec::new();
        for (column, (cut, tree)) in cut.iter().zip(trees).enumerate() {
            let mut open = vec![(0, 0)];
            while let Some((depth, node)) = open.pop() {
                // Of two nodes on one path the lower one has the larger number.
                if cut.at(tree.leaf_range(node).start) > node {
                    steps.push((depth, column, node));
                    open.extend(tree.children(node).map(|child| (depth + 1, child)));
                }
            }
        }
        steps.sort_unstable();
        Course {
            cut: cut.to_vec(),
            steps: steps
                .into_iter()
                .map(|(_, column, node)| (column, node))
                .collect(),
        }
    }

    /// The specialisations of a search, in order.
    fn found(found: &TopDownResult) -> Vec<(usize, Node)> {
        found
            .trace
            .iter()
            .filter(|tried| tried.accepted)
            .map(|tried| (tried.column, tried.node))
            .collect()
    }

    /// The recoding.
    pub fn cut(&self) -> &Recoding {
        &self.cut
    }

    /// The specialisations, in order.
    pub fn steps(&self) -> &[(usize, Node)] {
        &self.steps
    }

    /// The recoding with the last `last` specialisations undone; `None` if there are not as many.
    pub fn without(&self, last: usize, trees: &[&Taxonomy]) -> Option<Recoding> {
        let kept = &self.steps[..self.steps.len().checked_sub(last)?];
        if last == 0 {
            return Some(self.cut.clone());
        }
        let mut nodes: Vec<Vec<Node>> = trees
            .iter()
            .map(|tree| Cut::root(tree).nodes().to_vec())
            .collect();
        for &(column, node) in kept {
            nodes[column].retain(|&known| known != node);
            nodes[column].extend(trees[column].children(node));
        }
        let cuts = nodes
            .iter()
            .zip(trees)
            .map(|(nodes, tree)| Cut::completed(tree, nodes));
        Some(
            cuts.collect::<Result<_, _>>()
                .expect("children take the place of their parent"),
        )
    }

    /// Adapts to taxonomies that have new leaves.
    pub fn grow(&mut self, growth: &[TreeGrowth], trees: &[&Taxonomy]) {
        assert!(
            growth.len() == self.cut.len() && trees.len() == growth.len(),
            "what has grown in each taxonomy"
        );
        for (cut, (growth, tree)) in self.cut.iter_mut().zip(growth.iter().zip(trees)) {
            *cut = growth.cut(cut, tree);
        }
        for (column, node) in &mut self.steps {
            *node = growth[*column].node(*node);
        }
    }
}
