//! The finest legal recoding (SCIENCE 4): for each column the finest cut that splits no atom. It is
//! unique, because only the column and the atoms decide whether a node may be specialised. The gate
//! and the tests use it as a measure; no search uses it.

use super::Headcount;
use crate::{Cut, Node, Recoding, Taxonomy};

/// The finest recoding that keeps each of these classes together.
pub fn finest_unsplit<'h>(
    atoms: impl IntoIterator<Item = &'h Headcount>,
    trees: &[&Taxonomy],
) -> Recoding {
    // For each column the lowest node above each atom: there, and only there, the atom would be
    // split.
    let mut held: Vec<Vec<Node>> = vec![Vec::new(); trees.len()];
    for atom in atoms {
        for (column, tree) in trees.iter().enumerate() {
            let nodes = atom.column(column).iter().map(|&leaf| tree.leaf_node(leaf));
            held[column].extend(nodes.reduce(|a, b| tree.common(a, b)));
        }
    }
    let cut = |(tree, held): (&&Taxonomy, Vec<Node>)| {
        let mut held = held;
        held.sort_unstable();
        let (mut nodes, mut stack) = (Vec::new(), vec![0]);
        while let Some(node) = stack.pop() {
            if tree.is_leaf(node) || held.binary_search(&node).is_ok() {
                nodes.push(node);
            } else {
                stack.extend(tree.children(node));
            }
        }
        Cut::completed(tree, &nodes).expect("nodes of one descent are an antichain")
    };
    trees.iter().zip(held).map(cut).collect()
}
