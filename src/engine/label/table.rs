//! The input of a top-down search (SCIENCE 4): items that stay together, and the candidates by
//! which classes of items are split.
//!
//! This module knows no Score and no validity.

use crate::model::{Leaf, Node, Taxonomy};

/// The table under search: items that stay together, such as leaf tuples.
pub struct SearchTable<'a> {
    /// The taxonomies of the quasi columns.
    pub trees: &'a [&'a Taxonomy],
    /// For each quasi column the leaf of each item.
    pub columns: Vec<&'a [Leaf]>,
    /// The weight of each item in the Score.
    pub rows: &'a [u64],
    /// The weight of each column in the Score; empty if all are equal.
    pub weights: Vec<u32>,
}

/// A candidate: a cut node that would be replaced by its children.
pub struct NodeSplit {
    /// The column, by number.
    pub column: usize,
    /// The cut node.
    pub node: Node,
    /// The nodes that would replace it.
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
        let under = |(child, &node): (usize, &Node)| {
            std::iter::repeat_n(child as u32, tree.leaf_range(node).len())
        };
        let child_at: Vec<u32> = children.iter().enumerate().flat_map(under).collect();
        assert_eq!(
            child_at.len(),
            tree.leaf_range(node).len(),
            "each leaf is under one child"
        );
        NodeSplit {
            column,
            node,
            children,
            classes,
            first_leaf: tree.leaf_range(node).start,
            child_at,
        }
    }

    /// The index of the child above a leaf of the node.
    pub fn part(&self, leaf: Leaf) -> usize {
        self.child_at[(leaf - self.first_leaf) as usize] as usize
    }

    /// The leftmost leaf under the node.
    pub fn first_leaf(&self) -> Leaf {
        self.first_leaf
    }

    /// The index of the child that contains, or is, a node strictly below the split node.
    pub fn part_of_node(&self, node: Node) -> usize {
        let at = self.children.partition_point(|&child| child <= node);
        assert!(at > 0, "the node lies under a child");
        at - 1
    }
}
