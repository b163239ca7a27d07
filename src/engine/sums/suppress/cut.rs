//! Why an interval is too narrow, and which cells would widen it.

/// `Σ weight ≥ needed` over the cells that are left out: every pattern that protects `cell` fulfils it.
#[derive(Clone, PartialEq, Eq)]
pub struct CoverInequality {
    /// The sensitive cell.
    pub cell: usize,
    /// Cells that count, in order; a weight is above 0 and at most what is needed. More than 96 bits are cut off, of weights upwards:
    /// patterns that fulfil the exact cut fulfil this one.
    pub weights: Vec<(usize, i128)>,
    /// What they have to come to.
    pub needed: i128,
}

impl CoverInequality {
    /// The same against an attacker who knows this cell.
    pub fn without(mut self, cell: usize) -> CoverInequality {
        self.weights.retain(|weight| weight.0 != cell);
        self
    }

    /// How much a pattern lacks; 0 or less if it fulfils the cut.
    pub fn lacks(&self, pattern: &[bool]) -> i128 {
        let there = self.weights.iter().filter(|weight| pattern[weight.0]).map(|weight| weight.1);
        self.needed.saturating_sub(there.fold(0, i128::saturating_add))
    }
}
