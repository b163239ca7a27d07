//! What rows are changed to (SCIENCE 5): values outside of every guarded set that people have who are like those of an atom.
//! Its own few would give the change away by repeating, and one that no similar person has would give itself away.

use std::collections::BTreeMap;

use super::draws::Draws;
use crate::histogram::ValueCode;

/// Rows of the stock for each row of the atom.
const ENOUGH: u64 = 10;

/// Values, each as often as people have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplacementValues {
    /// Each with the number of rows that have it or one before it.
    values: Vec<(ValueCode, u64)>,
}

impl ReplacementValues {
    /// Of values with the number of rows that have them.
    pub fn of(values: impl IntoIterator<Item = (ValueCode, u64)>) -> ReplacementValues {
        let mut counts: BTreeMap<ValueCode, u64> = BTreeMap::new();
        for (value, rows) in values.into_iter().filter(|(_, rows)| *rows > 0) {
            *counts.entry(value).or_default() += rows;
        }
        let mut so_far = 0;
        let up_to = |(value, rows)| {
            so_far += rows;
            (value, so_far)
        };
        ReplacementValues { values: counts.into_iter().map(up_to).collect() }
    }

    /// How many rows.
    pub fn rows(&self) -> u64 {
        self.values.last().map_or(0, |(_, rows)| *rows)
    }

    /// The value of one of them, each as likely; it stays there.
    pub(super) fn draw(&self, draws: &mut dyn Draws) -> ValueCode {
        assert!(!self.values.is_empty(), "there are values to draw");
        let drawn = draws.below(self.rows());
        self.values[self.values.partition_point(|(_, rows)| *rows <= drawn)].0
    }
}

/// What the chain holds outside of every guarded set, by how like an atom people are.
pub trait ReplacementSources {
    /// The rows of an atom's class (0), of the class one specialisation higher (1), and so on; `None` behind that of all people.
    fn around(&self, atom: usize, higher: usize) -> Option<ReplacementValues>;
}

/// The nearest one with enough for so many people, or that of all people; `None` where that is empty.
pub(super) fn of(stocks: &dyn ReplacementSources, atom: usize, people: u64) -> Option<ReplacementValues> {
    let mut last = None;
    for stock in (0..).map_while(|higher| stocks.around(atom, higher)) {
        let enough = stock.rows() >= people.saturating_mul(ENOUGH);
        last = Some(stock);
        if enough {
            break;
        }
    }
    last.filter(|stock| stock.rows() > 0)
}
