//! A taxonomy whose leaves are all at one depth, as layers from the leaves up (SCIENCE 6: layer 1
//! holds the leaves, the last layer the root). All intervals of a layer must hold the same number
//! of values; the last may be shorter and counts as full.

use crate::model::{Leaf, Node, Taxonomy};

/// The layers of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ladder {
    /// The number of domain values of the whole column.
    domain: u64,
    /// For each layer, the number of domain values of an interval.
    lengths: Vec<u64>,
    /// For each layer the node of every leaf.
    nodes: Vec<Vec<Node>>,
}

/// Why a taxonomy has no layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLadder {
    /// Its leaves are at different depths.
    Uneven,
    /// Two intervals of a layer differ in length, and neither of them is the last.
    Lengths,
}

impl Ladder {
    /// The layers of a taxonomy.
    ///
    /// # Errors
    /// It has no layers.
    pub fn of(tree: &Taxonomy) -> Result<Ladder, NoLadder> {
        let nodes = tree.layers().ok_or(NoLadder::Uneven)?;
        let lengths = nodes
            .iter()
            .map(|layer| length(layer, tree))
            .collect::<Option<_>>()
            .ok_or(NoLadder::Lengths)?;
        let ladder = Ladder {
            domain: tree.values(0),
            lengths,
            nodes,
        };
        assert_eq!(
            ladder.lengths.len(),
            ladder.nodes.len(),
            "a length for each layer"
        );
        assert_eq!(ladder.leaves(), tree.leaves(), "layer 1 are the leaves");
        assert!(
            ladder.lengths.is_sorted(),
            "a coarser interval is no shorter"
        );
        Ok(ladder)
    }

    /// The number of layers.
    pub fn height(&self) -> usize {
        self.lengths.len()
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        self.nodes[0].len()
    }

    /// The number of domain values of the whole column.
    pub fn domain(&self) -> u64 {
        self.domain
    }

    /// The number of domain values of an interval of a layer, counted from 0.
    pub fn length(&self, layer: usize) -> u64 {
        self.lengths[layer]
    }

    /// The node of a leaf in a layer.
    pub fn node(&self, layer: usize, leaf: Leaf) -> Node {
        self.nodes[layer][leaf as usize]
    }
}

/// The common length of all intervals of a layer; the last one may be shorter.
fn length(layer: &[Node], tree: &Taxonomy) -> Option<u64> {
    let mut nodes = layer.to_vec();
    nodes.dedup();
    let (&last, others) = nodes.split_last()?;
    let full = others
        .first()
        .map_or(tree.values(last), |&first| tree.values(first));
    let fits = others.iter().all(|&node| tree.values(node) == full) && tree.values(last) <= full;
    fits.then_some(full)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Tree;

    fn tree(sizes: &[&[u64]]) -> Taxonomy {
        let mut tree = Tree::new("*");
        for (at, sizes) in sizes.iter().enumerate() {
            let above = tree.add(0, &format!("{at}"), 1);
            sizes
                .iter()
                .enumerate()
                .for_each(|(leaf, &size)| _ = tree.add(above, &format!("{at}.{leaf}"), size));
        }
        tree.finish().expect("a tree")
    }

    #[test]
    fn the_last_interval_may_be_shorter() {
        let ladder = Ladder::of(&tree(&[&[5, 5], &[5, 2]])).expect("layers");
        assert_eq!((ladder.height(), ladder.domain()), (3, 17));
        assert_eq!([0, 1, 2].map(|layer| ladder.length(layer)), [5, 10, 17]);
        assert_eq!([0, 1, 2].map(|layer| ladder.node(layer, 3)), [6, 4, 0]);
    }

    #[test]
    fn the_last_interval_may_be_one_node_on_several_layers() {
        let ladder = Ladder::of(&tree(&[&[5, 5], &[]])).expect("layers");
        assert_eq!((ladder.height(), ladder.domain()), (3, 11));
        assert_eq!([0, 1, 2].map(|layer| ladder.length(layer)), [5, 10, 11]);
        assert_eq!([0, 1, 2].map(|layer| ladder.node(layer, 2)), [4, 4, 0]);
    }

    #[test]
    fn what_has_no_layers_is_refused() {
        assert_eq!(
            Ladder::of(&tree(&[&[5, 4], &[5, 5]])),
            Err(NoLadder::Lengths)
        );
        assert_eq!(
            Ladder::of(&tree(&[&[5, 5], &[], &[5, 5]])),
            Err(NoLadder::Uneven)
        );
    }
}
