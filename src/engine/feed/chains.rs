//! Ends a chain and begins the next one (SCIENCE 3): after a check that reads sensitive values
//! failed, or because the operator wants it. The releases of the old chain stay published; all
//! other people are moved to the next chain.

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
        let mut all_rows = vec![self.waiting.clone()];
        all_rows.extend(
            self.unpublished
                .iter()
                .map(|increment| increment.rows.clone()),
        );
        self.begin_chain(Histogram::merge_all(all_rows).expect("one at least"));
    }

    /// Begins a new chain with these people, whose leaves may be those of other taxonomies than
    /// before.
    pub fn begin_chain(&mut self, all_rows: Histogram) {
        let (quasi, sensitive) = (all_rows.width(), all_rows.values().width());
        let no_rows = Histogram::empty(quasi, sensitive);
        self.whole = no_rows.into();
        self.unpublished.clear();
        self.waiting = all_rows;
        self.memory = LabellerMemory::Nothing;
        self.published.clear();
        self.stopped = false;
        self.rows_left = false;
        self.chain += 1;
    }
}
