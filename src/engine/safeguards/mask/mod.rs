//! MASK (MIN 6, hardened as in SCIENCE 5): once per increment, on its atoms, some rows of those that hold too large a share
//! of a guarded set get another value for ever, so that what is published follows from a share that was drawn elsewhere.
//!
//! Rows of an atom are all alike to readers, so nothing here knows people: only how many rows of a cell have a value.

mod shares;
mod stock;

use crate::engine::histogram::ValueCode;
pub use shares::{Crowd, Shares};
pub use stock::{Stock, Stocks};

/// Where numbers come from that nobody can foresee.
pub trait Draws {
    /// One of `0..n`, each as likely.
    fn below(&mut self, n: u64) -> u64;
}

/// Rows of an atom that are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// What tells them from others of the atom.
    pub cell: u32,
    /// Their value.
    pub value: ValueCode,
    /// How many.
    pub rows: u64,
}

/// Rows that are published with another value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The atom.
    pub atom: u32,
    /// Their cell in it.
    pub cell: u32,
    /// What they have.
    pub from: ValueCode,
    /// What is published of them.
    pub to: ValueCode,
    /// How many.
    pub rows: u64,
}

/// There is no value to publish instead: everybody has a guarded one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nothing;

/// Masks the atoms of an increment for guarded sets, one after the other; `sets` say of each value whether it is in them.
/// What comes out is as secret as the values.
///
/// # Errors
/// Rows have to be changed, and there is nothing that they could be changed to.
///
/// # Panics
/// If a value is none of those that the sets speak of.
pub fn mask(
    atoms: &[Vec<Rows>],
    sets: &[Vec<bool>],
    l: u64,
    stocks: &dyn Stocks,
    draws: &mut dyn Draws,
) -> Result<Vec<Change>, Nothing> {
    let mut atoms: Vec<Vec<Rows>> = atoms.to_vec();
    let mut changes = Vec::new();
    for set in sets {
        let crowds: Vec<Crowd> = atoms.iter().map(|rows| crowd(rows, set)).collect();
        for (at, target) in Shares::of(&crowds, l).targets(&crowds, draws) {
            let (rows, Crowd { people, guarded }) = (&mut atoms[at], crowds[at]);
            let stock = stock::of(stocks, at, people).ok_or(Nothing)?;
            for _ in target..guarded {
                let chosen = chosen(rows, set, draws);
                chosen.rows -= 1;
                let to = stock.draw(draws);
                changes.push(Change { atom: at as u32, cell: chosen.cell, from: chosen.value, to, rows: 1 });
                // Where another set holds the atom to account the row is none of the guarded ones any more.
                let changed = Rows { cell: chosen.cell, value: to, rows: 1 };
                rows.push(changed);
            }
        }
    }
    Ok(gathered(changes))
}

/// How many rows an atom has, and how many of a set.
fn crowd(rows: &[Rows], set: &[bool]) -> Crowd {
    let held = rows.iter().filter(|rows| set[rows.value as usize]);
    Crowd { people: rows.iter().map(|rows| rows.rows).sum(), guarded: held.map(|rows| rows.rows).sum() }
}

/// One of the rows of a set, each as likely.
fn chosen<'r>(rows: &'r mut [Rows], set: &[bool], draws: &mut dyn Draws) -> &'r mut Rows {
    let held = |rows: &&mut Rows| set[rows.value as usize];
    let all = rows.iter().filter(|rows| set[rows.value as usize]).map(|rows| rows.rows).sum();
    let mut drawn = draws.below(all);
    let found = rows.iter_mut().filter(held).find(|rows| match drawn.checked_sub(rows.rows) {
        Some(rest) => {
            drawn = rest;
            false
        }
        None => true,
    });
    found.expect("the draw is below the number of rows")
}

/// Equal ones in one, in order: nothing tells in which order they were drawn.
fn gathered(mut changes: Vec<Change>) -> Vec<Change> {
    changes.sort_unstable();
    changes.dedup_by(|next, before| {
        let same = (next.atom, next.cell, next.from, next.to) == (before.atom, before.cell, before.from, before.to);
        before.rows += if same { next.rows } else { 0 };
        same
    });
    changes
}
