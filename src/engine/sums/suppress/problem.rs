//! What is asked of secondary suppression, and what comes of it.

use super::super::system::SumSystem;

/// A cell that must not be computed too closely. How far its interval has to reach beyond its value.
#[derive(Clone, PartialEq, Eq)]
pub struct Sensitive {
    /// The cell.
    pub cell: usize,
    /// To the value plus this, at least.
    pub up: u128,
    /// To the value minus this, at most.
    pub down: u128,
}

// How wide an interval has to be follows from the largest contributions.
impl std::fmt::Debug for Sensitive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sensitive").field("cell", &self.cell).finish_non_exhaustive()
    }
}

/// What is to be suppressed in a system.
pub struct SuppressionProblem<'s> {
    /// The cells and relations.
    pub system: &'s SumSystem,
    /// The value of every cell; they fulfil all relations.
    pub values: &'s [i128],
    /// What leaving a cell out costs; `None`: it has to be published. Sensitive and hidden cells cost nothing.
    pub costs: &'s [Option<u64>],
    /// Cells that are not published anyway, like the slices behind sums.
    pub hidden: &'s [usize],
    /// The cells that are protected.
    pub sensitive: &'s [Sensitive],
    /// Cells with one contributor, who knows the value also where it is left out. Each of them is an attacker of all other sensitive cells.
    pub lone: &'s [usize],
    /// How much may be spent on the search for the cheapest pattern: terms of equations that are computed anew. A core does tens of
    /// millions a second.
    pub work: u64,
}

/// Which cells are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellSuppression {
    /// The cells besides the sensitive and the hidden ones, in order.
    pub secondary: Vec<usize>,
    /// What they cost.
    pub cost: u128,
    /// Whether it is certain that no pattern costs less.
    pub least: bool,
}

/// What came of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protection {
    /// With these cells left out every sensitive cell is protected.
    Protected(CellSuppression),
    /// Even with all cells left out that may be, this cell is not.
    Impossible {
        /// The cell.
        cell: usize,
    },
}
