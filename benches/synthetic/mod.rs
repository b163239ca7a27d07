//! Synthetic hospital rows for the benches: eight quasi columns of very different sizes with skewed
//! values, one sensitive column, drawn from a fixed seed. The same numbers on every machine.

#![allow(dead_code, reason = "each bench uses its part")]

#[path = "../../tests/common/mod.rs"]
mod common;

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};
use tidegate::engine::model::{Columns, Taxonomy, Tree};

/// Leaves per quasi column.
pub const LEAVES: [u32; 8] = [90, 2, 5, 7, 16, 41, 100, 14];
/// Distinct sensitive values.
pub const VALUES: u32 = 60;
/// Rows per batch.
const BATCH: usize = 65_536;

/// A tree with this many leaves under bands of about their square root.
fn tree(column: usize, leaves: u32) -> Taxonomy {
    let mut tree = Tree::new("*");
    let band = (f64::from(leaves).sqrt().ceil() as u32).max(2);
    let mut above = 0;
    for leaf in 0..leaves {
        if leaf % band == 0 && leaves > band {
            above = tree.add(0, &format!("{column}.band{}", leaf / band), 1);
        }
        tree.add(above, &format!("{column}.{leaf}"), 1);
    }
    tree.finish().expect("distinct labels")
}

/// The declared columns.
pub fn columns() -> Columns {
    common::columns(
        (0..)
            .zip(LEAVES)
            .map(|(at, leaves)| tree(at, leaves))
            .collect(),
    )
}

/// Draws numbers, small ones more often.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: u32) -> i32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let unit = (self.0 >> 33) as f64 / f64::from(1u32 << 31);
        (unit.powi(3) * f64::from(most)) as i32
    }
}

/// This many rows in dictionary-encoded batches, as a decoder returns them.
pub fn batches(rows: usize, seed: u64) -> Vec<RecordBatch> {
    let columns = columns();
    let labels: Vec<ArrayRef> = columns
        .trees()
        .iter()
        .map(|tree| leaf_labels(tree))
        .collect();
    let values: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..VALUES).map(|value| format!("s{value}")),
    ));
    let mut draw = Draw(seed);
    let mut made = Vec::new();
    let mut left = rows;
    while left > 0 {
        let size = left.min(BATCH);
        left -= size;
        let mut coded = |leaves: u32, labels: &ArrayRef| {
            let keys = Int32Array::from_iter_values((0..size).map(|_| draw.below(leaves)));
            Arc::new(DictionaryArray::<Int32Type>::new(keys, Arc::clone(labels))) as ArrayRef
        };
        let mut named: Vec<(String, ArrayRef)> = Vec::new();
        for (at, (&leaves, labels)) in LEAVES.iter().zip(&labels).enumerate() {
            named.push((format!("q{at}"), coded(leaves, labels)));
        }
        named.push(("s".to_owned(), coded(VALUES, &values)));
        made.push(RecordBatch::try_from_iter(named).expect("columns of one length"));
    }
    made
}

fn leaf_labels(tree: &Taxonomy) -> ArrayRef {
    let label = |leaf: usize| tree.label(tree.leaf_node(leaf as u32));
    Arc::new(StringArray::from_iter_values((0..tree.leaves()).map(label)))
}
