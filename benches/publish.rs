//! Writing the published table: time at 1 and 10 million rows of eight quasi columns and one
//! sensitive one, the median of some runs, on all cores and on one.
//!
//!     cargo bench --bench publish [-- OUT.parquet]      (keeps the file of 10 million rows, for peers to write again)

mod small;
mod synthetic;

use small::million;
use std::time::Instant;

use tidegate::engine::histogram::{CellReading, Encoder, Histogram, Release};
use tidegate::engine::model::{Columns, Cut, Recoding, Taxonomy};
use tidegate::engine::release::data;

/// Runs of each size; the median is printed.
const RUNS: usize = 5;

/// Every column one level up from the leaves, unless that is the root.
fn recoding(columns: &Columns) -> Recoding {
    let cut = |tree: &&Taxonomy| {
        let up = |leaf: u32| tree.parent(tree.leaf_node(leaf)).filter(|&node| node != 0);
        let nodes: Vec<u32> = (0..tree.leaves() as u32)
            .map(|leaf| up(leaf).unwrap_or_else(|| tree.leaf_node(leaf)))
            .collect();
        Cut::completed(tree, &nodes).expect("nodes of one level")
    };
    columns.trees().iter().map(cut).collect()
}

/// Writes the table several times and prints the median.
fn measure(threads: &str, rows: usize, write: impl Fn() -> Vec<u8>) {
    let mut taken: Vec<f64> = Vec::new();
    let mut size = 0;
    for _ in 0..RUNS {
        let start = Instant::now();
        size = write().len();
        taken.push(start.elapsed().as_secs_f64());
    }
    taken.sort_by(f64::total_cmp);
    let (median, rows) = (taken[RUNS / 2], rows as f64);
    println!(
        "  {threads}: {median:.3} s, {:.2} million rows/s, {:.2} bytes/row",
        rows / median / 1e6,
        size as f64 / rows
    );
}

fn main() {
    let keep = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    let columns = synthetic::columns();
    let encoder = Encoder::new(&columns, CellReading::Text);
    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread");
    for rows in [1, 10].map(|millions| millions * million() as usize) {
        let counted =
            Histogram::of(&encoder, 0, &synthetic::batches(rows, 1)).expect("rows that fit");
        let table = Release::under(&counted, 0..1, &recoding(&columns));
        let write = || data(&table, counted.values(), &columns);
        println!(
            "{rows} rows, {} classes, {} groups",
            table.classes(),
            table.groups()
        );
        measure("all cores", rows, write);
        measure("one core", rows, || one.install(write));
        if let Some(path) = keep.as_ref().filter(|_| rows == 10_000_000) {
            std::fs::write(path, write()).expect("the file can be written");
        }
    }
}
