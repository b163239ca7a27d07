//! The changes of rows.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use tidegate::engine::safeguards::mask::{
    Change, Draws, EqualRows, NoReplacement, ReplacementSources, ReplacementValues, mask,
};

use super::branches;
use crate::common::random::{self, Draw};

/// Random draws of a test.
pub struct Drawn<'d>(pub &'d mut Draw);

impl Draws for Drawn<'_> {
    fn below(&mut self, n: u64) -> u64 {
        self.0.between(0, n - 1)
    }
}

/// The same replacement values for every atom.
pub struct Same(pub Vec<ReplacementValues>);

impl ReplacementSources for Same {
    fn around(&self, _: usize, higher: usize) -> Option<ReplacementValues> {
        self.0.get(higher).cloned()
    }
}

pub fn rows(counts: &[(u32, u32, u64)]) -> Vec<EqualRows> {
    counts
        .iter()
        .map(|&(cell, value, rows)| EqualRows { cell, value, rows })
        .collect()
}

/// Rows by cell and value after changes, which must apply to existing rows.
fn after(atoms: &[Vec<EqualRows>], changes: &[Change]) -> Vec<BTreeMap<(u32, u32), u64>> {
    let mut after = vec![BTreeMap::<(u32, u32), u64>::new(); atoms.len()];
    for (atom, rows) in after.iter_mut().zip(atoms) {
        rows.iter()
            .for_each(|rows| *atom.entry((rows.cell, rows.value)).or_default() += rows.rows);
    }
    for change in changes {
        let atom = &mut after[change.atom as usize];
        let left = atom
            .get_mut(&(change.cell, change.from))
            .expect("there are such rows");
        *left = left.checked_sub(change.rows).expect("enough of them");
        *atom.entry((change.cell, change.to)).or_default() += change.rows;
    }
    after
}

/// No atom shows more of any set than permitted; no row leaves a cell; rows outside the sets, and
/// atoms with few enough, do not change; and every change is to a replacement value outside all
/// sets.
#[test]
fn masked_atoms_show_no_more_than_is_allowed() {
    let seen = AtomicU64::new(0);
    random::run("masked atoms", 240, |draw| {
        let l = draw.between(2, 6);
        let values = draw.between(3, 8) as u32;
        let sets: Vec<Vec<bool>> = (0..draw.between(1, 3))
            .map(|_| {
                (0..values)
                    .map(|value| value > 0 && draw.once_in(3))
                    .collect()
            })
            .collect();
        let guarded = |value: u32| sets.iter().any(|set| set[value as usize]);
        let atoms: Vec<Vec<EqualRows>> = (0..draw.between(1, 6))
            .map(|_| {
                let some = (0..draw.between(1, 9)).map(|_| {
                    let (cell, value) = (
                        draw.between(0, 2) as u32,
                        draw.between(0, u64::from(values) - 1) as u32,
                    );
                    (cell, value, draw.between(1, 5))
                });
                rows(&some.collect::<Vec<_>>())
            })
            .collect();
        let outside = (0..values)
            .filter(|value| !guarded(*value))
            .map(|value| (value, 1 + u64::from(value)));
        let stock = ReplacementValues::of(outside);
        let changes =
            mask(&atoms, &sets, l, &Same(vec![stock]), &mut Drawn(draw)).expect("there is a stock");
        seen.fetch_add(u64::from(!changes.is_empty()), Ordering::Relaxed);
        assert!(
            changes
                .iter()
                .all(|change| guarded(change.from) && !guarded(change.to)),
            "{changes:?}"
        );
        for (before, after) in atoms.iter().zip(after(&atoms, &changes)) {
            let people: u64 = before.iter().map(|rows| rows.rows).sum();
            assert_eq!(after.values().sum::<u64>(), people);
            for cell in 0..3 {
                let held = before
                    .iter()
                    .filter(|rows| rows.cell == cell)
                    .map(|rows| rows.rows)
                    .sum::<u64>();
                let holds: u64 = after
                    .iter()
                    .filter(|((at, _), _)| *at == cell)
                    .map(|(_, rows)| rows)
                    .sum();
                assert_eq!(held, holds);
            }
            for set in &sets {
                let held: u64 = before
                    .iter()
                    .filter(|rows| set[rows.value as usize])
                    .map(|rows| rows.rows)
                    .sum();
                let shows = after.iter().filter(|((_, value), _)| set[*value as usize]);
                let shows: u64 = shows.map(|(_, rows)| rows).sum();
                assert!(
                    shows * l <= people && shows <= held,
                    "{shows} of {people} where {held} were, l = {l}"
                );
            }
        }
        let fine = |rows: &Vec<EqualRows>| {
            let people: u64 = rows.iter().map(|rows| rows.rows).sum();
            let held = |set: &Vec<bool>| {
                rows.iter()
                    .filter(|rows| set[rows.value as usize])
                    .map(|rows| rows.rows)
                    .sum()
            };
            sets.iter().all(|set| {
                let held: u64 = held(set);
                held * l <= people
            })
        };
        assert!(
            changes
                .iter()
                .all(|change| !fine(&atoms[change.atom as usize])),
            "{changes:?}"
        );
    });
    let seen = seen.into_inner();
    println!("{seen} had values to change");
    assert!(seen > 100, "many have to be changed");
}

/// Which rows are changed, and to which value, is drawn uniformly.
#[test]
fn every_row_of_the_set_is_as_likely_to_be_changed() {
    // Three guarded rows of four, of which one may stay, in cells of one and of two.
    let atoms = [rows(&[(0, 1, 1), (1, 1, 2), (1, 0, 1)])];
    let stock = Same(vec![ReplacementValues::of([(2, 1), (3, 3)])]);
    let sets = [vec![false, true, false, false]];
    let mut kept = BTreeMap::new();
    let mut to = BTreeMap::new();
    for (weight, changes) in
        branches::all(|draws| mask(&atoms, &sets, 4, &stock, draws).expect("there is a stock"))
    {
        let cell = |cell: u32| {
            changes
                .iter()
                .filter(|change| change.cell == cell)
                .map(|change| change.rows)
                .sum::<u64>()
        };
        *kept.entry((cell(0), cell(1))).or_insert(0.0) += weight;
        for change in changes {
            *to.entry(change.to).or_insert(0.0) += weight * change.rows as f64;
        }
    }
    let close = |found: f64, wanted: f64| {
        assert!((found - wanted).abs() < 1e-12, "{found} is not {wanted}")
    };
    // The one that stays is any of the three.
    assert_eq!(kept.keys().copied().collect::<Vec<_>>(), [(0, 2), (1, 1)]);
    close(kept[&(0, 2)], 1.0 / 3.0);
    close(to[&2], 2.0 / 4.0);
    close(to[&3], 2.0 * 3.0 / 4.0);
}

#[test]
fn the_nearest_stock_that_is_large_enough_is_drawn_from() {
    let atoms = [rows(&[(0, 1, 3), (0, 0, 1)])];
    let sets = [vec![false, true, false, false]];
    let drawn = |stocks: &[&[(u32, u64)]]| {
        let stocks = Same(
            stocks
                .iter()
                .map(|stock| ReplacementValues::of(stock.iter().copied()))
                .collect(),
        );
        random_changes(&atoms, &sets, &stocks)
    };
    // Four people need forty.
    assert_eq!(drawn(&[&[(0, 39)], &[(2, 40)], &[(3, 99)]]), Ok(vec![2]));
    assert_eq!(drawn(&[&[(0, 40)], &[(2, 40)]]), Ok(vec![0]));
    assert_eq!(drawn(&[&[(0, 1)], &[(2, 2)], &[(3, 3)]]), Ok(vec![3]));
    assert_eq!(drawn(&[&[(0, 0)], &[]]), Err(NoReplacement));
}

/// The replacement values.
fn random_changes(
    atoms: &[Vec<EqualRows>],
    sets: &[Vec<bool>],
    stocks: &Same,
) -> Result<Vec<u32>, NoReplacement> {
    let changes = mask(atoms, sets, 4, stocks, &mut Drawn(&mut Draw::new(1, 1)))?;
    let mut to: Vec<u32> = changes.iter().map(|change| change.to).collect();
    to.dedup();
    Ok(to)
}
