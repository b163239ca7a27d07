//! The limit on the work of an attack, counted in operations: with a clock, the answer would depend
//! on the machine.

/// The budget is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BudgetSpent;

/// The limit on the work for one target, in operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefinementBudget {
    /// The leaf cells that are examined; the part that all targets share has the same limit.
    pub cells: u64,
    /// The arrows, and the numbers in states, of the dynamic program.
    pub arrows: u64,
    /// Operations on residues, for exact figures.
    pub operations: u64,
    /// Bits of an exact figure.
    pub bits: u64,
    /// The number of samples if the dynamic program is too large.
    pub draws: u64,
}

impl RefinementBudget {
    /// For a single hard target: some seconds and some tens of MB.
    pub const FULL: RefinementBudget = RefinementBudget {
        cells: 1 << 25,
        arrows: 1 << 24,
        operations: 1 << 28,
        bits: 1 << 19,
        draws: 100_000,
    };

    /// For each of `targets` targets, so that all together take at most some minutes. Nearly all
    /// targets need a tiny part of it.
    pub fn shared(targets: usize) -> RefinementBudget {
        assert!(targets < usize::MAX / 2, "targets of a release");
        let arrows =
            ((1 << 33) / targets.max(1) as u64).clamp(1 << 16, RefinementBudget::FULL.arrows);
        RefinementBudget {
            arrows,
            operations: arrows << 4,
            ..RefinementBudget::FULL
        }
    }

    /// The arrows of a graph for sampling, used after the whole graph was too large.
    pub(super) fn fewer(self) -> u64 {
        self.arrows / 8
    }
}
