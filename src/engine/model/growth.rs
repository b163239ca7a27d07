//! A taxonomy that has grown: new leaves under existing inner nodes (CONTRACTS 1: the only change
//! of a column that a running chain allows). Every node of the old tree has its counterpart in the
//! new one, in the same order.

use super::cut::Cut;
use super::taxonomy::{Leaf, Node, Taxonomy};

/// The positions of the nodes and leaves of an old tree in a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeGrowth {
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
}

impl TreeGrowth {
    /// The growth from the old tree to the new one; `None` if anything but new leaves under
    /// existing inner nodes was added.
    pub fn between(old: &Taxonomy, new: &Taxonomy) -> Option<TreeGrowth> {
        let nodes: Vec<Node> = (0..old.nodes() as Node)
            .map(|node| new.find(old.label(node)))
            .collect::<Option<_>>()?;
        let moved = |node: Node| nodes[node as usize];
        let same = |node: Node| {
            new.is_leaf(moved(node)) == old.is_leaf(node)
                && new.parent(moved(node)) == old.parent(node).map(moved)
                && (!old.is_leaf(node) || new.values(moved(node)) == old.values(node))
        };
        let fits = nodes.is_sorted() && (0..old.nodes() as Node).all(same);
        // The parents of new nodes are old: only labels of the old tree have nodes below them.
        let inner = |tree: &Taxonomy| {
            (0..tree.nodes() as Node)
                .filter(|&node| !tree.is_leaf(node))
                .count()
        };
        let leaves = (0..old.leaves() as Leaf)
            .map(|leaf| new.leaf_range(moved(old.leaf_node(leaf))).start)
            .collect();
        (fits && inner(old) == inner(new)).then_some(TreeGrowth { nodes, leaves })
    }

    /// The new number of an old node.
    pub fn node(&self, old: Node) -> Node {
        assert!(
            (old as usize) < self.nodes.len(),
            "a node of the taxonomy before"
        );
        self.nodes[old as usize]
    }

    /// The new number of an old leaf.
    pub fn leaf(&self, old: Leaf) -> Leaf {
        assert!(
            (old as usize) < self.leaves.len(),
            "a leaf of the taxonomy before"
        );
        self.leaves[old as usize]
    }

    /// The corresponding cut of the new tree: new leaves are under the cut's node above them, or
    /// are nodes of the cut.
    ///
    /// # Panics
    /// If the cut is not one of the old tree.
    pub fn cut(&self, old: &Cut, new: &Taxonomy) -> Cut {
        let nodes: Vec<Node> = old.nodes().iter().map(|&node| self.node(node)).collect();
        Cut::completed(new, &nodes).expect("nodes keep their places in the tree")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tree;

    fn tree(root: &str, below: &[(&str, &[&str])]) -> Taxonomy {
        let mut tree = Tree::new(root);
        for (label, leaves) in below {
            let inner = tree.add(0, label, 1);
            leaves.iter().for_each(|leaf| _ = tree.add(inner, leaf, 1));
        }
        tree.finish().expect("distinct labels")
    }

    #[test]
    fn new_leaves_find_their_place() {
        let old = tree("*", &[("A", &["a1", "a2"]), ("B", &["b1"]), ("c", &[])]);
        let new = tree(
            "*",
            &[
                ("A", &["a0", "a1", "a2"]),
                ("B", &["b1", "b2"]),
                ("c", &[]),
                ("d", &[]),
            ],
        );
        let growth = TreeGrowth::between(&old, &new).expect("new leaves only");
        let labels = |cut: &Cut, tree: &Taxonomy| {
            cut.nodes()
                .iter()
                .map(|&node| tree.label(node).to_owned())
                .collect::<Vec<_>>()
        };
        for leaf in 0..old.leaves() as Leaf {
            let at = new.leaf_node(growth.leaf(leaf));
            assert_eq!(new.label(at), old.label(old.leaf_node(leaf)));
        }
        let grown = |labels_of: &[&str]| {
            let nodes: Vec<Node> = labels_of
                .iter()
                .map(|label| old.find(label).expect("a label"))
                .collect();
            labels(
                &growth.cut(&Cut::completed(&old, &nodes).expect("an antichain"), &new),
                &new,
            )
        };
        assert_eq!(grown(&["*"]), ["*"]);
        assert_eq!(grown(&["A", "B"]), ["A", "B", "c", "d"]);
        assert_eq!(
            grown(&["a1", "b1"]),
            ["a0", "a1", "a2", "b1", "b2", "c", "d"]
        );
    }

    #[test]
    fn every_other_change_is_none() {
        let old = tree("*", &[("A", &["a1", "a2"]), ("B", &["b1"])]);
        assert!(TreeGrowth::between(&old, &old).is_some());
        for (what, new) in [
            (
                "another root",
                tree("any", &[("A", &["a1", "a2"]), ("B", &["b1"])]),
            ),
            (
                "a leaf that is gone",
                tree("*", &[("A", &["a1"]), ("B", &["b1"])]),
            ),
            (
                "a leaf elsewhere",
                tree("*", &[("A", &["a1"]), ("B", &["a2", "b1"])]),
            ),
            (
                "another order",
                tree("*", &[("A", &["a2", "a1"]), ("B", &["b1"])]),
            ),
            (
                "another order above",
                tree("*", &[("B", &["b1"]), ("A", &["a1", "a2"])]),
            ),
            (
                "a new inner node",
                tree("*", &[("A", &["a1", "a2"]), ("B", &["b1"]), ("C", &["c1"])]),
            ),
            (
                "a label that is another",
                tree("*", &[("A", &["a1", "a3"]), ("B", &["b1"])]),
            ),
        ] {
            assert_eq!(TreeGrowth::between(&old, &new), None, "{what}");
        }
        let flat = tree("*", &[("A", &[]), ("B", &[])]);
        let deep = tree("*", &[("A", &["a1"]), ("B", &[])]);
        assert_eq!(
            TreeGrowth::between(&flat, &deep),
            None,
            "a leaf that became a node"
        );
    }
}
