//! Why an interval is too narrow, and which cells would widen it.

/// `Σ weight ≥ needed` over the suppressed cells: every pattern that protects `cell` satisfies it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct CoverInequality {
    /// The sensitive cell.
    pub cell: usize,
    /// The cells that count, in order; a weight is above 0 and at most `needed`. Numbers of more
    /// than 96 bits are truncated, with weights rounded up: patterns that satisfy the exact cut
    /// satisfy this one.
    pub weights: Vec<(usize, i128)>,
    /// The required sum.
    pub needed: i128,
}

impl CoverInequality {
    /// The same against an attacker who knows this cell.
    pub(super) fn without(mut self, cell: usize) -> CoverInequality {
        self.weights.retain(|weight| weight.0 != cell);
        self
    }

    /// How much a pattern lacks; 0 or less if it satisfies the cut.
    pub(super) fn lacks(&self, pattern: &[bool]) -> i128 {
        let there = self
            .weights
            .iter()
            .filter(|weight| pattern[weight.0])
            .map(|weight| weight.1);
        self.needed
            .saturating_sub(there.fold(0, i128::saturating_add))
    }
}
