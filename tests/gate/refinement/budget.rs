//! When the budget is spent: floats whose error bound holds, bounds on the safe side, and otherwise
//! nothing.

use tidegate::engine::gate::refinement::{
    AttackTarget, AttackTerms, Attacker, CarvedClass, CarvedRelease, LayeredColumn, Malformed,
    RatioFigure, RefinementAttack, RefinementBudget, RepeatedValues, SolutionCount,
};

use super::enumerate::BOTH;
use super::local::{Chance, made};
use super::{attack, column, terms};
use crate::common::cases;

/// Releases with something to count, and the terms of their attacks.
fn releases(number: u32) -> Vec<(CarvedRelease, AttackTerms)> {
    let mut chance = Chance(4);
    (0..number)
        .map(|at| {
            let (attacker, values) = BOTH[at as usize % BOTH.len()];
            (made(&mut chance, 4, 150).release, terms(attacker, values))
        })
        .collect()
}

fn within(terms: AttackTerms, change: impl Fn(&mut RefinementBudget)) -> AttackTerms {
    let mut terms = terms;
    change(&mut terms.budget);
    terms
}

fn log10(target: &AttackTarget) -> f64 {
    let RatioFigure::Exact { log10 } = target.ratio else {
        panic!("exact: {:?}", target.ratio)
    };
    log10
}

#[test]
fn floats_are_as_near_as_they_promise() {
    let (mut near, mut worst) = (0, 0.0f64);
    for (release, terms) in releases(cases(60)) {
        let exact = attack(&release, terms);
        let floats = attack(&release, within(terms, |budget| budget.operations = 0));
        let all_floats = attack(
            &release,
            within(terms, |budget| {
                (budget.bits, budget.operations) = (0, u64::MAX)
            }),
        );
        for (exact, found) in exact
            .iter()
            .zip(&floats)
            .chain(exact.iter().zip(&all_floats))
        {
            assert_eq!(
                (&exact.slabs, exact.is_impossible()),
                (&found.slabs, found.is_impossible())
            );
            let RatioFigure::Near {
                log10: found_log10,
                error,
            } = found.ratio
            else {
                continue;
            };
            near += 1;
            worst = worst.max(error);
            assert!((found_log10 - log10(exact)).abs() <= error, "{found:?}");
            for (exact, found) in [
                (&exact.cra, &found.cra),
                (&exact.assignments, &found.assignments),
            ] {
                let SolutionCount::Near { log10, error } = found else {
                    continue;
                };
                assert!(
                    (exact.log10().expect("exact") - log10).abs() <= error + 1e-14 * (1.0 + log10)
                );
            }
        }
    }
    assert!(near > 500 && worst <= 5e-13, "{near}, {worst}");
}

#[test]
fn drawn_bounds_hold() {
    let (mut drawn, mut close, mut unknown, mut single) = (0, 0, 0, 0);
    for (release, terms) in releases(cases(40)) {
        let few = within(terms, |budget| (budget.arrows, budget.draws) = (24, 3000));
        let one = within(terms, |budget| (budget.arrows, budget.draws) = (24, 1));
        for (exact, found) in attack(&release, terms).iter().zip(attack(&release, one)) {
            if found.blocks.iter().any(|block| !block.support.exact) {
                single += 1;
                supports(exact, &found);
            }
        }
        for (exact, mut found) in attack(&release, terms).iter().zip(attack(&release, few)) {
            match found.ratio {
                RatioFigure::Unknown => {
                    unknown += 1;
                    assert!(!found.ratio.is_at_most(1e300) && !found.cra.is_at_least(1));
                }
                RatioFigure::AtMost { log10: bound } => {
                    drawn += 1;
                    close += u32::from(bound - log10(exact) < 0.2);
                    assert!(bound >= log10(exact), "{found:?}");
                    let SolutionCount::AtLeast { log10: least } = found.cra else {
                        panic!("a bound")
                    };
                    assert!(least <= exact.cra.log10().expect("exact"));
                    assert!(
                        found.ratio_is_at_most(&1_000_000u32.into(), &1u8.into())
                            <= (log10(exact) <= 6.0)
                    );
                    supports(exact, &found);
                }
                RatioFigure::Impossible => assert!(exact.is_impossible()),
                _ => {
                    if found.assignments == SolutionCount::Unknown {
                        // Distinct values need a graph, assignments another one.
                        found.assignments.clone_from(&exact.assignments);
                    }
                    assert_eq!(*exact, found);
                }
            }
        }
    }
    assert!(
        drawn > 100 && close > 50 && single > 50,
        "{drawn}, {close}, {unknown}, {single}"
    );
}

/// Sampled solutions are possible ones, and nothing is called certain that is not.
fn supports(exact: &AttackTarget, found: &AttackTarget) {
    let pairs = exact
        .blocks
        .iter()
        .map(|block| block.support)
        .zip(found.blocks.iter().map(|block| block.support));
    let slabs = exact
        .slabs
        .iter()
        .flatten()
        .copied()
        .zip(found.slabs.iter().flatten().copied());
    for (exact, found) in pairs.chain(slabs) {
        assert!(!found.exact && exact.least <= found.least && found.most <= exact.most);
    }
    if let Some(certain) = found.certain_crowds() {
        assert_eq!(Some(certain), exact.certain_crowds());
    }
    if let Some(cells) = found.certain_cells() {
        assert_eq!(Some(cells), exact.certain_cells());
    }
}

#[test]
fn a_grid_that_is_too_large_changes_nothing() {
    let mut compared = 0;
    for (release, terms) in releases(cases(30)) {
        let whole: u64 = release
            .columns()
            .iter()
            .map(|column| u64::from(column.leaves()))
            .product();
        // Not enough for the grid and all segments together, but for most targets and their
        // overlaps.
        let cells = whole + release.classes().len() as u64 - 1;
        let small = within(terms, |budget| budget.cells = cells);
        for (exact, found) in attack(&release, terms).iter().zip(attack(&release, small)) {
            if found.free_cells.is_some() {
                compared += 1;
                assert_eq!(*exact, found);
            }
        }
        let nothing = attack(&release, within(terms, |budget| budget.cells = 0));
        assert!(
            nothing
                .iter()
                .all(|target| !target.is_decided() && target.ratio == RatioFigure::Unknown)
        );
        assert!(
            nothing
                .iter()
                .all(|target| target.certain_cells().is_none() && target.crowds().is_none())
        );
    }
    assert!(compared > 100, "{compared}");
}

/// Twelve columns and k = 12: no graph can represent that, and some caps are dropped.
#[test]
fn twelve_columns() {
    let columns: Vec<LayeredColumn> = (0..12).map(|_| column(&[25; 2], &[2])).collect();
    let release = CarvedRelease::new(columns, Vec::new(), 15, 12).expect("a release");
    let mut terms = terms(Attacker::Paper, RepeatedValues::Repeated);
    (terms.budget.arrows, terms.budget.draws) = (160_000, 3000);
    let targets = attack(&release, terms);
    let RatioFigure::AtMost { log10 } = targets[0].ratio else {
        panic!("a bound: {:?}", targets[0].ratio)
    };
    // 2 · P(Binomial(15, 1/2) ≥ 12) of all solutions break one column's cap, so (1 − that)^12 keep
    // them all.
    let truth = -12.0 * (1.0 - 2.0 * f64::from(455 + 105 + 15 + 1) / 32768.0f64).log10();
    assert!(truth <= log10 && log10 < truth + 0.15, "{truth}, {log10}");
    assert_eq!(targets[0].certain_crowds(), Some(Vec::new()));
}

/// A class with more rows than its slabs may contain, or without a free cell, is not one of ARX-LR.
#[test]
fn no_solution() {
    let columns = || vec![column(&[10; 4], &[2, 2]), column(&[10; 4], &[2, 2])];
    let class = |state: [usize; 2], nodes: [usize; 2], rows| CarvedClass {
        state: state.into(),
        nodes: nodes.into(),
        rows,
    };
    for (classes, outliers) in [
        (vec![class([2, 1], [0, 0], 5)], 0),
        (
            vec![
                class([1, 1], [0, 0], 3),
                class([1, 1], [1, 0], 3),
                class([2, 1], [0, 0], 3),
            ],
            0,
        ),
        (vec![], 5),
    ] {
        let release = CarvedRelease::new(columns(), classes, outliers, 3).expect("a release");
        for (attacker, values) in BOTH {
            let targets = attack(&release, terms(attacker, values));
            let last = &targets[targets.len() - 1];
            assert!(
                last.is_impossible()
                    && last.cra == SolutionCount::Exact(0u8.into())
                    && !last.ratio.is_at_most(1e300)
            );
            assert!(!last.ratio_is_at_most(&u64::MAX.into(), &1u8.into()));
        }
    }
}

#[test]
fn what_is_no_release_is_refused() {
    let columns = || vec![column(&[10; 4], &[2, 2]), column(&[10; 4], &[2, 2])];
    let class = |state: [usize; 2], nodes: [usize; 2], rows| CarvedClass {
        state: state.into(),
        nodes: nodes.into(),
        rows,
    };
    let refused = |classes: Vec<CarvedClass>, k| CarvedRelease::new(columns(), classes, 0, k).err();
    assert_eq!(
        refused(vec![class([3, 3], [0, 0], 3)], 3),
        Some(Malformed::Class(0))
    );
    assert_eq!(
        refused(vec![class([1, 3], [4, 0], 3)], 3),
        Some(Malformed::Class(0))
    );
    assert_eq!(
        refused(vec![class([0, 3], [0, 0], 3)], 3),
        Some(Malformed::Class(0))
    );
    assert_eq!(
        refused(vec![class([1, 3], [0, 0], 0)], 3),
        Some(Malformed::Class(0))
    );
    assert_eq!(
        refused(vec![class([1, 1], [0, 0], 3); 2], 3),
        Some(Malformed::Twice(1))
    );
    assert_eq!(refused(Vec::new(), 1), Some(Malformed::Rows));
    let range = |of: &[(usize, usize)]| {
        of.iter()
            .map(|&(start, end)| start..end)
            .collect::<Vec<_>>()
    };
    let layers = [
        range(&[(0, 1), (1, 2), (2, 3)]),
        range(&[(0, 2), (2, 3)]),
        range(&[(0, 3)]),
    ];
    assert!(LayeredColumn::new(vec![5, 5, 2], &layers).is_ok());
    assert_eq!(
        LayeredColumn::new(vec![5, 4, 5], &layers).err(),
        Some(Malformed::Unequal)
    );
    assert_eq!(
        LayeredColumn::new(vec![5, 5, 0], &layers).err(),
        Some(Malformed::Hierarchy)
    );
    assert_eq!(
        LayeredColumn::new(vec![5, 5, 5], &layers[..2]).err(),
        Some(Malformed::Hierarchy)
    );
    let late = vec![class([1, 2], [0, 0], 3), class([1, 1], [3, 3], 3)];
    let release = CarvedRelease::new(columns(), late, 0, 3).expect("a release");
    let strongest = RefinementAttack::new(
        &release,
        terms(Attacker::Strongest, RepeatedValues::Distinct),
    )
    .err();
    assert_eq!(strongest, Some(Malformed::OutOfOrder(1)));
    assert!(
        RefinementAttack::new(&release, terms(Attacker::Paper, RepeatedValues::Distinct)).is_ok()
    );
}
