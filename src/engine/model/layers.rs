//! A taxonomy as layers from the leaves up, for local recoding and the attacks on it (SCIENCE 6):
//! every layer divides all leaves into intervals of one length, of which only the last may be
//! shorter. The caller handles lengths in values.

use std::collections::BTreeSet;

use super::taxonomy::{Leaf, Node, Taxonomy};

impl Taxonomy {
    /// For each layer, leaves first and root last, the node of every leaf; `None` if leaves are at
    /// different depths. A last interval that is so short that it is a single node on several
    /// layers is that node on each of them.
    pub fn layers(&self) -> Option<Vec<Vec<Node>>> {
        let depth = |leaf: Leaf| self.path(leaf).len();
        let height = depth(0);
        if (1..self.leaves() as Leaf).all(|leaf| depth(leaf) == height) {
            let paths: Vec<Vec<Node>> = (0..self.leaves() as Leaf)
                .map(|leaf| self.path(leaf))
                .collect();
            return Some(
                (0..height)
                    .map(|layer| paths.iter().map(|path| path[layer]).collect())
                    .collect(),
            );
        }
        let widths: Vec<Leaf> = self
            .path(0)
            .iter()
            .map(|&node| self.leaf_range(node).len() as Leaf)
            .collect();
        let layers: Vec<Vec<Node>> = widths
            .into_iter()
            .map(|width| self.layer(width))
            .collect::<Option<_>>()?;
        let found: BTreeSet<Node> = layers.iter().flatten().copied().collect();
        (found.len() == self.nodes()).then_some(layers)
    }

    /// For each level, leaves first and root last, the node of every leaf, for any tree (SCIENCE
    /// 8). A node is on its [level](Taxonomy::level) and on those above it, up to the level of its
    /// parent.
    pub fn by_level(&self) -> Vec<Vec<Node>> {
        let mut levels: Vec<Vec<Node>> = vec![
            (0..self.leaves() as Leaf)
                .map(|leaf| self.leaf_node(leaf))
                .collect(),
        ];
        for level in 1..self.levels() {
            let mut nodes = levels[levels.len() - 1].clone();
            for node in &mut nodes {
                // Of the nodes above, at most one is on this level and not on the one below.
                match self.parent(*node) {
                    Some(parent) if self.level(parent) <= level => *node = parent,
                    _ => {}
                }
            }
            levels.push(nodes);
        }
        levels
    }

    /// The node of every leaf that covers it and its neighbours in intervals of this many leaves.
    fn layer(&self, width: Leaf) -> Option<Vec<Node>> {
        assert!(width > 0, "a layer of some width");
        let leaves = self.leaves() as Leaf;
        let node = |leaf: Leaf| {
            let from = leaf / width * width;
            let interval = from..(from + width).min(leaves);
            self.path(leaf)
                .into_iter()
                .find(|&node| self.leaf_range(node) == interval)
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
    use crate::paths::from_paths;
    use crate::{Path, Taxonomy, Tree};

    #[test]
    fn layers_are_named_by_depth() {
        assert_eq!(
            Taxonomy::two_halves().layers(),
            Some(vec![vec![2, 3, 5, 6], vec![1, 1, 4, 4], vec![0; 4]])
        );
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

    /// An excerpt of a public hierarchy: `[80,99]` is on two levels.
    #[test]
    fn a_label_that_repeats_upwards_is_on_several_levels() {
        let row = |at: u64, text: &str| Path {
            at,
            labels: text.split(';').map(Into::into).collect(),
        };
        let rows = [
            "60;[60,64];[60,69];[60,79];[40,79];*",
            "80;[80,84];[80,89];[80,99];[80,99];*",
            "99;other;other;*",
        ];
        let rows: Vec<Path> = (1..).zip(rows).map(|(at, text)| row(at, text)).collect();
        let (tree, repeats) = from_paths(&rows).expect("a tree");
        assert!(repeats.is_empty() && !tree.counts_from_longest_paths());
        let labels: Vec<Vec<&str>> = tree
            .by_level()
            .iter()
            .map(|level| level.iter().map(|&node| tree.label(node)).collect())
            .collect();
        assert_eq!(labels[2], ["[60,69]", "[80,89]", "99"]);
        assert_eq!(labels[3], ["[60,79]", "[80,99]", "other"]);
        assert_eq!(labels[4], ["[40,79]", "[80,99]", "other"]);
        assert_eq!((labels.len(), &labels[5]), (6, &vec!["*"; 3]));
        // One more leaf changes no level, and a line that comes twice counts twice, for Loss only.
        let grown = tree.with_leaf("unknown").expect("a new leaf");
        assert_eq!(grown.level(grown.find("[80,99]").expect("a label")), 3);
        let twice = [rows, vec![row(4, "99;other;other;*")]].concat();
        let (twice, repeats) = from_paths(&twice).expect("a tree");
        assert_eq!(
            (repeats, twice.values(0), twice.lines(0)),
            (vec![(4, 3)], 3, 4)
        );
        assert!(twice.has_same_nodes(&tree) && twice != tree);
    }

    #[test]
    fn leaves_at_different_depths_have_none() {
        let mut tree = Tree::new("*");
        let inner = tree.add(0, "a", 1);
        (0..2).for_each(|leaf| _ = tree.add(inner, &format!("a{leaf}"), 1));
        (0..2).for_each(|leaf| _ = tree.add(0, &format!("b{leaf}"), 1));
        let tree = tree.finish().expect("a tree");
        assert_eq!(tree.layers(), None);
        assert_eq!(
            tree.by_level(),
            vec![vec![2, 3, 4, 5], vec![1, 1, 4, 5], vec![0; 4]]
        );
    }
}
