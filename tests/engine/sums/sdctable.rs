//! Examples of sdcTable (Statistics Austria), with the results in its tests and its manual:
//! sensitive cells, secondary suppressions, and intervals.

use tidegate::engine::arithmetic::RationalNumber;
use tidegate::engine::dominance::{DominanceRule, SumCell};
use tidegate::engine::policy::Decimal;
use tidegate::engine::sums::{
    CellSuppression, Dimension, Dimensions, Interval, Protection, Range, Sensitive, SumSystem,
    SumsAttack, SuppressionProblem,
};

/// Its data set `microdata1`: region, gender (m, f) and value of a hundred people.
const PEOPLE: &str = "Cm9 Cm11 Am10 Am11 Cm18 Df10 Df6 Af9 Am5 Cm12 Af11 Bf10 Bm11 Bm5 Cf10 Df11 Am7 Bm7 Cm10 Am13 Bm12 Dm280 Am15 Cf12 \
     Df16 Dm9 Am13 Bf16 Dm9 Cm6 Cf11 Bm14 Bf12 Bf8 Bf18 Dm8 Cf7 Dm7 Bf11 Cm11 Bm15 Am6 Df14 Bf8 Bf12 Dm9 Bf14 Cm6 Cf12 Bf13 Am9 Cf9 Df9 \
     Bf7 Cm6 Bm9 Bf9 Am7 Cf9 Dm8 Bm10 Am9 Df7 Df6 Am8 Am9 Df14 Df10 Dm7 Am10 Cf19 Bm10 Bf14 Df11 Df9 Bf5 Df11 Dm8 Am10 Bf13 Bf8 Cf9 Am18 \
     Bm7 Bm10 Bm8 Cm11 Am6 Cm6 Cf8 Cm12 Dm11 Bf10 Df18 Bf9 Bm8 Dm10 Bf7 Am12 Bm14";

/// Regions and genders with their totals, and the values in each of the fifteen cells, in
/// sdcTable's order.
fn people() -> (Dimensions, Vec<Vec<i64>>) {
    let table = Dimensions::new(vec![Dimension::flat(4), Dimension::flat(2)]);
    let mut cells = vec![Vec::new(); 15];
    for person in PEOPLE.split_whitespace() {
        let region = 1 + "ABCD".find(&person[..1]).expect("a region");
        let gender = 1 + "mf".find(&person[1..2]).expect("a gender");
        let value: i64 = person[2..].parse().expect("a value");
        for (region, gender) in [(0, 0), (0, gender), (region, 0), (region, gender)] {
            cells[table.cell(&[region, gender])].push(value);
        }
    }
    assert_eq!(cells[0].len(), 100);
    (table, cells)
}

/// Numbers of cells from 1, as sdcTable counts them.
fn numbered(cells: &[usize]) -> Vec<usize> {
    cells.iter().map(|cell| cell + 1).collect()
}

#[test]
fn the_same_cells_are_sensitive() {
    let (_, cells) = people();
    let share = |text: &str| Decimal::parse(text).expect("a share");
    let sensitive = |rule: DominanceRule| -> Vec<usize> {
        let is = |cell: &usize| rule.is_sensitive(&SumCell::of(cells[*cell].iter().copied(), 3));
        numbered(&(0..15).filter(is).collect::<Vec<_>>())
    };
    assert_eq!(
        sensitive(DominanceRule::Dominance {
            largest: 2,
            share: share("0.75")
        }),
        [6, 14]
    );
    assert_eq!(sensitive(DominanceRule::Percent(share("0.7"))), [6, 14]);
    assert_eq!(sensitive(DominanceRule::Percent(share("0.3"))), [6, 14]);
    let few: Vec<usize> = (0..15).filter(|&cell| cells[cell].len() <= 2).collect();
    assert_eq!(numbered(&few), [6]);
}

fn protected(system: &SumSystem, values: &[i128], sensitive: &[Sensitive]) -> CellSuppression {
    let costs: Vec<Option<u64>> = values
        .iter()
        .map(|&value| u64::try_from(value).ok())
        .collect();
    let problem = SuppressionProblem {
        system,
        values,
        costs: &costs,
        hidden: &[],
        sensitive,
        lone: &[],
        work: 100_000,
    };
    match problem.protect() {
        Protection::Protected(found) => found,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_same_cells_are_left_out_with_a_sensitive_one() {
    let (table, cells) = people();
    let values: Vec<i128> = cells.iter().map(|cell| cell.len() as i128).collect();
    // Women in region A.
    let sensitive = [Sensitive {
        cell: 5,
        up: 1,
        down: 1,
    }];
    let found = protected(&table.system(Range::NotNegative), &values, &sensitive);
    assert!(found.least);
    assert_eq!(
        numbered(&found.secondary),
        [5, 11, 12],
        "men in A, and both in C"
    );
}

/// Two cells of each row and column are suppressed, and one of them can be computed all the same.
#[test]
fn a_cell_that_can_be_computed_is_found_and_protected() {
    let table = Dimensions::new(vec![Dimension::flat(4), Dimension::flat(4)]);
    let system = table.system(Range::NotNegative);
    let inner: [[i128; 4]; 4] = [
        [30, 47, 64, 89],
        [90, 124, 5, 31],
        [92, 100, 59, 85],
        [800, 991, 651, 685],
    ];
    let mut values = vec![0; 25];
    for (row, of) in inner.iter().enumerate() {
        for (column, value) in of.iter().enumerate() {
            for (row, column) in [(0, 0), (0, column + 1), (row + 1, 0), (row + 1, column + 1)] {
                values[table.cell(&[row, column])] += value;
            }
        }
    }
    assert_eq!(
        (
            values[0],
            values[table.cell(&[4, 0])],
            values[table.cell(&[0, 2])]
        ),
        (3943, 3127, 1262)
    );
    let out = [
        [1, 1],
        [1, 2],
        [1, 3],
        [2, 1],
        [2, 3],
        [3, 2],
        [3, 4],
        [4, 2],
        [4, 4],
    ]
    .map(|codes| table.cell(&codes));
    let open = table.cell(&[1, 2]);
    let attack = |out: &[usize]| {
        let published = (0..25)
            .map(|cell| (!out.contains(&cell)).then_some(values[cell]))
            .collect();
        let readers = SumsAttack::new(&system, published);
        let known = readers.derivation(&[(open, 1)]).is_some();
        (known, readers.intervals(&[open]).expect("no contradiction"))
    };
    let between = |low: i128, high: i128| {
        vec![Interval {
            low: Some(RationalNumber::whole(low)),
            high: Some(RationalNumber::whole(high)),
        }]
    };
    assert_eq!(attack(&out), (true, between(47, 47)));
    // Its heuristic suppresses x with b, and its attack finds this interval.
    let with = [&out[..], &[table.cell(&[2, 2])]].concat();
    assert_eq!(attack(&with), (false, between(0, 141)));
    // One more cell is enough, and none is cheaper.
    let sensitive: Vec<Sensitive> = out
        .iter()
        .map(|&cell| Sensitive {
            cell,
            up: 1,
            down: 1,
        })
        .collect();
    let found = protected(&system, &values, &sensitive);
    assert!(found.least && found.secondary.len() == 1, "{found:?}");
    let (known, interval) = attack(&[&out[..], &found.secondary].concat());
    assert!(!known && interval[0].low < interval[0].high, "{interval:?}");
    assert!(found.cost <= 124, "{found:?}");
}
