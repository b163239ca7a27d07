//! The top-down search on Adult (the folder in `TIDEGATE_DATA`; BCF 6): the second release of all
//! training rows under the paper's validity, for one and for three sensitive columns, the same
//! table on its own, and a tick of the standing recoding. Goal: 20 ms a search.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "papers/sets.rs"]
mod sets;

use std::hint::black_box;

use common::{adult, columns, golden, tables, taxonomy};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use sets::SETS;
use tidegate::engine::anonymizer::{RareRowRules, StandingRecoding, alone, bcf};
use tidegate::engine::histogram::{Headcount, Heads, Release};
use tidegate::engine::model::{Columns, Recoding};
use tidegate::engine::policy::Decimal;

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

fn ticks(c: &mut Criterion) {
    let Some([first, training]) = adult::data() else {
        return;
    };
    let golden = golden("adult_two_release.json");
    let quasi = names(SETS[0].1);
    let columns: Columns = columns(
        quasi
            .iter()
            .map(|name| taxonomy(&golden["taxonomies"][name]))
            .collect(),
    );
    let trees = columns.trees();
    let arrivals = |raw: &[Vec<String>], since: u32| {
        let rows = adult::rows(raw, &quasi, &[])
            .into_iter()
            .map(|(labels, _)| {
                let leaf = |(label, tree): (&String, &&tidegate::engine::model::Taxonomy)| {
                    tree.find_leaf(label)
                };
                let leaves: Option<Vec<u32>> = labels.iter().zip(&trees).map(leaf).collect();
                (leaves.expect("leaves"), Heads { since, count: 1 })
            });
        Headcount::of(trees.len(), rows)
    };
    let ticks: Vec<Headcount> = std::iter::once(&first[..])
        .chain(training.chunks(200))
        .zip(0..)
        .map(|(raw, now)| arrivals(raw, now))
        .collect();
    let mut group = c.benchmark_group("standing");
    group.sample_size(20);
    for (name, max_wait, share) in [
        ("2 % withheld", 8, 2),
        ("nothing withheld", 8, 0),
        ("coarsen", 0, 0),
    ] {
        let rules = RareRowRules {
            a: 40,
            max_wait,
            max_withheld: Decimal::new(share, 2).expect("a share"),
        };
        group.bench_function(
            BenchmarkId::new(format!("{} ticks of 200 rows", ticks.len() - 1), name),
            |b| {
                b.iter(|| {
                    let mut standing = StandingRecoding::new(rules, trees.len());
                    (0..)
                        .zip(&ticks)
                        .for_each(|(now, arrivals)| _ = standing.tick(arrivals, now, &trees));
                    standing
                });
            },
        );
    }
    group.finish();
}

criterion_group!(benches, search, ticks);
criterion_main!(benches);
