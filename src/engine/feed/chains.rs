//! Ends a chain and begins the next one (SCIENCE 3): after a check that reads sensitive values
//! failed, or because the operator wants it. The releases of the old chain stay published; all
//! other people are moved to the next chain.

use super::arrivals::Arrivals;
use super::state::Feed;
use crate::histogram::Histogram;
use crate::label::LabellerMemory;

impl Feed {
    /// A check that reads sensitive values failed: the chain publishes nothing any more, and the
    /// people of the increment count as published for ever.
    pub fn stop(&mut self) {
        self.stopped = true;
        // No tick labels anyone any more.
        self.memory = LabellerMemory::Nothing;
        self.unpublished.clear();
    }

    /// Begins a new chain: all people who wait or are in unpublished atoms are moved
    /// to it.
    pub fn new_chain(&mut self) {
        self.again();
        let (waiting, columns) = (std::mem::take(&mut self.waiting), self.columns);
        self.begin_chain(waiting, columns);
    }

    /// Begins a new chain with these rows, whose leaves may be those of other taxonomies than
    /// before; `columns`: the numbers of quasi and of sensitive columns.
    pub fn begin_chain(&mut self, rows: Arrivals, columns: (usize, usize)) {
        let (quasi, sensitive) = columns;
        self.columns = columns;
        self.whole = Histogram::empty(quasi, sensitive).into();
        self.unpublished.clear();
        self.waiting = rows;
        self.memory = LabellerMemory::Nothing;
        self.published.clear();
        self.stopped = false;
        self.rows_left = false;
        self.chain += 1;
    }
}
