//! Secondary suppression (SCIENCE 7): which cells are left out besides the sensitive ones, at least cost, so that the interval of every
//! sensitive cell is as wide as it has to be.
//!
//! Cell by cell this is the model of Fischetti and Salazar: the optimum of linear programming proves, where an interval is too narrow,
//! that some of a list of further cells must be left out as well (a `CoverInequality`). `cheap` finds a good pattern with such cuts, `least`
//! the cheapest one by branch and bound. Neither decides whether a pattern is safe: the intervals do.

mod cheapest_pattern;
mod cut;
mod problem;
mod quick_pattern;
mod search;

pub use problem::{CellSuppression, Protection, Sensitive, SuppressionProblem};

use search::SuppressionSearch;

impl SuppressionProblem<'_> {
    /// The cheapest cells to leave out that can be found with so much work.
    ///
    /// # Panics
    /// There is not one value and one cost for each cell.
    pub fn protect(&self) -> Protection {
        assert_eq!((self.values.len(), self.costs.len()), (self.system.cells(), self.system.cells()));
        let mut search = SuppressionSearch::new(self);
        let found = match quick_pattern::pattern(&mut search) {
            Ok(found) => found,
            Err(cell) => return Protection::Impossible { cell },
        };
        let (pattern, least) = cheapest_pattern::pattern(&mut search, found);
        let secondary: Vec<usize> = search.secondary(&pattern).collect();
        let cost = search.cost(&pattern);
        Protection::Protected(CellSuppression { secondary, cost, least })
    }

    /// The sensitive cells whose interval is too narrow, for readers or for a lone contributor, when these cells are left out besides the sensitive and hidden ones.
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
