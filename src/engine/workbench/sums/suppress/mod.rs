//! Secondary suppression (SCIENCE 7): which cells are suppressed besides the sensitive ones, at
//! minimal cost, so that the interval of every sensitive cell is wide enough.
//!
//! For each cell this is the model of Fischetti and Salazar: if an interval is too narrow, the
//! optimum of linear programming proves that some of a list of further cells must be suppressed as
//! well (a `CoverInequality`). `quick_pattern` finds a good pattern with such cuts,
//! `cheapest_pattern` the cheapest one by branch and bound. Neither decides whether a pattern is
//! safe: the intervals do.

mod cheapest_pattern;
mod cut;
mod problem;
mod quick_pattern;
mod search;

pub use problem::{CellSuppression, Protection, Sensitive, SuppressionProblem};

use search::SuppressionSearch;

impl SuppressionProblem<'_> {
    /// The cheapest cells to suppress that can be found within the limit on work.
    ///
    /// # Panics
    /// If there is not one value and one cost for each cell.
    pub fn protect(&self) -> Protection {
        assert_eq!(
            (self.values.len(), self.costs.len()),
            (self.system.cells(), self.system.cells())
        );
        let mut search = SuppressionSearch::new(self);
        let found = match quick_pattern::pattern(&mut search) {
            Ok(found) => found,
            Err(cell) => return Protection::Impossible { cell },
        };
        let (pattern, least) = cheapest_pattern::pattern(&mut search, found);
        let secondary: Vec<usize> = search.secondary(&pattern).collect();
        let cost = search.cost(&pattern);
        Protection::Protected(CellSuppression {
            secondary,
            cost,
            least,
        })
    }

    /// The sensitive cells whose interval is too narrow, for readers or for a lone contributor, if
    /// these cells are suppressed besides the sensitive and hidden ones.
    pub fn exposed(&self, secondary: &[usize]) -> Vec<usize> {
        let mut search = SuppressionSearch::new(self);
        let mut pattern = search.base.clone();
        secondary.iter().for_each(|&cell| pattern[cell] = true);
        let mut cells: Vec<usize> = search.cuts(&pattern).iter().map(|cut| cut.cell).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}
