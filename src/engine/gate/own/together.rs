//! Slices (SCIENCE 4): people who came with one release and are in one class of it and of each that followed. Whoever sees all
//! releases of a nested chain can tell what values a slice shows, and nothing finer.

use std::collections::BTreeMap;

use super::case::Lineage;
use crate::engine::histogram::ValueCode;
use crate::engine::model::{Cut, Leaf, Node};

/// What a slice shows: rows by value.
pub type Shown = BTreeMap<ValueCode, u64>;

/// What every slice of a chain shows.
pub fn slices(lineage: &Lineage) -> Vec<Shown> {
    let first = |at: &usize| !lineage.number[..*at].contains(&lineage.number[*at]);
    let distinct: Vec<usize> = (0..lineage.releases.len()).filter(first).collect();
    let mut slices: BTreeMap<(u32, Vec<Node>), Shown> = BTreeMap::new();
    for tuple in 0..lineage.rows.tuples() {
        let leaves: Vec<Leaf> = lineage.rows.tuple_at(tuple).collect();
        for cell in lineage.rows.cells_of(tuple) {
            let seen = |at: usize| lineage.number[cell.increment as usize..].contains(&lineage.number[at]);
            let recodings = distinct.iter().filter(|at| seen(**at)).map(|&at| lineage.releases[at].recoding());
            let class = |cuts: &[Cut]| cuts.iter().zip(&leaves).map(|(cut, &leaf)| cut.at(leaf)).collect::<Vec<Node>>();
            let key = (cell.increment, recodings.flat_map(class).collect());
            *slices.entry(key).or_default().entry(cell.value).or_default() += u64::from(cell.count);
        }
    }
    slices.into_values().collect()
}
