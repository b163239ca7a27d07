//! Checks states, several at a time. The classes of a state are computed from the stored classes of
//! a finer state, of which those with the fewest classes are used, and not from the rows; the
//! number of stored states is bounded. No result depends on what is stored, or on the number of
//! threads.

use rayon::prelude::*;

use super::classes::{StateClasses, StateRules};
use super::lattice::{Lattice, Levels};
use super::objective::Objective;
use super::packing::Packing;
use super::privacy::Privacy;
use super::rows::DistinctRows;
use super::state_figures::StateFigures;

/// Checks states.
pub(super) trait Checker {
    /// The figures of each of these states.
    fn check(&mut self, states: &[Levels]) -> Vec<StateFigures>;

    /// Stores the classes of a state, because states that generalise it follow.
    fn prepare(&mut self, levels: &[u8]);

    /// The most bytes that stored classes took.
    fn bytes(&self) -> usize;
}

/// The most bytes of stored classes, not counting those of the finest state.
const MOST: usize = 48 << 20;
/// The most states whose classes are stored.
const STATES: usize = 1_024;
/// The bytes of a class, not counting its key.
const ROWS: usize = size_of::<u32>();

struct RollUp<'r, const WORDS: usize> {
    rules: StateRules<'r>,
    /// The finest state first, then the others, oldest first.
    known: Vec<StateClasses<WORDS>>,
    entries: usize,
    largest: usize,
}

/// A checker for these rows.
pub(super) fn checker<'r>(
    rows: &DistinctRows,
    lattice: &'r Lattice,
    privacy: &'r Privacy,
    objective: &'r Objective,
    limit: u64,
) -> Box<dyn Checker + 'r> {
    assert!(
        rows.have_values() || !privacy.looks_at_values(),
        "values exist for the columns that are read"
    );
    let mut table: Vec<f64> = Vec::new();
    for (&value, &count) in rows.values.iter().zip(&rows.counts) {
        table.resize(table.len().max(value as usize + 1), 0.0);
        table[value as usize] += f64::from(count);
    }
    let all = rows.all() as f64;
    table.iter_mut().for_each(|share| *share /= all);
    let packing = Packing::of(lattice, table.len());
    let words = packing.words();
    let rules = StateRules {
        lattice,
        privacy,
        objective,
        limit,
        table,
        packing,
    };
    match words {
        1 => RollUp::<1>::boxed(rows, rules),
        2 => RollUp::<2>::boxed(rows, rules),
        3..=4 => RollUp::<4>::boxed(rows, rules),
        5..=8 => RollUp::<8>::boxed(rows, rules),
        9..=16 => RollUp::<16>::boxed(rows, rules),
        _ => RollUp::<64>::boxed(rows, rules),
    }
}

impl<'r, const WORDS: usize> RollUp<'r, WORDS> {
    fn boxed(rows: &DistinctRows, rules: StateRules<'r>) -> Box<dyn Checker + 'r> {
        let finest = StateClasses::<WORDS>::finest(rows, &rules);
        let largest = finest.len() * (WORDS * 8 + ROWS);
        Box::new(RollUp::<WORDS> {
            rules,
            known: vec![finest],
            entries: 0,
            largest,
        })
    }

    /// The stored state with the fewest classes that this state generalises.
    fn source(&self, levels: &[u8]) -> &StateClasses<WORDS> {
        assert!(
            levels.len() == self.known[0].levels.len(),
            "a level of each column"
        );
        let finer = |known: &&StateClasses<WORDS>| {
            known
                .levels
                .iter()
                .zip(levels)
                .all(|(known, level)| known <= level)
        };
        self.known
            .iter()
            .filter(finer)
            .min_by_key(|known| known.len())
            .expect("the finest state is at hand")
    }

    fn keep(&mut self, mut classes: StateClasses<WORDS>, source: usize) {
        // Storing a state saves hardly any work if it has hardly fewer classes.
        if classes.len() * 10 > source * 8 {
            return;
        }
        classes.shrink();
        self.entries += classes.len();
        self.known.push(classes);
        while self.entries * (WORDS * 8 + ROWS) > MOST || self.known.len() > STATES {
            self.entries -= self.known.remove(1).len();
        }
        let all = self.entries + self.known[0].len();
        self.largest = self.largest.max(all * (WORDS * 8 + ROWS));
    }
}

impl<const WORDS: usize> Checker for RollUp<'_, WORDS> {
    fn check(&mut self, states: &[Levels]) -> Vec<StateFigures> {
        let one = |levels: &Levels| {
            let source = self.source(levels);
            let classes = source.rolled_up(levels, &self.rules);
            assert!(
                classes.len() <= source.len(),
                "classes of a state that generalises another are no more than those"
            );
            (classes.check(&self.rules), classes, source.len())
        };
        let checked: Vec<_> = match states {
            [levels] => vec![one(levels)],
            several => several.par_iter().map(one).collect(),
        };
        checked
            .into_iter()
            .map(|(checked, classes, source)| {
                self.keep(classes, source);
                checked
            })
            .collect()
    }

    fn prepare(&mut self, levels: &[u8]) {
        let source = self.source(levels);
        let (classes, source) = (source.rolled_up(levels, &self.rules), source.len());
        self.keep(classes, source);
    }

    fn bytes(&self) -> usize {
        self.largest
    }
}
