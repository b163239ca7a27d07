//! How far the sensitive values of a class are from those of the whole table, where values lie in a taxonomy (SCIENCE 4, hierarchical
//! closeness): the earth mover's distance whose ground distance is the height of two values' lowest common ancestor over that of the
//! tree. Heights grow on every way up, so a tree with edges of half the difference of heights has these distances, and what crosses an
//! edge is what its subtree has too much or too little.

use super::rows::DistinctRows;
use crate::model::{Leaf, Node, Taxonomy};

/// The places of sensitive values in a taxonomy, with what the whole table has in each subtree.
#[derive(Debug, Clone, PartialEq)]
pub struct Ground {
    /// Per value the subtrees that it lies in, but for the whole.
    within: Vec<Vec<u32>>,
    /// Per subtree the length of the edge above it.
    edges: Vec<f64>,
    /// Per subtree the share of the table.
    shares: Vec<f64>,
    /// What a class without any value in common would cost on the table's side.
    whole: f64,
}

impl Ground {
    /// Of the leaf of each value, by number; a value without one lies right under the root.
    ///
    /// # Panics
    /// If a value of the rows has no entry.
    pub fn of(tree: &Taxonomy, leaves: &[Option<Leaf>], rows: &DistinctRows) -> Ground {
        let height = f64::from(tree.height(0)).max(1.0);
        let up = |node: Node| tree.parent(node).map(|parent| tree.height(parent) - tree.height(node));
        let mut edges: Vec<f64> =
            (0..tree.nodes() as Node).map(|node| f64::from(up(node).unwrap_or(0)) / height / 2.0).collect();
        let mut within = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let node = leaf.map(|leaf| tree.leaf_node(leaf));
            let mut path: Vec<u32> = std::iter::successors(node, |&node| tree.parent(node)).collect();
            if path.is_empty() {
                path.push(edges.len() as u32);
                edges.push(f64::from(tree.height(0)) / height / 2.0);
            }
            path.retain(|&node| node > 0);
            within.push(path);
        }
        let mut counts = vec![0u64; edges.len()];
        for (&value, &count) in rows.values.iter().zip(&rows.counts) {
            within[value as usize].iter().for_each(|&node| counts[node as usize] += u64::from(count));
        }
        let all = rows.all().max(1) as f64;
        let shares: Vec<f64> = counts.into_iter().map(|count| count as f64 / all).collect();
        let whole = edges.iter().zip(&shares).map(|(edge, share)| edge * share).sum();
        Ground { within, edges, shares, whole }
    }

    /// The distance of a class with so many rows of each value.
    pub(super) fn distance(&self, rows: u64, values: &[(u32, u32)]) -> f64 {
        let mut counts: Vec<(u32, u64)> = values
            .iter()
            .flat_map(|&(value, count)| self.within[value as usize].iter().map(move |&node| (node, u64::from(count))))
            .collect();
        counts.sort_unstable();
        let of_node = |counts: &[(u32, u64)]| {
            let node = counts[0].0 as usize;
            let here = counts.iter().map(|&(_, count)| count).sum::<u64>() as f64 / rows as f64;
            self.edges[node] * ((here - self.shares[node]).abs() - self.shares[node])
        };
        self.whole + counts.chunk_by(|one, next| one.0 == next.0).map(of_node).sum::<f64>()
    }
}
