//! The limit on the work of the certainty attack, counted in operations: with a clock, the answer
//! would depend on the machine.

/// The number of operations that an answer may take: moves of classes, and comparisons of bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CertaintyBudget(u64);

impl CertaintyBudget {
    /// Some tens of seconds. A release of a hundred thousand classes in ten columns needs less than
    /// a hundredth of it.
    pub const FULL: CertaintyBudget = CertaintyBudget(5_000_000_000);

    /// A budget of this many operations.
    pub fn new(operations: u64) -> CertaintyBudget {
        CertaintyBudget(operations)
    }

    /// Spends operations.
    ///
    /// # Errors
    /// The budget does not have as many left.
    pub(super) fn spend(&mut self, operations: u64) -> Result<(), CertaintyUndone> {
        self.0 = self
            .0
            .checked_sub(operations)
            .ok_or(CertaintyUndone::Spent)?;
        Ok(())
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CertaintyUndone {
    /// The budget is spent.
    Spent,
    /// No possible table agrees with what is public.
    Contradiction,
}
