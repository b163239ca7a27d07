//! Ratios against all worlds, and figures of each kind against each other.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use tidegate::engine::model::Node;
use tidegate::engine::policy::Values;
use tidegate::engine::safeguards::search_inference::{
    FigureSource, TraceBudget, TraceRatio, TraceTerms, maximality, replayed, whole,
};

use super::world::{Case, World, draw, flat};
use crate::common::cases;

const WORLDS: usize = 500;
const BOTH: [Values; 2] = [Values::Repeated, Values::Distinct];

pub fn terms(values: Values) -> TraceTerms {
    TraceTerms {
        values,
        seed: 1,
        budget: TraceBudget::FULL,
    }
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads")
        .install(work)
}

/// Whether an exact ratio is `all` over `left`.
#[track_caller]
pub fn check(found: &TraceRatio, all: u128, left: u128) {
    let TraceRatio::Exact {
        all: mine,
        left: kept,
    } = found
    else {
        panic!("not exact: {found:?}")
    };
    assert_eq!(
        mine * BigUint::from(left),
        kept * BigUint::from(all),
        "{mine} / {kept}, not {all} / {left}"
    );
}

fn sum(worlds: &[(World, u128)]) -> u128 {
    worlds.iter().map(|(_, weight)| weight).sum()
}

/// Worlds in which a node of the recoding could not be split at the end.
fn maximal(case: &Case, worlds: &[(World, u128)], column: usize, node: Node) -> u128 {
    let small = |(world, _): &&(World, u128)| {
        case.classes()
            .filter(|(class, _)| class[column] == node)
            .any(|(class, _)| {
                case.trees[column].children(node).any(|child| {
                    let mut nodes = class.to_vec();
                    nodes[column] = child;
                    (1..case.a).contains(&case.inside(world, &nodes))
                })
            })
    };
    worlds.iter().filter(small).map(|(_, weight)| weight).sum()
}

#[test]
fn all_worlds_against_the_formulas() {
    let mut compared = 0;
    for number in 0..u64::from(cases(700)) {
        for values in BOTH {
            let Some(case) = Case::random(&mut draw(11, number), 3, 8, values) else {
                continue;
            };
            let Some(worlds) = case.worlds(values, WORLDS) else {
                continue;
            };
            let (all, left) = (sum(&worlds), sum(&case.kept(&worlds)));
            let trees = case.trees();
            let found = whole(&case.release, &trees, case.a, terms(values));
            check(&found.ratio, all, left);
            assert_eq!(
                found.source == FigureSource::Formula,
                values == Values::Repeated
            );
            let again = replayed(&case.release, &trees, case.a, terms(values));
            check(&again.ratio, all, left);
            assert_eq!(
                again.source,
                FigureSource::Counted {
                    worlds: worlds.len() as u64
                }
            );
            let mut least = all;
            for (column, tree) in trees.iter().enumerate() {
                for node in case
                    .release
                    .shown(column)
                    .into_iter()
                    .filter(|&node| !tree.is_leaf(node))
                {
                    least = least.min(maximal(&case, &worlds, column, node));
                }
            }
            match maximality(&case.release, &trees, case.a, values, TraceBudget::FULL) {
                Some(reported) => {
                    check(&reported.at_least, all, least);
                    assert_eq!(
                        maximal(&case, &worlds, reported.column, reported.node),
                        least
                    );
                }
                None => assert_eq!((least, left), (all, all)),
            }
            assert!(left <= least, "the whole course tells at least as much");
            compared += 1;
        }
    }
    println!("{compared} releases");
}

/// Floats are as near to the exact figures as they say, and not too far.
#[test]
fn floats_against_whole_numbers() {
    let floats = TraceBudget {
        bits: 0,
        ..TraceBudget::FULL
    };
    for number in 0..u64::from(cases(300)) {
        let mut draw = draw(12, number);
        let people = if number % 3 == 0 { 150 } else { 30 };
        let Some(mut case) = Case::random(&mut draw, 3, people, Values::Repeated) else {
            continue;
        };
        // Class sizes from 2 up to the smallest class.
        case.a = draw.between(
            2,
            case.classes()
                .map(|(_, rows)| rows)
                .min()
                .expect("a class")
                .min(12),
        );
        let trees = case.trees();
        for values in BOTH {
            let exact = maximality(&case.release, &trees, case.a, values, TraceBudget::FULL);
            let near = maximality(&case.release, &trees, case.a, values, floats);
            let (Some(exact), Some(near)) = (exact, near) else {
                continue;
            };
            if exact.at_least == TraceRatio::Impossible {
                continue;
            }
            agree(&near.at_least, &exact.at_least);
        }
        let exact = whole(&case.release, &trees, case.a, terms(Values::Repeated)).ratio;
        let near = whole(
            &case.release,
            &trees,
            case.a,
            TraceTerms {
                budget: floats,
                ..terms(Values::Repeated)
            },
        );
        if !case.found.refusals.is_empty() && near.source == FigureSource::Formula {
            agree(&near.ratio, &exact);
        }
    }
}

#[track_caller]
fn agree(near: &TraceRatio, exact: &TraceRatio) {
    let (TraceRatio::Near { log10, error }, Some(truth)) = (near, exact.log10()) else {
        panic!("{near:?} and {exact:?}");
    };
    assert!(
        (log10 - truth).abs() <= error + 1e-13,
        "{log10} ± {error}, but {truth}"
    );
    assert!(*error < 1e-5, "{error}");
}

/// Classes of a hundred thousand people, and one of a thousand with many children.
#[test]
fn large_classes() {
    let far = |sizes: &[u64], rows: u32, a: u64| {
        let tree = flat(0, sizes);
        let world: World = vec![(vec![0], rows)];
        let release = super::world::release(&world, &[tidegate::engine::model::Cut::root(&tree)]);
        maximality(&release, &[&tree], a, Values::Repeated, TraceBudget::FULL)
            .expect("a node")
            .at_least
    };
    // Two children of a half: 2 · 2^−100000 · Σ C(100000, 1..39).
    let TraceRatio::Near { log10, error } = far(&[1, 1], 100_000, 40) else {
        panic!("floats")
    };
    let (mut sum, mut term) = (0.0f64, 0.0f64);
    for at in 1..40u32 {
        term += (f64::from(100_001 - at) / f64::from(at)).log10();
        sum = if at == 1 {
            term
        } else {
            term + (1.0 + 10f64.powf(sum - term)).log10()
        };
    }
    let truth = 100_000.0 * 2f64.log10() - sum - 2f64.log10();
    assert!(
        (log10 - truth).abs() < 1e-6 && error < 1e-6,
        "{log10} ± {error}, {truth}"
    );
    // Uneven children: for the smallest it is likely, and the figure is near 1.
    for sizes in [
        &[100_000, 50_000, 30][..],
        &[1; 50],
        &[1000, 1, 1, 1],
        &[7, 5, 3, 2, 1],
    ] {
        let found = far(sizes, 100_000, 40);
        let TraceRatio::Near { log10, error } = found else {
            panic!("{found:?}")
        };
        assert!(log10 >= -1e-9 && error < 1e-5, "{log10} ± {error}");
    }
}

/// The expected number of samples is kept, sampled bounds are not below the truth, and the result
/// is the same on any number of threads.
#[test]
fn drawn_worlds() {
    let mut known = BTreeMap::new();
    for number in 0..12 {
        for values in BOTH {
            let Some(case) = Case::random(&mut draw(13, number), 2, 12, values) else {
                continue;
            };
            let trees = case.trees();
            let few = TraceBudget {
                worlds: 0,
                draws: 640,
                ..TraceBudget::FULL
            };
            let some = TraceTerms {
                budget: few,
                ..terms(values)
            };
            let drawn = replayed(&case.release, &trees, case.a, some);
            let FigureSource::Drawn { draws, kept } = drawn.source else {
                panic!("not drawn")
            };
            assert_eq!(
                (draws, kept == 0),
                (640, drawn.ratio == TraceRatio::Unknown)
            );
            let alone = on_threads(1, || replayed(&case.release, &trees, case.a, some));
            assert_eq!(drawn, alone);
            assert_eq!(
                drawn,
                on_threads(5, || replayed(&case.release, &trees, case.a, some))
            );
            let exact = whole(&case.release, &trees, case.a, terms(values)).ratio;
            if let (Some(most), Some(truth)) = (drawn.ratio.most(), exact.log10()) {
                assert!(most >= truth, "{most} and {truth}");
                let share = 10f64.powf(-truth);
                let (mean, deviation) = (640.0 * share, (640.0 * share * (1.0 - share)).sqrt());
                assert!(
                    (kept as f64 - mean).abs() <= 5.0 * deviation + 1e-6,
                    "{kept} of 640, at {share}"
                );
                *known.entry(format!("{values:?}")).or_insert(0) += 1;
            }
        }
    }
    assert!(
        known.len() == 2 && known.values().all(|known| *known > 2),
        "{known:?}"
    );
}

/// With an insufficient budget nothing is known.
#[test]
fn without_a_budget_nothing_is_known() {
    let none = TraceBudget {
        bits: 0,
        sums: 0,
        terms: 0,
        worlds: 0,
        draws: 0,
        rows: 0,
    };
    let case = (0..).find_map(|number| {
        Case::random(&mut draw(14, number), 2, 12, Values::Repeated)
            .filter(|case| !case.found.refusals.is_empty())
    });
    let case = case.expect("some case has a refusal");
    let reported = whole(
        &case.release,
        &case.trees(),
        case.a,
        TraceTerms {
            budget: none,
            ..terms(Values::Repeated)
        },
    );
    assert_eq!(
        (reported.ratio, reported.source),
        (
            TraceRatio::Unknown,
            FigureSource::Drawn { draws: 0, kept: 0 }
        )
    );
    assert_eq!(
        maximality(&case.release, &case.trees(), case.a, Values::Repeated, none),
        None
    );
}
