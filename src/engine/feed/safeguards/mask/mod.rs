//! MASK (MIN 6, hardened as in SCIENCE 5): once per increment, in atoms with too large a share of a
//! guarded set, some rows permanently get another value, so that what is published follows a share
//! that was drawn from other atoms.
//!
//! The rows of an atom look alike to readers, so this room knows no people: only how many rows of a
//! cell have a value.

mod draws;
mod replacement_values;
mod shares;

use std::collections::BTreeSet;

use crate::histogram::ValueCode;
pub use draws::Draws;
pub use replacement_values::{ReplacementSources, ReplacementValues};
pub use shares::{AtomShare, AtomShares};

/// Equal rows of an atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EqualRows {
    /// The cell that distinguishes them from other rows of the atom.
    pub cell: u32,
    /// Their value.
    pub value: ValueCode,
    /// The number of rows.
    pub rows: u64,
}

/// Rows that are published with another value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The atom.
    pub atom: u32,
    /// Their cell in it.
    pub cell: u32,
    /// Their own value.
    pub from: ValueCode,
    /// The published value.
    pub to: ValueCode,
    /// The number of rows.
    pub rows: u64,
}

/// No value can be published instead: every person has a guarded value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoReplacement;

/// Masks the atoms of an increment for guarded sets, one set after the other; `sets` say for each
/// value whether it is in them. The result is as secret as the values.
///
/// # Errors
/// Rows have to be changed, and no value is available for them.
///
/// # Panics
/// If the sets do not cover a value.
pub fn mask(
    atoms: &[Vec<EqualRows>],
    sets: &[Vec<bool>],
    l: u64,
    stocks: &dyn ReplacementSources,
    draws: &mut dyn Draws,
) -> Result<Vec<Change>, NoReplacement> {
    assert!(
        sets.windows(2).all(|pair| pair[0].len() == pair[1].len()),
        "a mark for each value"
    );
    let mut atoms: Vec<Vec<EqualRows>> = atoms.to_vec();
    let mut changes = Vec::new();
    for set in sets {
        let crowds: Vec<AtomShare> = atoms.iter().map(|rows| crowd(rows, set)).collect();
        for (at, target) in AtomShares::of(&crowds, l).targets(&crowds, draws) {
            let (rows, AtomShare { people, guarded }) = (&mut atoms[at], crowds[at]);
            let stock = replacement_values::of(stocks, at, people).ok_or(NoReplacement)?;
            let chosen = some(guarded, guarded - target, draws);
            let mut changed = Vec::with_capacity(chosen.len());
            for (cell, from) in taken(rows, set, &chosen) {
                let to = stock.draw(draws);
                changes.push(Change {
                    atom: at as u32,
                    cell,
                    from,
                    to,
                    rows: 1,
                });
                changed.push(EqualRows {
                    cell,
                    value: to,
                    rows: 1,
                });
            }
            // For the sets that follow, these rows have their published values.
            rows.append(&mut changed);
        }
    }
    Ok(gathered(changes))
}

/// The number of rows of an atom, and how many of them are in a set.
fn crowd(rows: &[EqualRows], set: &[bool]) -> AtomShare {
    let held = rows.iter().filter(|rows| set[rows.value as usize]);
    AtomShare {
        people: rows.iter().map(|rows| rows.rows).sum(),
        guarded: held.map(|rows| rows.rows).sum(),
    }
}

/// `many` different numbers of `0..of`, every choice equally likely (Floyd's algorithm).
fn some(of: u64, many: u64, draws: &mut dyn Draws) -> BTreeSet<u64> {
    assert!(many <= of, "some of all");
    let mut chosen = BTreeSet::new();
    for last in of - many..of {
        let drawn = draws.below(last + 1);
        chosen.insert(if chosen.contains(&drawn) { last } else { drawn });
    }
    chosen
}

/// Removes the rows of a set at these indices; returns the cell and the value of each.
fn taken(rows: &mut [EqualRows], set: &[bool], places: &BTreeSet<u64>) -> Vec<(u32, ValueCode)> {
    let (mut before, mut taken) = (0, Vec::with_capacity(places.len()));
    for rows in rows.iter_mut().filter(|rows| set[rows.value as usize]) {
        let here = places.range(before..before + rows.rows).count() as u64;
        taken.extend((0..here).map(|_| (rows.cell, rows.value)));
        before += rows.rows;
        rows.rows -= here;
    }
    taken
}

/// Equal changes combined, in order: nothing shows the order in which they were drawn.
fn gathered(mut changes: Vec<Change>) -> Vec<Change> {
    changes.sort_unstable();
    changes.dedup_by(|next, before| {
        let same = (next.atom, next.cell, next.from, next.to)
            == (before.atom, before.cell, before.from, before.to);
        before.rows += if same { next.rows } else { 0 };
        same
    });
    changes
}
