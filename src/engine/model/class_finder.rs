//! Finds the class of a leaf tuple in a local recoding (SCIENCE 6 and 11). If some column
//! distinguishes classes, one of its nodes leads to the classes that a tuple can be in, so that the
//! class among a million is found in a few steps; overlapping classes are tried in the order in
//! which they were formed.

use std::collections::BTreeMap;
use std::ops::Range;

use super::members::LeafClasses;
use super::taxonomy::{Leaf, Node, Taxonomy};

/// Finds the classes of leaf tuples.
pub struct ClassFinder<'a> {
    classes: &'a [Vec<Node>],
    /// The class of each leaf tuple, if labels do not determine it.
    members: Option<&'a LeafClasses>,
    /// For each column and depth the node above each leaf, or the leaf itself if it is less deep.
    above: Vec<Vec<Vec<Node>>>,
    /// The depth of each class's label in each column, class by class.
    depths: Vec<usize>,
    /// The first place contains all classes.
    places: Vec<Place<'a>>,
    /// The parts of places: a node, and the place of the classes below it; ascending in each place.
    parts: Vec<(Node, usize)>,
}

/// A set of classes, and how to search it.
enum Place<'a> {
    /// All of them are at or below nodes of this column at this depth.
    Apart {
        column: usize,
        depth: usize,
        parts: Range<usize>,
    },
    /// There is one class.
    One(usize),
    /// No column distinguishes them: runs of classes whose labels have equal depths, in the order
    /// of formation.
    Runs(Vec<Run<'a>>),
}

struct Run<'a> {
    /// A class with the same depths as all of them.
    like: usize,
    classes: BTreeMap<&'a [Node], usize>,
}

impl<'a> ClassFinder<'a> {
    /// From classes in the order in which they were formed, and their members if labels do not
    /// determine them.
    pub(super) fn of(
        classes: &'a [Vec<Node>],
        members: Option<&'a LeafClasses>,
        trees: &[&Taxonomy],
    ) -> ClassFinder<'a> {
        let above = trees.iter().map(|tree| above(tree)).collect();
        let of_nodes: Vec<Vec<usize>> = trees.iter().map(|tree| depths(tree)).collect();
        let of_class = |class: &'a Vec<Node>| {
            of_nodes
                .iter()
                .zip(class)
                .map(|(depths, &node)| depths[node as usize])
        };
        let depths = classes.iter().flat_map(of_class).collect();
        let mut carved = ClassFinder {
            classes,
            members,
            above,
            depths,
            places: Vec::new(),
            parts: Vec::new(),
        };
        let all: Vec<usize> = (0..if members.is_some() { 0 } else { classes.len() }).collect();
        carved.place(&all, &mut vec![0; trees.len()], trees);
        assert_eq!(
            carved.depths.len(),
            classes.len() * trees.len(),
            "the depth of each label"
        );
        carved
    }

    /// The class of a leaf tuple: its number, and its labels; `None` if no class contains it.
    pub fn class(&self, leaves: &[Leaf]) -> Option<(usize, &[Node])> {
        assert_eq!(leaves.len(), self.above.len(), "one leaf for each column");
        if let Some(members) = self.members {
            return members
                .class(leaves)
                .map(|class| (class, &self.classes[class][..]));
        }
        let mut place = 0;
        loop {
            match &self.places[place] {
                Place::Apart {
                    column,
                    depth,
                    parts,
                } => {
                    let node = self.above[*column][*depth][leaves[*column] as usize];
                    let parts = &self.parts[parts.clone()];
                    place = parts[parts.binary_search_by_key(&node, |part| part.0).ok()?].1;
                }
                &Place::One(class) => {
                    let nodes = &self.classes[class];
                    return self
                        .above(class, leaves)
                        .eq(nodes.iter().copied())
                        .then_some((class, nodes));
                }
                Place::Runs(runs) => {
                    return runs.iter().find_map(|run| {
                        let nodes: Vec<Node> = self.above(run.like, leaves).collect();
                        run.classes
                            .get_key_value(&nodes[..])
                            .map(|(class, &at)| (at, *class))
                    });
                }
            }
        }
    }

    /// The nodes above some leaves with the depths of a class's labels.
    fn above(&self, class: usize, leaves: &[Leaf]) -> impl Iterator<Item = Node> {
        let columns = self.above.iter().zip(self.depths(class)).zip(leaves);
        columns.map(|((above, &depth), &leaf)| above[depth][leaf as usize])
    }

    fn depths(&self, class: usize) -> &[usize] {
        &self.depths[class * self.above.len()..][..self.above.len()]
    }

    /// Creates the place of some classes, all of which are at or below the same node of each
    /// column, at these depths.
    fn place(&mut self, all: &[usize], common: &mut [usize], trees: &[&Taxonomy]) -> usize {
        let at = self.places.len();
        if let &[one] = all {
            self.places.push(Place::One(one));
            return at;
        }
        let apart = |column: &usize| {
            all.iter()
                .all(|&class| self.depths(class)[*column] > common[*column])
        };
        let Some(column) = (0..common.len()).find(apart).filter(|_| !all.is_empty()) else {
            self.places.push(Place::Runs(self.runs(all)));
            return at;
        };
        common[column] += 1;
        let depth = common[column];
        let node = |class: usize| {
            let leaf = trees[column].leaf_range(self.classes[class][column]).start;
            self.above[column][depth][leaf as usize]
        };
        let mut below: Vec<(Node, usize)> = all.iter().map(|&class| (node(class), class)).collect();
        below.sort_unstable();
        self.places.push(Place::Runs(Vec::new()));
        let mut parts = Vec::new();
        for part in below.chunk_by(|one, other| one.0 == other.0) {
            let inside: Vec<usize> = part.iter().map(|&(_, class)| class).collect();
            parts.push((part[0].0, self.place(&inside, common, trees)));
        }
        common[column] -= 1;
        let from = self.parts.len();
        self.parts.extend(parts);
        assert!(
            self.parts[from..].is_sorted_by_key(|part| part.0),
            "parts are looked for in order"
        );
        self.places[at] = Place::Apart {
            column,
            depth,
            parts: from..self.parts.len(),
        };
        at
    }

    fn runs(&self, all: &[usize]) -> Vec<Run<'a>> {
        let mut runs: Vec<Run<'a>> = Vec::new();
        for &class in all {
            if runs
                .last()
                .is_none_or(|run| self.depths(run.like) != self.depths(class))
            {
                runs.push(Run {
                    like: class,
                    classes: BTreeMap::new(),
                });
            }
            runs.last_mut()
                .expect("a run")
                .classes
                .entry(&self.classes[class])
                .or_insert(class);
        }
        runs
    }
}

/// The depth of each node.
fn depths(tree: &Taxonomy) -> Vec<usize> {
    let mut depths = vec![0; tree.nodes()];
    for node in 1..tree.nodes() {
        depths[node] = tree
            .parent(node as Node)
            .map_or(0, |parent| depths[parent as usize] + 1);
    }
    depths
}

/// For each depth the node above each leaf.
fn above(tree: &Taxonomy) -> Vec<Vec<Node>> {
    let path = |leaf: Leaf| -> Vec<Node> {
        let mut path: Vec<Node> =
            std::iter::successors(Some(tree.leaf_node(leaf)), |&node| tree.parent(node)).collect();
        path.reverse();
        path
    };
    let paths: Vec<Vec<Node>> = (0..tree.leaves() as Leaf).map(path).collect();
    let deepest = paths.iter().map(Vec::len).max().unwrap_or(0);
    let at = |path: &Vec<Node>, depth: usize| path.get(depth).or(path.last()).copied().unwrap_or(0);
    (0..deepest)
        .map(|depth| paths.iter().map(|path| at(path, depth)).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Carving;

    #[test]
    fn a_tuple_under_several_classes_is_in_the_first() {
        let tree = Taxonomy::two_halves();
        let node = |label: &str| tree.find(label).expect("a label");
        let classes = [["a0", "b"], ["a", "b1"], ["*", "a0"], ["a", "b"]];
        let carving = Carving::new(
            classes
                .iter()
                .map(|class| class.map(node).to_vec())
                .collect(),
        );
        let trees = [&tree, &tree];
        let found = carving.finder(&trees);
        let class = |a: &str, b: &str| {
            let leaf = |label: &str| tree.find_leaf(label).expect("a leaf");
            found.class(&[leaf(a), leaf(b)]).map(|(at, _)| at)
        };
        assert_eq!(class("a0", "b1"), Some(0));
        assert_eq!(class("a1", "b1"), Some(1));
        assert_eq!(class("b1", "a0"), Some(2));
        assert_eq!(class("a1", "b0"), Some(3));
        assert_eq!(class("b0", "b0"), None);
        assert_eq!(
            carving
                .without(|at| at == 1)
                .finder(&trees)
                .class(&[1, 3])
                .map(|(at, _)| at),
            Some(2)
        );
    }

    #[test]
    fn it_finds_what_going_through_all_classes_finds() {
        let tree = Taxonomy::two_halves();
        let trees = [&tree; 3];
        let mut state = 7u64;
        let mut below = |most: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for _ in 0..2_000 {
            // Some classes form a division of a space, others overlap with them.
            let mut classes: Vec<Vec<Node>> = vec![vec![0; 3]];
            for _ in 0..below(12) {
                let at = below(classes.len() as u64) as usize;
                let column = below(3) as usize;
                let parts: Vec<Node> = tree.children(classes[at][column]).collect();
                if let [first, second] = parts[..] {
                    let mut other = classes[at].clone();
                    (classes[at][column], other[column]) = (first, second);
                    classes.push(other);
                }
            }
            if below(2) == 0 {
                (0..below(4))
                    .for_each(|_| classes.push((0..3).map(|_| below(7) as Node).collect()));
            }
            (0..below(4).min(classes.len() as u64)).for_each(|_| _ = classes.swap_remove(0));
            let carving = Carving::new(classes.clone());
            let finder = carving.finder(&trees);
            for tuple in 0..64 {
                let leaves = [tuple / 16, tuple / 4 % 4, tuple % 4];
                let holds = |class: &Vec<Node>| {
                    class
                        .iter()
                        .zip(&leaves)
                        .all(|(&node, &leaf)| tree.covers(node, tree.leaf_node(leaf)))
                };
                let first = classes.iter().position(holds);
                assert_eq!(finder.class(&leaves).map(|(at, _)| at), first);
            }
        }
    }
}
