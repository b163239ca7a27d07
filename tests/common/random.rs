//! Random tables from a printed seed: `TIDEGATE_SEED` replays a run, `TIDEGATE_CASES` makes it
//! longer.

use tidegate::engine::model::{Cut, Taxonomy, Tree};

use super::Row;

/// SplitMix64: enough for drawing test tables, and the same everywhere.
#[derive(Clone)]
pub struct Draw(u64);

impl Draw {
    /// The stream of one case of a run.
    pub fn new(seed: u64, case: u64) -> Draw {
        let mut draw = Draw(seed ^ case.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        draw.next();
        draw
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `from` to `to`, both included.
    pub fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.next() % (to - from + 1)
    }

    /// True once in this many times.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.next().is_multiple_of(times)
    }
}

/// The seed of this run: `TIDEGATE_SEED`, or a fresh one.
pub fn seed() -> u64 {
    let fresh = || std::collections::hash_map::RandomState::new();
    let drawn = std::hash::BuildHasher::hash_one(&fresh(), 0);
    std::env::var("TIDEGATE_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(drawn)
}

/// Runs `check` on this many cases and prints how to repeat a failing one.
pub fn run(name: &str, everyday: u32, check: impl Fn(&mut Draw) + std::panic::RefUnwindSafe) {
    let seed = seed();
    let cases = super::cases(everyday);
    println!("{name}: seed {seed}, {cases} cases");
    for case in 0..u64::from(cases) {
        let failed = std::panic::catch_unwind(|| check(&mut Draw::new(seed, case))).is_err();
        assert!(
            !failed,
            "{name}: case {case} failed; the same again: TIDEGATE_SEED={seed} TIDEGATE_CASES={}",
            case + 1
        );
    }
}

/// A tree with at most this many leaves per column.
pub fn tree(draw: &mut Draw, column: usize, depth: u64) -> Taxonomy {
    let mut tree = Tree::new(&format!("q{column}:*"));
    let mut next = 0;
    grow(draw, &mut tree, 0, column, depth, &mut next);
    tree.finish().expect("distinct labels")
}

fn grow(
    draw: &mut Draw,
    tree: &mut Tree,
    parent: usize,
    column: usize,
    depth: u64,
    next: &mut u32,
) {
    for _ in 0..draw.between(2, 3) {
        *next += 1;
        let node = tree.add(parent, &format!("q{column}:{next}"), 1);
        if depth > 1 && draw.once_in(2) {
            grow(draw, tree, node, column, depth - 1, next);
        }
    }
}

/// A random complete cut.
pub fn cut(draw: &mut Draw, tree: &Taxonomy) -> Cut {
    let (mut nodes, mut stack) = (Vec::new(), vec![0]);
    while let Some(node) = stack.pop() {
        if tree.is_leaf(node) || draw.once_in(2) {
            nodes.push(node);
        } else {
            stack.extend(tree.children(node));
        }
    }
    Cut::completed(tree, &nodes).expect("a cut")
}

/// Random raw rows with few sensitive values.
pub fn rows(draw: &mut Draw, trees: &[&Taxonomy], most: u64, values: u64) -> Vec<Row> {
    let row = |draw: &mut Draw| {
        let leaf = |tree: &&Taxonomy, draw: &mut Draw| {
            tree.label(tree.leaf_node(draw.between(0, tree.leaves() as u64 - 1) as u32))
                .to_owned()
        };
        let leaves = trees.iter().map(|tree| leaf(tree, draw)).collect();
        (leaves, format!("s{}", draw.between(1, values)))
    };
    (0..draw.between(1, most)).map(|_| row(draw)).collect()
}

/// Rows under a recoding, as a publisher would write them.
pub fn published(rows: &[Row], cuts: &[Cut], trees: &[&Taxonomy]) -> Vec<Row> {
    let label = |((label, cut), tree): ((&String, &Cut), &&Taxonomy)| {
        tree.label(cut.at(tree.find_leaf(label).expect("a leaf")))
            .to_owned()
    };
    rows.iter()
        .map(|(labels, s)| {
            (
                labels.iter().zip(cuts).zip(trees).map(label).collect(),
                s.clone(),
            )
        })
        .collect()
}
