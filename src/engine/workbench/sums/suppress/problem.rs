//! The input and the result of secondary suppression.

use super::super::system::SumSystem;

/// A cell that must not be computed too precisely, and the required margins of its interval.
#[derive(Clone, PartialEq, Eq)]
pub struct Sensitive {
    /// The cell.
    pub cell: usize,
    /// The upper end must be at least the value plus this.
    pub up: u128,
    /// The lower end must be at most the value minus this.
    pub down: u128,
}

// The margins follow from the largest contributions.
impl std::fmt::Debug for Sensitive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sensitive")
            .field("cell", &self.cell)
            .finish_non_exhaustive()
    }
}

/// The suppression problem of a system.
pub struct SuppressionProblem<'s> {
    /// The cells and relations.
    pub system: &'s SumSystem,
    /// The value of every cell; they satisfy all relations.
    pub values: &'s [i128],
    /// The cost of suppressing a cell; `None`: it has to be published. Sensitive and hidden cells
    /// cost nothing.
    pub costs: &'s [Option<u64>],
    /// Cells that are never published, such as the slices behind sums.
    pub hidden: &'s [usize],
    /// The cells that are protected.
    pub sensitive: &'s [Sensitive],
    /// Cells with a single contributor, who knows the value even if it is suppressed. Each of these
    /// contributors is an attacker of all other sensitive cells.
    pub lone: &'s [usize],
    /// The limit on the work of the search for the cheapest pattern, in recomputed terms of
    /// equations. A core does tens of millions a second.
    pub work: u64,
}

/// The suppressed cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellSuppression {
    /// The cells besides the sensitive and the hidden ones, in order.
    pub secondary: Vec<usize>,
    /// Their cost.
    pub cost: u128,
    /// Whether it is proved that no pattern costs less.
    pub least: bool,
}

/// The result of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protection {
    /// With these cells suppressed, every sensitive cell is protected.
    Protected(CellSuppression),
    /// Even with all possible cells suppressed, this cell is not protected.
    Impossible {
        /// The cell.
        cell: usize,
    },
}
