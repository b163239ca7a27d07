//! The top-down search on Adult (the folder in `TIDEGATE_DATA`; BCF 6): the second release of all
//! training rows under the paper's validity, for one and for three sensitive columns, and the same
//! table on its own. Goal: 20 ms a search.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "papers/sets.rs"]
mod sets;

use std::hint::black_box;

use common::{adult, columns, golden, tables, taxonomy};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use sets::SETS;
use tidegate::engine::histogram::Release;
use tidegate::engine::label::{alone, bcf};
use tidegate::engine::model::{Columns, Recoding};

fn names(of: &[&str]) -> Vec<String> {
    of.iter().map(|&name| name.to_owned()).collect()
}

fn search(c: &mut Criterion) {
    let Some([first, training]) = adult::data() else {
        return;
    };
    let golden = golden("adult_two_release.json");
    let mut group = c.benchmark_group("search");
    for (set, quasi, sensitive) in SETS {
        let (quasi, sensitive) = (names(quasi), names(sensitive));
        let columns: Columns = columns(
            quasi
                .iter()
                .map(|name| taxonomy(&golden["taxonomies"][name]))
                .collect(),
        );
        let trees = columns.trees();
        let parts = [&first, &training].map(|raw| adult::rows(raw, &quasi, &sensitive));
        let both = tables(&columns, &[], &parts).histogram;
        let d1 = tables(&columns, &[], &parts[..1]).histogram.headcount();
        let people = both.headcount();
        println!(
            "{set}: {} leaf tuples, {} cells, {} values",
            both.tuples(),
            both.cells(),
            both.values().len()
        );
        for k in [40, 80, 120, 160, 200] {
            let r1: Recoding = alone(&d1, &trees, k).expect("enough rows").recoding;
            let earlier = [Release::under(&both, 0..1, &r1)];
            let found = bcf(&both, &earlier, &trees, k).expect("enough new rows");
            println!(
                "{set} k={k}: {} turns, {} classes",
                found.trace.len(),
                found.classes
            );
            group.bench_function(BenchmarkId::new(format!("bcf {set} allD2"), k), |b| {
                b.iter(|| bcf(black_box(&both), &earlier, &trees, k));
            });
            group.bench_function(BenchmarkId::new(format!("alone {set} allD2"), k), |b| {
                b.iter(|| alone(black_box(&people), &trees, k));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
