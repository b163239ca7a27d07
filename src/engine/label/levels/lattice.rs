//! The states of a full-domain search (SCIENCE 8): one generalisation level per column, from 0,
//! where every value is published as it is, to the level at which the column is `*`.

use crate::model::{Cut, Leaf, Node, Recoding, Taxonomy};

/// A state: the level of each column.
pub type Levels = Vec<u8>;

/// All states over the taxonomies of the quasi columns.
pub struct Lattice {
    columns: Vec<Column>,
}

/// The levels of one column.
struct Column {
    /// For each level, the code of each leaf: the labels of a level are numbered from 0 in the
    /// order of their leaves.
    codes: Vec<Vec<u32>>,
    /// For each level, the node of each code.
    nodes: Vec<Vec<Node>>,
    /// For each level and each higher level, the higher code of each code.
    above: Vec<Vec<Vec<u32>>>,
}

impl Lattice {
    /// The lattice over the taxonomies of the quasi columns. A leaf that is not as deep as others
    /// is its own label on the levels below it.
    ///
    /// # Panics
    /// If a taxonomy has 255 levels or more, or there is no column.
    pub fn of(trees: &[&Taxonomy]) -> Lattice {
        Lattice::up_to(trees, &vec![None; trees.len()])
    }

    /// As [`Lattice::of`], without levels above the floor of a column that has one.
    ///
    /// # Panics
    /// If a taxonomy has 255 levels or more, or there is no column.
    pub fn up_to(trees: &[&Taxonomy], floors: &[Option<u8>]) -> Lattice {
        assert_eq!(floors.len(), trees.len(), "a floor or none for each column");
        assert!(!trees.is_empty(), "a lattice has a column");
        assert_eq!(trees.len(), floors.len(), "each column has a floor or none");
        let columns = trees
            .iter()
            .zip(floors)
            .map(|(tree, &floor)| Column::up_to(tree, floor))
            .collect();
        Lattice { columns }
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// The number of levels of a column.
    pub fn height(&self, column: usize) -> u8 {
        self.columns[column].codes.len() as u8
    }

    /// The number of levels of each column.
    pub fn heights(&self) -> Vec<u8> {
        (0..self.width())
            .map(|column| self.height(column))
            .collect()
    }

    /// The number of states, saturating.
    pub fn states(&self) -> u128 {
        self.heights().into_iter().fold(1, |states: u128, height| {
            states.saturating_mul(height.into())
        })
    }

    /// The state in which nothing is generalised.
    pub fn bottom(&self) -> Levels {
        vec![0; self.width()]
    }

    /// The state in which every column is `*`.
    pub fn top(&self) -> Levels {
        self.heights()
            .into_iter()
            .map(|height| height - 1)
            .collect()
    }

    /// The states in which one column is one level higher.
    pub fn above<'l>(&'l self, levels: &'l [u8]) -> impl Iterator<Item = Levels> + 'l {
        let may = (0..self.width()).filter(|&column| levels[column] + 1 < self.height(column));
        may.map(|column| {
            let mut above = levels.to_vec();
            above[column] += 1;
            above
        })
    }

    /// The states above that are assigned to this state alone: the last generalised column is
    /// raised, or one after it.
    pub fn children<'l>(&'l self, levels: &'l [u8]) -> impl Iterator<Item = Levels> + 'l {
        let from = levels.iter().rposition(|&level| level > 0).unwrap_or(0);
        self.above(levels)
            .filter(move |above| above[..from] == levels[..from])
    }

    /// The code of each leaf of a column at a level.
    pub fn codes(&self, column: usize, level: u8) -> &[u32] {
        &self.columns[column].codes[usize::from(level)]
    }

    /// The nodes of a column at a level, by code.
    pub fn nodes(&self, column: usize, level: u8) -> &[Node] {
        &self.columns[column].nodes[usize::from(level)]
    }

    /// For each code of a column at a level, its code at a higher level.
    pub fn raised(&self, column: usize, from: u8, to: u8) -> &[u32] {
        &self.columns[column].above[usize::from(from)][usize::from(to - from)]
    }

    /// The recoding of a state.
    pub fn recoding(&self, trees: &[&Taxonomy], levels: &[u8]) -> Recoding {
        assert_eq!(levels.len(), trees.len(), "one level for each column");
        trees
            .iter()
            .enumerate()
            .map(|(column, tree)| self.recoding_of(column, levels[column], tree))
            .collect()
    }

    /// The cut of a column at a level.
    pub fn recoding_of(&self, column: usize, level: u8, tree: &Taxonomy) -> Cut {
        Cut::completed(tree, self.nodes(column, level))
            .expect("the nodes of a level are no descendants of each other")
    }
}

impl Column {
    fn up_to(tree: &Taxonomy, floor: Option<u8>) -> Column {
        let mut levels = tree.by_level();
        levels.truncate(floor.map_or(levels.len(), |floor| usize::from(floor) + 1));
        assert!(levels.len() < 255, "taxonomies have fewer than 255 levels");
        let (mut codes, mut nodes) = (Vec::new(), Vec::new());
        for level in &levels {
            let mut of_level: Vec<Node> = Vec::new();
            let code = |&node: &Node| {
                // The leaves of a node are adjacent.
                if of_level.last() != Some(&node) {
                    of_level.push(node);
                }
                of_level.len() as u32 - 1
            };
            codes.push(level.iter().map(code).collect::<Vec<u32>>());
            nodes.push(of_level);
        }
        let raised = |from: usize, to: usize| {
            let mut raised = vec![0; nodes[from].len()];
            (0..codes[from].len() as Leaf).for_each(|leaf| {
                raised[codes[from][leaf as usize] as usize] = codes[to][leaf as usize];
            });
            raised
        };
        let above = (0..levels.len())
            .map(|from| (from..levels.len()).map(|to| raised(from, to)).collect())
            .collect();
        Column {
            codes,
            nodes,
            above,
        }
    }
}

/// The sum of the levels of a state.
pub(super) fn rank(levels: &[u8]) -> u32 {
    levels.iter().map(|&level| u32::from(level)).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::Tree;

    fn tree(halves: usize) -> Taxonomy {
        let mut tree = Tree::new("*");
        for half in 0..halves {
            let inner = tree.add(0, &format!("h{half}"), 1);
            (0..2).for_each(|leaf| _ = tree.add(inner, &format!("l{half}{leaf}"), 1));
        }
        tree.add(0, "alone", 1);
        tree.finish().expect("a tree")
    }

    #[test]
    fn every_state_is_the_child_of_one() {
        let (one, two) = (tree(2), tree(1));
        let lattice = Lattice::of(&[&one, &two, &one]);
        assert_eq!((lattice.states(), lattice.top()), (27, vec![2, 2, 2]));
        let (mut seen, mut open) = (BTreeSet::new(), vec![lattice.bottom()]);
        while let Some(levels) = open.pop() {
            open.extend(lattice.children(&levels));
            assert!(seen.insert(levels), "no state is reached twice");
        }
        assert_eq!(seen.len(), 27);
    }

    #[test]
    fn codes_of_a_level_are_those_of_its_nodes() {
        let tree = tree(2);
        let lattice = Lattice::of(&[&tree]);
        assert_eq!(lattice.codes(0, 1), [0, 0, 1, 1, 2]);
        assert_eq!(lattice.raised(0, 0, 1), [0, 0, 1, 1, 2]);
        assert_eq!(lattice.raised(0, 1, 2), [0, 0, 0]);
        let labels: Vec<&str> = lattice
            .nodes(0, 1)
            .iter()
            .map(|&node| tree.label(node))
            .collect();
        assert_eq!(labels, ["h0", "h1", "alone"]);
        assert_eq!(
            lattice.recoding(&[&tree], &[1])[0].nodes(),
            lattice.nodes(0, 1)
        );
    }
}
