//! The values to which rows are changed (SCIENCE 5): values outside every guarded set, from people
//! similar to those of an atom. The atom's own few values would repeat and so reveal the change,
//! and a value that no similar person has would reveal itself.

use std::collections::BTreeMap;

use super::draws::Draws;
use crate::histogram::ValueCode;

/// The number of rows in the source for each row of the atom.
const ENOUGH: u64 = 10;

/// Values with their frequencies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplacementValues {
    /// Each value with the cumulative number of rows.
    values: Vec<(ValueCode, u64)>,
}

impl ReplacementValues {
    /// From values with their numbers of rows.
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
        ReplacementValues {
            values: counts.into_iter().map(up_to).collect(),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.values.last().map_or(0, |(_, rows)| *rows)
    }

    /// The value of a random row; the row stays in the source.
    pub(super) fn draw(&self, draws: &mut dyn Draws) -> ValueCode {
        assert!(!self.values.is_empty(), "there are values to draw");
        let drawn = draws.below(self.rows());
        self.values[self.values.partition_point(|(_, rows)| *rows <= drawn)].0
    }
}

/// The values of the chain outside every guarded set, by similarity of their people to an atom.
pub trait ReplacementSources {
    /// The rows of an atom's class (0), of the class one specialisation higher (1), and so on;
    /// `None` after that of all people.
    fn around(&self, atom: usize, higher: usize) -> Option<ReplacementValues>;
}

/// The nearest source with enough rows for `people`, or that of all people; `None` if that is
/// empty.
pub(super) fn of(
    stocks: &dyn ReplacementSources,
    atom: usize,
    people: u64,
) -> Option<ReplacementValues> {
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
