//! What is found when a state is checked.

/// What one state is like.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateFigures {
    /// Rows that are suppressed.
    pub suppressed: u64,
    /// Those of them that are suppressed in every finer state, too.
    pub lost: u64,
    /// Classes that are suppressed.
    pub unpublished: u64,
    /// Σ |class|² over all classes.
    pub squares: u128,
    /// Classes that are published.
    pub published: u64,
    /// Σ |class|² over these.
    pub published_squares: u128,
    /// Per column what the suppressed rows cost beside what their labels cost, or per query what they would add to the answer; empty if
    /// too many are suppressed.
    pub extra: Vec<u128>,
}

impl StateFigures {
    /// Classes, with those that are suppressed.
    pub fn classes(&self) -> u64 {
        self.published + self.unpublished
    }
}
