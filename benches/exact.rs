//! Growth of the exact search in crossing chains: recodings, classes and sensitive values against
//! what is solved within the full budget, and the time. Prints a table; `TIDEGATE_MOST` gives the
//! largest number of classes.

#[path = "../tests/common/mod.rs"]
mod common;
mod small;

use small::small;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use tidegate::engine::gate::chain::{
    AttackerView, ChainTarget, ComparablePairs, ExactBudget, ExactTarget, ExactWorlds, Fold,
    ReleaseChain,
};
use tidegate::engine::histogram::{
    CellReading, Encoder, Histogram, NumberedClasses, Release, Slices, number_recodings,
};
use tidegate::engine::model::{Cut, Node, Recoding, Taxonomy, Tree};

/// Levels of each column's binary tree.
const DEPTH: u32 = 8;
/// Rows of an increment per class.
const CROWD: usize = 12;
/// The greatest number of targets.
const MOST: usize = 20_000;

fn main() {
    let most = std::env::var("TIDEGATE_MOST")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(if small() { 8 } else { 256 });
    println!(
        "recodings releases classes values     rows  targets of     pair  exact  proven  seconds"
    );
    for recodings in 3..=5 {
        for bits in [3, 5, 7, 8, 10]
            .into_iter()
            .filter(|&bits| 1 << bits <= most)
        {
            for values in [3, 20] {
                measure(recodings, bits, values);
            }
        }
    }
}

fn measure(recodings: usize, bits: u32, values: u64) {
    let columns = common::columns(["q0", "q1", "q2"].map(tree).to_vec());
    let trees = columns.trees();
    let releases = (recodings + 1).max(3);
    let encoder = Encoder::new(&columns, CellReading::Text);
    let part = |at: usize| {
        let rows = batch(CROWD << bits, values, at as u64 + 1, &trees);
        Histogram::of(&encoder, at as u32, &[rows]).expect("rows that fit")
    };
    let histogram = Histogram::merge_all((0..releases).map(part).collect()).expect("some");
    let under = |at: usize| {
        Release::under(
            &histogram,
            0..at as u32 + 1,
            &recoding(&trees, at % recodings, bits),
        )
    };
    let mut tables: Vec<Release> = (0..releases).map(under).collect();
    let number = number_recodings(&mut tables, &trees);
    let chain = ReleaseChain::new(&tables, &number, &trees, histogram.values().len());
    assert!(!chain.nested());
    let pairs = ComparablePairs::of(&chain);
    let slices = Slices::of(
        &histogram,
        &chain.cuts(),
        &chain.numbered().iter().collect::<Vec<&NumberedClasses>>(),
    );
    let (mut all, mut realised) = (Vec::new(), Vec::new());
    let seen = chain.each_sight(|sight| {
        all.extend(chain.all(sight, &pairs, &Keep(sight)).0);
        realised.extend(chain.realised(sight, &slices.of_increment(sight.increment), &Keep(sight)));
    });
    seen.expect("supersets");
    for (name, mut suspects) in [("people", realised), ("all", all)] {
        suspects.sort();
        suspects.truncate(MOST);
        let start = Instant::now();
        let least = ExactWorlds::new(&chain, &pairs).least(
            &suspects.iter().collect::<Vec<_>>(),
            &mut ExactBudget::FULL.clone(),
        );
        let (classes, rows) = (tables[releases - 1].classes(), histogram.rows());
        println!(
            "{recodings:>9} {releases:>8} {classes:>7} {values:>6} {rows:>8}  {:>7} {name:<6} {:>4}  {:>5}  {:>6}  {:>7.3}",
            suspects.len(),
            suspects[0].left,
            if least.exact() {
                least.left.to_string()
            } else {
                "-".to_owned()
            },
            format!("{}..{}", least.proven, least.left),
            start.elapsed().as_secs_f64()
        );
    }
}

/// The targets with the fewest candidates.
struct Keep<'k>(&'k AttackerView<'k>);

impl Fold for Keep<'_> {
    type Sum = Vec<ExactTarget>;
    fn start(&self) -> Vec<ExactTarget> {
        Vec::new()
    }
    fn take(&self, sum: &mut Vec<ExactTarget>, target: &ChainTarget<'_>) {
        sum.push(ExactTarget::new(self.0, target));
    }
    fn join(&self, mut first: Vec<ExactTarget>, second: Vec<ExactTarget>) -> Vec<ExactTarget> {
        first.extend(second);
        first.sort();
        first.truncate(MOST);
        first
    }
}

/// A binary tree.
fn tree(name: &str) -> Taxonomy {
    let mut tree = Tree::new("*");
    grow(&mut tree, 0, name, DEPTH);
    tree.finish().expect("distinct labels")
}

fn grow(tree: &mut Tree, parent: usize, label: &str, depth: u32) {
    for side in ["0", "1"].into_iter().filter(|_| depth > 0) {
        let label = format!("{label}.{side}");
        let node = tree.add(parent, &label, 1);
        grow(tree, node, &label, depth - 1);
    }
}

/// Recoding `at` of a family that crosses: the levels by which columns are split add up to `bits`,
/// but are distributed differently over the columns.
fn recoding(trees: &[&Taxonomy], at: usize, bits: u32) -> Recoding {
    let half = bits.div_ceil(2);
    let third = bits.div_ceil(3);
    let levels = match at {
        0 => [half, bits - half, 0],
        1 => [0, half, bits - half],
        2 => [bits - half, 0, half],
        3 => [third, third, bits - 2 * third],
        _ => [bits - 2 * third, third, third],
    };
    trees
        .iter()
        .zip(levels)
        .map(|(tree, level)| Cut::completed(tree, &level_of(tree, level)).expect("a level"))
        .collect()
}

fn level_of(tree: &Taxonomy, level: u32) -> Vec<Node> {
    (0..level).fold(vec![0], |nodes, _| {
        nodes
            .into_iter()
            .flat_map(|node| tree.children(node))
            .collect()
    })
}

/// This many rows with skewed leaves and values.
fn batch(rows: usize, values: u64, seed: u64, trees: &[&Taxonomy]) -> RecordBatch {
    let mut state = seed;
    let mut below = |most: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let unit = (state >> 33) as f64 / f64::from(1u32 << 31);
        (unit.powf(1.5) * most as f64) as u64
    };
    let leaf = |tree: &Taxonomy, at: u64| tree.label(tree.leaf_node(at as u32)).to_owned();
    let mut cells: Vec<Vec<String>> = vec![Vec::new(); trees.len() + 1];
    for _ in 0..rows {
        for (cells, tree) in cells.iter_mut().zip(trees) {
            cells.push(leaf(tree, below(tree.leaves() as u64)));
        }
        cells[trees.len()].push(format!("s{}", below(values)));
    }
    let named = ["q0", "q1", "q2", "s"].into_iter().zip(cells);
    RecordBatch::try_from_iter(
        named.map(|(name, cells)| (name, Arc::new(StringArray::from(cells)) as ArrayRef)),
    )
    .expect("columns of one length")
}
