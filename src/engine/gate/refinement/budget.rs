//! How much work an attack may take, counted in operations: a clock would make the answer depend on the machine.

/// The budget is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetSpent;

/// How much work one target may take, in operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefinementBudget {
    /// Leaf cells that are looked at; as many for what all targets share.
    pub cells: u64,
    /// Arrows and numbers of states of the dynamic program.
    pub arrows: u64,
    /// Operations on residues, for exact figures.
    pub operations: u64,
    /// Bits of an exact figure.
    pub bits: u64,
    /// Ways that are drawn where the dynamic program is too large.
    pub draws: u64,
}

impl RefinementBudget {
    /// For one hard target: some seconds and some tens of MB.
    pub const FULL: RefinementBudget =
        RefinementBudget { cells: 1 << 25, arrows: 1 << 24, operations: 1 << 28, bits: 1 << 19, draws: 100_000 };

    /// For each of so many targets, so that all together take some minutes at most. Nearly all targets need a tiny part of
    /// it.
    pub fn shared(targets: usize) -> RefinementBudget {
        assert!(targets < usize::MAX / 2, "targets of a release");
        let arrows = ((1 << 33) / targets.max(1) as u64).clamp(1 << 16, RefinementBudget::FULL.arrows);
        RefinementBudget { arrows, operations: arrows << 4, ..RefinementBudget::FULL }
    }

    /// Arrows of a graph that is drawn from, after the whole one was too large.
    pub(super) fn fewer(self) -> u64 {
        self.arrows / 8
    }
}
