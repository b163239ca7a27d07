//! A local recoding (SCIENCE 6): classes with labels of their own, in the order in which they were formed. Whoever lies under
//! several of them is in the first.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::growth::Growth;
use super::taxonomy::{Leaf, Node, Taxonomy};

/// Classes by their labels, one per quasi column.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carving {
    classes: Vec<Vec<Node>>,
}

impl fmt::Debug for Carving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Carving({} classes)", self.classes.len())
    }
}

/// Finds the class of leaf tuples.
pub struct Carved<'a> {
    /// Per column and depth the node above each leaf, or the leaf itself where it does not lie so deep.
    above: Vec<Vec<Vec<Node>>>,
    /// Classes whose labels lie equally deep, by their labels; runs of them in the order of formation.
    runs: Vec<Run<'a>>,
}

struct Run<'a> {
    depths: Vec<usize>,
    classes: BTreeMap<&'a [Node], usize>,
}

impl Carving {
    /// Of classes in the order in which they were formed.
    pub fn new(classes: Vec<Vec<Node>>) -> Carving {
        Carving { classes }
    }

    /// The classes.
    pub fn classes(&self) -> &[Vec<Node>] {
        &self.classes
    }

    /// Whether there is no class.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The same without some of its classes.
    #[must_use]
    pub fn without(&self, gone: impl Fn(usize) -> bool) -> Carving {
        let kept = self.classes.iter().enumerate().filter(|(at, _)| !gone(*at));
        Carving { classes: kept.map(|(_, class)| class.clone()).collect() }
    }

    /// The same under taxonomies that have new leaves.
    pub fn grow(&mut self, growth: &[Growth]) {
        for class in &mut self.classes {
            class.iter_mut().zip(growth).for_each(|(node, growth)| *node = growth.node(*node));
        }
    }

    /// To find classes by.
    pub fn finder(&self, trees: &[&Taxonomy]) -> Carved<'_> {
        let above = trees.iter().map(|tree| above(tree)).collect();
        let depth =
            |tree: &Taxonomy, node: Node| std::iter::successors(tree.parent(node), |&at| tree.parent(at)).count();
        let mut runs: Vec<Run<'_>> = Vec::new();
        for (at, class) in self.classes.iter().enumerate() {
            let depths: Vec<usize> = trees.iter().zip(class).map(|(tree, &node)| depth(tree, node)).collect();
            if runs.last().is_none_or(|run| run.depths != depths) {
                runs.push(Run { depths, classes: BTreeMap::new() });
            }
            runs.last_mut().expect("a run").classes.entry(class).or_insert(at);
        }
        Carved { above, runs }
    }
}

impl Carved<'_> {
    /// The class of a leaf tuple: its number, and its labels; `None` where no class holds it.
    pub fn class(&self, leaves: &[Leaf]) -> Option<(usize, &[Node])> {
        let mut nodes = vec![0; leaves.len()];
        self.runs.iter().find_map(|run| {
            let columns = self.above.iter().zip(&run.depths).zip(leaves);
            nodes
                .iter_mut()
                .zip(columns)
                .for_each(|(node, ((above, &depth), &leaf))| *node = above[depth][leaf as usize]);
            run.classes.get_key_value(&nodes[..]).map(|(class, &at)| (at, *class))
        })
    }
}

/// Per depth the node above each leaf.
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
    (0..deepest).map(|depth| paths.iter().map(|path| at(path, depth)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Tree;

    #[test]
    fn whoever_lies_under_several_classes_is_in_the_first() {
        let mut tree = Tree::new("*");
        for half in ["a", "b"] {
            let at = tree.add(0, half, 1);
            (0..2).for_each(|leaf| _ = tree.add(at, &format!("{half}{leaf}"), 1));
        }
        let tree = tree.finish().expect("a tree");
        let node = |label: &str| tree.find(label).expect("a label");
        let classes = [["a0", "b"], ["a", "b1"], ["*", "a0"], ["a", "b"]];
        let carving = Carving::new(classes.iter().map(|class| class.map(node).to_vec()).collect());
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
        assert_eq!(carving.without(|at| at == 1).finder(&trees).class(&[1, 3]).map(|(at, _)| at), Some(2));
    }
}
