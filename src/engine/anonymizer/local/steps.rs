//! Local recoding by steps that are fixed in advance (SCIENCE 6, safer local recoding): each takes all its classes of at least k
//! people away from those that remain. Which steps there are follows from the taxonomies and the policy alone, so that nothing
//! is learnt from their choice; what is learnt from a step is that no class of the one before was large enough.
//!
//! Nothing here could look at a sensitive value: there is none in what it is given.

use std::collections::BTreeMap;

use super::arx_lr::{CarvingResult, StateClass};
use crate::histogram::Headcount;
use crate::model::{Node, Taxonomy};

/// Classes of at least `k` people, found in these steps: a layer per column, counted from 1 at the leaves, each step nowhere
/// finer than the one before.
pub fn steps(people: &Headcount, trees: &[&Taxonomy], steps: &[Vec<usize>], k: u64) -> CarvingResult {
    let layers: Vec<Vec<Vec<Node>>> = trees.iter().map(|tree| tree.padded()).collect();
    let mut left: Vec<u32> = (0..people.tuples() as u32).collect();
    let mut classes = Vec::new();
    for step in steps {
        let mut crowds: BTreeMap<Vec<Node>, Vec<u32>> = BTreeMap::new();
        for &tuple in &left {
            let columns = layers.iter().zip(step).zip(people.tuple_at(tuple as usize));
            let nodes = columns.map(|((layers, &layer), leaf)| layers[layer - 1][leaf as usize]);
            crowds.entry(nodes.collect()).or_default().push(tuple);
        }
        left.clear();
        for (nodes, tuples) in crowds {
            let many = tuples.iter().map(|&tuple| people.count(tuple as usize)).sum();
            if many < k {
                left.extend(tuples);
                continue;
            }
            let state = step.iter().map(|&layer| layer as u8 - 1).collect();
            classes.push(StateClass { state, nodes, tuples, people: many });
        }
        left.sort_unstable();
    }
    CarvingResult { classes, outliers: left }
}
