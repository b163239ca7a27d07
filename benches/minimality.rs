//! The cost of minimality attacks: by the rows of a class, by the number of classes that were
//! generalised into it, and by how unequal those are; exactly, and as a bound. Prints a table;
//! `TIDEGATE_MOST` gives the largest number of rows.

mod small;

use small::small;
use std::time::Instant;

use tidegate::engine::gate::minimality::requirement::l_diverse;
use tidegate::engine::gate::minimality::{Credibility, MinimalityAttack, OriginClass};

/// l, and the number of rows for each row of the guarded set.
const CASES: [(u64, u64); 3] = [(2, 3), (2, 10), (5, 10)];

fn main() {
    let most = std::env::var("TIDEGATE_MOST")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(if small() { 100 } else { 10_000 });
    println!("    rows   l  share  classes  sizes    million steps   seconds      exact   at most");
    for rows in [100u64, 1_000, 3_000, 10_000, 30_000]
        .into_iter()
        .filter(|&rows| rows <= most)
    {
        for (l, one_in) in CASES {
            for classes in [2, 10, 100, 1_000]
                .into_iter()
                .filter(|&classes| classes <= rows / 4)
            {
                measure(rows, l, one_in, &equal(rows, classes), "equal");
            }
            measure(rows, l, one_in, &uneven(rows), "uneven");
        }
    }
}

fn measure(rows: u64, l: u64, one_in: u64, sizes: &[u64], name: &str) {
    let origins: Vec<OriginClass> = sizes.iter().map(|&size| OriginClass::whole(size)).collect();
    let attack = MinimalityAttack::new(&origins, rows / one_in, l_diverse(l));
    let start = Instant::now();
    let exact = attack.exact();
    let seconds = start.elapsed().as_secs_f64();
    let largest = |found: &[Option<Credibility>]| {
        found
            .iter()
            .flatten()
            .map(Credibility::value)
            .fold(0.0, f64::max)
    };
    println!(
        "{rows:>8} {l:>3} {:>6.3} {:>8}  {name:<6} {:>15.3} {seconds:>9.4} {:>10.6} {:>9.6}",
        1.0 / one_in as f64,
        sizes.len(),
        attack.cost() as f64 / 1e6,
        largest(&exact),
        largest(&attack.at_most())
    );
}

fn equal(rows: u64, classes: u64) -> Vec<u64> {
    (0..classes)
        .map(|at| rows * (at + 1) / classes - rows * at / classes)
        .collect()
}

/// 1, 2, 3, …: as many different sizes as possible.
fn uneven(rows: u64) -> Vec<u64> {
    let mut sizes: Vec<u64> = Vec::new();
    let mut left = rows;
    while left > sizes.len() as u64 {
        sizes.push(sizes.len() as u64 + 1);
        left -= sizes.len() as u64;
    }
    sizes.extend((left > 0).then_some(left));
    sizes
}
