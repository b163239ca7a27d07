//! The distance between the sensitive values of a class and those of the whole table, where values
//! are in a taxonomy (SCIENCE 4, hierarchical closeness): the earth mover's distance whose ground
//! distance is the height of the lowest common ancestor of two values, divided by the height of the
//! tree. Heights increase towards the root, so a tree whose edges have half the difference of
//! heights as their length gives these distances, and the flow over an edge is the surplus or
//! deficit of the subtree below it.

use super::rows::DistinctRows;
use crate::model::{Leaf, Node, Taxonomy};

/// The positions of sensitive values in a taxonomy, and the share of the whole table in each
/// subtree.
#[derive(Debug, Clone, PartialEq)]
pub struct Ground {
    /// For each value the subtrees that contain it, without the whole tree.
    within: Vec<Vec<u32>>,
    /// For each subtree, the length of the edge above it.
    edges: Vec<f64>,
    /// For each subtree, its share of the table.
    shares: Vec<f64>,
    /// The cost on the table's side for a class that shares no value with it.
    whole: f64,
}

impl Ground {
    /// From the leaf of each value, by number; a value without a leaf is placed directly below the
    /// root.
    ///
    /// # Panics
    /// If a value of the rows has no entry.
    pub fn of(tree: &Taxonomy, leaves: &[Option<Leaf>], rows: &DistinctRows) -> Ground {
        let height = f64::from(tree.height(0)).max(1.0);
        let up = |node: Node| {
            tree.parent(node)
                .map(|parent| tree.height(parent) - tree.height(node))
        };
        let mut edges: Vec<f64> = (0..tree.nodes() as Node)
            .map(|node| f64::from(up(node).unwrap_or(0)) / height / 2.0)
            .collect();
        let mut within = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let node = leaf.map(|leaf| tree.leaf_node(leaf));
            let mut path: Vec<u32> =
                std::iter::successors(node, |&node| tree.parent(node)).collect();
            if path.is_empty() {
                path.push(edges.len() as u32);
                edges.push(f64::from(tree.height(0)) / height / 2.0);
            }
            path.retain(|&node| node > 0);
            within.push(path);
        }
        let mut counts = vec![0u64; edges.len()];
        for (&value, &count) in rows.values.iter().zip(&rows.counts) {
            within[value as usize]
                .iter()
                .for_each(|&node| counts[node as usize] += u64::from(count));
        }
        let all = rows.all().max(1) as f64;
        let shares: Vec<f64> = counts.into_iter().map(|count| count as f64 / all).collect();
        let whole = edges
            .iter()
            .zip(&shares)
            .map(|(edge, share)| edge * share)
            .sum();
        Ground {
            within,
            edges,
            shares,
            whole,
        }
    }

    /// The distance of a class with these numbers of rows per value.
    pub(super) fn distance(&self, rows: u64, values: &[(u32, u32)]) -> f64 {
        let mut counts: Vec<(u32, u64)> = values
            .iter()
            .flat_map(|&(value, count)| {
                self.within[value as usize]
                    .iter()
                    .map(move |&node| (node, u64::from(count)))
            })
            .collect();
        counts.sort_unstable();
        let of_node = |counts: &[(u32, u64)]| {
            let node = counts[0].0 as usize;
            let here = counts.iter().map(|&(_, count)| count).sum::<u64>() as f64 / rows as f64;
            self.edges[node] * ((here - self.shares[node]).abs() - self.shares[node])
        };
        self.whole
            + counts
                .chunk_by(|one, next| one.0 == next.0)
                .map(of_node)
                .sum::<f64>()
    }
}
