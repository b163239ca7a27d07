//! A taxonomy as layers from the leaves up, for local recoding and the attacks on it (SCIENCE 6): every layer divides
//! all leaves into intervals of one length, of which only the last may be shorter. The caller handles lengths in
//! values.

use std::collections::BTreeSet;

use super::taxonomy::{Leaf, Node, Taxonomy};

impl Taxonomy {
    /// For each layer, leaves first and root last, the node of every leaf; `None` if leaves are at different depths. A
    /// last interval that is so short that it is a single node on several layers is that node on each of them.
    pub fn layers(&self) -> Option<Vec<Vec<Node>>> {
        let depth = |leaf: Leaf| self.path(leaf).len();
        let height = depth(0);
        if (1..self.leaves() as Leaf).all(|leaf| depth(leaf) == height) {
            let paths: Vec<Vec<Node>> = (0..self.leaves() as Leaf).map(|leaf| self.path(leaf)).collect();
            return Some((0..height).map(|layer| paths.iter().map(|path| path[layer]).collect()).collect());
        }
        let widths: Vec<Leaf> = self.path(0).iter().map(|&node| self.leaf_range(node).len() as Leaf).collect();
        let layers: Vec<Vec<Node>> = widths.into_iter().map(|width| self.layer(width)).collect::<Option<_>>()?;
        let found: BTreeSet<Node> = layers.iter().flatten().copied().collect();
        (found.len() == self.nodes()).then_some(layers)
    }

    /// For each layer, leaves first and root last, the node of every leaf, for any tree: a leaf that is not as deep as
    /// others is its own node on the layers below.
    pub fn padded(&self) -> Vec<Vec<Node>> {
        let above = |node: Node| self.parent(node).map_or(0, |parent| parent as usize);
        // The depth of each node: a parent comes before the nodes below it.
        let mut depth = vec![0u32; self.nodes()];
        (1..self.nodes()).for_each(|node| depth[node] = depth[above(node as Node)] + 1);
        let height = self.height(0);
        let mut layers: Vec<Vec<Node>> = vec![(0..self.leaves() as Leaf).map(|leaf| self.leaf_node(leaf)).collect()];
        for layer in 1..=height {
            let below = &layers[layers.len() - 1];
            // A node is replaced by its parent if it is as deep as the layer below allows.
            let node = |&node: &Node| if depth[node as usize] > height - layer { above(node) as Node } else { node };
            layers.push(below.iter().map(node).collect());
        }
        layers
    }

    /// The node of every leaf that covers it and its neighbours in intervals of this many leaves.
    fn layer(&self, width: Leaf) -> Option<Vec<Node>> {
        assert!(width > 0, "a layer of some width");
        let leaves = self.leaves() as Leaf;
        let node = |leaf: Leaf| {
            let from = leaf / width * width;
            let interval = from..(from + width).min(leaves);
            self.path(leaf).into_iter().find(|&node| self.leaf_range(node) == interval)
        };
        (0..leaves).map(node).collect()
    }

    /// The node of a leaf and all nodes above it.
    fn path(&self, leaf: Leaf) -> Vec<Node> {
        std::iter::successors(Some(self.leaf_node(leaf)), |&node| self.parent(node)).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Taxonomy, Tree};

    #[test]
    fn layers_are_named_by_depth() {
        assert_eq!(Taxonomy::two_halves().layers(), Some(vec![vec![2, 3, 5, 6], vec![1, 1, 4, 4], vec![0; 4]]));
    }

    #[test]
    fn a_short_last_interval_is_on_several_layers() {
        // Leaves in pairs, pairs in fours: the fifth leaf forms a pair, and a four, of its own.
        let mut tree = Tree::new("*");
        let four = tree.add(0, "1-4", 1);
        for pair in ["1-2", "3-4"] {
            let pair = tree.add(four, pair, 1);
            (0..2).for_each(|leaf| _ = tree.add(pair, &format!("{pair}.{leaf}"), 1));
        }
        tree.add(0, "5", 1);
        let tree = tree.finish().expect("a tree");
        let last = tree.find("5").expect("the last");
        let layers = tree.layers().expect("layers");
        assert_eq!(layers.len(), 4);
        assert!(layers[..3].iter().all(|layer| layer[4] == last) && layers[3] == vec![0; 5]);
    }

    #[test]
    fn leaves_at_different_depths_have_none() {
        let mut tree = Tree::new("*");
        let inner = tree.add(0, "a", 1);
        (0..2).for_each(|leaf| _ = tree.add(inner, &format!("a{leaf}"), 1));
        (0..2).for_each(|leaf| _ = tree.add(0, &format!("b{leaf}"), 1));
        let tree = tree.finish().expect("a tree");
        assert_eq!(tree.layers(), None);
        assert_eq!(tree.padded(), vec![vec![2, 3, 4, 5], vec![1, 1, 4, 5], vec![0; 4]]);
    }
}
