//! What rows are changed to (SCIENCE 5): values outside of every guarded set that people have who are like those of an atom.
//! Its own few would give the change away by repeating, and one that nobody like them has would give itself away.

use super::Draws;
use crate::engine::histogram::ValueCode;

/// Rows of the stock for each row of the atom.
const ENOUGH: u64 = 10;

/// Values, each as often as people have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stock {
    values: Vec<(ValueCode, u64)>,
    rows: u64,
}

impl Stock {
    /// Of values with the number of rows that have them.
    pub fn of(values: impl IntoIterator<Item = (ValueCode, u64)>) -> Stock {
        let values: Vec<(ValueCode, u64)> = values.into_iter().filter(|(_, rows)| *rows > 0).collect();
        Stock { rows: values.iter().map(|(_, rows)| rows).sum(), values }
    }

    /// How many rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The value of one of them, each as likely; it stays there.
    pub(super) fn draw(&self, draws: &mut dyn Draws) -> ValueCode {
        let mut drawn = draws.below(self.rows);
        let found = self.values.iter().find(|(_, rows)| match drawn.checked_sub(*rows) {
            Some(rest) => {
                drawn = rest;
                false
            }
            None => true,
        });
        found.expect("the draw is below the number of rows").0
    }
}

/// What the chain holds outside of every guarded set, by how like an atom people are.
pub trait Stocks {
    /// The rows of an atom's class (0), of the class one specialisation higher (1), and so on; `None` behind everybody's.
    fn around(&self, atom: usize, higher: usize) -> Option<Stock>;
}

/// The nearest one with enough for so many people, or everybody's; `None` where that is empty.
pub(super) fn of(stocks: &dyn Stocks, atom: usize, people: u64) -> Option<Stock> {
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
