//! Faults of a table of sums, in tables that are small enough to be followed by hand.

use tidegate::engine::arithmetic::RationalNumber;
use tidegate::engine::dominance::{DominanceRule, SumCell};
use tidegate::engine::policy::Decimal;
use tidegate::engine::sums::{
    CellFault, CellMark, Dimension, Dimensions, Interval, Range, SumsTable, SumsVerdict, TableCell,
};

/// A table with these marks and values.
fn table(dimensions: Vec<Dimension>, cells: &[(CellMark, i128)]) -> SumsTable {
    let entry = |&(mark, value): &(CellMark, i128)| TableCell {
        mark,
        value: Some(value),
        contributors: None,
        contributions: None,
    };
    let entries = cells.iter().map(entry).collect();
    SumsTable {
        dimensions: Dimensions::new(dimensions),
        range: Range::NotNegative,
        entries,
    }
}

/// A total, then its parts.
fn flat(cells: &[(CellMark, i128)]) -> SumsTable {
    table(vec![Dimension::flat(cells.len() - 1)], cells)
}

/// Two rows and two columns with their totals; no inner cell is published. Readers compute 10 to
/// 30, 20 to 40, and 0 to 20 twice.
fn square() -> SumsTable {
    use CellMark::{LeftOut as Out, Published as Shown};
    let rows = [
        [(Shown, 70), (Shown, 30), (Shown, 40)],
        [(Shown, 50), (Out, 20), (Out, 30)],
        [(Shown, 20), (Out, 10), (Out, 10)],
    ];
    table(vec![Dimension::flat(2), Dimension::flat(2)], &rows.concat())
}

fn contributed(table: &mut SumsTable, cell: usize, contributions: &[i64]) {
    let entry = &mut table.entries[cell];
    entry.contributors = Some(contributions.len() as u64);
    entry.contributions = Some(SumCell::of(contributions.iter().copied(), 3));
}

fn judged(table: &SumsTable, p: &str) -> SumsVerdict {
    table
        .judge(&[DominanceRule::Percent(Decimal::parse(p).expect("a share"))])
        .expect("numbers that fulfil all totals")
}

fn whole(low: i128, high: i128) -> Interval {
    Interval {
        low: Some(RationalNumber::whole(low)),
        high: Some(RationalNumber::whole(high)),
    }
}

#[test]
fn what_can_be_computed_follows_or_is_alone_in_its_range() {
    use CellMark::{LeftOut, Published, Secondary};
    // One is suppressed, and the rest follows.
    let found = judged(
        &flat(&[(Published, 100), (LeftOut, 40), (Published, 60)]),
        "0.1",
    );
    assert_eq!(
        (found.faults, found.computed[0].derivable),
        (vec![(1, CellFault::Recovered)], true)
    );
    assert_eq!(found.not_judged, 2);
    // Two cells whose sum is zero are both zero, but only if no number is negative.
    let mut nothing = flat(&[(Published, 60), (LeftOut, 0), (LeftOut, 0), (Published, 60)]);
    let found = judged(&nothing, "0.1");
    assert_eq!(
        found.faults,
        [(1, CellFault::Recovered), (2, CellFault::Recovered)]
    );
    assert!(
        found
            .computed
            .iter()
            .all(|of| of.interval == whole(0, 0) && !of.derivable)
    );
    nothing.range = Range::Free;
    let found = judged(&nothing, "0.1");
    assert!(
        found.faults.is_empty()
            && found.computed.iter().all(|of| of.interval
                == Interval {
                    low: None,
                    high: None
                })
    );
    // A cell that protects others may be known if no rule applies to it.
    let found = judged(
        &flat(&[(Published, 100), (Secondary, 40), (Published, 60)]),
        "0.1",
    );
    assert!(found.faults.is_empty() && found.computed[0].derivable);
}

#[test]
fn a_cell_is_known_too_closely_within_its_protection() {
    let square = square();
    let intervals = [whole(10, 30), whole(20, 40), whole(0, 20), whole(0, 20)];
    assert!(
        judged(&square, "0.1")
            .computed
            .iter()
            .map(|of| &of.interval)
            .eq(&intervals)
    );
    // Without contributions: an estimate with an error below p. The errors are a half, a third, and
    // all.
    for (p, narrow) in [
        ("0.33", &[][..]),
        ("0.34", &[5]),
        ("0.5", &[5]),
        ("0.51", &[4, 5]),
        ("1", &[4, 5]),
    ] {
        let meant: Vec<(usize, CellFault)> = narrow
            .iter()
            .map(|&cell| (cell, CellFault::Narrow))
            .collect();
        assert_eq!(judged(&square, p).faults, meant, "{p}");
    }
    // With them: p of the largest one, less the amount that the third and smaller ones hide. The
    // interval reaches 10 to both sides.
    for (contributions, p, is_narrow) in [
        (&[25, 5][..], "0.4", false),
        (&[25, 5], "0.41", true),
        (&[20, 5, 5], "0.75", false),
        (&[20, 5, 5], "0.76", true),
    ] {
        let mut table = square_with(&square, 5, contributions);
        let meant = if is_narrow {
            vec![(5, CellFault::Narrow)]
        } else {
            Vec::new()
        };
        let found = |table: &SumsTable| {
            let faults = judged(table, p).faults;
            faults
                .into_iter()
                .filter(|fault| fault.0 == 5)
                .collect::<Vec<_>>()
        };
        assert_eq!(found(&table), meant, "{contributions:?}, {p}");
        table.entries[5].mark = CellMark::Secondary;
        assert_eq!(found(&table), meant, "whatever it is left out for");
    }
    // Below 0 there are no values: 10 is protected by 0 to 20, whatever its size would require.
    let all = square_with(&square, 7, &[10]);
    assert!(judged(&all, "1").faults.iter().all(|fault| fault.0 != 7));
}

fn square_with(square: &SumsTable, cell: usize, contributions: &[i64]) -> SumsTable {
    let (dimensions, entries) = (square.dimensions.clone(), square.entries.clone());
    let mut table = SumsTable {
        dimensions,
        range: square.range,
        entries,
    };
    contributed(&mut table, cell, contributions);
    table
}

#[test]
fn a_lone_contributor_knows_their_own_cell() {
    use CellMark::{LeftOut, Primary, Published, Secondary};
    let mut table = flat(&[
        (Published, 100),
        (Primary, 40),
        (Secondary, 10),
        (Published, 50),
    ]);
    contributed(&mut table, 1, &[20, 15, 5]);
    contributed(&mut table, 2, &[10]);
    // 0 to 50 protects 40; the contributor of the 10 knows it.
    assert_eq!(judged(&table, "0.1").faults, [(1, CellFault::Known(2))]);
    // The same if no inner value is known.
    (1..3).for_each(|cell| {
        table.entries[cell] = TableCell {
            value: None,
            contributions: None,
            ..table.entries[cell].clone()
        }
    });
    table.entries[1].mark = LeftOut;
    assert_eq!(judged(&table, "0.1").faults, [(1, CellFault::Known(2))]);
    // With two contributors neither of them knows all of it.
    table.entries[2].contributors = Some(2);
    assert!(judged(&table, "0.1").faults.is_empty());
}

/// Beyond this many pairs of cells only exact consequences are computed, and none of them is
/// missed.
#[test]
fn lone_contributors_of_large_tables_know_what_those_of_small_ones_do() {
    use CellMark::{LeftOut, Published};
    for rows in [3, 20, 45] {
        let row = |at: i128| [(Published, 30 + at), (LeftOut, 10), (LeftOut, 20 + at)];
        let total = |column: usize| (0..rows).map(|at| row(at)[column].1).sum::<i128>();
        let mut cells = vec![
            (Published, total(0)),
            (Published, total(1)),
            (Published, total(2)),
        ];
        cells.extend((0..rows).flat_map(row));
        let rows = usize::try_from(rows).expect("few");
        let mut table = table(vec![Dimension::flat(rows), Dimension::flat(2)], &cells);
        let pairs: Vec<[usize; 2]> = (1..=rows)
            .map(|row| [1, 2].map(|of| table.dimensions.cell(&[row, of])))
            .collect();
        for [lone, other] in &pairs {
            table.entries[*lone].contributors = Some(1);
            table.entries[*other].contributors = Some(9);
        }
        let meant: Vec<(usize, CellFault)> = pairs
            .iter()
            .map(|&[lone, other]| (other, CellFault::Known(lone)))
            .collect();
        assert_eq!(judged(&table, "0.1").faults, meant, "{rows} rows");
    }
}

#[test]
fn values_that_are_missing_follow_from_others() {
    use CellMark::Published as Shown;
    let table = |values: &[Option<i128>]| {
        let mut table = flat(&vec![(Shown, 0); values.len()]);
        table
            .entries
            .iter_mut()
            .zip(values)
            .for_each(|(entry, value)| entry.value = *value);
        let missing = table.complete();
        (
            missing,
            table
                .entries
                .into_iter()
                .map(|entry| entry.value)
                .collect::<Vec<_>>(),
        )
    };
    let all = vec![Some(100), Some(40), Some(60)];
    for missing in 0..3 {
        let values: Vec<Option<i128>> =
            (0..3).map(|at| all[at].filter(|_| at != missing)).collect();
        assert_eq!(table(&values), (None, all.clone()));
    }
    assert_eq!(
        table(&[Some(100), None, None]),
        (Some(1), vec![Some(100), None, None])
    );
}

#[test]
fn an_estimate_errs_by_half_the_interval_over_its_middle() {
    let error = |low: i128, high: i128| whole(low, high).relative_error();
    assert_eq!(error(10, 30), Some(RationalNumber::new(1.into(), 2.into())));
    assert_eq!(
        (error(7, 7), error(0, 0)),
        (
            Some(RationalNumber::whole(0)),
            Some(RationalNumber::whole(0))
        )
    );
    assert_eq!(
        (error(0, 5), error(-1, 5)),
        (Some(RationalNumber::whole(1)), None)
    );
    assert_eq!(
        Interval {
            high: None,
            ..whole(1, 2)
        }
        .relative_error(),
        None
    );
    assert_eq!(
        Interval {
            low: None,
            ..whole(1, 2)
        }
        .relative_error(),
        None
    );
}
