//! Groups of numeric rows (SCIENCE 7): the time of MDAV on synthetic rows with ten columns, with
//! the index and comparing with every row, from one size to the next, and Mondrian beside it.
//!
//! `cargo bench --bench numbers`

mod small;

use small::small;
use std::time::Instant;

use tidegate::engine::microaggregation::{Points, mdav, mondrian};

/// SplitMix64.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Rows whose columns depend on three factors, as those of people do.
fn made(rows: usize, columns: usize) -> Points {
    let mut chance = Chance(7);
    let mut numbers = Vec::with_capacity(rows * columns);
    for _ in 0..rows {
        let factors = [chance.unit(), chance.unit(), chance.unit()];
        numbers.extend((0..columns).map(|column| factors[column % 3] * 3.0 + chance.unit()));
    }
    Points::new(numbers, columns)
}

/// As many single steps of MDAV as it has, each comparing with every row: its time without an
/// index.
fn plain(points: &Points, k: usize) {
    let mut left: Vec<usize> = (0..points.len()).collect();
    let far = |left: &[usize], from: &[f64]| {
        let to = |row: usize| -> f64 {
            points
                .at(row)
                .iter()
                .zip(from)
                .map(|(a, b)| (a - b) * (a - b))
                .sum()
        };
        left.iter()
            .map(|&row| (to(row), row))
            .fold((f64::NEG_INFINITY, 0), |best, next| {
                if next.0 > best.0 { next } else { best }
            })
            .1
    };
    while left.len() >= 3 * k {
        let mut mean = vec![0.0; points.dimensions()];
        for &row in &left {
            mean.iter_mut()
                .zip(points.at(row))
                .for_each(|(sum, number)| *sum += number);
        }
        mean.iter_mut().for_each(|sum| *sum /= left.len() as f64);
        let mut from = far(&left, &mean);
        for _ in 0..2 {
            let to = |row: usize| -> f64 {
                points
                    .at(row)
                    .iter()
                    .zip(points.at(from))
                    .map(|(a, b)| (a - b) * (a - b))
                    .sum()
            };
            let mut near: Vec<(f64, usize)> = left.iter().map(|&row| (to(row), row)).collect();
            near.select_nth_unstable_by(k - 1, |one, other| {
                one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))
            });
            let mut taken: Vec<usize> = near[..k].iter().map(|near| near.1).collect();
            taken.sort_unstable();
            left.retain(|row| taken.binary_search(row).is_err());
            from = far(&left, points.at(from));
        }
    }
}

fn seconds(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64()
}

fn sizes() {
    println!(
        "MDAV, 10 columns, k = 5, seconds\n\n|    rows |  index | every row | Mondrian |\n|---:|---:|---:|---:|"
    );
    for rows in [6_250, 12_500, 25_000, 50_000, 100_000] {
        let rows = if small() { rows / 100 } else { rows };
        let points = made(rows, 10);
        let index = seconds(|| assert!(mdav(&points, 5).len() * 5 <= rows));
        let every = (rows <= 25_000).then(|| seconds(|| plain(&points, 5)));
        let cuts = seconds(|| assert!(mondrian(&points, 5).len() * 5 <= rows));
        let every = every.map_or_else(|| "–".to_owned(), |every| format!("{every:.2}"));
        println!("| {rows:7} | {index:6.2} | {every:>9} | {cuts:8.3} |");
    }
}

fn main() {
    sizes();
}
