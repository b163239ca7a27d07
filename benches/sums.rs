//! The cost of protecting a table of sums: the cost of the first pattern found, without a budget,
//! beside the cheapest one on small tables, and seconds by size on larger ones. Tables are drawn
//! from a fixed seed; values are skewed, one leaf in ten is 0, and protection is a tenth of the
//! value. Prints a table; `TIDEGATE_WORK` gives the millions of numbers that a search may compute.

mod small;

use small::{million, small};
use std::time::Instant;

use tidegate::engine::sums::{
    CellSuppression, Dimension, Dimensions, Protection, Range, Sensitive, SumSystem,
    SuppressionProblem,
};

/// SplitMix64.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// A name, the branches of each dimension level by level, and how rare sensitive leaves are: one in
/// this many.
type Shape = (&'static str, &'static [&'static [usize]], u64);

const SMALL: [Shape; 5] = [
    ("4 × 4", &[&[4], &[4]], 5),
    ("6 × 6", &[&[6], &[6]], 8),
    ("8 × 8", &[&[8], &[8]], 8),
    ("3 of 3 × 6", &[&[3, 3], &[6]], 10),
    ("3 × 3 × 3", &[&[3], &[3], &[3]], 8),
];

const LARGE: [Shape; 6] = [
    ("20 × 20", &[&[20], &[20]], 10),
    ("6 of 6 × 12", &[&[6, 6], &[12]], 10),
    ("40 × 40", &[&[40], &[40]], 20),
    ("10 × 10 × 10", &[&[10], &[10], &[10]], 20),
    ("100 × 50", &[&[100], &[50]], 20),
    ("5 of 5 × 4 of 4 × 5", &[&[5, 5], &[4, 4], &[5]], 20),
];

fn main() {
    let work = std::env::var("TIDEGATE_WORK")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(300u64)
        * million();
    println!(
        "table                  cells  sensitive  cost       first   searched  proven  seconds  seconds (searched)"
    );
    for shape in SMALL {
        (0..3).for_each(|seed| {
            [true, false]
                .into_iter()
                .for_each(|by_value| measure(shape, seed, by_value, work))
        });
    }
    if small() {
        return;
    }
    for shape in LARGE {
        [true, false]
            .into_iter()
            .for_each(|by_value| measure(shape, 1, by_value, work));
    }
}

fn measure((name, branches, one_in): Shape, seed: u64, by_value: bool, work: u64) {
    let dimensions: Vec<Dimension> = branches.iter().map(|levels| tree(levels)).collect();
    let leaf = |codes: &[usize]| {
        codes
            .iter()
            .zip(&dimensions)
            .all(|(&code, dimension)| dimension.is_leaf(code))
    };
    let table = Dimensions::new(dimensions.clone());
    let (system, draw) = (table.system(Range::NotNegative), &mut Draw(seed));
    let leaves: Vec<usize> = (0..system.cells())
        .filter(|&cell| leaf(&table.codes(cell)))
        .collect();
    let values = values(&system, &leaves, draw);
    let price = |&value: &i128| (value > 0).then_some(if by_value { value as u64 } else { 1 });
    let costs: Vec<Option<u64>> = values.iter().map(price).collect();
    let drawn = leaves
        .into_iter()
        .filter(|&cell| values[cell] > 0 && draw.below(one_in) == 0);
    let sensitive = drawn.map(|cell| {
        let by = values[cell].unsigned_abs().div_ceil(10);
        Sensitive {
            cell,
            up: by,
            down: by,
        }
    });
    let sensitive: Vec<Sensitive> = sensitive.collect();
    let problem = SuppressionProblem {
        system: &system,
        values: &values,
        costs: &costs,
        hidden: &[],
        sensitive: &sensitive,
        lone: &[],
        work: 0,
    };
    let (first_found, first) = timed(&problem);
    let (searched, second) = timed(&SuppressionProblem { work, ..problem });
    println!(
        "{name:<20} {:>7} {:>10}  {:<5} {:>10} {:>10}  {:<6} {first:>8.3} {second:>8.3}",
        system.cells(),
        sensitive.len(),
        if by_value { "value" } else { "one" },
        first_found.cost,
        searched.cost,
        if searched.least { "yes" } else { "no" },
    );
}

fn timed(problem: &SuppressionProblem) -> (CellSuppression, f64) {
    let start = Instant::now();
    match problem.protect() {
        Protection::Protected(found) => (found, start.elapsed().as_secs_f64()),
        Protection::Impossible { .. } => panic!("every cell of these tables can be protected"),
    }
}

/// A total, and below each code this many more on each level.
fn tree(levels: &[usize]) -> Dimension {
    let (mut parents, mut last) = (vec![None], vec![0]);
    for &branches in levels {
        let next = last
            .iter()
            .flat_map(|&parent| std::iter::repeat_n(parent, branches))
            .collect::<Vec<usize>>();
        let first = parents.len();
        parents.extend(next.iter().copied().map(Some));
        last = (first..parents.len()).collect();
    }
    Dimension::new(parents).expect("parents stand before their parts")
}

/// Skewed values in the leaves, and their totals.
fn values(system: &SumSystem, leaves: &[usize], draw: &mut Draw) -> Vec<i128> {
    let mut values: Vec<Option<i128>> = vec![None; system.cells()];
    for &leaf in leaves {
        let drawn = i128::from(draw.below(1_000));
        values[leaf] = Some(if draw.below(10) == 0 {
            0
        } else {
            1 + drawn * drawn / 100
        });
    }
    while values.contains(&None) {
        for relation in system.relations() {
            let parts = relation.terms().iter().filter(|term| term.1 > 0);
            let sum: Option<i128> = parts.map(|term| values[term.0]).sum();
            let total = relation
                .terms()
                .iter()
                .find(|term| term.1 < 0)
                .expect("a total")
                .0;
            values[total] = sum.or(values[total]);
        }
    }
    values
        .into_iter()
        .map(|value| value.expect("a total"))
        .collect()
}
