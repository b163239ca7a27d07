//! Figures published by other authors.

use tidegate::engine::arithmetic::RationalNumber;
use tidegate::engine::dominance::{DominanceRule, SumCell};
use tidegate::engine::policy::Decimal;
use tidegate::engine::sums::{
    CellSuppression, Dimension, Dimensions, Interval, Protection, Range, Sensitive, SumSystem,
    SumsAttack, SuppressionProblem,
};

/// The table of the introduction of Fischetti and Salazar (Management Science 47, 2001): investment
/// by activity and region.
const INVESTMENT: [[i128; 4]; 4] = [
    [190, 45, 101, 44],
    [80, 20, 50, 10],
    [49, 8, 19, 22],
    [61, 17, 32, 12],
];

fn table() -> (Dimensions, SumSystem, Vec<i128>) {
    let table = Dimensions::new(vec![Dimension::flat(3), Dimension::flat(3)]);
    let system = table.system(Range::NotNegative);
    (table, system, INVESTMENT.concat())
}

fn between(low: i128, high: i128) -> Interval {
    Interval {
        low: Some(RationalNumber::whole(low)),
        high: Some(RationalNumber::whole(high)),
    }
}

#[test]
fn the_pattern_of_the_paper_leaves_the_interval_of_the_paper() {
    let (table, system, values) = table();
    // Activity II in region C is sensitive; II in A and III in A and C are suppressed with it.
    let out: Vec<usize> = [[2, 3], [2, 1], [3, 1], [3, 3]]
        .map(|codes| table.cell(&codes))
        .to_vec();
    let published = (0..16)
        .map(|cell| (!out.contains(&cell)).then_some(values[cell]))
        .collect();
    let readers = SumsAttack::new(&system, published);
    assert_eq!(readers.intervals(&out[..1]), Ok(vec![between(5, 30)]));
    assert!(
        out.iter()
            .all(|&cell| readers.derivation(&[(cell, 1)]).is_none())
    );
    // With one cell fewer it can be computed.
    for cell in 1..4 {
        let published = (0..16)
            .map(|at| (at == out[cell] || !out.contains(&at)).then_some(values[at]))
            .collect();
        assert_eq!(
            SumsAttack::new(&system, published).intervals(&out[..1]),
            Ok(vec![between(22, 22)])
        );
    }
}

#[test]
fn the_cheapest_pattern_of_the_paper_is_found() {
    let (table, system, values) = table();
    let sensitive = [Sensitive {
        cell: table.cell(&[2, 3]),
        up: 5,
        down: 5,
    }];
    let costs: Vec<Option<u64>> = values
        .iter()
        .map(|&value| u64::try_from(value).ok())
        .collect();
    let problem = SuppressionProblem {
        system: &system,
        values: &values,
        costs: &costs,
        hidden: &[],
        sensitive: &sensitive,
        lone: &[],
        work: 100_000,
    };
    let found = problem.protect();
    // 8 + 17 + 12: every other rectangle through the cell has a greater sum, and any pattern
    // contains a closed path.
    let secondary = vec![
        table.cell(&[2, 1]),
        table.cell(&[3, 1]),
        table.cell(&[3, 3]),
    ];
    assert_eq!(
        found,
        Protection::Protected(CellSuppression {
            secondary,
            cost: 37,
            least: true
        })
    );
}

#[test]
fn protection_is_what_the_rules_leave_open() {
    let cell = |contributions: &[i64]| SumCell::of(contributions.iter().copied(), 3);
    let share = |text: &str| Decimal::parse(text).expect("a decimal");
    let percent =
        |text: &str, of: &[i64]| DominanceRule::Percent(share(text)).protection(&cell(of));
    let dominance = |largest: usize, text: &str, of: &[i64]| {
        DominanceRule::Dominance {
            largest,
            share: share(text),
        }
        .protection(&cell(of))
    };
    // p · x1 − (X − x1 − x2)
    assert_eq!(percent("0.1", &[900, 50, 30]), 90 - 30);
    assert_eq!(percent("0.1", &[900]), 90);
    assert_eq!(percent("0.15", &[11, 1, 1]), 1, "0.65, rounded up");
    assert_eq!(percent("0.1", &[900, 90, 50]), 40);
    assert_eq!(percent("0.1", &[900, 50, 50, 40]), 0, "not sensitive");
    // (x1 + … + xn) / r − X
    assert_eq!(dominance(2, "0.8", &[60, 30, 10]), 113 - 100);
    assert_eq!(dominance(1, "0.5", &[60, 30]), 120 - 90);
    assert_eq!(dominance(1, "0.7", &[60, 30]), 0);
    assert_eq!(
        dominance(2, "0.8", &[i64::MAX, i64::MAX, 0]),
        u128::from(u64::MAX - 1).div_ceil(4)
    );
}
