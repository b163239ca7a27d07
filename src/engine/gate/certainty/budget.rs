//! How much work certainty may take, counted in operations: a clock would make the answer depend on the machine.

/// How many operations an answer may take: classes that are moved, and bounds that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CertaintyBudget(u64);

impl CertaintyBudget {
    /// Some tens of seconds. A release of a hundred thousand classes in ten columns takes less than a hundredth of it.
    pub const FULL: CertaintyBudget = CertaintyBudget(5_000_000_000);

    /// So many operations.
    pub fn new(operations: u64) -> CertaintyBudget {
        CertaintyBudget(operations)
    }

    /// Takes so many off.
    ///
    /// # Errors
    /// There are not so many left.
    pub(super) fn spend(&mut self, operations: u64) -> Result<(), CertaintyUndone> {
        self.0 = self.0.checked_sub(operations).ok_or(CertaintyUndone::Spent)?;
        Ok(())
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertaintyUndone {
    /// The budget is spent.
    Spent,
    /// No world agrees with what is public.
    Contradiction,
}
