//! Slices (SCIENCE 4): people of one increment who are in one class of its release and of each
//! later one. A reader of all releases of a nested chain can infer which values a slice shows, and
//! nothing finer.

use std::collections::BTreeMap;

use super::comparison::Lineage;
use super::next_release::NextRelease;
use crate::histogram::ValueCode;
use crate::model::{Cut, Leaf, Node};

/// The published values of a slice.
#[derive(Default)]
pub struct Slice {
    /// Rows by value.
    pub shown: BTreeMap<ValueCode, u64>,
    /// Whether each of its atoms is entirely in it.
    pub whole: bool,
    /// Its rows by class of the recoding that splits no atom.
    crowds: BTreeMap<Vec<Node>, u64>,
}

/// The published values of every slice of a chain.
pub fn slices(case: &NextRelease<'_>, lineage: &Lineage) -> Vec<Slice> {
    let first = |at: &usize| !lineage.number[..*at].contains(&lineage.number[*at]);
    let distinct: Vec<usize> = (0..lineage.releases.len()).filter(first).collect();
    let atoms: Vec<&[Cut]> = case
        .older
        .iter()
        .map(|older| older.atoms)
        .chain(case.newest.last().map(|newest| newest.atoms))
        .collect();
    let mut slices: BTreeMap<(usize, Vec<Node>), Slice> = BTreeMap::new();
    let mut crowds: BTreeMap<(usize, Vec<Node>), u64> = BTreeMap::new();
    for tuple in 0..lineage.rows.tuples() {
        let leaves: Vec<Leaf> = lineage.rows.tuple_at(tuple).collect();
        let class = |cuts: &[Cut]| {
            cuts.iter()
                .zip(&leaves)
                .map(|(cut, &leaf)| cut.at(leaf))
                .collect::<Vec<Node>>()
        };
        for cell in lineage.rows.cells_of(tuple) {
            let (increment, rows) = (cell.increment as usize, u64::from(cell.count));
            let seen = |at: usize| lineage.number[increment..].contains(&lineage.number[at]);
            let recodings = distinct
                .iter()
                .filter(|at| seen(**at))
                .map(|&at| lineage.releases[at].recoding());
            let slice = slices
                .entry((increment, recodings.flat_map(class).collect()))
                .or_default();
            *slice.shown.entry(cell.value).or_default() += rows;
            if let Some(atoms) = atoms.get(increment) {
                let crowd = class(atoms);
                *slice.crowds.entry(crowd.clone()).or_default() += rows;
                *crowds.entry((increment, crowd)).or_default() += rows;
            }
        }
    }
    let judged = |((increment, _), mut slice): ((usize, Vec<Node>), Slice)| {
        let all = |(crowd, rows): (&Vec<Node>, &u64)| {
            crowds.get(&(increment, crowd.clone())) == Some(rows)
        };
        slice.whole = !slice.crowds.is_empty() && slice.crowds.iter().all(all);
        slice
    };
    slices.into_iter().map(judged).collect()
}
