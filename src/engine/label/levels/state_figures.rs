//! The figures of a checked state.

/// The figures of one state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateFigures {
    /// The number of suppressed rows.
    pub suppressed: u64,
    /// Those of them that are suppressed in every finer state, too.
    pub lost: u64,
    /// The number of suppressed classes.
    pub unpublished: u64,
    /// Σ |class|² over all classes.
    pub squares: u128,
    /// The number of published classes.
    pub published: u64,
    /// Σ |class|² over the published classes.
    pub published_squares: u128,
    /// For each column, the cost of suppressed rows in addition to their labels, or for each query
    /// their contribution to the answer; empty if too many rows are suppressed.
    pub extra: Vec<u128>,
}

impl StateFigures {
    /// The number of classes, including suppressed ones.
    pub fn classes(&self) -> u64 {
        self.published + self.unpublished
    }
}
