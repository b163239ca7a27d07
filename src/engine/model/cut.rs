//! Cuts and recodings (SCIENCE 1): one node on every root-to-leaf path per column, and the two
//! operations on them, join (at each leaf the coarser) and meet (at each leaf the finer).
//!
//! Because nodes are numbered in preorder, the coarser of two nodes on one path has the smaller
//! number.

use serde::{Deserialize, Serialize};

use super::taxonomy::{Leaf, Node, Taxonomy};

/// A complete cut of one taxonomy: nodes in preorder, and for every leaf the node that covers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    nodes: Vec<Node>,
    at_leaf: Vec<Node>,
}

/// Two labels of which one is above the other: no cut can contain both.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a label is above another one of the same column")]
pub struct NoAntichain {
    /// The node above.
    pub upper: Node,
    /// The node below.
    pub lower: Node,
}

impl Cut {
    /// The cut that consists of the root.
    pub fn root(tree: &Taxonomy) -> Cut {
        Cut {
            nodes: vec![0],
            at_leaf: vec![0; tree.leaves()],
        }
    }

    /// The cut that consists of all leaves.
    pub fn leaves(tree: &Taxonomy) -> Cut {
        let nodes: Vec<Node> = (0..tree.leaves() as Leaf)
            .map(|leaf| tree.leaf_node(leaf))
            .collect();
        Cut {
            at_leaf: nodes.clone(),
            nodes,
        }
    }

    /// The cut that contains these nodes. If they leave leaves uncovered (labels that no row
    /// shows), it is completed with the highest nodes that are disjoint from them.
    ///
    /// # Errors
    /// One of the nodes is above another.
    pub fn completed(tree: &Taxonomy, nodes: &[Node]) -> Result<Cut, NoAntichain> {
        let mut sorted = nodes.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        if let Some(pair) = sorted.windows(2).find(|pair| tree.covers(pair[0], pair[1])) {
            return Err(NoAntichain {
                upper: pair[0],
                lower: pair[1],
            });
        }
        let mut cut = Vec::with_capacity(sorted.len());
        let mut stack = vec![0];
        while let Some(node) = stack.pop() {
            let next = sorted.partition_point(|&given| given < node);
            let holds_one = sorted
                .get(next)
                .is_some_and(|&given| given != node && tree.covers(node, given));
            if holds_one {
                let from = stack.len();
                stack.extend(tree.children(node));
                stack[from..].reverse();
            } else {
                cut.push(node);
            }
        }
        Ok(Cut::from_nodes(tree, cut))
    }

    /// From nodes that are known to form a complete cut in preorder.
    fn from_nodes(tree: &Taxonomy, nodes: Vec<Node>) -> Cut {
        let mut at_leaf = vec![0; tree.leaves()];
        for &node in &nodes {
            let range = tree.leaf_range(node);
            at_leaf[range.start as usize..range.end as usize].fill(node);
        }
        let leaves: u32 = nodes
            .iter()
            .map(|&node| tree.leaf_range(node).len() as u32)
            .sum();
        assert_eq!(leaves as usize, tree.leaves(), "one node on each path");
        Cut { nodes, at_leaf }
    }

    /// The nodes, in preorder.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node that covers a leaf.
    pub fn at(&self, leaf: Leaf) -> Node {
        self.at_leaf[leaf as usize]
    }

    /// At each leaf the coarser of the two.
    pub fn join(&self, other: &Cut) -> Cut {
        self.combine(other, Node::min)
    }

    /// At each leaf the finer of the two.
    pub fn meet(&self, other: &Cut) -> Cut {
        self.combine(other, Node::max)
    }

    fn combine(&self, other: &Cut, pick: fn(Node, Node) -> Node) -> Cut {
        assert_eq!(
            self.at_leaf.len(),
            other.at_leaf.len(),
            "cuts of one taxonomy"
        );
        let at_leaf: Vec<Node> = self
            .at_leaf
            .iter()
            .zip(&other.at_leaf)
            .map(|(&a, &b)| pick(a, b))
            .collect();
        let mut nodes = at_leaf.clone();
        nodes.dedup();
        assert!(
            nodes.is_sorted_by(|one, next| one < next),
            "cuts of one taxonomy"
        );
        Cut { nodes, at_leaf }
    }

    /// The coarser of `node` (a node of another cut of the same taxonomy) and the corresponding
    /// node of this cut.
    pub fn join_node(&self, tree: &Taxonomy, node: Node) -> Node {
        node.min(self.at(tree.leaf_range(node).start))
    }

    /// Whether this cut is nowhere coarser than the other.
    pub fn refines(&self, other: &Cut) -> bool {
        assert_eq!(
            self.at_leaf.len(),
            other.at_leaf.len(),
            "cuts of one taxonomy"
        );
        self.at_leaf
            .iter()
            .zip(&other.at_leaf)
            .all(|(&mine, &theirs)| mine >= theirs)
    }
}

/// One cut per quasi column.
pub type Recoding = Vec<Cut>;

/// [`Cut::meet`], column by column.
pub fn meet(a: &[Cut], b: &[Cut]) -> Recoding {
    assert_eq!(a.len(), b.len(), "recodings of the same columns");
    a.iter().zip(b).map(|(a, b)| a.meet(b)).collect()
}

/// [`Cut::join`], column by column.
pub fn join(a: &[Cut], b: &[Cut]) -> Recoding {
    assert_eq!(a.len(), b.len(), "recodings of the same columns");
    a.iter().zip(b).map(|(a, b)| a.join(b)).collect()
}
