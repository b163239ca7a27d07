//! What a top-down search is over (SCIENCE 4): items that are never told apart, and the candidates by which classes of
//! them are split.
//!
//! This file knows no Score and no validity.

use crate::model::{Leaf, Node, Taxonomy};

/// What is searched over: items that are never told apart, such as leaf tuples.
pub struct SearchTable<'a> {
    /// The taxonomies of the quasi columns.
    pub trees: &'a [&'a Taxonomy],
    /// Per quasi column the leaf of each item.
    pub columns: Vec<&'a [Leaf]>,
    /// How much each item counts in Score.
    pub rows: &'a [u64],
    /// How much the Score of each column counts; empty where all count alike.
    pub weights: Vec<u32>,
}

/// A candidate: a cut node that would be replaced by its children.
pub struct NodeSplit {
    /// The column, by number.
    pub column: usize,
    /// The cut node.
    pub node: Node,
    /// What would take its place.
    pub children: Vec<Node>,
    /// The classes that hold the node.
    pub classes: Vec<u32>,
    first_leaf: Leaf,
    child_at: Vec<u32>,
}

impl NodeSplit {
    /// The children of a cut node.
    pub fn new(tree: &Taxonomy, column: usize, node: Node, classes: Vec<u32>) -> NodeSplit {
        let children: Vec<Node> = tree.children(node).collect();
        let under = |(child, &node): (usize, &Node)| std::iter::repeat_n(child as u32, tree.leaf_range(node).len());
        let child_at: Vec<u32> = children.iter().enumerate().flat_map(under).collect();
        assert_eq!(child_at.len(), tree.leaf_range(node).len(), "each leaf is under one child");
        NodeSplit { column, node, children, classes, first_leaf: tree.leaf_range(node).start, child_at }
    }

    /// The child (by position) that a leaf under the node lies under.
    pub fn part(&self, leaf: Leaf) -> usize {
        self.child_at[(leaf - self.first_leaf) as usize] as usize
    }

    /// The leftmost leaf under the node.
    pub fn first_leaf(&self) -> Leaf {
        self.first_leaf
    }

    /// The child that a node strictly below the split node lies under (or is).
    pub fn part_of_node(&self, node: Node) -> usize {
        let at = self.children.partition_point(|&child| child <= node);
        assert!(at > 0, "the node lies under a child");
        at - 1
    }
}
