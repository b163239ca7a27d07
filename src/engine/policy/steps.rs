//! The steps of local recoding that are fixed in advance (SCIENCE 6, safer local recoding): a layer per column, all columns one
//! up at a time, everything at the root left out. They follow from the taxonomies and the policy alone, and begin where k
//! people with one label each leave as many solutions as a refinement attack has to leave.

use num_bigint::BigUint;

use super::settings::Values;
use crate::model::Taxonomy;

/// Layers per column, counted from 1 at the leaves; each step is nowhere finer than the one before.
pub fn steps(trees: &[&Taxonomy], k: u64, least: u64, values: Values) -> Vec<Vec<usize>> {
    assert!(k >= 1 && least >= 1, "a class holds a person at least");
    // Per column and layer the fewest values under a label.
    let fewest = |tree: &&Taxonomy| -> Vec<u64> {
        let values = |layer: &Vec<u32>| layer.iter().map(|&node| tree.values(node)).min().unwrap_or(1);
        tree.padded().iter().map(values).collect()
    };
    let columns: Vec<Vec<u64>> = trees.iter().map(fewest).collect();
    let last = columns.iter().map(Vec::len).max().unwrap_or(1) - 1;
    let step = |step: usize| -> Vec<usize> { columns.iter().map(|column| (step + 1).min(column.len())).collect() };
    let enough = |step: &Vec<usize>| {
        let volume: BigUint =
            columns.iter().zip(step).map(|(column, &layer)| BigUint::from(column[layer - 1])).product();
        solutions(&volume, k, values) >= BigUint::from(least)
    };
    let steps: Vec<Vec<usize>> = (0..last).map(step).skip_while(|step| !enough(step)).collect();
    assert!(steps.iter().all(|step| step.len() == trees.len()), "a layer for each column");
    steps
}

/// Sets of so many rows with these values.
fn solutions(volume: &BigUint, rows: u64, values: Values) -> BigUint {
    // Powers beyond this say no more.
    let rows = u32::try_from(rows.min(64)).expect("a small number");
    match values {
        Values::Repeated => volume.pow(rows),
        Values::Distinct => (0..rows).fold(BigUint::from(1u8), |sets, row| {
            let left = if *volume > BigUint::from(row) { volume - row } else { BigUint::ZERO };
            sets * left / (row + 1)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_begin_where_enough_is_left_open() {
        let tree = Taxonomy::two_halves();
        let trees = [&tree, &tree];
        let found = |k, least, values| steps(&trees, k, least, values);
        assert_eq!(found(2, 1, Values::Repeated), [[1, 1], [2, 2]]);
        // Four sets of values, three people: 64 sets of rows, or 4 of distinct ones.
        assert_eq!(found(3, 64, Values::Repeated), [[2, 2]]);
        assert_eq!(found(3, 4, Values::Distinct), [[2, 2]]);
        assert_eq!(found(3, 65, Values::Repeated), [[0usize; 2]; 0]);
        assert_eq!(found(3, 5, Values::Distinct), [[0usize; 2]; 0]);
        assert_eq!(found(5, 1, Values::Distinct), [[0usize; 2]; 0]);
    }
}
